#include "spmv_groups.cuh"

namespace krylite {
namespace cuda {

template void multiply_groups(Stream, const Groups<float, std::int32_t>&, const Vectors<const double>&,
                              const SlotTargets<double>&);
template void multiply_groups(Stream, const Groups<float, std::int64_t>&, const Vectors<const double>&,
                              const SlotTargets<double>&);

}  // namespace cuda
}  // namespace krylite
