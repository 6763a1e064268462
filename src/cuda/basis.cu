#include "basis_sweep.cuh"

#include <algorithm>
#include <type_traits>

namespace krylite {
namespace cuda {
namespace {

template <class T>
T* allocate(std::size_t count, std::size_t& bytes) {
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
T* allocate_on_host(std::size_t count) {
  void* memory = nullptr;
  const cudaError_t status = cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable);
  if (status != cudaSuccess) {
    cudaGetLastError();
    detail::fail("not enough page-locked memory for the sums of the basis: ", count * sizeof(T), " bytes needed (",
                 cudaGetErrorString(status), ")");
  }
  return static_cast<T*>(memory);
}

constexpr int join_warps = 8;

__global__ void __launch_bounds__(join_warps* warp_size) join_kernel(const Join what) {
  const int value = blockIdx.x * join_warps + threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  const int squares = what.columns + what.gram_columns;
  if (value <= squares) {
    double sum = 0;
    for (int i = lane; i < what.blocks; i += warp_size) sum += what.partials[value * what.blocks + i];
    sum = sum_of_warp(sum);
    if (value < squares) {
      sum *= what.factors[value % what.columns] * what.unit;
      if (value >= what.columns) sum *= what.factors[what.columns - 1] * what.unit;
    }
    if (lane == 0) what.host_sums[value] = sum;
  } else if (value == squares + 1) {
    double sum = 0;
    for (int i = lane; i < what.num_errors; i += warp_size) sum += what.errors[i];
    sum = sum_of_warp(sum);
    if (lane == 0) what.host_sums[value] = sum;
  } else if (value == squares + 2) {
    double largest = 0;
    for (int i = lane; i < what.blocks; i += warp_size) largest = what.maxima[i] > largest ? what.maxima[i] : largest;
    largest = largest_of_warp(largest);
    if (lane == 0) what.host_sums[value] = largest;
  }
  // The last block tells the host, which waits for that alone.
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(what.tickets, 1u) != gridDim.x - 1) return;
  *what.tickets = 0;
  __threadfence_system();
  *static_cast<volatile unsigned*>(what.host_ticket) = what.sweep;
}

}  // namespace

void join(Stream stream, const Join& what) {
  const int values = what.columns + what.gram_columns + 3;
  join_kernel<<<divide_up(values, join_warps), join_warps * warp_size, 0, stream>>>(what);
  check_launch("sums of the blocks");
}

SweepMemory::SweepMemory(int capacity) {
  const auto sums = static_cast<std::size_t>(2 * capacity + 3);
  try {
    constexpr int blocks = std::max({SweepTuning::blocks, SweepTuning::add_blocks, SweepTuning::rows_blocks});
    partials = allocate<double>(sums * blocks, bytes_);
    maxima = allocate<double>(blocks, bytes_);
    tickets = allocate<unsigned>(1, bytes_);
    host_sums = allocate_on_host<double>(sums);
    host_ticket = allocate_on_host<unsigned>(1);
  } catch (...) {
    this->~SweepMemory();
    throw;
  }
  *host_ticket = 0;
  cudaMemset(tickets, 0, sizeof(unsigned));
  // On the default stream, which other streams need not wait for.
  cudaStreamSynchronize(nullptr);
}

SweepMemory::~SweepMemory() {
  cudaFree(partials);
  cudaFree(maxima);
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
    if (status == cudaErrorNotReady || *done == sweeps) continue;
    if (status == cudaSuccess) detail::fail("a sweep over the basis ended without its sums");
    detail::fail("a sweep over the basis failed: ", cudaGetErrorString(status));
  }
  return host_sums;
}

namespace {

void join_sums(Stream stream, const Basis& basis, const SweepPlan& plan, double unit, const double* errors,
               SweepMemory& memory) {
  ++memory.sweeps;
  join(stream, {memory.partials, memory.maxima, errors, basis.factors + plan.project_begin, memory.host_sums,
                memory.host_ticket, memory.tickets, unit, plan.project_count, plan.gram ? plan.project_count : 0,
                memory.num_maxima, errors == nullptr ? 0 : store_blocks(basis.rows), memory.sweeps});
}

/// body(a constant that holds the code)
template <class Body>
void for_code(Code code, const Body& body) {
  switch (code) {
    case Code::float64: return body(std::integral_constant<Code, Code::float64>());
    case Code::float32: return body(std::integral_constant<Code, Code::float32>());
    case Code::float16: return body(std::integral_constant<Code, Code::float16>());
    case Code::bfloat16: return body(std::integral_constant<Code, Code::bfloat16>());
    case Code::int32: return body(std::integral_constant<Code, Code::int32>());
    case Code::int16: return body(std::integral_constant<Code, Code::int16>());
    case Code::bfp32: return body(std::integral_constant<Code, Code::bfp32>());
    case Code::bfp16: return body(std::integral_constant<Code, Code::bfp16>());
  }
}

}  // namespace

void sweep(Stream stream, const Basis& basis, const SweepPlan& plan, const double* y, double* w, const double* errors,
           bool wanted, SweepMemory& memory) {
  for_code(basis.code, [&](auto code) {
    constexpr Code C = decltype(code)::value;
    sweep_columns<C>(stream, basis, plan, y, w, memory);
    if (wanted || plan.project_count > 0) join_sums(stream, basis, plan, CodeTraits<C>::unit, errors, memory);
  });
}

void norms(Stream stream, const double* w, std::int64_t rows, SweepMemory& memory) {
  Basis none;
  none.rows = rows;
  launch_project<Code::float64, false>(stream, none, 0, 0, w, memory);
  join_sums(stream, none, SweepPlan(), 1.0, nullptr, memory);
}

}  // namespace cuda
}  // namespace krylite
