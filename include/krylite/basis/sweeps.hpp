#ifndef KRYLITE_BASIS_SWEEPS_HPP
#define KRYLITE_BASIS_SWEEPS_HPP

/// \file
/// The sweeps over a compressed basis V (n x k) that orthogonalization consists of. Each reads V and w once:
///
///     project           h = V^T w and w^T w             n k code bytes + 8 n
///     add_combination   w = w + sign V h, with norms    n k code bytes + 16 n
///     store             V e_j = w / divisor             n code bytes + 16 n
///
/// Flops: 2 n k for each of the first two. Rows are cut into blocks that depend on n alone; each block's sums are
/// formed in a fixed order and then added in the order of the blocks, so that results are the same bits each
/// time and for any number of threads.
/// Source: CB-GMRES article, section 3 (lines 5, 8, 13, 14 and 17 of figure 1) and section 5 (accessor).

#include <krylite/basis/compressed_basis.hpp>
#include <krylite/basis/host/tile.hpp>
#include <krylite/basis/norms.hpp>
#include <krylite/core/traits.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace krylite {

/// What the sweeps need besides V and w: room for the sums of the blocks, and for up to m coefficients.
template <class MemorySpace>
struct SweepWorkspace {
  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> partials;  ///< blocks x (m + 1)
  Kokkos::View<double*, MemorySpace> coefficients;                    ///< m + 1: what `add_combination` reads
  typename Kokkos::View<double*, MemorySpace>::HostMirror host_coefficients;
  Kokkos::View<double*, MemorySpace> weights;  ///< m: coefficients times the factors of the columns
  NormsWorkspace<MemorySpace> norms;

  SweepWorkspace() = default;
  SweepWorkspace(std::int64_t length, Index capacity)
      : partials("krylite::basis::partials", detail::RowBlocks(length).count, capacity + 1),
        coefficients("krylite::basis::coefficients", capacity + 1),
        host_coefficients(Kokkos::create_mirror_view(coefficients)),
        weights("krylite::basis::weights", capacity),
        norms(length) {}
};

namespace detail {

/// coefficients(j) = factors(j) times the sum over the blocks, in their order, of partials(block, j), and the
/// same without a factor for the column behind them; then to the host. Waits for `exec`.
template <class ExecutionSpace, class MemorySpace, class Factors>
void join_products(const ExecutionSpace& exec, const SweepWorkspace<MemorySpace>& workspace, std::int64_t blocks,
                   Index columns, const Factors& factors) {
  const auto partials = workspace.partials;
  const auto coefficients = workspace.coefficients;
  short_loop(
      exec, "krylite::basis::join_products", columns + 1, KOKKOS_LAMBDA(const std::int64_t j) {
        double sum = 0;
        for (std::int64_t block = 0; block < blocks; ++block) sum += partials(block, j);
        coefficients(j) = j < columns ? sum * factors(j) : sum;
      });
  Kokkos::deep_copy(exec, workspace.host_coefficients, coefficients);
  exec.fence();
}

/// Products of one block with the columns and with itself, by one host thread.
template <class Code>
void project_block(const Code* codes, std::int64_t stride, Index columns, const double* w, std::int64_t begin,
                   std::int64_t end, double* sums) {
  for (Index j = 0; j <= columns; ++j) sums[j] = 0;
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const std::int64_t size = std::min(rows_per_tile, end - tile);
    const Code* const column = codes + tile;
    for (Index j = 0; j < columns; ++j) sums[j] += tile_product(column + j * stride, w + tile, size);
    sums[columns] += tile_product(w + tile, w + tile, size);
  }
}

/// Update of one block with its norms, by one host thread.
template <class Code>
VectorNorms combine_block(const Code* codes, std::int64_t stride, Index columns, const double* weights, double* w,
                          std::int64_t begin, std::int64_t end) {
  VectorNorms norms;
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const std::int64_t size = std::min(rows_per_tile, end - tile);
    const Code* const column = codes + tile;
    for (Index j = 0; j < columns; ++j) add_tile_column(column + j * stride, weights[j], w + tile, size);
    add_tile_norms(w + tile, size, 1.0, norms.squares, norms.largest);
  }
  return norms;
}

/// The same two with a team a block and its threads along the rows, for any execution space.
template <class ExecutionSpace, class Code, class MemorySpace, class Partials>
void project_by_teams(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index columns,
                      const VectorRef<const double, MemorySpace>& w, const RowBlocks& blocks,
                      const Partials& partials) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const auto codes = basis.codes;
  Kokkos::parallel_for(
      "krylite::basis::project", Policy(exec, static_cast<int>(blocks.count), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t block = team.league_rank();
        const auto rows = Kokkos::TeamThreadRange(team, blocks.begin(block), blocks.end(block));
        for (Index j = 0; j <= columns; ++j) {
          double product = 0;
          Kokkos::parallel_reduce(
              rows,
              [&](const std::int64_t i, double& sum) { sum += (j < columns ? decode(codes(i, j)) : w(i)) * w(i); },
              product);
          Kokkos::single(Kokkos::PerTeam(team), [&] { partials(block, j) = product; });
        }
      });
}

template <class ExecutionSpace, class Code, class MemorySpace>
void combine_by_teams(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index columns,
                      const VectorRef<double, MemorySpace>& w, const RowBlocks& blocks,
                      const SweepWorkspace<MemorySpace>& workspace) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const auto codes = basis.codes;
  const auto weights = workspace.weights;
  const auto partials = workspace.norms.partials;
  Kokkos::parallel_for(
      "krylite::basis::add_combination", Policy(exec, static_cast<int>(blocks.count), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t block = team.league_rank();
        const auto rows = Kokkos::TeamThreadRange(team, blocks.begin(block), blocks.end(block));
        Kokkos::parallel_for(rows, [&](const std::int64_t i) {
          double value = w(i);
          for (Index j = 0; j < columns; ++j) value += weights(j) * decode(codes(i, j));
          w(i) = value;
        });
        team.team_barrier();
        const auto norms = team_norms(team, blocks.begin(block), blocks.end(block),
                                      [=](const std::int64_t i) { return w(i); });
        Kokkos::single(Kokkos::PerTeam(team), [&] { partials(block) = norms; });
      });
}

}  // namespace detail

/// h = V^T w for the first `columns` vectors of `basis`, left in `workspace.coefficients` and
/// `host_coefficients`, with w^T w behind them. Waits for `exec`, since the caller decides by the result.
template <class ExecutionSpace, class Code, class MemorySpace>
void project(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index columns,
             const detail::VectorRef<const double, MemorySpace>& w, const SweepWorkspace<MemorySpace>& workspace) {
  const detail::RowBlocks blocks(static_cast<std::int64_t>(w.extent(0)));
  if constexpr (is_host_space<ExecutionSpace>) {
    const auto partials = workspace.partials;
    const Code* const codes = basis.codes.data();
    const auto stride = static_cast<std::int64_t>(basis.codes.stride(1));
    Kokkos::parallel_for("krylite::basis::project", detail::range(exec, blocks.count), [=](const std::int64_t block) {
      detail::project_block(codes, stride, columns, w.data(), blocks.begin(block), blocks.end(block),
                            &partials(block, 0));
    });
  } else {
    detail::project_by_teams(exec, basis, columns, w, blocks, workspace.partials);
  }
  detail::join_products(exec, workspace, blocks.count, columns, basis.factors);
}

/// w = w + sign V h for the first `columns` vectors of `basis`, where h is `workspace.coefficients`; gives the
/// norms of the new w. Waits for `exec`.
template <class ExecutionSpace, class Code, class MemorySpace>
VectorNorms add_combination(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis,
                            Index columns, double sign, const detail::VectorRef<double, MemorySpace>& w,
                            const SweepWorkspace<MemorySpace>& workspace) {
  const detail::RowBlocks blocks(static_cast<std::int64_t>(w.extent(0)));
  const auto weights = workspace.weights;
  const auto coefficients = workspace.coefficients;
  const auto factors = basis.factors;
  detail::short_loop(
      exec, "krylite::basis::weights", columns,
      KOKKOS_LAMBDA(const std::int64_t j) { weights(j) = sign * factors(j) * coefficients(j); });
  if constexpr (is_host_space<ExecutionSpace>) {
    const auto partials = workspace.norms.partials;
    const Code* const codes = basis.codes.data();
    const auto stride = static_cast<std::int64_t>(basis.codes.stride(1));
    Kokkos::parallel_for("krylite::basis::add_combination", detail::range(exec, blocks.count),
                         [=](const std::int64_t block) {
                           partials(block) = detail::combine_block(codes, stride, columns, weights.data(), w.data(),
                                                                   blocks.begin(block), blocks.end(block));
                         });
  } else {
    detail::combine_by_teams(exec, basis, columns, w, blocks, workspace);
  }
  return detail::join_norms(exec, workspace.norms);
}

/// Whether the vector that goes on into the operator is the exact one or the one that the basis holds.
enum class NextVector { exact, stored };

/// Vector `column` of `basis` = w / divisor, and w = that vector, exact or as it is stored.
/// \param largest the largest |w_i|, which sets the factor of every storage but float64
template <class ExecutionSpace, class Code, class MemorySpace>
void store(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index column,
           double divisor, double largest, NextVector next, const detail::VectorRef<double, MemorySpace>& w) {
  const double factor = storage_factor<Code>(largest / divisor);
  const auto codes = basis.codes;
  const auto factors = basis.factors;
  const bool keep_stored = next == NextVector::stored;
  Kokkos::parallel_for(
      "krylite::basis::store", detail::range(exec, w.extent(0)), KOKKOS_LAMBDA(const std::int64_t i) {
        const double exact = w(i) / divisor;
        const Code code = encode<Code>(exact / factor);
        codes(i, column) = code;
        w(i) = keep_stored ? factor * decode(code) : exact;
        if (i == 0) factors(column) = factor;
      });
}

}  // namespace krylite

#endif
