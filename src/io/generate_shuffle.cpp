#include <algorithm>
#include <utility>
#include <vector>

#include "generate_random.hpp"
#include "generate_rows.hpp"

namespace krylite::detail {
namespace {

using Permutation = Kokkos::View<Index*, Kokkos::HostSpace>;

/// Every order of 0 ... count - 1 is as likely (Fisher and Yates). One thread: each step needs the one
/// before.
Permutation random_permutation(const HostExecution& exec, std::uint64_t seed, std::uint64_t stream,
                               Index count) {
  const auto order = allocate<Permutation>(exec, "krylite::generate::order", std::size_t(count));
  RandomStream random(seed, stream);
  for (Index last = 0; last < count; ++last) {
    const Index other = random.below(std::int64_t(last) + 1);
    order(last) = order(other);
    order(other) = last;
  }
  return order;
}

Permutation inverse(const HostExecution& exec, const Permutation& order) {
  const auto positions = allocate<Permutation>(exec, "krylite::generate::positions", order.extent(0));
  Kokkos::parallel_for(
      "krylite::generate::inverse", range(exec, static_cast<std::int64_t>(order.extent(0))),
      [=](const std::int64_t place) { positions(order(place)) = static_cast<Index>(place); });
  exec.fence();
  return positions;
}

/// Sorts the entries of a row, none of whose columns comes twice, by column.
void sort_row(std::int64_t length, Index* columns, double* values) {
  constexpr std::int64_t few = 32;
  if (length <= few) {
    for (std::int64_t entry = 1; entry < length; ++entry) {
      for (std::int64_t at = entry; at > 0 && columns[at] < columns[at - 1]; --at) {
        std::swap(columns[at], columns[at - 1]);
        std::swap(values[at], values[at - 1]);
      }
    }
    return;
  }
  std::vector<std::pair<Index, double>> entries(static_cast<std::size_t>(length));
  for (std::int64_t at = 0; at < length; ++at) entries[std::size_t(at)] = {columns[at], values[at]};
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [column, value] : entries) {
    *columns++ = column;
    *values++ = value;
  }
}

}  // namespace

HostCsr shuffle_matrix(const GeneratorRequest& request, const HostCsr& matrix, std::uint64_t seed) {
  const HostExecution exec{};
  const bool square = matrix.num_rows == matrix.num_cols;
  require_words(request, 2 * std::int64_t(matrix.num_rows) + matrix.num_cols);
  const Permutation source = random_permutation(exec, seed, 0, matrix.num_rows);
  const Permutation new_column =
      square ? inverse(exec, source) : random_permutation(exec, seed, 1, matrix.num_cols);

  const auto count = [=](Index row) {
    return matrix.row_pointers(source(row) + 1) - matrix.row_pointers(source(row));
  };
  const auto fill = [=](Index row, std::int64_t length, Index* columns, double* values) {
    const std::int64_t begin = matrix.row_pointers(source(row));
    for (std::int64_t entry = 0; entry < length; ++entry) {
      columns[entry] = new_column(matrix.columns(begin + entry));
      values[entry] = matrix.values(begin + entry);
    }
    sort_row(length, columns, values);
  };
  return build_rows(request, matrix.num_cols, matrix.num_entries(), count, fill);
}

}  // namespace krylite::detail
