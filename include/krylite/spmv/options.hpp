#ifndef KRYLITE_SPMV_OPTIONS_HPP
#define KRYLITE_SPMV_OPTIONS_HPP

#include <krylite/core/error.hpp>
#include <krylite/core/kernel.hpp>

namespace krylite {

/// op(A) of a product: A or its transpose.
enum class Transpose { no, yes };

/// How CSR divides a product into parallel work.
enum class CsrKernel {
  automatic,  ///< by the place and the mean row length
  scalar,     ///< a thread a row
  vector,     ///< a team a row
  balanced    ///< equal shares of rows and entries, long rows cut
};

/// Everything about a product that has a default.
struct SpmvOptions {
  Transpose transpose = Transpose::no;
  Kernel kernel = Kernel::automatic;
  CsrKernel csr_kernel = CsrKernel::automatic;  ///< of CsrMatrix alone; others ignore it
};

/// 'N' is A; 'T' and 'C' are the transpose (values are real). Lower case means the same.
/// \throws Error for any other letter
inline Transpose parse_transpose(char letter) {
  if (letter == 'N' || letter == 'n') return Transpose::no;
  if (letter == 'T' || letter == 't' || letter == 'C' || letter == 'c') return Transpose::yes;
  detail::fail("spmv: the mode must be N, T or C, not '", letter, "'");
}

}  // namespace krylite

#endif
