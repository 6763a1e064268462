#include <algorithm>
#include <cmath>

#include "generate_random.hpp"
#include "generate_rows.hpp"

namespace krylite::detail {
namespace {

/// How the entries of a row lie around its diagonal.
struct Neighbourhood {
  std::int64_t reach;  ///< an entry is near where its column is at most this far from the diagonal
  double near_chance;  ///< probability that an entry beside the diagonal is near
};

/// Ascending columns of a row of an n x n matrix: its diagonal and `length - 1` others. The near and the far
/// ones are drawn from separate columns, so that none comes twice; what does not fit near goes far, and the
/// other way round.
void scatter_columns(RandomStream& random, const Neighbourhood& neighbourhood, Index row, Index n,
                     std::int64_t length, Index* columns) {
  const std::int64_t begin = std::max<std::int64_t>(0, row - neighbourhood.reach);
  const std::int64_t end = std::min<std::int64_t>(n, row + neighbourhood.reach + 1);
  const std::int64_t room_near = end - begin - 1;
  const std::int64_t room_far = n - (end - begin);
  const std::int64_t others = length - 1;
  std::int64_t near = 0;
  for (std::int64_t entry = 0; entry < others; ++entry) near += random.chance(neighbourhood.near_chance);
  near = std::max(std::min(near, room_near), others - room_far);

  Index* const near_columns = columns + 1;
  Index* const far_columns = near_columns + near;
  columns[0] = row;
  sample_ascending(random, near, room_near, near_columns);
  sample_ascending(random, others - near, room_far, far_columns);
  for (Index* column = near_columns; column != far_columns; ++column) {
    *column += static_cast<Index>(begin);
    if (*column >= row) ++*column;
  }
  for (Index* column = far_columns; column != columns + length; ++column) {
    if (*column >= begin) *column += static_cast<Index>(end - begin);
  }
  std::sort(columns, columns + length);
}

/// Random values, and 1 + the sum of their magnitudes on the diagonal.
void fill_dominant(RandomStream& random, Index row, std::int64_t length, const Index* columns,
                   double* values) {
  double sum = 1.0;
  double* diagonal = nullptr;
  for (std::int64_t entry = 0; entry < length; ++entry) {
    if (columns[entry] == row) {
      diagonal = values + entry;
      continue;
    }
    values[entry] = random.signed_unit();
    sum += std::fabs(values[entry]);
  }
  if (diagonal != nullptr) *diagonal = sum;
}

/// A square matrix of random rows: `draw_length(random, row)`, 0 or with a dominant diagonal.
template <class DrawLength, class ReachOf>
HostCsr dominant_rows(const GeneratorRequest& request, std::int64_t least_entries,
                      const DrawLength& draw_length, const ReachOf& reach_of) {
  const std::uint64_t seed = request.seed();
  const Index n = request.rows;
  const auto count = [=](Index row) {
    RandomStream random(seed, static_cast<std::uint64_t>(row));
    return draw_length(random, row);
  };
  const auto fill = [=](Index row, std::int64_t length, Index* columns, double* values) {
    if (length == 0) return;
    RandomStream random(seed, static_cast<std::uint64_t>(row));
    // The stream must stand where it stood after the count.
    draw_length(random, row);
    scatter_columns(random, reach_of(row), row, n, length, columns);
    fill_dominant(random, row, length, columns, values);
  };
  return build_rows(request, n, least_entries, count, fill);
}

/// Whether a row of circuit is one of the 6 long ones: floor((2 i + 1) n / 12), i = 0 ... 5.
bool is_supply_row(Index row, std::int64_t n) {
  for (std::int64_t line = 0; line < 6; ++line) {
    if ((2 * line + 1) * n / 12 == row) return true;
  }
  return false;
}

}  // namespace

HostCsr make_circuit(const GeneratorRequest& request) {
  const std::int64_t n = request.n;
  const auto draw_length = [=](RandomStream& random, Index row) {
    if (is_supply_row(row, n)) return std::max<std::int64_t>(1, 15 * n / 100);
    return std::min(n, 1 + geometric_number(random, 0.3, n));
  };
  const auto reach_of = [=](Index row) {
    // A supply row has no near entries: it is spread over all columns.
    return is_supply_row(row, n) ? Neighbourhood{0, 0.0} : Neighbourhood{1000, 0.9};
  };
  return dominant_rows(request, 2 * n, draw_length, reach_of);
}

HostCsr make_web(const GeneratorRequest& request) {
  const std::int64_t longest = std::max<std::int64_t>(1, request.n / 4);
  const auto draw_length = [=](RandomStream& random, Index) {
    return random.chance(0.15) ? std::int64_t(0) : pareto_number(random, longest);
  };
  return dominant_rows(request, request.n / 2, draw_length, [](Index) { return Neighbourhood{500, 0.7}; });
}

HostCsr make_lp(const GeneratorRequest& request) {
  constexpr double mean_length = 2600.0;
  const std::uint64_t seed = request.seed();
  const auto columns_of_matrix = static_cast<Index>(request["columns"]);
  // Half of the mean, for matrices with fewer columns than the mean.
  const std::int64_t least_entries = std::min<std::int64_t>(1300, columns_of_matrix / 2) * request.n;
  const auto draw_length = [=](RandomStream& random) {
    const auto length = static_cast<std::int64_t>(mean_length * exponential_number(random));
    return std::min<std::int64_t>(1 + length, columns_of_matrix);
  };
  const auto count = [=](Index row) {
    RandomStream random(seed, static_cast<std::uint64_t>(row));
    return draw_length(random);
  };
  const auto fill = [=](Index row, std::int64_t length, Index* columns, double* values) {
    RandomStream random(seed, static_cast<std::uint64_t>(row));
    draw_length(random);
    sample_ascending(random, length, columns_of_matrix, columns);
    std::generate(values, values + length, [&] { return random.signed_unit(); });
  };
  return build_rows(request, columns_of_matrix, least_entries, count, fill);
}

HostCsr make_arrow(const GeneratorRequest& request) {
  const Index n = request.rows;
  const auto count = [=](Index row) { return row == 0 ? std::int64_t(n) : std::int64_t(2); };
  const auto fill = [=](Index row, std::int64_t length, Index* columns, double* values) {
    for (std::int64_t entry = 0; entry < length; ++entry) {
      columns[entry] = row == 0 || entry == 0 ? static_cast<Index>(entry) : row;
      values[entry] = columns[entry] != row ? -1.0 : row == 0 ? static_cast<double>(n) : 2.0;
    }
  };
  return build_rows(request, n, 3 * std::int64_t(n) - 2, count, fill);
}

HostCsr make_diagonal_plus_dense_row(const GeneratorRequest& request) {
  const Index n = request.rows;
  const Index dense = n / 2;
  const auto count = [=](Index row) { return row == dense ? std::int64_t(n) : std::int64_t(1); };
  const auto fill = [=](Index row, std::int64_t length, Index* columns, double* values) {
    for (std::int64_t entry = 0; entry < length; ++entry) {
      columns[entry] = row == dense ? static_cast<Index>(entry) : row;
      values[entry] = columns[entry] != row ? -1.0 : row == dense ? static_cast<double>(n) : 2.0;
    }
  };
  return build_rows(request, n, 2 * std::int64_t(n) - 1, count, fill);
}

}  // namespace krylite::detail
