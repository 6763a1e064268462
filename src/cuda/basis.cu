#include "basis_sweep.cuh"

#include <algorithm>
#include <cstring>

namespace krylite {
namespace cuda {
namespace {

template <class T>
T* device_memory(std::size_t count, std::size_t& bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, count * sizeof(T));
  if (status != cudaSuccess) {
    cudaGetLastError();
    detail::fail("not enough memory for the sums of the basis: ", count * sizeof(T), " bytes needed (",
                 cudaGetErrorString(status), ")");
  }
  bytes += count * sizeof(T);
  return static_cast<T*>(memory);
}

template <class T>
T* host_memory(std::size_t count) {
  void* memory = nullptr;
  const cudaError_t status = cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable);
  if (status != cudaSuccess) {
    cudaGetLastError();
    detail::fail("not enough page-locked memory for the sums of the basis: ", count * sizeof(T), " bytes needed (",
                 cudaGetErrorString(status), ")");
  }
  return static_cast<T*>(memory);
}

constexpr int join_threads = JoinTuning::threads;

/// The sums of the slots, added in a fixed order and sent to the host.
struct Join {
  const double* partials;
  const double* maxima;
  const double* errors;
  const double* factors;  ///< of the projected columns, or null
  std::uint64_t* host_words;
  double unit;
  int columns;
  int gram_columns;
  int slots;
  int num_errors;
  unsigned sweep;
};

/// The sum (or the largest) of `count` numbers by all threads of a block.
template <class Add>
__device__ double joined(const double* values, int count, const Add& add) {
  constexpr int warps = join_threads / warp_size;
  constexpr int side_by_side = 4;
  __shared__ double of_warps[warps];
  double parts[side_by_side] = {};
  for (int i = threadIdx.x; i < count; i += side_by_side * join_threads) {
#pragma unroll
    for (int k = 0; k < side_by_side; ++k) {
      if (i + k * join_threads < count) parts[k] = add(parts[k], values[i + k * join_threads]);
    }
  }
  double part = add(add(parts[0], parts[1]), add(parts[2], parts[3]));
  for (int step = warp_size / 2; step > 0; step /= 2) part = add(part, __shfl_xor_sync(all_lanes, part, step));
  if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = part;
  __syncthreads();
  double all = of_warps[0];
  for (int warp = 1; warp < warps; ++warp) all = add(all, of_warps[warp]);
  return all;
}

__device__ double joined_sum(const double* values, int count) {
  return joined(values, count, [](double a, double b) { return a + b; });
}

/// Half of the bits of a sum and the number of the sweep are one word, written at once: what waits for it needs no
/// fence and no second word that says it is there.
__device__ __forceinline__ std::uint64_t tagged(int half, unsigned sweep) {
  return static_cast<std::uint64_t>(static_cast<unsigned>(half)) << 32 | sweep;
}

/// A block for each sum, which sends it to the host.
__global__ void __launch_bounds__(join_threads) join_kernel(const Join what) {
  wait_for_kernels_before();
  const int value = blockIdx.x;
  const int squares = what.columns + what.gram_columns;
  // Asked for before the sums: all come at once then.
  const bool is_gram = value >= what.columns && value < squares;
  double factor = 1;
  double last_factor = 1;
  if (value < squares && threadIdx.x == 0) factor = what.factors[is_gram ? value - what.columns : value] * what.unit;
  if (is_gram && threadIdx.x == 0) last_factor = what.factors[what.columns - 1] * what.unit;
  double result = 0;
  if (value <= squares) {
    result = joined_sum(what.partials + value * what.slots, what.slots) * factor * last_factor;
  } else if (value == squares + 1) {
    result = joined_sum(what.errors, what.num_errors);
  } else {
    result = joined(what.maxima, what.slots, [](double a, double b) { return b > a ? b : a; });
  }
  if (threadIdx.x != 0) return;
  volatile std::uint64_t* const words = what.host_words + 2 * value;
  words[0] = tagged(__double2loint(result), what.sweep);
  words[1] = tagged(__double2hiint(result), what.sweep);
}

/// Adds the sums of the sweep that was launched last, and sends them to the host.
void join(Stream stream, const Basis& basis, const SweepPlan& plan, double unit, const double* errors,
          SweepMemory& memory) {
  ++memory.sweeps;
  const int gram_columns = plan.gram ? plan.project_count : 0;
  const int num_errors = errors == nullptr ? 0 : store_blocks(basis.rows);
  memory.num_sums = plan.project_count + gram_columns + 3;
  const Join what = {memory.partials,
                     memory.maxima,
                     errors,
                     basis.factors + plan.project_begin,
                     memory.host_words,
                     unit,
                     plan.project_count,
                     gram_columns,
                     memory.num_slots,
                     num_errors,
                     memory.sweeps};
  launch_early<join_kernel>({stream, memory.num_sums, join_threads}, what);
  check_launch("sums of the blocks");
}

}  // namespace

SweepMemory::SweepMemory(int most_columns) : capacity(most_columns) {
  try {
    allocate();
  } catch (...) {
    release();
    throw;
  }
}

SweepMemory::~SweepMemory() { release(); }

void SweepMemory::allocate() {
  constexpr int blocks =
      std::max({AddTuning::blocks, AddTuning::rows_blocks, FusedTuning::most_blocks * FusedTuning::multiprocessors});
  // The fewer columns a product has, the more slots: each group of columns has its share of the warps, two sums for
  // each of its columns, and w^T w.
  constexpr int sums_of_warps = (2 * ProjectTuning::columns + 1) * project_warps;
  const auto values = static_cast<std::size_t>(2 * capacity + 3);
  partials = device_memory<double>(std::max<std::size_t>(values * blocks, sums_of_warps), bytes_);
  maxima = device_memory<double>(std::max(blocks, project_warps), bytes_);
  host_words = host_memory<std::uint64_t>(2 * values);
  std::fill_n(host_words, 2 * values, std::uint64_t(0));
  host_sums_.resize(values);
}

void SweepMemory::release() {
  cudaFree(partials);
  cudaFree(maxima);
  cudaFreeHost(host_words);
}

std::size_t SweepMemory::bytes() const { return bytes_; }

namespace {

/// Looks at a word until it is of the sweep. \returns the half of a sum that it holds
unsigned wait_for_word(const volatile std::uint64_t& word, unsigned sweep, Stream stream) {
  constexpr int looks = 4096;
  for (;;) {
    for (int look = 0; look < looks; ++look) {
      const std::uint64_t now = word;
      if (static_cast<unsigned>(now) == sweep) return static_cast<unsigned>(now >> 32);
    }
    // A kernel that failed never tells.
    const cudaError_t status = cudaStreamQuery(stream);
    if (status == cudaErrorNotReady) cudaGetLastError();
    if (status == cudaErrorNotReady || static_cast<unsigned>(word) == sweep) continue;
    if (status == cudaSuccess) detail::fail("a sweep over the basis ended without its sums");
    detail::fail("a sweep over the basis failed: ", cudaGetErrorString(status));
  }
}

}  // namespace

double* SweepMemory::wait(Stream stream) {
  for (int i = 0; i < num_sums; ++i) {
    const std::uint64_t low = wait_for_word(host_words[2 * i], sweeps, stream);
    const std::uint64_t high = wait_for_word(host_words[2 * i + 1], sweeps, stream);
    const std::uint64_t bits = high << 32 | low;
    std::memcpy(&host_sums_[static_cast<std::size_t>(i)], &bits, sizeof(bits));
  }
  return host_sums_.data();
}

void sweep(Stream stream, const Basis& basis, const SweepPlan& plan, const double* y, double* w, const double* errors,
           SweepMemory& memory) {
  for_code(basis.code, [&](auto code) {
    constexpr Code C = decltype(code)::value;
    sweep_columns<C>(stream, basis, plan, y, w, memory);
    if (!plan.leaves_norms) join(stream, basis, plan, CodeTraits<C>::unit, errors, memory);
  });
}

void norms(Stream stream, const double* w, std::int64_t rows, SweepMemory& memory) {
  Basis none;
  none.rows = rows;
  launch_project<Code::float64, false>(stream, none, 0, 0, w, memory);
  join(stream, none, SweepPlan(), 1.0, nullptr, memory);
}

}  // namespace cuda
}  // namespace krylite
