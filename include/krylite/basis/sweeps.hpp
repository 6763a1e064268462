#ifndef KRYLITE_BASIS_SWEEPS_HPP
#define KRYLITE_BASIS_SWEEPS_HPP

/// \file
/// Sweeps: readings of a compressed basis V (n x k), of which orthogonalization consists. One sweep may first add a
/// combination of some columns to w, and then multiply columns with the new w, tile by tile of rows, so that what both
/// read comes from memory once:
///
///     project             h = V^T w                                     n k code bytes +  8 n
///     add                 w = w + V y                                   n k code bytes + 16 n
///     subtract, project   w = w - V h, then u = V^T w                   n k code bytes + 16 n
///     project with Gram   h = V^T w and g = V^T v_last                  n k code bytes +  8 n
///     store               V e_j = w / divisor                           n code bytes + 16 n
///
/// Every sweep also gives w^T w, the largest |w_i|, and how far the vector that was stored last is from what it should
/// have been. Flops: 2 n k for each combination, product and Gram column.
/// Rows are cut into blocks that depend on n alone; each block's sums are formed in a fixed order and then added in
/// the order of the blocks, so that results are the same bits each time and for any number of threads.
/// Source: CB-GMRES article, section 3 (lines 5, 8, 13, 14 and 17 of figure 1) and section 5 (accessor).

#include <krylite/basis/compressed_basis.hpp>
#include <krylite/basis/cuda/kernels.hpp>
#include <krylite/basis/host/tile.hpp>
#include <krylite/basis/norms.hpp>
#include <krylite/core/error.hpp>
#include <krylite/core/kernel.hpp>
#include <krylite/core/traits.hpp>

#include <algorithm>
#include <cstdint>

namespace krylite {

/// Columns begin, ..., end - 1 of a basis.
struct ColumnRange {
  Index begin = 0;
  Index end = 0;

  KOKKOS_INLINE_FUNCTION Index count() const { return end - begin; }
};

/// What one reading of the basis does.
struct Sweep {
  ColumnRange add;      ///< w += V(:, add) y with the `coefficients` of `run_sweep`
  ColumnRange project;  ///< then the products of these columns with w
  bool gram = false;    ///< and their products with the last of them
  /// Nothing is projected, and nobody needs the norms: a device is not waited for, and the largest |w_i| may stay there
  /// for `store` (`left_largest`).
  bool leaves_norms = false;
};

/// What a sweep says for the largest entry where that is left on the device. `store` takes it so.
inline constexpr double left_largest = -1;

namespace detail {

/// Blocks of `store`, each with a sum of squared errors.
template <class MemorySpace>
std::int64_t error_blocks(std::int64_t length) {
  const std::int64_t blocks = RowBlocks(length).count;
  if constexpr (is_cuda<typename MemorySpace::execution_space>) {
    return std::max<std::int64_t>(blocks, cuda::store_blocks(length));
  }
  return blocks;
}

}  // namespace detail

/// What the sweeps need besides V and w, and what they leave. `m` is the number of columns at most.
template <class MemorySpace>
struct SweepWorkspace {
  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> partials;  ///< blocks x (2 m + 2)
  Kokkos::View<double*, MemorySpace> errors;  ///< a block: squared errors of the vector that was stored last
  Kokkos::View<double*, MemorySpace> weights;                         ///< m: coefficients
  typename Kokkos::View<double*, MemorySpace>::HostMirror host_weights;
  Kokkos::View<double*, MemorySpace> sums;  ///< 2 m + 3: products, Gram products, w^T w, error, largest
  typename Kokkos::View<double*, MemorySpace>::HostMirror host_sums;
  NormsWorkspace<MemorySpace> norms;

  SweepWorkspace() = default;
  SweepWorkspace(std::int64_t length, Index capacity)
      : partials("krylite::basis::partials", detail::RowBlocks(length).count, 2 * capacity + 2),
        errors("krylite::basis::errors", detail::error_blocks<MemorySpace>(length)),
        weights("krylite::basis::weights", capacity),
        host_weights(Kokkos::create_mirror_view(weights)),
        sums("krylite::basis::sums", 2 * capacity + 3),
        host_sums(Kokkos::create_mirror_view(sums)),
        norms(length, capacity) {}

  std::size_t bytes() const {
    return (partials.size() + errors.size() + weights.size() + sums.size()) * sizeof(double) + norms.bytes();
  }
};

namespace detail {

/// Where the sums of a sweep lie: products, Gram products, w^T w, squared error, largest. In the blocks' partial sums
/// the largest takes the place of the error.
struct SumLayout {
  Index columns = 0;
  Index gram_columns = 0;

  explicit SumLayout(const Sweep& sweep)
      : columns(sweep.project.count()), gram_columns(sweep.gram ? sweep.project.count() : 0) {}
  KOKKOS_INLINE_FUNCTION Index gram() const { return columns; }
  KOKKOS_INLINE_FUNCTION Index squares() const { return columns + gram_columns; }
  KOKKOS_INLINE_FUNCTION Index error() const { return squares() + 1; }
  KOKKOS_INLINE_FUNCTION Index partial_largest() const { return squares() + 1; }
  KOKKOS_INLINE_FUNCTION Index largest() const { return squares() + 2; }

  /// What product `j` is multiplied with, given the factors of the projected columns.
  KOKKOS_INLINE_FUNCTION double factor(const double* factors, Index j) const {
    return j < columns ? factors[j] : factors[j - columns] * factors[columns - 1];
  }
};

/// The blocks' sums added in the order of the blocks, and times the factors of their columns, on the host. Waits for
/// `exec`. \param factors of the projected columns
template <class ExecutionSpace, class MemorySpace>
void join_sums(const ExecutionSpace& exec, const SweepWorkspace<MemorySpace>& workspace, std::int64_t blocks,
               const SumLayout& layout, const double* factors) {
  const auto partials = workspace.partials;
  const auto errors = workspace.errors;
  const auto sums = workspace.sums;
  if constexpr (is_host_space<ExecutionSpace>) {
    exec.fence();
    for (Index j = 0; j <= layout.largest(); ++j) sums(j) = 0;
    double largest = 0;
    for (std::int64_t block = 0; block < blocks; ++block) {
      for (Index j = 0; j <= layout.squares(); ++j) sums(j) += partials(block, j);
      sums(layout.error()) += errors(block);
      largest = std::max(largest, partials(block, layout.partial_largest()));
    }
    sums(layout.largest()) = largest;
    for (Index j = 0; j < layout.squares(); ++j) sums(j) *= layout.factor(factors, j);
  } else {
    Kokkos::parallel_for(
        "krylite::basis::join", range(exec, layout.largest() + 1), KOKKOS_LAMBDA(const std::int64_t j) {
          double sum = 0;
          for (std::int64_t block = 0; block < blocks; ++block) {
            const double largest = partials(block, layout.partial_largest());
            sum = j == layout.largest() ? (largest > sum ? largest : sum)
                  : j == layout.error() ? sum + errors(block)
                                        : sum + partials(block, j);
          }
          sums(j) = j < layout.squares() ? sum * layout.factor(factors, j) : sum;
        });
    Kokkos::deep_copy(exec, workspace.host_sums, sums);
    exec.fence();
  }
}

/// Rows of a tile of the native host kernels: as many as let the codes of all columns stay in the second-level cache
/// where they are read twice.
template <class Code>
std::int64_t native_tile_rows(const Sweep& sweep) {
  constexpr std::int64_t cache_bytes = std::int64_t(1) << 20;
  constexpr std::int64_t fewest = 256;
  const Index columns = std::min(sweep.add.count(), sweep.project.count());
  if (columns == 0) return rows_per_tile;
  const std::int64_t fitting = cache_bytes / (columns * static_cast<std::int64_t>(sizeof(Code))) / fewest * fewest;
  return std::clamp(fitting, fewest, rows_per_tile);
}

/// One block by one host thread, with the SIMD kernels. They know nothing of row exponents: what they read is scaled
/// before, and what they add behind.
template <class Code>
void sweep_block(const BasisAccessor<Code>& basis, const Sweep& sweep, const double* weights, double* w,
                 std::int64_t begin, std::int64_t end, double* sums) {
  const SumLayout layout(sweep);
  const std::int64_t tile_rows = native_tile_rows<Code>(sweep);
  const bool is_scaled = basis.row_exponents != nullptr;
  std::fill(sums, sums + layout.partial_largest() + 1, 0.0);
  double last[rows_per_tile];
  double scaled[rows_per_tile];
  for (std::int64_t row = begin; row < end; row += tile_rows) {
    const std::int64_t rows = std::min(tile_rows, end - row);
    double* const part = w + row;
    if (sweep.add.count() > 0) {
      if (is_scaled) std::fill(scaled, scaled + rows, 0.0);
      add_tile(tile_of(basis, row, sweep.add.begin, rows), sweep.add.count(), weights, is_scaled ? scaled : part);
      for (std::int64_t i = 0; is_scaled && i < rows; ++i) part[i] += scaled[i] * basis.row_scale(row + i);
    }
    if (sweep.gram) decode_tile(tile_of(basis, row, sweep.project.end - 1, rows), last);
    for (std::int64_t i = 0; is_scaled && i < rows; ++i) {
      const double scale = basis.row_scale(row + i);
      scaled[i] = part[i] * scale;
      if (sweep.gram) last[i] *= scale * scale;
    }
    if (sweep.project.count() > 0) {
      project_tile(tile_of(basis, row, sweep.project.begin, rows), sweep.project.count(), is_scaled ? scaled : part,
                   last, sums, sweep.gram ? sums + layout.gram() : nullptr);
    }
    add_tile_norms(part, rows, 1.0, sums[layout.squares()], sums[layout.partial_largest()]);
  }
}

/// All blocks with a team a block and its threads along the rows, for any execution space.
template <class ExecutionSpace, class Code, class MemorySpace>
void sweep_by_teams(const ExecutionSpace& exec, const BasisAccessor<Code>& basis, const double* factors,
                    const Sweep& sweep, const VectorRef<double, MemorySpace>& w, const RowBlocks& blocks,
                    const SweepWorkspace<MemorySpace>& workspace) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const auto weights = workspace.weights;
  const auto partials = workspace.partials;
  const SumLayout layout(sweep);
  Kokkos::parallel_for(
      "krylite::basis::sweep", Policy(exec, static_cast<int>(blocks.count), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t block = team.league_rank();
        const auto rows = Kokkos::TeamThreadRange(team, blocks.begin(block), blocks.end(block));
        if (sweep.add.count() > 0) {
          Kokkos::parallel_for(rows, [&](const std::int64_t i) {
            double value = w(i);
            for (Index j = 0; j < sweep.add.count(); ++j) {
              value += weights(j) * factors[sweep.add.begin + j] * basis(i, sweep.add.begin + j);
            }
            w(i) = value;
          });
          team.team_barrier();
        }
        const Index last = sweep.project.end - 1;
        for (Index k = 0; k < layout.squares(); ++k) {
          const bool is_gram = k >= layout.columns;
          const Index j = sweep.project.begin + (is_gram ? k - layout.columns : k);
          double product = 0;
          Kokkos::parallel_reduce(
              rows,
              [&](const std::int64_t i, double& sum) { sum += basis(i, j) * (is_gram ? basis(i, last) : w(i)); },
              product);
          Kokkos::single(Kokkos::PerTeam(team), [&] { partials(block, k) = product; });
        }
        const auto norms = team_norms(team, blocks.begin(block), blocks.end(block),
                                      [=](const std::int64_t i) { return w(i); });
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          partials(block, layout.squares()) = norms.squares;
          partials(block, layout.partial_largest()) = norms.largest;
        });
      });
}

/// Whether the library holds SIMD kernels for bases on `ExecutionSpace`.
template <class ExecutionSpace>
inline constexpr bool has_simd_sweeps =
#ifdef KRYLITE_HAS_SIMD
    is_host_space<ExecutionSpace>;
#else
    false;
#endif

}  // namespace detail

/// What a sweep found, on the host; valid until the next one of the same workspace.
struct SweepSums {
  double* products = nullptr;  ///< V(:, project)^T w; behind them the Gram products, w^T w and the error
  double* gram = nullptr;      ///< V(:, project)^T v_last
  int count = 0;               ///< numbers from `products` on that add up over processes
  VectorNorms norms;           ///< of w on this process
  double stored_error = 0;     ///< ||v - (v as it is stored)||^2 of the vector stored last, on this process
};

namespace detail {

// In basis/cuda/sweeps.hpp:
template <class ExecutionSpace, class Code, class MemorySpace>
SweepSums sweep_by_cuda(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, const Sweep& sweep,
                        const double* coefficients, const VectorRef<double, MemorySpace>& w,
                        const SweepWorkspace<MemorySpace>& workspace);
template <class ExecutionSpace, class Code, class MemorySpace>
void store_by_cuda(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index column,
                   double divisor, double largest, const VectorRef<double, MemorySpace>& w,
                   const SweepWorkspace<MemorySpace>& workspace,
                   const Kokkos::View<double*, MemorySpace>& magnitudes);

inline SweepSums sums_of(const SumLayout& layout, double* sums) {
  return {sums, sums + layout.gram(), layout.error() + 1, {sums[layout.squares()], sums[layout.largest()]},
          sums[layout.error()]};
}

}  // namespace detail

/// Runs `sweep` with w. Where it adds, `coefficients` holds the y, one a column of `sweep.add`, on the host.
/// Waits for `exec`, since the caller decides by the result, unless the sweep leaves its norms.
/// \throws Error where a native kernel is asked for that the library does not hold
template <class ExecutionSpace, class Code, class MemorySpace>
SweepSums run_sweep(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, const Sweep& sweep,
                    const double* coefficients, const detail::VectorRef<double, MemorySpace>& w,
                    const SweepWorkspace<MemorySpace>& workspace, Kernel kernel = Kernel::automatic) {
  const detail::RowBlocks blocks(basis.length);
  const BasisAccessor<Code> accessor = basis.accessor();
  if constexpr (is_cuda<ExecutionSpace>) {
    if (kernel != Kernel::portable) return detail::sweep_by_cuda(exec, basis, sweep, coefficients, w, workspace);
  }
  constexpr bool has_native = detail::has_simd_sweeps<ExecutionSpace>;
  detail::require(has_native || kernel != Kernel::native, "the library holds no native sweeps for this place");
  for (Index j = 0; j < sweep.add.count(); ++j) workspace.host_weights(j) = coefficients[j];
  if (has_native && kernel != Kernel::portable) {
    if constexpr (has_native) {
      const auto partials = workspace.partials;
      for (Index j = 0; j < sweep.add.count(); ++j) {
        workspace.weights(j) = coefficients[j] * basis.factors(sweep.add.begin + j);
      }
      const double* const weights = workspace.weights.data();
      Kokkos::parallel_for("krylite::basis::sweep", detail::range(exec, blocks.count), [=](const std::int64_t block) {
        detail::sweep_block(accessor, sweep, weights, w.data(), blocks.begin(block), blocks.end(block),
                            &partials(block, 0));
      });
    }
  } else {
    if (sweep.add.count() > 0) Kokkos::deep_copy(exec, workspace.weights, workspace.host_weights);
    detail::sweep_by_teams(exec, accessor, basis.factors.data(), sweep, w, blocks, workspace);
  }
  const detail::SumLayout layout(sweep);
  detail::join_sums(exec, workspace, blocks.count, layout, basis.factors.data() + sweep.project.begin);
  return detail::sums_of(layout, workspace.host_sums.data());
}

namespace detail {

/// Codes of rows begin to end - 1 of w / divisor, w as it is stored, and the sum of the squared errors. Entries that
/// share an exponent lie in one such range. \param codes of the column, \param basis for the exponents of the rows
template <class Code, class W, class Magnitudes>
KOKKOS_INLINE_FUNCTION double store_rows(const BasisAccessor<Code>& basis, Code* codes, std::int8_t* exponents,
                                         const Divisor& divisor, const Divisor& factor, std::int64_t begin,
                                         std::int64_t end, const W& w, const Magnitudes& magnitudes) {
  const bool is_scaled = basis.row_exponents != nullptr;
  double scale = 1;
  if constexpr (is_block_float<Code>) {
    double largest = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const double magnitude = fabs(factor(divisor(w(i)))) * (is_scaled ? power_of_two(-basis.row_exponents[i]) : 1.0);
      largest = magnitude > largest ? magnitude : largest;
    }
    const int exponent = block_exponent<Code>(largest);
    exponents[begin / entries_per_exponent] = static_cast<std::int8_t>(exponent);
    scale = power_of_two(exponent);
  }
  const double inverse_scale = 1 / scale;
  double errors = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const double exact = divisor(w(i));
    const int exponent = is_scaled ? basis.row_exponents[i] : 0;
    codes[i] = encode<Code>(factor(exact) * (power_of_two(-exponent) * inverse_scale));
    w(i) = factor.value * (decode(codes[i]) * (power_of_two(exponent) * scale));
    errors += (exact - w(i)) * (exact - w(i));
    if (magnitudes.extent(0) > 0 && fabs(exact) > magnitudes(i)) magnitudes(i) = fabs(exact);
  }
  return errors;
}

/// Every block by a team, for any execution space.
template <class ExecutionSpace, class Code, class MemorySpace>
void store_by_teams(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index column,
                    const Divisor& divisor, const Divisor& factor, const VectorRef<double, MemorySpace>& w,
                    const Kokkos::View<double*, MemorySpace>& errors,
                    const Kokkos::View<double*, MemorySpace>& magnitudes) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Code* const codes = basis.codes_of(column);
  std::int8_t* const exponents = basis.exponents_of(column);
  const BasisAccessor<Code> accessor = basis.accessor();
  const RowBlocks blocks(basis.length);
  // A thread takes one row, so that neighbours write neighbours; a block that shares an exponent is whole.
  constexpr std::int64_t chunk = is_block_float<Code> ? entries_per_exponent : 1;
  Kokkos::parallel_for(
      "krylite::basis::store", Policy(exec, static_cast<int>(blocks.count), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t block = team.league_rank();
        const std::int64_t end = blocks.end(block);
        const std::int64_t chunks = (end - blocks.begin(block) + chunk - 1) / chunk;
        double sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, chunks),
            [&](const std::int64_t k, double& part) {
              const std::int64_t first = blocks.begin(block) + k * chunk;
              part += store_rows(accessor, codes, exponents, divisor, factor, first,
                                 first + chunk < end ? first + chunk : end, w, magnitudes);
            },
            sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { errors(block) = sum; });
      });
}

/// Every block by a host thread.
template <class ExecutionSpace, class Code, class MemorySpace>
void store_by_host(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index column,
                   const Divisor& divisor, const Divisor& factor, const VectorRef<double, MemorySpace>& w,
                   const Kokkos::View<double*, MemorySpace>& errors,
                   const Kokkos::View<double*, MemorySpace>& magnitudes) {
  Code* const codes = basis.codes_of(column);
  std::int8_t* const exponents = basis.exponents_of(column);
  const std::int8_t* const row_exponents = basis.row_exponents.data();
  const RowBlocks blocks(basis.length);
  Kokkos::parallel_for("krylite::basis::store", range(exec, blocks.count), [=](const std::int64_t block) {
    const std::int64_t first = blocks.begin(block);
    errors(block) = store_tile({storage_of<Code>(), codes + first,
                                is_block_float<Code> ? exponents + first / entries_per_exponent : nullptr,
                                row_exponents == nullptr ? nullptr : row_exponents + first,
                                magnitudes.extent(0) == 0 ? nullptr : magnitudes.data() + first, w.data() + first,
                                divisor, factor, blocks.end(block) - first});
  });
}

template <class ExecutionSpace, class Code, class MemorySpace>
void set_factor(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index column,
                double factor) {
  if constexpr (is_host_space<ExecutionSpace>) {
    basis.factors(column) = factor;
  } else {
    Kokkos::deep_copy(exec, Kokkos::subview(basis.factors, column), factor);
  }
}

/// Largest |w_i| / 2^e_i of this process. Waits for `exec`.
template <class ExecutionSpace, class Exponents, class MemorySpace>
double largest_by_rows(const ExecutionSpace& exec, const Exponents& exponents,
                       const VectorRef<double, MemorySpace>& w) {
  double largest = 0;
  Kokkos::parallel_reduce(
      "krylite::basis::largest", range(exec, static_cast<std::int64_t>(w.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t i, double& maximum) {
        const double magnitude = fabs(w(i)) / power_of_two(exponents(i));
        maximum = magnitude > maximum ? magnitude : maximum;
      },
      Kokkos::Max<double>(largest));
  return largest;
}

}  // namespace detail

/// Vector `column` of `basis` = w / divisor, and w = that vector as it is stored.
/// \param largest the largest |w_i|, which sets the factor of every storage but float64; `left_largest`: what the last
///        sweep of the workspace left
/// \param magnitudes n numbers or none: takes the larger of itself and the |w_i| / divisor
template <class ExecutionSpace, class Code, class MemorySpace>
void store(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index column,
           double divisor, double largest, const detail::VectorRef<double, MemorySpace>& w,
           const SweepWorkspace<MemorySpace>& workspace,
           const Kokkos::View<double*, MemorySpace>& magnitudes = Kokkos::View<double*, MemorySpace>(),
           Kernel kernel = Kernel::automatic) {
  if (largest != left_largest && basis.row_exponents.extent(0) > 0) {
    largest = detail::largest_by_rows(exec, basis.row_exponents, w);
  }
  if constexpr (is_cuda<ExecutionSpace>) {
    if (kernel != Kernel::portable) {
      return detail::store_by_cuda(exec, basis, column, divisor, largest, w, workspace, magnitudes);
    }
  }
  const detail::Divisor norm(divisor);
  const detail::Divisor factor(storage_factor<Code>(largest / divisor));
  detail::set_factor(exec, basis, column, factor.value);
  if constexpr (is_host_space<ExecutionSpace>) {
    if (kernel != Kernel::portable) {
      return detail::store_by_host(exec, basis, column, norm, factor, w, workspace.errors, magnitudes);
    }
  }
  detail::store_by_teams(exec, basis, column, norm, factor, w, workspace.errors, magnitudes);
}

/// out = vector `column`, as it is stored.
template <class ExecutionSpace, class Code, class MemorySpace>
void load(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index column,
          const detail::VectorRef<double, MemorySpace>& out) {
  const BasisAccessor<Code> accessor = basis.accessor();
  const auto factors = basis.factors;
  Kokkos::parallel_for(
      "krylite::basis::load", detail::range(exec, basis.length),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) = factors(column) * accessor(i, column); });
}

}  // namespace krylite

#include <krylite/basis/cuda/sweeps.hpp>

#endif
