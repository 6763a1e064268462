#ifndef KRYLITE_PRECONDITIONERS_IDENTITY_HPP
#define KRYLITE_PRECONDITIONERS_IDENTITY_HPP

namespace krylite {

/// No preconditioner: M = I. `gmres` leaves the copy out.
struct IdentityPreconditioner {};

}  // namespace krylite

#endif
