#ifndef KRYLITE_SOLVERS_ORTHOGONALIZATION_HPP
#define KRYLITE_SOLVERS_ORTHOGONALIZATION_HPP

#include <array>

namespace krylite {

/// How A M^-1 v is made orthogonal to the k vectors so far. Readings of the basis and reductions a step:
///
///     cgs        classical Gram-Schmidt, again where that cancelled (the eta test)   2 to 4     2 to 4
///     cgs2       classical Gram-Schmidt twice                                        3          3
///     mgs        modified Gram-Schmidt, one vector after the other                   2          k + 1
///     low_sync   classical Gram-Schmidt, corrected by one step's delay               2          1
///
/// `low_sync` takes 3 of both where little is left of w. A second subtraction and the product behind the first share
/// one reading of the basis. `mgs` reads and writes w k times besides. How each works is in
/// solvers/detail/orthogonalizer.hpp.
enum class Orthogonalization { cgs, cgs2, mgs, low_sync };

inline constexpr std::array<Orthogonalization, 4> all_orthogonalizations = {
    Orthogonalization::cgs, Orthogonalization::cgs2, Orthogonalization::mgs, Orthogonalization::low_sync};

/// The name on the command line and in JSON.
inline const char* name(Orthogonalization method) {
  switch (method) {
    case Orthogonalization::cgs: return "cgs";
    case Orthogonalization::cgs2: return "cgs2";
    case Orthogonalization::mgs: return "mgs";
    case Orthogonalization::low_sync: return "low-sync";
  }
  return "unknown";
}

}  // namespace krylite

#endif
