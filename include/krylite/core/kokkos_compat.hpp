#ifndef KRYLITE_CORE_KOKKOS_COMPAT_HPP
#define KRYLITE_CORE_KOKKOS_COMPAT_HPP

/// \file
/// The only file that asks which Kokkos this is (3.4.01 to 5) and which backends it has, but for
/// kokkos_kernels_compat.hpp, which does so for the solvers of Kokkos Kernels.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <type_traits>

namespace krylite {

#if KOKKOS_VERSION >= 30700
using Kokkos::fabs;
using Kokkos::isfinite;
using Kokkos::sqrt;
#else
// Kokkos 3.4 lacks some of these; the standard functions work on hosts and in nvcc's device code.
using std::fabs;
using std::isfinite;
using std::sqrt;
#endif
// No Kokkos has these; nvcc knows the standard ones.
using std::ilogb;
using std::ldexp;

/// Starts Kokkos without the advice that it prints on OMP_PROC_BIND: a command's output is its result alone.
inline void initialize_kokkos() {
#if KOKKOS_VERSION >= 30700
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
  Kokkos::InitArguments arguments;
  arguments.disable_warnings = true;
  Kokkos::initialize(arguments);
#endif
}

/// True where one thread of `ExecutionSpace` runs a whole loop over many entries well (a host core), and
/// false where neighbouring threads must read neighbouring entries (a GPU).
template <class ExecutionSpace>
inline constexpr bool is_host_space =
    std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

/// True for the execution space that the hand-written CUDA kernels serve.
template <class ExecutionSpace>
inline constexpr bool is_cuda = false;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool is_cuda<Kokkos::Cuda> = true;
#endif

/// What tells two instances of an execution space apart: the stream of a CUDA instance; hosts have one instance.
template <class ExecutionSpace>
const void* instance_key(const ExecutionSpace&) {
  return nullptr;
}
#ifdef KOKKOS_ENABLE_CUDA
inline const void* instance_key(const Kokkos::Cuda& exec) { return static_cast<const void*>(exec.cuda_stream()); }
#endif

}  // namespace krylite

#endif
