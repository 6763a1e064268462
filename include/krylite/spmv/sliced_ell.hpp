#ifndef KRYLITE_SPMV_SLICED_ELL_HPP
#define KRYLITE_SPMV_SLICED_ELL_HPP

#include <krylite/formats/sliced_ell.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/rows.hpp>
#include <krylite/spmv/workspace.hpp>

namespace krylite {
namespace detail {

/// Generic sliced ELLPACK product, a thread a row: neighbouring threads read neighbouring entries, and a row ends at
/// its fill.
template <int Count, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void multiply_portable(const ExecutionSpace& exec, T alpha, const SlicedEllMatrix<Scalar, Offset, MemorySpace>& matrix,
                       const X& x, T beta, const Y& y, SpmvWorkspace<MemorySpace>&, const SpmvOptions&) {
  multiply_by_rows<Count>(exec, "krylite::spmv::sliced_ell", alpha, matrix, x, beta, y);
}

}  // namespace detail
}  // namespace krylite

#endif
