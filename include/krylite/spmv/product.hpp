#ifndef KRYLITE_SPMV_PRODUCT_HPP
#define KRYLITE_SPMV_PRODUCT_HPP

#include <krylite/spmv/adaptive_rgcsr.hpp>
#include <krylite/spmv/bcsr.hpp>
#include <krylite/spmv/coo.hpp>
#include <krylite/spmv/csr.hpp>
#include <krylite/spmv/ell.hpp>
#include <krylite/spmv/csr5.hpp>
#include <krylite/spmv/cuda/groups.hpp>
#include <krylite/spmv/cuda/native.hpp>
#include <krylite/spmv/cuda/coo.hpp>
#include <krylite/spmv/cuda/csr.hpp>
#include <krylite/spmv/cuda/csr5.hpp>
#include <krylite/spmv/cuda/hyb.hpp>
#include <krylite/spmv/host/native.hpp>
#include <krylite/spmv/hyb.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/rgcsr.hpp>
#include <krylite/spmv/sliced_ell.hpp>
#include <krylite/spmv/transposed.hpp>
#include <krylite/spmv/vectors.hpp>
#include <krylite/spmv/workspace.hpp>

namespace krylite {
namespace detail {

/// y = alpha A x + beta y by the portable kernel of the format, several vectors four at a time.
template <class ExecutionSpace, class T, class Matrix, class X, class Y, class Workspace>
void run_portable(const ExecutionSpace& exec, T alpha, const Matrix& matrix, const VectorBlock<X>& x, T beta,
                  const VectorBlock<Y>& y, Workspace& workspace, const SpmvOptions& options) {
  if (x.is_contiguous_vector() && y.is_contiguous_vector()) {
    return multiply_portable<1>(exec, alpha, matrix, x.contiguous(), beta, y.contiguous(), workspace, options);
  }
  constexpr int together = 4;  // vectors for which the matrix is read once
  std::int64_t v = 0;
  for (; v + together <= x.count; v += together) {
    multiply_portable<together>(exec, alpha, matrix, x.from(v), beta, y.from(v), workspace, options);
  }
  for (; v < x.count; ++v) {
    multiply_portable<1>(exec, alpha, matrix, x.from(v), beta, y.from(v), workspace, options);
  }
}

template <class ExecutionSpace, class T, class Matrix, class X, class Y, class Workspace>
void run_transposed(const ExecutionSpace& exec, T alpha, const Matrix& matrix, const VectorBlock<X>& x, T beta,
                    const VectorBlock<Y>& y, Workspace& workspace) {
  const auto windows = find_windows(exec, matrix);
  for (std::int64_t v = 0; v < x.count; ++v) {
    multiply_transposed(exec, alpha, matrix, x.from(v), beta, y.from(v), windows, workspace);
  }
}

/// A product with all that is decided at run time; sizes fit, alpha is not 0, and the matrix has entries.
template <class ExecutionSpace, class T, class Matrix, class X, class Y, class Workspace>
void compute_product(const ExecutionSpace& exec, T alpha, const Matrix& matrix, const VectorBlock<X>& x, T beta,
                     const VectorBlock<Y>& y, Workspace& workspace, const SpmvOptions& options) {
  if (options.transpose == Transpose::yes) {
    require(options.kernel != Kernel::native, "spmv: there is no native kernel for transposed products");
    return run_transposed(exec, alpha, matrix, x, beta, y, workspace);
  }
  if (options.kernel != Kernel::portable) {
    if (multiply_cuda(exec, alpha, matrix, x, beta, y, workspace, options)) return;
    if (x.is_contiguous_vector() && y.is_contiguous_vector() &&
        multiply_native(exec, alpha, matrix, x.contiguous(), beta, y.contiguous(), workspace, options)) {
      return;
    }
  }
  require(options.kernel != Kernel::native,
          "spmv: there is no native kernel for this format with these types and vectors");
  run_portable(exec, alpha, matrix, x, beta, y, workspace, options);
}

}  // namespace detail
}  // namespace krylite

#endif
