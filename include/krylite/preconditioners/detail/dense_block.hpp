#ifndef KRYLITE_PRECONDITIONERS_DETAIL_DENSE_BLOCK_HPP
#define KRYLITE_PRECONDITIONERS_DETAIL_DENSE_BLOCK_HPP

/// \file
/// A small dense block, column by column, and its inverse in place. One thread works on a block.

#include <krylite/core/traits.hpp>

#include <cstdint>

namespace krylite {
namespace detail {

/// Rows and columns of the largest block.
inline constexpr Index largest_block_size = 32;

/// A square block in double, not owned.
struct DenseBlock {
  double* values;
  Index size;

  KOKKOS_INLINE_FUNCTION double& operator()(Index i, Index j) const { return values[j * size + i]; }
};

KOKKOS_INLINE_FUNCTION void fill(const DenseBlock& block, double diagonal, double elsewhere) {
  for (Index j = 0; j < block.size; ++j) {
    for (Index i = 0; i < block.size; ++i) block(i, j) = i == j ? diagonal : elsewhere;
  }
}

/// Largest magnitude; NaN where an entry is NaN.
KOKKOS_INLINE_FUNCTION double largest_magnitude(const DenseBlock& block) {
  double largest = 0;
  for (Index k = 0; k < block.size * block.size; ++k) {
    const double magnitude = fabs(block.values[k]);
    // Nothing is larger than a NaN, so that the first one stays.
    largest = magnitude > largest || magnitude != magnitude ? magnitude : largest;
  }
  return largest;
}

/// Largest column sum of magnitudes; infinite where that overflows.
KOKKOS_INLINE_FUNCTION double one_norm(const DenseBlock& block) {
  double norm = 0;
  for (Index j = 0; j < block.size; ++j) {
    double sum = 0;
    for (Index i = 0; i < block.size; ++i) sum += fabs(block(i, j));
    norm = sum > norm || sum != sum ? sum : norm;
  }
  return norm;
}

/// The block on the diagonal whose first row is `first`; entries at the same place are added in the order of the CSR.
template <class Csr>
KOKKOS_INLINE_FUNCTION void gather_block(const Csr& csr, Index first, const DenseBlock& block) {
  fill(block, 0.0, 0.0);
  csr.visit(first, std::int64_t(first) + block.size, [&](Index row, Index column, const auto& value) {
    const Index j = column - first;
    if (j >= 0 && j < block.size) block(row - first, j) += static_cast<double>(value);
  });
}

/// Row of the largest magnitude in column k, from the diagonal down; the diagonal where a NaN is there.
KOKKOS_INLINE_FUNCTION Index pivot_row(const DenseBlock& block, Index k) {
  Index best = k;
  for (Index i = k + 1; i < block.size; ++i) best = fabs(block(i, k)) > fabs(block(best, k)) ? i : best;
  return best;
}

KOKKOS_INLINE_FUNCTION void exchange(double& a, double& b) {
  const double kept = a;
  a = b;
  b = kept;
}

/// Step k of Gauss-Jordan in place: column k leaves the block and column k of the inverse takes its room.
KOKKOS_INLINE_FUNCTION void eliminate(const DenseBlock& block, Index k) {
  const double pivot = block(k, k);
  // With a zero here the loop over the rows may pass over row k without a branch.
  block(k, k) = 0;
  for (Index j = 0; j < block.size; ++j) {
    if (j == k) continue;
    // A quotient rounds once, a product with the reciprocal twice.
    const double quotient = block(k, j) / pivot;
    for (Index i = 0; i < block.size; ++i) block(i, j) -= block(i, k) * quotient;
    block(k, j) = quotient;
  }
  for (Index i = 0; i < block.size; ++i) block(i, k) = -block(i, k) / pivot;
  block(k, k) = 1.0 / pivot;
}

/// Inverse in place by Gauss-Jordan elimination with partial pivoting, 2 size^3 flops. Nothing in it depends on the
/// scale of the block.
/// \return whether no pivot is exactly zero and the inverse is finite; else the block holds nothing of use
KOKKOS_INLINE_FUNCTION bool invert(const DenseBlock& block) {
  Index pivots[largest_block_size];
  for (Index k = 0; k < block.size; ++k) {
    pivots[k] = pivot_row(block, k);
    if (block(pivots[k], k) == 0) return false;
    if (pivots[k] != k) {
      for (Index j = 0; j < block.size; ++j) exchange(block(k, j), block(pivots[k], j));
    }
    eliminate(block, k);
  }
  // What is there inverts the permuted block: exchanged rows of a block are exchanged columns of its inverse.
  for (Index k = block.size - 1; k >= 0; --k) {
    if (pivots[k] == k) continue;
    for (Index i = 0; i < block.size; ++i) exchange(block(i, k), block(i, pivots[k]));
  }
  return isfinite(largest_magnitude(block));
}

/// max_i (|B^-1| |B|)_ii of the block whose first row is `first`: at least 1, the same however rows and columns are
/// scaled, and about 1 / eps where B is singular but for rounding.
template <class Csr>
KOKKOS_INLINE_FUNCTION double growth_of_inverse(const Csr& csr, Index first, const DenseBlock& inverse) {
  double sums[largest_block_size] = {};
  csr.visit(first, std::int64_t(first) + inverse.size, [&](Index row, Index column, const auto& value) {
    const Index j = column - first;
    if (j >= 0 && j < inverse.size) sums[j] += fabs(inverse(j, row - first)) * fabs(static_cast<double>(value));
  });
  double growth = 0;
  for (const double sum : sums) growth = sum > growth ? sum : growth;
  return growth;
}

/// The inverse in place of the block whose first row is `first`, or the identity where there is none: where a pivot is
/// zero, the inverse is not finite, or so large that all its digits are rounding. A block with a NaN becomes NaN
/// throughout.
/// \param condition out: condition number in the 1-norm; 1 for the identity, NaN for NaN, infinite where it overflows
/// \return whether the identity stands for the block
template <class Csr>
KOKKOS_INLINE_FUNCTION bool invert_or_replace(const Csr& csr, Index first, const DenseBlock& block, double& condition) {
  constexpr double epsilon = 0x1p-52;
  const double largest = largest_magnitude(block);
  condition = largest;
  if (largest != largest) {
    fill(block, largest, largest);
    return false;
  }
  const double norm = one_norm(block);
  const bool inverted = invert(block) && growth_of_inverse(csr, first, block) < 1 / (4 * epsilon * block.size);
  if (!inverted) fill(block, 1.0, 0.0);
  condition = inverted ? norm * one_norm(block) : 1.0;
  return !inverted;
}

}  // namespace detail
}  // namespace krylite

#endif
