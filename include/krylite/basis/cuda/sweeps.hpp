#ifndef KRYLITE_BASIS_CUDA_SWEEPS_HPP
#define KRYLITE_BASIS_CUDA_SWEEPS_HPP

/// \file
/// Sweeps on CUDA devices: what basis/sweeps.hpp hands to the kernels of src/cuda/.

#include <krylite/basis/sweeps.hpp>

namespace krylite {
namespace detail {

/// The storage whose codes are of type Code, as the kernels name it.
template <class Code>
constexpr cuda::Code cuda_code() {
  switch (storage_of<Code>()) {
    case BasisStorage::float32: return cuda::Code::float32;
    case BasisStorage::float16: return cuda::Code::float16;
    case BasisStorage::bfloat16: return cuda::Code::bfloat16;
    case BasisStorage::int32: return cuda::Code::int32;
    case BasisStorage::int16: return cuda::Code::int16;
    case BasisStorage::bfp32: return cuda::Code::bfp32;
    case BasisStorage::bfp16: return cuda::Code::bfp16;
    case BasisStorage::float64:
    case BasisStorage::automatic: break;
  }
  return cuda::Code::float64;
}

template <class Code, class MemorySpace>
cuda::Basis cuda_basis(const CompressedBasis<Code, MemorySpace>& basis) {
  return {cuda_code<Code>(),
          basis.codes.data(),
          basis.exponents.data(),
          basis.stride,
          basis.exponent_stride(),
          basis.row_exponents.data(),
          basis.factors.data(),
          basis.length};
}

template <class ExecutionSpace, class Code, class MemorySpace>
SweepSums sweep_by_cuda(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, const Sweep& sweep,
                        const double* coefficients, const VectorRef<double, MemorySpace>& w,
                        const SweepWorkspace<MemorySpace>& workspace) {
  cuda::SweepMemory& memory = *workspace.norms.cuda_memory;
  const bool leaves_norms = sweep.leaves_norms && sweep.project.count() == 0 && sweep.add.count() > 0;
  const cuda::SweepPlan plan = {sweep.add.begin, sweep.add.count(), sweep.project.begin, sweep.project.count(),
                                sweep.gram, leaves_norms};
  require(sweep.add.end <= basis.capacity && sweep.project.end <= basis.capacity &&
              plan.project_count <= memory.capacity,
          "a sweep over columns ", sweep.add.begin, " to ", sweep.add.end, " and ", sweep.project.begin, " to ",
          sweep.project.end, " of a basis of ", basis.capacity, ", with a workspace for ", memory.capacity);
  require(static_cast<std::int64_t>(w.extent(0)) == basis.length, "a basis of ", basis.length, " rows, but w has ",
          w.extent(0));
  cuda::sweep(exec.cuda_stream(), cuda_basis(basis), plan, coefficients, w.data(), workspace.errors.data(), memory);
  if (leaves_norms) return {nullptr, nullptr, 0, {0, left_largest}, 0};
  return sums_of(SumLayout(sweep), memory.wait(exec.cuda_stream()));
}

template <class ExecutionSpace, class Code, class MemorySpace>
void store_by_cuda(const ExecutionSpace& exec, const CompressedBasis<Code, MemorySpace>& basis, Index column,
                   double divisor, double largest, const VectorRef<double, MemorySpace>& w,
                   const SweepWorkspace<MemorySpace>& workspace,
                   const Kokkos::View<double*, MemorySpace>& magnitudes) {
  require(column < basis.capacity && static_cast<std::int64_t>(w.extent(0)) == basis.length, "vector ", column,
          " of a basis of ", basis.capacity, " with ", basis.length, " rows, but w has ", w.extent(0));
  const double factor = largest == left_largest ? 0 : storage_factor<Code>(largest / divisor);
  const cuda::Store what = {column, divisor, factor, w.data(), workspace.errors.data(), magnitudes.data()};
  cuda::store(exec.cuda_stream(), cuda_basis(basis), what, *workspace.norms.cuda_memory);
}

}  // namespace detail
}  // namespace krylite

#endif
