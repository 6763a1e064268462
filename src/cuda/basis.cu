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

}  // namespace

SweepMemory::SweepMemory(int capacity) {
  const auto values = static_cast<std::size_t>(2 * capacity + 3);
  try {
    constexpr int blocks =
        std::max({4 * ProjectTuning::multiprocessors, AddTuning::blocks, AddTuning::rows_blocks,
                  4 * FusedTuning::multiprocessors});
    partials = allocate<double>(values * blocks, bytes_);
    maxima = allocate<double>(blocks, bytes_);
    tickets = allocate<unsigned>(1, bytes_);
    host_sums = allocate_on_host<double>(values);
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

/// What the last block of the next sweep does.
Finish finish_of(const Basis& basis, const SweepPlan& plan, const double* errors, bool is_wanted,
                 SweepMemory& memory) {
  if (is_wanted) ++memory.sweeps;
  Finish finish;
  finish.errors = errors;
  finish.factors = basis.factors + plan.project_begin;
  finish.host_sums = memory.host_sums;
  finish.host_ticket = memory.host_ticket;
  finish.tickets = memory.tickets;
  finish.columns = plan.project_count;
  finish.gram_columns = plan.gram ? plan.project_count : 0;
  finish.num_errors = errors == nullptr ? 0 : store_blocks(basis.rows);
  finish.sweep = memory.sweeps;
  finish.is_wanted = is_wanted;
  return finish;
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
  const Finish finish = finish_of(basis, plan, errors, wanted || plan.project_count > 0, memory);
  for_code(basis.code, [&](auto code) {
    sweep_columns<decltype(code)::value>(stream, basis, plan, y, w, finish, memory);
  });
}

void norms(Stream stream, const double* w, std::int64_t rows, SweepMemory& memory) {
  Basis none;
  none.rows = rows;
  const Finish finish = finish_of(none, SweepPlan(), nullptr, true, memory);
  launch_project<Code::float64, false>(stream, none, 0, 0, w, finish, memory);
}

}  // namespace cuda
}  // namespace krylite
