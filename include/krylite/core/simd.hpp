#ifndef KRYLITE_CORE_SIMD_HPP
#define KRYLITE_CORE_SIMD_HPP

/// \file
/// The instruction set of the hand-written host kernels. The library holds them for several, and uses the best that
/// the processor has, so that one binary runs everywhere and fast. Products in different instruction sets differ in
/// rounding (fused products and sums, order of partial sums), within the bound of spmv/reference.hpp.

#include <string>
#include <vector>

namespace krylite {

/// Instruction sets that can be used here, the best first ("AVX3", which is AVX-512, "AVX2", ...). Empty where the
/// library was built without SIMD kernels (Google Highway); then products take the portable kernels.
std::vector<std::string> simd_targets();

/// The one that is used; "none" where simd_targets() is empty.
std::string simd_target();

/// Uses `target` from now on in this process, or the best for "best". For tests and measurements; not while products
/// run. \throws Error where it is not in simd_targets()
void set_simd_target(const std::string& target);

}  // namespace krylite

#endif
