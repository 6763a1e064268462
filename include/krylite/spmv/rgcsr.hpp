#ifndef KRYLITE_SPMV_RGCSR_HPP
#define KRYLITE_SPMV_RGCSR_HPP

#include <krylite/formats/rgcsr.hpp>
#include <krylite/spmv/options.hpp>
#include <krylite/spmv/rows.hpp>
#include <krylite/spmv/workspace.hpp>

namespace krylite {
namespace detail {

/// Generic RgCSR product for any execution space, a thread a row as in the article: neighbouring threads read
/// neighbouring entries, and each row is summed in the order of its entries. Flops 2 nnz; bytes (at best; artificial
/// zeros at the end of a group are not read) nnz (value + 4) + 4 rows + groups offset + rows y + columns x.
template <int Count, class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T, class X, class Y>
void multiply_portable(const ExecutionSpace& exec, T alpha, const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                       const X& x, T beta, const Y& y, SpmvWorkspace<MemorySpace>&, const SpmvOptions&) {
  multiply_by_rows<Count>(exec, "krylite::spmv::rgcsr", alpha, matrix, x, beta, y);
}

}  // namespace detail
}  // namespace krylite

#endif
