#ifndef KRYLITE_BASIS_COMPRESSED_BASIS_HPP
#define KRYLITE_BASIS_COMPRESSED_BASIS_HPP

/// \file
/// A Krylov basis V of up to m vectors of n entries in compressed storage: codes column by column, and one
/// factor a column (see basis/storage.hpp). Vector j is v_ij = factors(j) * decode(codes(i, j)).

#include <krylite/basis/storage.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>

#include <cstddef>

namespace krylite {

template <class Code, class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct CompressedBasis {
  using code_type = Code;
  using memory_space = MemorySpace;

  Kokkos::View<Code**, Kokkos::LayoutLeft, MemorySpace> codes;  ///< n x m
  Kokkos::View<double*, MemorySpace> factors;                   ///< m

  std::int64_t length() const { return static_cast<std::int64_t>(codes.extent(0)); }
  Index capacity() const { return static_cast<Index>(codes.extent(1)); }

  std::size_t bytes() const { return codes.span() * sizeof(Code) + factors.extent(0) * sizeof(double); }
};

/// Room for `capacity` vectors of `length` entries, uninitialized.
/// \throws Error where the machine does not have the memory
template <class Code, class ExecutionSpace>
CompressedBasis<Code, typename ExecutionSpace::memory_space> make_compressed_basis(const ExecutionSpace& exec,
                                                                                   std::int64_t length,
                                                                                   Index capacity) {
  using Basis = CompressedBasis<Code, typename ExecutionSpace::memory_space>;
  require_memory<typename ExecutionSpace::memory_space>(
      static_cast<std::size_t>(length) * static_cast<std::size_t>(capacity) * sizeof(Code), "the Krylov basis");
  Basis basis;
  basis.codes = decltype(basis.codes)(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("krylite::basis::codes")), length, capacity);
  basis.factors = detail::allocate<decltype(basis.factors)>(exec, "krylite::basis::factors", capacity);
  return basis;
}

}  // namespace krylite

#endif
