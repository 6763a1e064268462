#ifndef KRYLITE_CORE_KERNEL_HPP
#define KRYLITE_CORE_KERNEL_HPP

namespace krylite {

/// Which implementation runs.
enum class Kernel {
  automatic,  ///< native where there is one for the operation, the types and the place, else portable
  portable,   ///< the generic one, plain Kokkos
  native      ///< hand-written (SIMD on hosts); an Error where there is none
};

}  // namespace krylite

#endif
