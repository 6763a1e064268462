#ifndef KRYLITE_FORMATS_ANY_MATRIX_HPP
#define KRYLITE_FORMATS_ANY_MATRIX_HPP

/// \file
/// A format chosen at run time, and a matrix in it. A new format is an entry in FormatKind, in `format_names`, in
/// FormatSpec, in AnyMatrix and in `to_format`.

#include <krylite/formats/convert.hpp>
#include <krylite/spmv/spmv.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace krylite {

enum class FormatKind { csr, ell, sliced_ell, coo, hyb, bcsr, rgcsr, adaptive_rgcsr, csr5 };

/// Every format with its name on command lines and in files, in the order of tables.
inline constexpr std::array<std::pair<FormatKind, const char*>, 9> format_names = {
    {{FormatKind::csr, "csr"},
     {FormatKind::ell, "ell"},
     {FormatKind::sliced_ell, "sliced_ell"},
     {FormatKind::coo, "coo"},
     {FormatKind::hyb, "hyb"},
     {FormatKind::bcsr, "bcsr"},
     {FormatKind::rgcsr, "rgcsr"},
     {FormatKind::adaptive_rgcsr, "adaptive_rgcsr"},
     {FormatKind::csr5, "csr5"}}};

inline const char* name(FormatKind kind) {
  for (const auto& [each, text] : format_names) {
    if (each == kind) return text;
  }
  return "";
}

/// A format and how it lays a matrix out; the options of the other formats do not matter.
struct FormatSpec {
  FormatKind kind = FormatKind::csr;
  CsrKernel csr_kernel = CsrKernel::automatic;
  EllOptions ell;
  SlicedEllOptions sliced_ell;
  HybOptions hyb;
  BcsrOptions bcsr;
  RgCsrOptions rgcsr;
  AdaptiveRgCsrOptions adaptive_rgcsr;
  Csr5Options csr5;
};

template <class Scalar, class Offset, class MemorySpace>
using AnyMatrix =
    std::variant<CsrMatrix<Scalar, Offset, MemorySpace>, EllMatrix<Scalar, Offset, MemorySpace>,
                 SlicedEllMatrix<Scalar, Offset, MemorySpace>, CooMatrix<Scalar, Offset, MemorySpace>,
                 HybMatrix<Scalar, Offset, MemorySpace>, BcsrMatrix<Scalar, Offset, MemorySpace>,
                 RgCsrMatrix<Scalar, Offset, MemorySpace>, AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>,
                 Csr5Matrix<Scalar, Offset, MemorySpace>>;

/// The matrix in a format; CSR itself is shared, not copied.
/// \throws Error where the format refuses the matrix
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
AnyMatrix<Scalar, Offset, MemorySpace> to_format(const ExecutionSpace& exec,
                                                 const CsrMatrix<Scalar, Offset, MemorySpace>& csr,
                                                 const FormatSpec& format) {
  switch (format.kind) {
    case FormatKind::ell: return to_ell(exec, csr, format.ell);
    case FormatKind::sliced_ell: return to_sliced_ell(exec, csr, format.sliced_ell);
    case FormatKind::coo: return to_coo(exec, csr);
    case FormatKind::hyb: return to_hyb(exec, csr, format.hyb);
    case FormatKind::bcsr: return to_bcsr(exec, csr, format.bcsr);
    case FormatKind::rgcsr: return to_rgcsr(exec, csr, format.rgcsr);
    case FormatKind::adaptive_rgcsr: return to_adaptive_rgcsr(exec, csr, format.adaptive_rgcsr);
    case FormatKind::csr5: return to_csr5(exec, csr, format.csr5);
    default: return csr;
  }
}

/// The CSR that the matrix was made from.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace>
CsrMatrix<Scalar, Offset, MemorySpace> to_csr(const ExecutionSpace& exec,
                                              const AnyMatrix<Scalar, Offset, MemorySpace>& any) {
  return std::visit(
      [&](const auto& matrix) -> CsrMatrix<Scalar, Offset, MemorySpace> {
        if constexpr (std::is_same_v<std::decay_t<decltype(matrix)>, CsrMatrix<Scalar, Offset, MemorySpace>>) {
          return matrix;
        } else {
          return to_csr(exec, matrix);
        }
      },
      any);
}

/// y = alpha op(A) x + beta y, as spmv/spmv.hpp has it.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class X, class Y>
void spmv(const ExecutionSpace& exec, typename Y::const_value_type alpha,
          const AnyMatrix<Scalar, Offset, MemorySpace>& any, const X& x, typename Y::const_value_type beta, const Y& y,
          const SpmvOptions& options = {}) {
  std::visit([&](const auto& matrix) { spmv(exec, alpha, matrix, x, beta, y, options); }, any);
}

/// Memory of a matrix in bytes, which is also what a product reads of it.
template <class Scalar, class Offset, class MemorySpace>
std::size_t matrix_bytes(const AnyMatrix<Scalar, Offset, MemorySpace>& any) {
  return std::visit([](const auto& matrix) { return matrix.bytes(); }, any);
}

/// Entries and artificial zeros.
template <class Scalar, class Offset, class MemorySpace>
std::int64_t stored_entries(const AnyMatrix<Scalar, Offset, MemorySpace>& any) {
  return std::visit([](const auto& matrix) { return matrix.num_entries() + matrix.artificial_zeros(); }, any);
}

/// Artificial zeros over nonzeros; 0 for an empty matrix.
template <class Scalar, class Offset, class MemorySpace>
double fill(const AnyMatrix<Scalar, Offset, MemorySpace>& any) {
  return std::visit(
      [](const auto& matrix) {
        const auto zeros = static_cast<double>(matrix.artificial_zeros());
        return matrix.num_entries() > 0 ? zeros / static_cast<double>(matrix.num_entries()) : 0.0;
      },
      any);
}

}  // namespace krylite

#endif
