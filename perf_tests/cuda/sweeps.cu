// Times the sweeps over a basis of 2,000,000 (or N, the first argument) rows with 50 and 100 columns in every storage
// on a CUDA device: project, project with Gram, add, the fused add and project, and store. Prints JSON: seconds of one
// sweep (the median of 9 batches by events), and the bytes that must move (basis/sweeps.hpp) a second over those of a
// copy in the same run.

#include "timing.cuh"

#include <krylite/basis/cuda/kernels.hpp>

#include <cstdint>
#include <cstdlib>

namespace {

using namespace krylite_perf;
namespace cuda = krylite::cuda;

struct Storage {
  const char* name;
  cuda::Code code;
  int bytes;
  bool has_exponents;
};
constexpr Storage storages[] = {
    {"float64", cuda::Code::float64, 8, false}, {"float32", cuda::Code::float32, 4, false},
    {"int32", cuda::Code::int32, 4, false},     {"bfp32", cuda::Code::bfp32, 4, true},
    {"float16", cuda::Code::float16, 2, false}, {"bfloat16", cuda::Code::bfloat16, 2, false},
    {"int16", cuda::Code::int16, 2, false},     {"bfp16", cuda::Code::bfp16, 2, true}};

__global__ void fill(double* w, std::int64_t n, unsigned seed) {
  const std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull + seed * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  w[i] = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

struct Bench {
  std::int64_t n;
  double copy;
  double* w = nullptr;
  double* errors = nullptr;

  void report(const Storage& storage, int columns, const char* operation, double bytes, double time, bool& first) {
    std::printf("%s\n  {\"storage\": \"%s\", \"columns\": %d, \"operation\": \"%s\", \"seconds\": %.4e, "
                "\"fraction_of_copy\": %.3f}",
                first ? "" : ",", storage.name, columns, operation, time, bytes / time / copy);
    std::fprintf(stderr, " %s %.3f", operation, bytes / time / copy);
    first = false;
  }

  void run(const Storage& storage, int columns, bool& first) {
    cuda::Basis basis;
    basis.code = storage.code;
    basis.rows = n;
    basis.stride = (n * storage.bytes + 63) / 64 * 64 / storage.bytes;
    basis.exponent_stride = (n + 31) / 32;
    basis.codes = device_array<char>(static_cast<std::size_t>(basis.stride) * columns * storage.bytes);
    check(cudaMemset(basis.codes, 0, static_cast<std::size_t>(basis.stride) * columns * storage.bytes));
    if (storage.has_exponents) basis.exponents = device_array<std::int8_t>(basis.exponent_stride * columns);
    basis.factors = device_array<double>(columns);
    {
      cuda::SweepMemory memory(columns);
      const auto store = [&](int j) { cuda::store(nullptr, basis, {j, 1.0, 1.0, w, errors, nullptr}, memory); };
      for (int j = 0; j < columns; ++j) {
        fill<<<static_cast<unsigned>(n / 256 + 1), 256>>>(w, n, j);
        store(j);
      }
      const std::vector<double> y(columns, 1e-6);
      const auto sweep = [&](const cuda::SweepPlan& plan) {
        cuda::sweep(nullptr, basis, plan, y.data(), w, errors, memory);
      };
      const double codes = double(n) * columns * storage.bytes +
                           (storage.has_exponents ? double(basis.exponent_stride) * columns : 0.0);
      const auto time = [&](const auto& work) { return median_seconds(5, work); };
      std::fprintf(stderr, "%-9s %3d:", storage.name, columns);
      report(storage, columns, "project", codes + 8.0 * n, time([&] { sweep({0, 0, 0, columns, false}); }), first);
      report(storage, columns, "gram", codes + 8.0 * n, time([&] { sweep({0, 0, 0, columns, true}); }), first);
      report(storage, columns, "add", codes + 16.0 * n, time([&] { sweep({0, columns, 0, 0, false, true}); }), first);
      report(storage, columns, "fused", codes + 16.0 * n, time([&] { sweep({0, columns, 0, columns, false}); }), first);
      report(storage, columns, "store", codes / columns + 16.0 * n, time([&] { store(0); }), first);
      std::fprintf(stderr, "\n");
    }
    check(cudaDeviceSynchronize());
    check(cudaFree(basis.codes));
    check(cudaFree(basis.exponents));
    check(cudaFree(basis.factors));
  }
};

}  // namespace

int main(int argc, char** argv) {
  Bench bench;
  bench.n = argc > 1 ? std::atoll(argv[1]) : 2000000;
  bench.copy = copy_bandwidth();
  bench.w = device_array<double>(bench.n);
  bench.errors = device_array<double>(cuda::store_blocks(bench.n));
  std::printf("{\"rows\": %lld, \"copy_gbs\": %.1f, \"sweeps\": [", static_cast<long long>(bench.n), 1e-9 * bench.copy);
  std::fprintf(stderr, "copy %.1f GB/s\n", 1e-9 * bench.copy);
  bool first = true;
  for (const Storage& storage : storages) {
    for (const int columns : {50, 100}) bench.run(storage, columns, first);
  }
  std::printf("]}\n");
}
