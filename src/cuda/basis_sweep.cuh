#ifndef KRYLITE_SRC_CUDA_BASIS_SWEEP_CUH
#define KRYLITE_SRC_CUDA_BASIS_SWEEP_CUH

#include "basis_add.cuh"
#include "basis_fused.cuh"
#include "basis_project.cuh"

namespace krylite {
namespace cuda {

/// A sweep over columns of one storage. What must be added first and projected then is one kernel where it is the same
/// columns.
template <Code C>
void sweep_columns(Stream stream, const Basis& basis, const SweepPlan& plan, const double* y, double* w,
                   SweepMemory& memory) {
  const bool is_fused = plan.add_count > 0 && plan.add_count == plan.project_count &&
                        plan.add_begin == plan.project_begin && !plan.gram && plan.add_count <= columns_of_add;
  if (is_fused && launch_fused<C>(stream, basis, plan.add_begin, plan.add_count, y, w, memory)) return;
  if (plan.add_count > 0) {
    launch_add<C>(stream, basis, plan.add_begin, plan.add_count, y, w, plan.leaves_norms, memory);
  }
  if (plan.project_count == 0 && plan.add_count > 0) return;
  if (plan.gram && plan.project_count > 0) {
    launch_project<C, true>(stream, basis, plan.project_begin, plan.project_count, w, memory);
  } else {
    launch_project<C, false>(stream, basis, plan.project_begin, plan.project_count, w, memory);
  }
}

extern template void sweep_columns<Code::float64>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                  SweepMemory&);
extern template void sweep_columns<Code::float32>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                  SweepMemory&);
extern template void sweep_columns<Code::float16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                  SweepMemory&);
extern template void sweep_columns<Code::bfloat16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                   SweepMemory&);
extern template void sweep_columns<Code::int32>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                SweepMemory&);
extern template void sweep_columns<Code::int16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                SweepMemory&);
extern template void sweep_columns<Code::bfp32>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                SweepMemory&);
extern template void sweep_columns<Code::bfp16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                                SweepMemory&);

}  // namespace cuda
}  // namespace krylite

#endif
