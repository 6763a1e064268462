#ifndef KRYLITE_SRC_DRIVER_PRECONDITIONER_HPP
#define KRYLITE_SRC_DRIVER_PRECONDITIONER_HPP

/// \file
/// The preconditioner that the command line asks for.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <krylite/preconditioners/block_jacobi.hpp>
#include <krylite/preconditioners/chebyshev.hpp>
#include <krylite/preconditioners/ilu0.hpp>
#include <krylite/preconditioners/jacobi.hpp>
#include <string>
#include <variant>
#include <vector>

#include "load.hpp"
#include "report.hpp"
#include "text.hpp"

namespace krylite::driver {

/// Any preconditioner, for `gmres`.
struct AnyPreconditioner {
  using In = krylite::detail::VectorRef<const double, Memory>;
  using Out = krylite::detail::VectorRef<double, Memory>;

  std::function<void(const Execution& exec, const In& in, const Out& out)> function;  ///< empty: none
  std::size_t memory = 0;
  std::int64_t replaced = 0;  ///< diagonal entries or blocks that could not be used

  void apply(const Execution& exec, const In& in, const Out& out) const { function(exec, in, out); }
  std::size_t bytes() const { return memory; }
};

/// Wraps a preconditioner of the library.
template <class Preconditioner>
AnyPreconditioner any_preconditioner(const Preconditioner& preconditioner, std::size_t memory) {
  using In = AnyPreconditioner::In;
  using Out = AnyPreconditioner::Out;
  return {[preconditioner](const Execution& exec, const In& in, const Out& out) {
            preconditioner.apply(exec, in, out);
          },
          memory, preconditioner.replaced};
}

inline std::vector<std::string> preconditioner_names() {
  return {"none", "jacobi", "block-jacobi", "ilu0", "chebyshev"};
}

/// "3 of 10 diagonal entries are zero, missing or too small to invert, and count as 1 for Jacobi", if any are.
inline void warn_of_replaced(const std::string& source, std::int64_t replaced, std::int64_t all,
                             const std::string& rest, Warnings& warnings) {
  if (replaced > 0) warnings.add(source + ": " + grouped(replaced) + " of " + grouped(all) + rest);
}

/// Makes the preconditioner `name` of a matrix that is there as CSR and in the format of the products.
/// \param warnings takes what had to be replaced or shifted
template <class Csr, class Matrix>
AnyPreconditioner make_preconditioner(const std::string& name, std::int64_t block_size, const std::string& source,
                                      const Csr& csr, const Matrix& matrix, Warnings& warnings) {
  const Execution exec;
  const std::string diagonal = " diagonal entries are zero, missing or too small to invert, and count as 1 for ";
  const auto n = static_cast<std::size_t>(csr.num_rows);
  if (name == "block-jacobi") {
    BlockJacobiOptions options;
    options.block_size = static_cast<Index>(block_size);
    const auto blocks = make_block_jacobi(exec, csr, options);
    warn_of_replaced(source, blocks.replaced, blocks.num_blocks(),
                     " diagonal blocks are singular, and count as the identity for block Jacobi", warnings);
    return any_preconditioner(blocks, blocks.bytes());
  }
  if (name == "ilu0") {
    const auto ilu = make_ilu0(exec, csr);
    warn_of_replaced(source, ilu.replaced, csr.num_rows, diagonal + "ILU(0)", warnings);
    if (ilu.shift > 0) {
      warnings.add(source + ": ILU(0) met a pivot near zero, and factors the matrix with its diagonal shifted by " +
                   shortest(ilu.shift) + " times the largest entry of each row");
    }
    return any_preconditioner(ilu, 12 * (static_cast<std::size_t>(csr.num_entries()) + 2 * n));
  }
  if (name == "chebyshev") {
    return std::visit(
        [&](const auto& a) {
          const auto polynomial = make_chebyshev(exec, a, csr);
          warn_of_replaced(source, polynomial.replaced, csr.num_rows, diagonal + "Chebyshev", warnings);
          if (polynomial.degree == 0) {
            warnings.add(source + ": no positive eigenvalue was found for Chebyshev, which is Jacobi here");
          }
          return any_preconditioner(polynomial, 3 * n * sizeof(double) + polynomial.degree * a.bytes());
        },
        matrix);
  }
  if (name != "jacobi") return {};
  const auto jacobi = make_jacobi(exec, csr);
  warn_of_replaced(source, jacobi.replaced, csr.num_rows, diagonal + "Jacobi", warnings);
  return any_preconditioner(jacobi, n * sizeof(double));
}

}  // namespace krylite::driver

#endif
