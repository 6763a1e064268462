#ifndef KRYLITE_PERF_TESTS_SPMV_PEERS_BANDWIDTH_HPP
#define KRYLITE_PERF_TESTS_SPMV_PEERS_BANDWIDTH_HPP

/// \file
/// Speed of the device's memory on arrays of 2 GiB, many times its caches: what a copy moves, read and written, and
/// what a reading moves. Of several ways to do each the fastest counts.

#include <string>
#include <utility>
#include <vector>

#include "turns.hpp"

namespace krylite_perf {

struct Bandwidth {
  double copy_gbs = 0;
  double read_gbs = 0;
  std::string copy_way;
  std::string read_way;
};

/// Two doubles that move by one instruction.
struct alignas(16) Pair {
  double first;
  double second;
};

/// Each thread moves `loads` pairs, all of which it reads before it writes.
template <int loads>
void copy_pairs(const Execution& exec, const Pair* from, Pair* to, std::int64_t pairs) {
  const std::int64_t stride = pairs / loads;
  Kokkos::parallel_for(
      "krylite_perf::copy", krylite::detail::range(exec, stride), KOKKOS_LAMBDA(const std::int64_t i) {
        Pair held[loads];
        for (int k = 0; k < loads; ++k) held[k] = from[i + k * stride];
        for (int k = 0; k < loads; ++k) to[i + k * stride] = held[k];
      });
}

inline void copy_by_driver(const Execution& exec, const Pair* from, Pair* to, std::size_t pairs) {
  check_cuda(cudaMemcpyAsync(to, from, pairs * sizeof(Pair), cudaMemcpyDeviceToDevice, exec.cuda_stream()),
             "cudaMemcpyAsync");
}

/// Each thread reads `loads` pairs. It writes their sum where that is negative, which it never is: no compiler knows,
/// and nothing but the reading takes time.
template <int loads>
void read_pairs(const Execution& exec, const Pair* from, double* never, std::int64_t pairs) {
  const std::int64_t stride = pairs / loads;
  Kokkos::parallel_for(
      "krylite_perf::read", krylite::detail::range(exec, stride), KOKKOS_LAMBDA(const std::int64_t i) {
        Pair held[loads];
        for (int k = 0; k < loads; ++k) held[k] = from[i + k * stride];
        double sum = 0;
        for (int k = 0; k < loads; ++k) sum += held[k].first + held[k].second;
        if (sum < 0) *never = sum;
      });
}

/// The fastest of the ways, and the GB/s of `bytes` in its median time.
inline std::pair<std::string, double> fastest_way(const StreamTimer& timer, double bytes,
                                                  std::vector<std::pair<std::string, Timed>> ways) {
  constexpr int batches = 7;
  std::vector<Timed*> works;
  for (auto& way : ways) works.push_back(&way.second);
  time_in_turn(timer, works, batches);
  std::pair<std::string, double> best;
  for (const auto& [name, timed] : ways) {
    const double gbs = 1e-9 * bytes / median(timed.seconds);
    if (gbs > best.second) best = {name, gbs};
  }
  return best;
}

inline Bandwidth measure_bandwidth(const Execution& exec, const StreamTimer& timer) {
  using Pairs = Kokkos::View<Pair*, Memory>;
  constexpr std::size_t wanted_bytes = std::size_t{2} << 30;
  constexpr std::size_t most_loads = 8;
  const std::size_t bytes = std::min(wanted_bytes, krylite::available_bytes<Memory>() / 4);
  const std::size_t count = bytes / sizeof(Pair) / most_loads * most_loads;
  const auto from = krylite::detail::allocate<Pairs>(exec, "krylite_perf::from", count);
  const auto to = krylite::detail::allocate<Pairs>(exec, "krylite_perf::to", count);
  const Kokkos::View<double, Memory> never("krylite_perf::never");
  const auto pairs = static_cast<std::int64_t>(count);
  const Pair* const in = from.data();
  Pair* const out = to.data();
  double* const nowhere = never.data();
  Kokkos::parallel_for(
      "krylite_perf::fill", krylite::detail::range(exec, pairs),
      KOKKOS_LAMBDA(const std::int64_t i) { out[i] = Pair{1.0, 1.0}; });
  Kokkos::deep_copy(exec, from, to);

  const auto size = static_cast<double>(count * sizeof(Pair));
  const auto copy = fastest_way(timer, 2 * size,
                                {{"kernel, 1 pair a thread", {[=] { copy_pairs<1>(exec, in, out, pairs); }}},
                                 {"kernel, 2 pairs a thread", {[=] { copy_pairs<2>(exec, in, out, pairs); }}},
                                 {"kernel, 4 pairs a thread", {[=] { copy_pairs<4>(exec, in, out, pairs); }}},
                                 {"cudaMemcpyAsync", {[=] { copy_by_driver(exec, in, out, count); }}}});
  const auto read = fastest_way(timer, size,
                                {{"kernel, 2 pairs a thread", {[=] { read_pairs<2>(exec, in, nowhere, pairs); }}},
                                 {"kernel, 4 pairs a thread", {[=] { read_pairs<4>(exec, in, nowhere, pairs); }}},
                                 {"kernel, 8 pairs a thread", {[=] { read_pairs<8>(exec, in, nowhere, pairs); }}}});
  return {copy.second, read.second, copy.first, read.first};
}

}  // namespace krylite_perf

#endif
