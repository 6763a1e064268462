#include "basis_sweep.cuh"

namespace krylite {
namespace cuda {

template void sweep_columns<Code::float16>(Stream, const Basis&, const SweepPlan&, const double*, double*,
                                           SweepMemory&);

}  // namespace cuda
}  // namespace krylite
