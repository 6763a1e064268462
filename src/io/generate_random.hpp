#ifndef KRYLITE_SRC_IO_GENERATE_RANDOM_HPP
#define KRYLITE_SRC_IO_GENERATE_RANDOM_HPP

/// \file
/// Random numbers that are the same everywhere. Each row (or edge) has a stream of its own, found from the
/// seed and its number, so that the order in which threads come does not matter. The distributions of the
/// standard library differ between implementations, and so do the last bits of `log` and `pow`: only
/// integers, sums, products and comparisons are used here, none of which a compiler may fuse into something
/// else.

#include <algorithm>
#include <cstdint>
#include <krylite/core/traits.hpp>

namespace krylite::detail {

/// Mixes all bits of a word into all bits of the result (the finaliser of SplitMix64).
inline std::uint64_t mix_bits(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

/// (0, 1], a multiple of 2^-53.
inline double unit_interval(std::uint64_t word) { return static_cast<double>((word >> 11) + 1) * 0x1p-53; }

/// SplitMix64 whose start is a hash of (seed, stream).
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream)
      : state_(mix_bits(mix_bits(seed + increment) + (stream + 1) * increment)) {}

  std::uint64_t next() {
    state_ += increment;
    return mix_bits(state_);
  }

  /// In (0, 1].
  double unit() { return unit_interval(next()); }

  /// In [-1, 1], never 0. The sign is a bit that the magnitude does not use.
  double signed_unit() {
    const std::uint64_t word = next();
    return word & 1u ? -unit_interval(word) : unit_interval(word);
  }

  bool chance(double probability) { return unit() <= probability; }

  /// In [0, bound), bound < 2^31: the upper part of the product of a 64-bit word with the bound.
  Index below(std::int64_t bound) {
    const std::uint64_t word = next();
    const auto factor = static_cast<std::uint64_t>(bound);
    const std::uint64_t upper = (word >> 32) * factor + (((word & 0xffffffffu) * factor) >> 32);
    return static_cast<Index>(upper >> 32);
  }

 private:
  static constexpr std::uint64_t increment = 0x9e3779b97f4a7c15u;
  std::uint64_t state_;
};

/// Trials up to the first success: P(k) = p (1 - p)^(k-1), k = 1, 2, ..., cut at `limit`.
inline std::int64_t geometric_number(RandomStream& random, double p, std::int64_t limit) {
  std::int64_t trials = 1;
  while (trials < limit && !random.chance(p)) ++trials;
  return std::min(trials, limit);
}

/// P(length >= k) = k^-1.25 for k = 1 ... limit: the largest k with u^4 k^5 <= 1.
inline std::int64_t pareto_number(RandomStream& random, std::int64_t limit) {
  const double u = random.unit();
  const double u4 = (u * u) * (u * u);
  std::int64_t fits = 1;
  std::int64_t too_long = limit + 1;
  while (too_long - fits > 1) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    const auto k = static_cast<double>(middle);
    (u4 * (k * k) * (k * k) * k <= 1.0 ? fits : too_long) = middle;
  }
  return fits;
}

/// Exponential with mean 1, by von Neumann's comparisons: given u, a descending run u > u2 > u3 > ... has an
/// odd length with probability e^-u; each failure adds 1.
inline double exponential_number(RandomStream& random) {
  for (double whole = 0;; whole += 1) {
    const double first = random.unit();
    double previous = first;
    bool odd = true;
    for (double u = random.unit(); u < previous; u = random.unit()) {
      previous = u;
      odd = !odd;
    }
    if (odd) return whole + first;
  }
}

/// Writes `count` different numbers of [0, range) in ascending order, count <= range. Few are drawn one by
/// one; many come one from each of `count` equal parts of the range, which needs no list of those already
/// taken.
inline void sample_ascending(RandomStream& random, std::int64_t count, std::int64_t range, Index* out) {
  constexpr std::int64_t few = 24;
  if (count > few || 2 * count > range) {
    for (std::int64_t part = 0; part < count; ++part) {
      const std::int64_t begin = part * range / count;
      out[part] = static_cast<Index>(begin + random.below((part + 1) * range / count - begin));
    }
    return;
  }
  for (std::int64_t taken = 0; taken < count;) {
    const Index candidate = random.below(range);
    Index* const place = std::lower_bound(out, out + taken, candidate);
    if (place != out + taken && *place == candidate) continue;
    std::copy_backward(place, out + taken, out + taken + 1);
    *place = candidate;
    ++taken;
  }
}

}  // namespace krylite::detail

#endif
