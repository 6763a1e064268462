#include "spmv_groups.cuh"

namespace krylite {
namespace cuda {

template void multiply_groups(Stream, const Groups<float, std::int32_t>&, const Vectors<const float>&,
                              const SlotTargets<float>&);
template void multiply_groups(Stream, const Groups<float, std::int64_t>&, const Vectors<const float>&,
                              const SlotTargets<float>&);

}  // namespace cuda
}  // namespace krylite
