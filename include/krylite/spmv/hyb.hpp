#ifndef KRYLITE_SPMV_HYB_HPP
#define KRYLITE_SPMV_HYB_HPP

#include <krylite/formats/hyb.hpp>
#include <krylite/spmv/coo.hpp>
#include <krylite/spmv/ell.hpp>

namespace krylite {
namespace detail {

/// Generic hybrid product: that of the ELL part, which writes all rows of y, and then the COO part is added.
template <int Count, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void multiply_portable(const ExecutionSpace& exec, T alpha, const HybMatrix<Scalar, Offset, MemorySpace>& matrix,
                       const X& x, T beta, const Y& y, SpmvWorkspace<MemorySpace>& workspace,
                       const SpmvOptions& options) {
  multiply_portable<Count>(exec, alpha, matrix.ell, x, beta, y, workspace, options);
  add_entries<Count>(exec, alpha, matrix.coo, x, y, workspace);
}

}  // namespace detail
}  // namespace krylite

#endif
