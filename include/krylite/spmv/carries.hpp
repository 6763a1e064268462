#ifndef KRYLITE_SPMV_CARRIES_HPP
#define KRYLITE_SPMV_CARRIES_HPP

/// \file
/// Rows that several chunks of entries share. The chunk in which a row starts writes y; each later chunk leaves its
/// part of the row in a carry, and a second pass adds the carries to y in the order of the chunks. Nothing is atomic,
/// so that results are the same bits each time, and chunks have a fixed size, so that they do not depend on the
/// number of threads.

#include <krylite/core/traits.hpp>
#include <krylite/spmv/vectors.hpp>
#include <krylite/spmv/workspace.hpp>

namespace krylite {
namespace detail {

/// One carry a chunk, for `Count` vectors, in the memory of a workspace.
template <class T, int Count>
struct Carries {
  T* values = nullptr;
  Index* rows = nullptr;  ///< of each carry; -1 where a chunk has none
  std::int64_t num_chunks = 0;

  KOKKOS_INLINE_FUNCTION void set(std::int64_t chunk, Index row, const T (&sums)[Count]) const {
    rows[chunk] = row;
    for (int v = 0; v < Count; ++v) values[chunk * Count + v] = sums[v];
  }
};

template <class T, int Count, class ExecutionSpace, class Workspace>
Carries<T, Count> make_carries(const ExecutionSpace& exec, Workspace& workspace, std::int64_t num_chunks) {
  static_assert(sizeof(T) <= sizeof(double), "carries are held in words of a double");
  const auto count = static_cast<std::size_t>(num_chunks);
  const std::size_t row_words = (count * sizeof(Index) + sizeof(double) - 1) / sizeof(double);
  double* const memory = workspace.template get<double>(exec, count * Count + row_words);
  return {reinterpret_cast<T*>(memory), reinterpret_cast<Index*>(memory + count * Count), num_chunks};
}

/// y(row, v) += alpha * (sum of the carries of the row in the order of the chunks).
template <class T, int Count, class ExecutionSpace, class Y>
void add_carries(const ExecutionSpace& exec, const Carries<T, Count>& carries, T alpha, const Y& y) {
  short_loop(
      exec, "krylite::spmv::add_carries", carries.num_chunks, KOKKOS_LAMBDA(const std::int64_t chunk) {
        const Index row = carries.rows[chunk];
        // The first of the chunks that carry for a row adds them all.
        if (row < 0 || (chunk > 0 && carries.rows[chunk - 1] == row)) return;
        T sums[Count] = {};
        for (std::int64_t c = chunk; c < carries.num_chunks && carries.rows[c] == row; ++c) {
          for (int v = 0; v < Count; ++v) sums[v] += carries.values[c * Count + v];
        }
        for (int v = 0; v < Count; ++v) update(y(row, v), alpha, sums[v], T(1));
      });
}

}  // namespace detail
}  // namespace krylite

#endif
