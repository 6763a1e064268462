#ifndef KRYLITE_SOLVERS_OPERATORS_HPP
#define KRYLITE_SOLVERS_OPERATORS_HPP

/// \file
/// What a solver takes for A and for M^-1:
///
///   - anything with `op.apply(exec, in, out)`;
///   - anything that can be called, `op(exec, in, out)`: a lambda, a std::function;
///   - a matrix in one of Krylite's formats: out = A in.
///
/// `in` and `out` are contiguous Views of n doubles (`const double` for `in`) that do not overlap, in the memory of
/// `exec`; `out` holds garbage before. The work may go on behind the call, on `exec`. Where an operator has members
/// `num_rows` and `num_cols`, they are checked; where it has `bytes()`, the choice of a storage counts them.

#include <krylite/spmv/spmv.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace krylite {
namespace detail {

template <class Operator, class ExecutionSpace, class In, class Out, class = void>
inline constexpr bool has_apply = false;
template <class Operator, class ExecutionSpace, class In, class Out>
inline constexpr bool
    has_apply<Operator, ExecutionSpace, In, Out,
              std::void_t<decltype(std::declval<const Operator&>().apply(
                  std::declval<const ExecutionSpace&>(), std::declval<const In&>(), std::declval<const Out&>()))>> =
        true;

/// out = op in.
template <class ExecutionSpace, class Operator, class In, class Out>
void apply_operator(const ExecutionSpace& exec, const Operator& op, const In& in, const Out& out) {
  if constexpr (has_apply<Operator, ExecutionSpace, In, Out>) {
    op.apply(exec, in, out);
  } else if constexpr (std::is_invocable_v<const Operator&, const ExecutionSpace&, const In&, const Out&>) {
    op(exec, in, out);
  } else {
    spmv(exec, 1.0, op, in, 0.0, out);
  }
}

template <class Operator, class = void>
inline constexpr bool has_sizes = false;
template <class Operator>
inline constexpr bool has_sizes<Operator, std::void_t<decltype(std::declval<const Operator&>().num_rows),
                                                      decltype(std::declval<const Operator&>().num_cols)>> = true;

/// Rows and columns of an operator; n where it does not say.
template <class Operator>
std::pair<std::int64_t, std::int64_t> sizes_of(const Operator& op, std::int64_t n) {
  if constexpr (has_sizes<Operator>) {
    return {op.num_rows, op.num_cols};
  } else {
    return {n, n};
  }
}

template <class Operator, class = void>
inline constexpr bool has_bytes = false;
template <class Operator>
inline constexpr bool has_bytes<Operator, std::void_t<decltype(std::declval<const Operator&>().bytes())>> = true;

/// Bytes that an operator reads; 0 where it does not say.
template <class Operator>
double bytes_of(const Operator& op) {
  if constexpr (has_bytes<Operator>) {
    return static_cast<double>(op.bytes());
  } else {
    return 0;
  }
}

}  // namespace detail
}  // namespace krylite

#endif
