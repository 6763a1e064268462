#ifndef KRYLITE_SRC_SIMD_SIMD_TARGETS_HPP
#define KRYLITE_SRC_SIMD_SIMD_TARGETS_HPP

/// \file
/// What the SIMD kernels share. Included before any header of Highway.

// Instruction sets that Highway compiles for: on x86, AVX-512, AVX2 and what every processor has; those in between
// would lengthen the build for hardly a machine.
#if defined(__x86_64__)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif

namespace krylite {
namespace detail {

/// Entries of a matrix that are asked for ahead of their use. The hardware prefetches too, but starts anew at every
/// page, and a matrix is read once. Measured on two threads of an AVX-512 machine, RgCSR's speed without, with 256,
/// 512 and 2048 entries: 1.15, 1.7, 1.85, 1.6 times Kokkos Kernels' on poisson3d n = 120, 1.4, 1.9, 2.0, 2.0 times on
/// stencil27 n = 70.
constexpr int prefetched_entries = 512;

}  // namespace detail
}  // namespace krylite

#endif
