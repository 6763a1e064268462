#include "basis_sweep.cuh"
#include "early_start.cuh"

#include <algorithm>
#include <atomic>

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

/// The sums of the blocks, added in a fixed order and sent to the host.
struct Join {
  const double* partials;
  const double* maxima;
  const double* errors;
  const double* factors;  ///< of the projected columns, or null
  double* sums;
  double* host_sums;
  unsigned* host_ticket;
  unsigned* tickets;
  double unit;
  int columns;
  int gram_columns;
  int blocks;
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

/// A block for each sum; the last block that ends sends all to the host, which waits for the ticket alone.
__global__ void __launch_bounds__(join_threads) join_kernel(const Join what) {
  wait_for_kernels_before();
  const int value = blockIdx.x;
  const int squares = what.columns + what.gram_columns;
  double result = 0;
  if (value <= squares) {
    result = joined_sum(what.partials + value * what.blocks, what.blocks);
    if (value < squares) result *= what.factors[value % what.columns] * what.unit;
    if (value < squares && value >= what.columns) result *= what.factors[what.columns - 1] * what.unit;
  } else if (value == squares + 1) {
    result = joined_sum(what.errors, what.num_errors);
  } else {
    result = joined(what.maxima, what.blocks, [](double a, double b) { return b > a ? b : a; });
  }
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    what.sums[value] = result;
    __threadfence();
    is_last = atomicAdd(what.tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  const volatile double* const sums = what.sums;
  for (int i = threadIdx.x; i < static_cast<int>(gridDim.x); i += join_threads) what.host_sums[i] = sums[i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  *what.tickets = 0;
  *static_cast<volatile unsigned*>(what.host_ticket) = what.sweep;
}

/// Adds the sums of the sweep that was launched last, and sends them to the host.
void join(Stream stream, const Basis& basis, const SweepPlan& plan, double unit, const double* errors,
          SweepMemory& memory) {
  ++memory.sweeps;
  const int gram_columns = plan.gram ? plan.project_count : 0;
  const int num_errors = errors == nullptr ? 0 : store_blocks(basis.rows);
  const Join what = {memory.partials,    memory.maxima, errors,
                     basis.factors + plan.project_begin,
                     memory.sums,        memory.host_sums,
                     memory.host_ticket, memory.tickets,
                     unit,               plan.project_count,
                     gram_columns,       memory.num_maxima,
                     num_errors,         memory.sweeps};
  launch_early<join_kernel>({stream, plan.project_count + gram_columns + 3, join_threads}, what);
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
  constexpr int blocks = std::max({4 * ProjectTuning::multiprocessors, AddTuning::blocks, AddTuning::rows_blocks,
                                   4 * FusedTuning::multiprocessors});
  const auto values = static_cast<std::size_t>(2 * capacity + 3);
  partials = device_memory<double>(values * blocks, bytes_);
  maxima = device_memory<double>(blocks, bytes_);
  sums = device_memory<double>(values, bytes_);
  tickets = device_memory<unsigned>(1, bytes_);
  host_sums = host_memory<double>(values);
  host_ticket = host_memory<unsigned>(1);
  *host_ticket = 0;
  // On the default stream, which other streams need not wait for.
  cudaError_t status = cudaMemset(tickets, 0, sizeof(unsigned));
  if (status == cudaSuccess) status = cudaStreamSynchronize(nullptr);
  if (status != cudaSuccess) detail::fail("the sums of the basis cannot be cleared: ", cudaGetErrorString(status));
}

void SweepMemory::release() {
  cudaFree(partials);
  cudaFree(maxima);
  cudaFree(sums);
  cudaFree(tickets);
  cudaFreeHost(host_sums);
  cudaFreeHost(host_ticket);
}

std::size_t SweepMemory::bytes() const { return bytes_; }

double* SweepMemory::wait(Stream stream) {
  constexpr int looks = 4096;
  const volatile unsigned* const done = host_ticket;
  while (*done != sweeps) {
    for (int look = 0; look < looks && *done != sweeps; ++look) continue;
    if (*done == sweeps) break;
    // A kernel that failed never tells.
    const cudaError_t status = cudaStreamQuery(stream);
    if (status == cudaErrorNotReady) cudaGetLastError();
    if (status == cudaErrorNotReady || *done == sweeps) continue;
    if (status == cudaSuccess) detail::fail("a sweep over the basis ended without its sums");
    detail::fail("a sweep over the basis failed: ", cudaGetErrorString(status));
  }
  // The sums were written before the ticket, and are read behind it.
  std::atomic_thread_fence(std::memory_order_acquire);
  return host_sums;
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
