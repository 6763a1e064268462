#ifndef KRYLITE_KRYLITE_HPP
#define KRYLITE_KRYLITE_HPP

/// \file
/// Everything. The way of data: file or generator -> CsrMatrix -> format -> spmv <-> gmres -> solution.

#include <krylite/core/simd.hpp>
#include <krylite/distributed/communicator.hpp>
#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/formats/any_matrix.hpp>
#include <krylite/formats/assemble.hpp>
#include <krylite/formats/bcsr.hpp>
#include <krylite/formats/convert.hpp>
#include <krylite/formats/coo.hpp>
#include <krylite/formats/csr.hpp>
#include <krylite/formats/csr5.hpp>
#include <krylite/formats/ell.hpp>
#include <krylite/formats/features.hpp>
#include <krylite/formats/hyb.hpp>
#include <krylite/formats/rgcsr.hpp>
#include <krylite/formats/select.hpp>
#include <krylite/formats/sliced_ell.hpp>
#include <krylite/formats/statistics.hpp>
#include <krylite/io/generate.hpp>
#include <krylite/io/matrix_market.hpp>
#include <krylite/preconditioners/block_jacobi.hpp>
#include <krylite/preconditioners/chebyshev.hpp>
#include <krylite/preconditioners/identity.hpp>
#include <krylite/preconditioners/ilu0.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <krylite/reorder/amd.hpp>
#include <krylite/reorder/pattern.hpp>
#include <krylite/reorder/permutation.hpp>
#include <krylite/reorder/rcm.hpp>
#include <krylite/solvers/gmres.hpp>
#include <krylite/solvers/refinement.hpp>
#include <krylite/spmv/reference.hpp>
#include <krylite/spmv/spmv.hpp>

#endif
