#ifndef KRYLITE_UNIT_TESTS_SUPPORT_DENSE_BLOCK_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_DENSE_BLOCK_HPP

#include "support/battery.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace krylite_test {

/// Rows of a dense block.
using Block = std::vector<std::vector<double>>;

inline Block noise_block(krylite::Index size, std::uint64_t seed, double scale = 1) {
  Block block(size, std::vector<double>(size));
  for (krylite::Index i = 0; i < size; ++i) {
    for (krylite::Index j = 0; j < size; ++j) block[i][j] = scale * noise(i * size + j, seed);
  }
  return block;
}

inline std::vector<krylite::Index> pointers_of(const std::vector<Block>& blocks) {
  std::vector<krylite::Index> pointers = {0};
  for (const Block& block : blocks) {
    pointers.push_back(pointers.back() + static_cast<krylite::Index>(block.size()));
  }
  return pointers;
}

/// The matrix with these blocks on its diagonal. Beside each block stand large entries that are none of its business,
/// and columns descend.
inline HostCsr with_blocks(const std::vector<Block>& blocks) {
  const std::vector<krylite::Index> pointers = pointers_of(blocks);
  Rows rows;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const std::vector<double>& values : blocks[b]) {
      rows.emplace_back();
      if (pointers[b + 1] < pointers.back()) rows.back().emplace_back(pointers[b + 1], 1e30);
      const auto size = static_cast<krylite::Index>(values.size());
      for (krylite::Index j = size; j-- > 0;) rows.back().emplace_back(pointers[b] + j, values[j]);
      if (b > 0) rows.back().emplace_back(pointers[b] - 1, -1e30);
    }
  }
  return make_csr(pointers.back(), rows);
}

template <class T>
T one_norm(const std::vector<std::vector<T>>& block) {
  T norm = 0;
  for (std::size_t j = 0; j < block.size(); ++j) {
    T sum = 0;
    for (std::size_t i = 0; i < block.size(); ++i) sum += std::abs(block[i][j]);
    norm = std::max(norm, sum);
  }
  return norm;
}

/// The inverse in long double, and what bounds the error of the one in double.
struct InverseReference {
  std::vector<std::vector<long double>> inverse;
  long double error;    ///< of the inverse in double, in the 1-norm
  long double largest;  ///< magnitude in the inverse
};

/// Gauss-Jordan of [B I] with partial pivoting. The bound is that of Higham, Accuracy and Stability of Numerical
/// Algorithms, theorem 14.5, to first order: |X - B^-1| <= 2 n u (|B^-1| |L| |U| + 3 |U^-1| |U|) |X| for X ~ B^-1,
/// where |L| <= 1, |U| <= growth max |B| and |U^-1| <= |B^-1| |L|: in norms 8 n^3 growth u cond(B) ||B^-1||.
inline InverseReference reference_inverse(const Block& block) {
  const std::size_t n = block.size();
  std::vector<std::vector<long double>> a(n, std::vector<long double>(2 * n));
  long double largest_entry = 0, largest_met = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::copy(block[i].begin(), block[i].end(), a[i].begin());
    a[i][n + i] = 1;
    for (const double value : block[i]) largest_entry = std::max(largest_entry, std::abs((long double)value));
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      for (std::size_t j = k; j < n; ++j) largest_met = std::max(largest_met, std::abs(a[i][j]));
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    const long double divisor = a[k][k];
    for (long double& value : a[k]) value /= divisor;
    for (std::size_t i = 0; i < n; ++i) {
      const long double multiplier = a[i][k];
      for (std::size_t j = 0; i != k && j < 2 * n; ++j) a[i][j] -= multiplier * a[k][j];
    }
  }
  InverseReference result{a, 0, 0};
  for (std::vector<long double>& row : result.inverse) row.erase(row.begin(), row.begin() + n);
  for (const auto& row : result.inverse) {
    for (const long double value : row) result.largest = std::max(result.largest, std::abs(value));
  }
  const long double norm = one_norm(result.inverse);
  result.error = 8 * n * n * n * (largest_met / largest_entry) * 0x1p-53L * one_norm(block) * norm * norm;
  return result;
}

}  // namespace krylite_test

#endif
