/// \file
/// Instruction sets that Highway compiles the host kernels for: on x86, AVX-512, AVX2 and what every processor has;
/// those in between would lengthen the build for hardly a machine. Included before any header of Highway.

// Not <krylite/...>: this must come first, and is the same for every file.
#if defined(__x86_64__)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
