#ifndef KRYLITE_CORE_ERROR_HPP
#define KRYLITE_CORE_ERROR_HPP

#include <sstream>
#include <stdexcept>
#include <string>

namespace krylite {

/// What every library function throws when its arguments do not fit: the message holds the sizes or the
/// file and line. Nothing has been changed when it is thrown.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

/// Joins its arguments as a stream would and throws them as an Error.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw Error(message.str());
}

/// Throws unless `condition` holds.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) fail(parts...);
}

}  // namespace detail
}  // namespace krylite

#endif
