#ifndef KRYLITE_SPMV_ADAPTIVE_RGCSR_HPP
#define KRYLITE_SPMV_ADAPTIVE_RGCSR_HPP

#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/vectors.hpp>
#include <krylite/spmv/workspace.hpp>

namespace krylite {
namespace detail {

/// y of the long rows from the sums of their pieces, `Count` to a piece, in the order of the pieces.
template <int Count, class ExecutionSpace, class T, class Adaptive, class Y>
void add_pieces(const ExecutionSpace& exec, T alpha, const Adaptive& matrix, const T* partials, T beta, const Y& y) {
  const auto long_rows = matrix.long_rows;
  const auto long_pointers = matrix.long_pointers;
  Kokkos::parallel_for(
      "krylite::spmv::add_pieces", range(exec, long_rows.extent(0)), KOKKOS_LAMBDA(const std::int64_t i) {
        T sums[Count] = {};
        for (std::int64_t p = long_pointers(i); p < long_pointers(i + 1); ++p) {
          for (int v = 0; v < Count; ++v) sums[v] += partials[p * Count + v];
        }
        for (int v = 0; v < Count; ++v) update(y(long_rows(i), v), alpha, sums[v], beta);
      });
}

/// Generic product, a thread a piece.
template <int Count, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void multiply_portable(const ExecutionSpace& exec, T alpha,
                       const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix, const X& x, T beta, const Y& y,
                       SpmvWorkspace<MemorySpace>& workspace, const SpmvOptions&) {
  T* const partials = workspace.template get<T>(exec, static_cast<std::size_t>(matrix.num_partials() * Count));
  const auto pieces = matrix.pieces;
  const auto targets = matrix.targets;
  Kokkos::parallel_for(
      "krylite::spmv::adaptive_rgcsr", range(exec, matrix.num_units()), KOKKOS_LAMBDA(const std::int64_t slot) {
        T sums[Count] = {};
        pieces.visit(slot, slot + 1, [&](Index, Index column, const auto& value) {
          for (int v = 0; v < Count; ++v) sums[v] += static_cast<T>(value) * static_cast<T>(x(column, v));
        });
        const Index target = targets(slot);
        for (int v = 0; v < Count; ++v) {
          if (target >= 0) {
            update(y(target, v), alpha, sums[v], beta);
          } else {
            partials[std::int64_t(-1 - target) * Count + v] = sums[v];
          }
        }
      });
  add_pieces<Count>(exec, alpha, matrix, partials, beta, y);
}

}  // namespace detail
}  // namespace krylite

#endif
