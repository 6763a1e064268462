#ifndef KRYLITE_BASIS_NORMS_HPP
#define KRYLITE_BASIS_NORMS_HPP

/// \file
/// Euclidean norms that repeat bit for bit for any number of threads, and that neither overflow nor vanish.
/// Rows are cut into blocks that depend on n alone; the sums of the blocks are added in their order.

#include <krylite/basis/cuda/kernels.hpp>
#include <krylite/core/traits.hpp>
#include <krylite/distributed/communicator.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace krylite {

/// Sum of squares and largest magnitude of a vector. The sum may overflow or vanish: `safe_norm` mends that.
struct VectorNorms {
  double squares = 0;
  double largest = 0;
};

namespace detail {

/// Independent partial sums of one host thread: the loop over them is unrolled and vectorized, and the order of
/// summation is part of the code, so that results repeat.
inline constexpr int tile_lanes = 8;

inline double sum_lanes(const double (&lanes)[tile_lanes]) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/// squares += sum_i (w[i] / divisor)^2, and largest = max(largest, |w[i] / divisor|). A NaN makes the sum NaN.
inline void add_tile_norms(const double* w, std::int64_t size, double divisor, double& squares, double& largest) {
  double sums[tile_lanes] = {};
  double maxima[tile_lanes] = {};
  const auto add = [&](std::int64_t i, int lane) {
    const double magnitude = std::fabs(w[i] / divisor);
    sums[lane] += magnitude * magnitude;
    maxima[lane] = magnitude > maxima[lane] ? magnitude : maxima[lane];
  };
  std::int64_t i = 0;
  for (; i + tile_lanes <= size; i += tile_lanes) {
    for (int lane = 0; lane < tile_lanes; ++lane) add(i + lane, lane);
  }
  for (; i < size; ++i) add(i, 0);
  squares += sum_lanes(sums);
  for (const double maximum : maxima) largest = maximum > largest ? maximum : largest;
}

/// Rows that stay in the first-level cache while the columns of a basis pass (16 KiB of doubles).
inline constexpr std::int64_t rows_per_tile = 2048;
inline constexpr std::int64_t most_blocks = 1024;

/// Cut of n rows into at most `most_blocks` blocks of whole tiles.
struct RowBlocks {
  std::int64_t rows = 0;
  std::int64_t rows_per_block = rows_per_tile;
  std::int64_t count = 0;

  explicit RowBlocks(std::int64_t n) : rows(n) {
    const std::int64_t tiles = (n + rows_per_tile - 1) / rows_per_tile;
    rows_per_block = rows_per_tile * std::max<std::int64_t>(1, (tiles + most_blocks - 1) / most_blocks);
    count = (n + rows_per_block - 1) / rows_per_block;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t block) const { return block * rows_per_block; }
  KOKKOS_INLINE_FUNCTION std::int64_t end(std::int64_t block) const {
    return begin(block) + rows_per_block < rows ? begin(block) + rows_per_block : rows;
  }
};

}  // namespace detail

/// Memory for the sums of the blocks, and for the two results on the device and on the host; `capacity` columns share
/// what the CUDA kernels need.
template <class MemorySpace>
struct NormsWorkspace {
  Kokkos::View<VectorNorms*, MemorySpace> partials;
  Kokkos::View<VectorNorms*, MemorySpace> result;
  typename Kokkos::View<VectorNorms*, MemorySpace>::HostMirror host_result;

  std::shared_ptr<cuda::SweepMemory> cuda_memory;  ///< only on CUDA devices

  NormsWorkspace() = default;
  explicit NormsWorkspace(std::int64_t length, Index capacity = 0)
      : partials("krylite::norms::partials", detail::RowBlocks(length).count),
        result("krylite::norms::result", 1),
        host_result(Kokkos::create_mirror_view(result)) {
    if constexpr (is_cuda<typename MemorySpace::execution_space>) {
      cuda_memory = std::make_shared<cuda::SweepMemory>(capacity);
    }
  }

  std::size_t bytes() const {
    const std::size_t own = (partials.extent(0) + result.extent(0)) * sizeof(VectorNorms);
    if constexpr (is_cuda<typename MemorySpace::execution_space>) {
      if (cuda_memory) return own + cuda_memory->bytes();
    }
    return own;
  }
};

namespace detail {

/// The norms of all blocks together. Waits for `exec`, since it gives a host value.
template <class ExecutionSpace, class MemorySpace>
VectorNorms join_norms(const ExecutionSpace& exec, const NormsWorkspace<MemorySpace>& workspace) {
  const auto partials = workspace.partials;
  const auto result = workspace.result;
  short_loop(
      exec, "krylite::norms::join", 1, KOKKOS_LAMBDA(const std::int64_t) {
        VectorNorms sum;
        for (std::size_t block = 0; block < partials.extent(0); ++block) {
          sum.squares += partials(block).squares;
          sum.largest = partials(block).largest > sum.largest ? partials(block).largest : sum.largest;
        }
        result(0) = sum;
      });
  Kokkos::deep_copy(exec, workspace.host_result, result);
  exec.fence();
  return workspace.host_result(0);
}

/// Sum of squares and largest magnitude of entry(i) over the rows of one team's block, by its threads.
template <class Member, class Entry>
KOKKOS_INLINE_FUNCTION VectorNorms team_norms(const Member& team, std::int64_t begin, std::int64_t end,
                                              const Entry& entry) {
  VectorNorms norms;
  const auto rows = Kokkos::TeamThreadRange(team, begin, end);
  Kokkos::parallel_reduce(
      rows, [&](const std::int64_t i, double& sum) { sum += entry(i) * entry(i); }, norms.squares);
  Kokkos::parallel_reduce(
      rows,
      [&](const std::int64_t i, double& maximum) {
        maximum = fabs(entry(i)) > maximum ? fabs(entry(i)) : maximum;
      },
      Kokkos::Max<double>(norms.largest));
  return norms;
}

template <class ExecutionSpace, class MemorySpace>
void norms_by_teams(const ExecutionSpace& exec, const VectorRef<const double, MemorySpace>& w,
                    const RowBlocks& blocks, double divisor,
                    const Kokkos::View<VectorNorms*, MemorySpace>& partials) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Kokkos::parallel_for(
      "krylite::norms", Policy(exec, static_cast<int>(blocks.count), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t block = team.league_rank();
        const auto sum = team_norms(team, blocks.begin(block), blocks.end(block),
                                    [=](const std::int64_t i) { return w(i) / divisor; });
        Kokkos::single(Kokkos::PerTeam(team), [&] { partials(block) = sum; });
      });
}

}  // namespace detail

/// Norms of `w / divisor`. Waits for `exec`.
template <class ExecutionSpace, class MemorySpace>
VectorNorms norms(const ExecutionSpace& exec, const detail::VectorRef<const double, MemorySpace>& w,
                  const NormsWorkspace<MemorySpace>& workspace, double divisor = 1.0) {
  const detail::RowBlocks blocks(static_cast<std::int64_t>(w.extent(0)));
  const auto partials = workspace.partials;
  if constexpr (is_cuda<ExecutionSpace>) {
    if (divisor == 1) {
      cuda::norms(exec.cuda_stream(), w.data(), blocks.rows, *workspace.cuda_memory);
      const double* const sums = workspace.cuda_memory->wait(exec.cuda_stream());
      return {sums[0], sums[2]};
    }
  }
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for("krylite::norms", detail::range(exec, blocks.count), [=](const std::int64_t block) {
      VectorNorms sum;
      detail::add_tile_norms(w.data() + blocks.begin(block), blocks.end(block) - blocks.begin(block), divisor,
                             sum.squares, sum.largest);
      partials(block) = sum;
    });
  } else {
    detail::norms_by_teams(exec, w, blocks, divisor, partials);
  }
  return detail::join_norms(exec, workspace);
}

/// Sum of entry(i) over 0 <= i < n on this process, the same bits for any number of threads. Waits for `exec`.
template <class ExecutionSpace, class Entry>
double repeatable_sum(const ExecutionSpace& exec, std::int64_t n, const Entry& entry) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const detail::RowBlocks blocks(n);
  const Kokkos::View<double*, typename ExecutionSpace::memory_space> partials("krylite::sum::partials", blocks.count);
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for("krylite::sum", detail::range(exec, blocks.count), [=](const std::int64_t block) {
      double sum = 0;
      for (std::int64_t i = blocks.begin(block); i < blocks.end(block); ++i) sum += entry(i);
      partials(block) = sum;
    });
  } else {
    Kokkos::parallel_for(
        "krylite::sum", Policy(exec, static_cast<int>(blocks.count), Kokkos::AUTO),
        KOKKOS_LAMBDA(const typename Policy::member_type& team) {
          const std::int64_t block = team.league_rank();
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(team, blocks.begin(block), blocks.end(block)),
              [&](const std::int64_t i, double& part) { part += entry(i); }, sum);
          Kokkos::single(Kokkos::PerTeam(team), [&] { partials(block) = sum; });
        });
  }
  exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), partials);
  double total = 0;
  for (std::size_t block = 0; block < host.extent(0); ++block) total += host(block);
  return total;
}

/// ||w|| over all processes from the norms that a sweep found (`squares` summed over them, `largest` of this one), read
/// again with a scale where the sum of squares overflowed or lost its smallest terms. Not finite where w is not (or
/// where the norm itself is beyond the range of double). May wait for `exec`.
template <class ExecutionSpace, class MemorySpace>
double safe_norm(const ExecutionSpace& exec, const detail::VectorRef<const double, MemorySpace>& w,
                 const VectorNorms& found, const NormsWorkspace<MemorySpace>& workspace, Communicator& communicator) {
  constexpr double smallest_safe = 1e-280;
  if (std::isfinite(found.squares) && found.squares > smallest_safe) return std::sqrt(found.squares);
  if (std::isnan(found.squares)) return found.squares;
  double largest = found.largest;
  communicator.largest(&largest, 1);
  if (!std::isfinite(largest) || largest == 0) return largest;
  double squares = norms(exec, w, workspace, largest).squares;
  communicator.sum(&squares, 1);
  return largest * std::sqrt(squares);
}

/// ||w|| over all processes.
template <class ExecutionSpace, class MemorySpace>
double norm(const ExecutionSpace& exec, const detail::VectorRef<const double, MemorySpace>& w,
            const NormsWorkspace<MemorySpace>& workspace, Communicator& communicator) {
  VectorNorms found = norms(exec, w, workspace);
  communicator.sum(&found.squares, 1);
  return safe_norm(exec, w, found, workspace, communicator);
}

}  // namespace krylite

#endif
