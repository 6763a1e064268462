// Times the sweeps over a basis of 1,000,000 (or N, the first argument) rows and 52 (or M, the second) columns in
// every storage, and prints a line each: milliseconds of project, project with Gram, add, the fused add and project,
// and store, the median of 9 rounds in which the storages take turns, and in brackets the fraction of the read
// bandwidth of the same round, by the bytes that must move (basis/sweeps.hpp).

#include "support/load.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using krylite_perf::Execution;
using krylite_perf::median;
using krylite_perf::Memory;
using Vector = krylite::detail::VectorRef<double, Memory>;
using krylite::Index;

constexpr int rounds = 9;
constexpr int operations = 5;
const char* const operation_names[operations] = {"project", "gram", "add", "fused", "store"};

template <class Work>
double seconds(const Execution& exec, const Work& work) {
  exec.fence();
  const Kokkos::Timer timer;
  work();
  exec.fence();
  return timer.seconds();
}

struct Times {
  std::string name;
  std::vector<double> bytes = std::vector<double>(operations);
  std::vector<std::vector<double>> runs = std::vector<std::vector<double>>(operations);
};

template <class Code>
void measure(const Execution& exec, std::int64_t n, Index columns, const Vector& w, Times& times) {
  const auto basis = krylite::make_compressed_basis<Code>(exec, n, columns);
  const krylite::SweepWorkspace<Memory> workspace(n, columns);
  for (Index j = 0; j < columns; ++j) krylite::store(exec, basis, j, 1.0, 1.0, w, workspace);
  const std::vector<double> y(columns, 1e-3);
  const krylite::ColumnRange all{0, columns};
  const krylite::Sweep sweeps[] = {{{}, all, false}, {{}, all, true}, {all, {}, false}, {all, all, false}};
  times.name = krylite::name(krylite::detail::storage_of<Code>());
  const double codes = static_cast<double>(krylite::compressed_basis_bytes<Code>(n, columns));
  times.bytes = {codes + 8.0 * n, codes + 8.0 * n, codes + 16.0 * n, codes + 16.0 * n,
                 codes / columns + 16.0 * n};
  for (int k = 0; k < 4; ++k) {
    const auto run = [&] { krylite::run_sweep(exec, basis, sweeps[k], y.data(), w, workspace); };
    run();
    times.runs[k].push_back(seconds(exec, run));
  }
  times.runs[4].push_back(
      seconds(exec, [&] { krylite::store(exec, basis, 0, 1.0, 2.0, w, workspace); }));
}

constexpr std::int64_t block_entries = 4096;

// As wide as the machine allows, or it and not the memory is measured.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
KOKKOS_FUNCTION double
block_sum(const double* data) {
  constexpr int lanes = 32;
  double sums[lanes] = {};
  for (std::int64_t i = 0; i < block_entries; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] += data[i + lane];
  }
  double sum = 0;
  for (const double lane_sum : sums) sum += lane_sum;
  return sum;
}

/// Seconds a byte of a reading whose sum the compiler cannot leave out.
double read_seconds_per_byte(const Execution& exec, const Kokkos::View<double*, Memory>& array) {
  double sum = 0;
  const double time = seconds(exec, [&] {
    Kokkos::parallel_reduce(
        "read", krylite::detail::range(exec, static_cast<std::int64_t>(array.extent(0)) / block_entries),
        KOKKOS_LAMBDA(const std::int64_t block, double& part) {
          part += block_sum(array.data() + block * block_entries);
        },
        sum);
  });
  if (sum == 0.5) std::puts("");
  return time / (8.0 * array.extent(0));
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  {
    const Execution exec;
    const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000000;
    const Index columns = argc > 2 ? std::atoi(argv[2]) : 52;
    const Kokkos::View<double*, Memory> storage("w", n), array("array", 160000000);
    const Vector w(storage.data(), n);
    Kokkos::deep_copy(array, 1.0);
    std::vector<Times> all(8);
    std::vector<double> read;
    for (int round = 0; round < rounds; ++round) {
      Kokkos::deep_copy(storage, 0.25);
      read.push_back(read_seconds_per_byte(exec, array));
      measure<double>(exec, n, columns, w, all[0]);
      measure<float>(exec, n, columns, w, all[1]);
      measure<std::int32_t>(exec, n, columns, w, all[2]);
      measure<krylite::BlockFloat32>(exec, n, columns, w, all[3]);
      measure<krylite::Float16>(exec, n, columns, w, all[4]);
      measure<krylite::BFloat16>(exec, n, columns, w, all[5]);
      measure<std::int16_t>(exec, n, columns, w, all[6]);
      measure<krylite::BlockFloat16>(exec, n, columns, w, all[7]);
    }
    std::printf("%lld rows, %d columns, read %.1f GB/s\n%-9s", (long long)n, columns, 1e-9 / median(read), "");
    for (const char* const name : operation_names) std::printf(" %14s", name);
    for (const Times& times : all) {
      std::printf("\n%-9s", times.name.c_str());
      for (int k = 0; k < operations; ++k) {
        const double time = median(times.runs[k]);
        std::printf(" %7.2f (%4.2f)", 1e3 * time, times.bytes[k] * median(read) / time);
      }
    }
    std::puts("");
  }
  Kokkos::finalize();
}
