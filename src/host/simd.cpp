#include <krylite/core/error.hpp>
#include <krylite/core/simd.hpp>

#ifdef KRYLITE_HAS_SIMD
#include <cstdint>

#include "../simd/simd_targets.hpp"
#include <hwy/targets.h>

namespace krylite {
namespace {

/// Bits of the sets that the kernels were compiled for and the processor has; a lower bit is a better set.
std::int64_t usable() { return hwy::SupportedTargets() & HWY_TARGETS; }

std::string best_of(std::int64_t targets) { return hwy::TargetName(targets & -targets); }

}  // namespace

std::vector<std::string> simd_targets() {
  const std::string forced = simd_target();
  hwy::SetSupportedTargetsForTest(0);
  std::vector<std::string> names;
  for (std::int64_t rest = usable(); rest != 0; rest &= rest - 1) names.push_back(best_of(rest));
  set_simd_target(forced);
  return names;
}

std::string simd_target() { return best_of(usable()); }

void set_simd_target(const std::string& target) {
  hwy::SetSupportedTargetsForTest(0);
  std::int64_t chosen = 0;
  for (std::int64_t rest = usable(); rest != 0; rest &= rest - 1) {
    if (target == best_of(rest)) chosen = rest & -rest;
  }
  detail::require(chosen != 0 || target == "best", "no instruction set '", target, "' here");
  hwy::SetSupportedTargetsForTest(chosen);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace krylite

#else

namespace krylite {

std::vector<std::string> simd_targets() { return {}; }

std::string simd_target() { return "none"; }

void set_simd_target(const std::string& target) {
  detail::require(target == "best", "no instruction set '", target, "': this library has no SIMD kernels");
}

}  // namespace krylite

#endif
