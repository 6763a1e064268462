#ifndef KRYLITE_REORDER_PERMUTATION_HPP
#define KRYLITE_REORDER_PERMUTATION_HPP

/// \file
/// Symmetric permutations of a linear system: A x = b becomes (P A P^T) (P x) = P b, the same equations and
/// unknowns in another order.
///
/// A permutation is the array `order`: new row i is old row order(i). So
///
///     (P v)_i = v_order(i)          (P A P^T)_ij = a_order(i),order(j)
///     order    2 0 1         v      10 20 30        P v           30 10 20
///     inverse  1 2 0         P v    30 10 20        P^T (P v)     10 20 30
///
/// The inverse, by which the columns are renamed, says where an old row went: order(inverse(i)) = i.
/// Storage: 4 bytes a row. Cost of P A P^T: the matrix is read and written once, in rows that are contiguous,
/// and 4 bytes an entry are gathered from the inverse; of P v: 4 bytes a row beside the two vectors.
/// Source: George, Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, section 2.

#include <cstdint>
#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/formats/convert.hpp>
#include <krylite/formats/csr.hpp>
#include <string>
#include <type_traits>

namespace krylite {

/// `order`: new row i is old row order(i). Every number from 0 to n - 1 stands in it once.
template <class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
using Permutation = Kokkos::View<Index*, MemorySpace>;

namespace detail {

/// How many entries are outside of 0 ... n - 1 or repeat another one. Waits for the result.
template <class ExecutionSpace, class MemorySpace>
std::int64_t wrong_entries(const ExecutionSpace& exec, const Permutation<MemorySpace>& order) {
  const auto size = static_cast<std::int64_t>(order.extent(0));
  require_memory<MemorySpace>(order.extent(0) * sizeof(Index), "the check of a permutation");
  const Permutation<MemorySpace> seen(Kokkos::view_alloc(exec, std::string("krylite::reorder::seen")),
                                      order.extent(0));
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(
      "krylite::reorder::wrong_entries", range(exec, size),
      KOKKOS_LAMBDA(const std::int64_t i, std::int64_t& sum) {
        const Index row = order(i);
        const bool inside = row >= 0 && row < size;
        if (!inside || Kokkos::atomic_fetch_add(&seen(row), Index(1)) > 0) ++sum;
      },
      wrong);
  return wrong;
}

/// out(order(i)) = i; `order` is known to be a permutation.
template <class ExecutionSpace, class MemorySpace>
Permutation<MemorySpace> inverse_unchecked(const ExecutionSpace& exec,
                                           const Permutation<MemorySpace>& order) {
  require_memory<MemorySpace>(order.extent(0) * sizeof(Index), "the inverse of a permutation");
  const auto out = allocate<Permutation<MemorySpace>>(exec, "krylite::reorder::inverse", order.extent(0));
  Kokkos::parallel_for(
      "krylite::reorder::inverse", range(exec, order.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t i) { out(order(i)) = static_cast<Index>(i); });
  return out;
}

/// Length of new row i.
template <class RowPointers, class Order>
struct PermutedLength {
  using Offset = typename RowPointers::non_const_value_type;
  RowPointers row_pointers;
  Order order;
  KOKKOS_INLINE_FUNCTION Offset operator()(std::int64_t i) const {
    const std::int64_t row = order(i);
    return row_pointers(row + 1) - row_pointers(row);
  }
};

/// Copies the rows in their new order, columns renamed: a thread a row on a host, a warp a row elsewhere.
template <class ExecutionSpace, class Csr, class Order>
void copy_permuted_rows(const ExecutionSpace& exec, const Csr& csr, const Order& order,
                        const Order& new_column, const Csr& result) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  constexpr int team_size = is_host_space<ExecutionSpace> ? 1 : 32;
  Kokkos::parallel_for(
      "krylite::reorder::permute_system", Policy(exec, csr.num_rows, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t row = team.league_rank();
        const std::int64_t source = csr.row_pointers(order(row));
        const std::int64_t target = result.row_pointers(row);
        const std::int64_t length = result.row_pointers(row + 1) - target;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, length), [&](const std::int64_t k) {
          result.columns(target + k) = new_column(csr.columns(source + k));
          result.values(target + k) = csr.values(source + k);
        });
      });
}

template <class In, class Out>
void check_permuted_vectors(std::size_t size, const In& in, const Out& out) {
  static_assert(In::rank == 1 && Out::rank == 1, "permute: vectors must be Views of rank 1");
  static_assert(!std::is_const_v<typename Out::value_type>, "permute: out must be writable");
  require(in.extent(0) == size && out.extent(0) == size, "permutation of ", size, " rows with vectors of ",
          in.extent(0), " and ", out.extent(0), " entries");
  require(in.data() == nullptr || static_cast<const void*>(in.data()) != static_cast<const void*>(out.data()),
          "permute: in and out are the same vector of ", size, " entries");
}

}  // namespace detail

/// Whether every number from 0 to n - 1 stands in `order` once. Waits for the result.
/// \param order n entries
/// \throws Error only where memory for another n entries is not there
template <class ExecutionSpace, class MemorySpace>
bool is_permutation(const ExecutionSpace& exec, const Permutation<MemorySpace>& order) {
  return detail::wrong_entries(exec, order) == 0;
}

/// Makes sure that `order` is a permutation of `num_rows` rows. Waits for the result.
/// \throws Error with both sizes where it has another length, and with how many entries are wrong where some
///         are outside of 0 ... num_rows - 1 or repeat another one
template <class ExecutionSpace, class MemorySpace>
void require_permutation(const ExecutionSpace& exec, const Permutation<MemorySpace>& order,
                         std::int64_t num_rows) {
  detail::require(static_cast<std::int64_t>(order.extent(0)) == num_rows, "a permutation of ",
                  order.extent(0), " entries does not fit ", num_rows, " rows");
  const std::int64_t wrong = detail::wrong_entries(exec, order);
  detail::require(wrong == 0, "not a permutation of ", num_rows, " rows: ", wrong,
                  " of its entries are outside of 0 ... ", num_rows - 1, " or repeat another one");
}

/// Where each old row went: the result at order(i) is i. Waits for the check of `order`.
/// \param order n entries
/// \return n entries
/// \throws Error where `order` is no permutation
template <class ExecutionSpace, class MemorySpace>
Permutation<MemorySpace> inverse(const ExecutionSpace& exec, const Permutation<MemorySpace>& order) {
  require_permutation(exec, order, static_cast<std::int64_t>(order.extent(0)));
  return detail::inverse_unchecked(exec, order);
}

/// P A P^T: new row i is old row order(i), new column j old column order(j). The entries of a row keep their
/// order, only their columns get new names: rows that were sorted by column are not sorted any more.
/// Waits for the check of `order`.
/// \param csr n x n, only read; duplicates and explicit zeros stay
/// \param order n entries
/// \return n x n with arrays of its own
/// \throws Error where the matrix is not square, `order` does not fit it or is no permutation, or memory does
///         not suffice
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> permute_system(const ExecutionSpace& exec,
                                                      const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                      const Permutation<MemorySpace>& order) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "permute_system: the execution space cannot reach the matrix");
  using Csr = CsrMatrix<Scalar, Offset, MemorySpace>;
  detail::require(csr.num_rows == csr.num_cols, "permute_system: the matrix is ", csr.num_rows, " x ",
                  csr.num_cols, ", but must be square");
  require_permutation(exec, order, csr.num_rows);
  const auto new_column = detail::inverse_unchecked(exec, order);
  require_memory<MemorySpace>((static_cast<std::size_t>(csr.num_rows) + 1) * sizeof(Offset) +
                                  csr.values.extent(0) * (sizeof(Index) + sizeof(Scalar)),
                              "the reordered matrix");
  const auto pointers = detail::allocate<typename Csr::row_pointers_type>(
      exec, "krylite::reorder::row_pointers", static_cast<std::size_t>(csr.num_rows) + 1);
  const Csr result(
      csr.num_rows, csr.num_cols, pointers,
      detail::allocate<typename Csr::columns_type>(exec, "krylite::reorder::columns", csr.columns.extent(0)),
      detail::allocate<typename Csr::values_type>(exec, "krylite::reorder::values", csr.values.extent(0)));
  using Length = detail::PermutedLength<typename Csr::row_pointers_type, Permutation<MemorySpace>>;
  detail::prefix_sums(exec, "krylite::reorder::scan", csr.num_rows, pointers,
                      Length{csr.row_pointers, order});
  detail::copy_permuted_rows(exec, csr, order, new_column, result);
  return result;
}

/// out = P in: out(i) = in(order(i)). Asynchronous where `exec` is; `order` is not checked but for its size.
/// \param order permutation of n rows
/// \param in n entries, any layout
/// \param out n entries, any layout; must not overlap `in`
/// \throws Error where the sizes differ, or `in` and `out` are the same
template <class ExecutionSpace, class MemorySpace, class In, class Out>
void permute(const ExecutionSpace& exec, const Permutation<MemorySpace>& order, const In& in,
             const Out& out) {
  detail::check_permuted_vectors(order.extent(0), in, out);
  Kokkos::parallel_for(
      "krylite::reorder::permute", detail::range(exec, order.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) = in(order(i)); });
}

/// out = P^T in: out(order(i)) = in(i), which undoes `permute`. Otherwise as `permute`.
template <class ExecutionSpace, class MemorySpace, class In, class Out>
void permute_back(const ExecutionSpace& exec, const Permutation<MemorySpace>& order, const In& in,
                  const Out& out) {
  detail::check_permuted_vectors(order.extent(0), in, out);
  Kokkos::parallel_for(
      "krylite::reorder::permute_back", detail::range(exec, order.extent(0)),
      KOKKOS_LAMBDA(const std::int64_t i) { out(order(i)) = in(i); });
}

}  // namespace krylite

#endif
