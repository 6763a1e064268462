#ifndef KRYLITE_SRC_DRIVER_FORMATS_HPP
#define KRYLITE_SRC_DRIVER_FORMATS_HPP

/// \file
/// Formats as the command line names them, `NAME[:key=value,...]`, and the matrices that they mean. A new
/// format is an entry in FormatKind and in format_table(), and a branch in make_matrix().

#include <krylite/formats/convert.hpp>
#include <string>
#include <variant>
#include <vector>

namespace krylite::driver {

using Execution = Kokkos::DefaultExecutionSpace;
using Memory = Execution::memory_space;
using Host = Kokkos::DefaultHostExecutionSpace;

enum class FormatKind { automatic, csr, rgcsr };

/// A format with its options.
struct FormatSpec {
  FormatKind kind = FormatKind::automatic;
  Index group_size = 0;  ///< of rgcsr; 0: the execution space's own
};

/// Reads "auto", "csr" or "rgcsr[:group=N]".
/// \throws Error that says what there is
FormatSpec parse_format(const std::string& text);

/// Reads formats with commas between them, "all" among them; a part such as "key=value" belongs to the format
/// before it. \throws Error as parse_format does
std::vector<FormatSpec> parse_format_list(const std::string& text);

/// Every format with its own options, in the order of tables.
std::vector<FormatSpec> all_formats();

/// "auto", "csr", "rgcsr".
std::string format_name(const FormatSpec& format);

/// What stands after the colon, with the values that are used; "" where there are no options.
std::string format_options(const FormatSpec& format);

/// Both: "rgcsr:group=4".
std::string format_text(const FormatSpec& format);

template <class Scalar, class Offset>
using AnyMatrix = std::variant<CsrMatrix<Scalar, Offset, Memory>, RgCsrMatrix<Scalar, Offset, Memory>>;

/// The matrix in a format; waits until it is complete.
/// \param format not automatic
/// \throws Error where the format refuses the matrix
template <class Scalar, class Offset>
AnyMatrix<Scalar, Offset> make_matrix(const Execution& exec, const CsrMatrix<Scalar, Offset, Memory>& csr,
                                      const FormatSpec& format) {
  if (format.kind == FormatKind::csr) return csr;
  RgCsrOptions options;
  options.group_size = format.group_size;
  const auto matrix = to_rgcsr(exec, csr, options);
  exec.fence();
  return matrix;
}

/// A matrix in the format that was asked for, or that "auto" came to.
template <class Scalar, class Offset>
struct ChosenMatrix {
  AnyMatrix<Scalar, Offset> matrix;
  FormatSpec format;
  std::string refused;  ///< why "auto" could not take its first choice; else empty
};

/// As make_matrix, but automatic is rgcsr, or csr where rgcsr refuses the matrix.
template <class Scalar, class Offset>
ChosenMatrix<Scalar, Offset> choose_matrix(const Execution& exec,
                                           const CsrMatrix<Scalar, Offset, Memory>& csr,
                                           const FormatSpec& format) {
  if (format.kind != FormatKind::automatic) return {make_matrix(exec, csr, format), format, ""};
  const FormatSpec preferred{FormatKind::rgcsr, 0};
  try {
    return {make_matrix(exec, csr, preferred), preferred, ""};
  } catch (const Error& error) {
    return {csr, {FormatKind::csr, 0}, error.what()};
  }
}

template <class Scalar, class Offset>
std::size_t matrix_bytes(const AnyMatrix<Scalar, Offset>& any) {
  return std::visit([](const auto& matrix) { return matrix.bytes(); }, any);
}

/// Entries and artificial zeros.
template <class Scalar, class Offset>
std::int64_t stored_entries(const AnyMatrix<Scalar, Offset>& any) {
  return std::visit([](const auto& matrix) { return matrix.num_entries() + matrix.artificial_zeros(); }, any);
}

/// Artificial zeros over nonzeros; 0 for an empty matrix.
template <class Scalar, class Offset>
double fill(const AnyMatrix<Scalar, Offset>& any) {
  return std::visit(
      [](const auto& matrix) {
        const auto zeros = static_cast<double>(matrix.artificial_zeros());
        return matrix.num_entries() > 0 ? zeros / static_cast<double>(matrix.num_entries()) : 0.0;
      },
      any);
}

}  // namespace krylite::driver

#endif
