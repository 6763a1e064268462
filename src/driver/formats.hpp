#ifndef KRYLITE_SRC_DRIVER_FORMATS_HPP
#define KRYLITE_SRC_DRIVER_FORMATS_HPP

/// \file
/// Formats as the command line names them, `NAME[:key=value,...]`.

#include <krylite/formats/any_matrix.hpp>
#include <optional>
#include <string>
#include <vector>

namespace krylite::driver {

using Execution = Kokkos::DefaultExecutionSpace;
using Memory = Execution::memory_space;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class Scalar, class Offset>
using DeviceMatrix = AnyMatrix<Scalar, Offset, Memory>;

/// A format with its options; none is "auto".
using AskedFormat = std::optional<FormatSpec>;

/// Reads "auto" or "NAME[:key=value,...]".
/// \throws Error that says what there is
AskedFormat parse_format(const std::string& text);

/// Reads formats with commas between them, "all" among them; a part such as "key=value" belongs to the format
/// before it. \throws Error as parse_format does
std::vector<AskedFormat> parse_format_list(const std::string& text);

/// Every format with its own options, in the order of tables.
std::vector<AskedFormat> all_formats();

/// "csr, ell, ...", for the help.
std::string format_names_text();

/// Keys and values that formats take, for the help.
std::string format_options_help();

/// The format as it was carried out: options that were left open have the values that were used.
template <class Scalar, class Offset>
FormatSpec used_format(FormatSpec format, const DeviceMatrix<Scalar, Offset>& any);

/// What stands after the colon; "" where there are no options.
std::string format_options(const FormatSpec& format);

/// Both: "rgcsr:group=8,packed=on,order=natural"; "auto" for none.
std::string format_text(const AskedFormat& format);

namespace detail {

template <class Matrix>
void note_used(FormatSpec&, const Matrix&) {}

template <class... T>
void note_used(FormatSpec& format, const SlicedEllMatrix<T...>& matrix) {
  format.sliced_ell.slice_size = matrix.slice_size;
}
template <class... T>
void note_used(FormatSpec& format, const HybMatrix<T...>& matrix) {
  format.hyb.ell_width = matrix.ell.width;
}
template <class... T>
void note_used(FormatSpec& format, const BcsrMatrix<T...>& matrix) {
  format.bcsr.block_size = matrix.block_size;
}
template <class... T>
void note_used(FormatSpec& format, const RgCsrMatrix<T...>& matrix) {
  format.rgcsr.group_size = matrix.group_size;
  format.rgcsr.packed = matrix.is_packed();
}
template <class... T>
void note_used(FormatSpec& format, const AdaptiveRgCsrMatrix<T...>& matrix) {
  format.adaptive_rgcsr.groups.group_size = matrix.pieces.group_size;
  format.adaptive_rgcsr.groups.packed = matrix.pieces.is_packed();
  format.adaptive_rgcsr.piece_length = matrix.piece_length;
  format.adaptive_rgcsr.block_columns = matrix.block_columns;
}
template <class... T>
void note_used(FormatSpec& format, const Csr5Matrix<T...>& matrix) {
  format.csr5 = {matrix.omega, matrix.sigma};
}

}  // namespace detail

template <class Scalar, class Offset>
FormatSpec used_format(FormatSpec format, const DeviceMatrix<Scalar, Offset>& any) {
  std::visit([&](const auto& matrix) { detail::note_used(format, matrix); }, any);
  return format;
}

}  // namespace krylite::driver

#endif
