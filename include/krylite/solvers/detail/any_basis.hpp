#ifndef KRYLITE_SOLVERS_DETAIL_ANY_BASIS_HPP
#define KRYLITE_SOLVERS_DETAIL_ANY_BASIS_HPP

#include <krylite/basis/compressed_basis.hpp>
#include <krylite/basis/sweeps.hpp>

#include <cstddef>
#include <cstdint>
#include <variant>

namespace krylite {
namespace detail {

/// A compressed basis whose storage is chosen at run time, with what its sweeps need: the solver is compiled
/// once, and only the sweeps once a storage.
template <class ExecutionSpace>
class AnyBasis {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  AnyBasis(const ExecutionSpace& exec, BasisStorage storage, std::int64_t length, Index capacity)
      : exec_(exec), basis_(make(exec, storage, length, capacity)), workspace_(length, capacity) {}

  /// h = V^T w for the first `columns` vectors: `columns` products, and w^T w behind them.
  const double* project(Index columns, const VectorRef<const double, MemorySpace>& w) {
    std::visit([&](const auto& basis) { krylite::project(exec_, basis, columns, w, workspace_); }, basis_);
    return workspace_.host_coefficients.data();
  }

  /// w = w - V h with the h of the last `project`.
  VectorNorms subtract(Index columns, const VectorRef<double, MemorySpace>& w) {
    return combine(columns, -1.0, w);
  }

  /// w = w + V y with `columns` coefficients from the host.
  VectorNorms add(const double* y, Index columns, const VectorRef<double, MemorySpace>& w) {
    for (Index j = 0; j < columns; ++j) workspace_.host_coefficients(j) = y[j];
    Kokkos::deep_copy(exec_, workspace_.coefficients, workspace_.host_coefficients);
    return combine(columns, 1.0, w);
  }

  /// Vector `column` = w / divisor, and w likewise.
  void store(Index column, double divisor, double largest, NextVector next,
             const VectorRef<double, MemorySpace>& w) {
    std::visit([&](const auto& basis) { krylite::store(exec_, basis, column, divisor, largest, next, w); }, basis_);
  }

  const NormsWorkspace<MemorySpace>& norms_workspace() const { return workspace_.norms; }

  std::size_t bytes() const {
    return std::visit([](const auto& basis) { return basis.bytes(); }, basis_);
  }

 private:
  template <class Code>
  using Basis = CompressedBasis<Code, MemorySpace>;
  using Variant = std::variant<Basis<double>, Basis<float>, Basis<Float16>, Basis<BFloat16>, Basis<std::int32_t>,
                               Basis<std::int16_t>>;

  static Variant make(const ExecutionSpace& exec, BasisStorage storage, std::int64_t length, Index capacity) {
    switch (storage) {
      case BasisStorage::float32: return make_compressed_basis<float>(exec, length, capacity);
      case BasisStorage::float16: return make_compressed_basis<Float16>(exec, length, capacity);
      case BasisStorage::bfloat16: return make_compressed_basis<BFloat16>(exec, length, capacity);
      case BasisStorage::int32: return make_compressed_basis<std::int32_t>(exec, length, capacity);
      case BasisStorage::int16: return make_compressed_basis<std::int16_t>(exec, length, capacity);
      case BasisStorage::float64: break;
    }
    return make_compressed_basis<double>(exec, length, capacity);
  }

  VectorNorms combine(Index columns, double sign, const VectorRef<double, MemorySpace>& w) {
    return std::visit(
        [&](const auto& basis) { return add_combination(exec_, basis, columns, sign, w, workspace_); }, basis_);
  }

  ExecutionSpace exec_;
  Variant basis_;
  SweepWorkspace<MemorySpace> workspace_;
};

}  // namespace detail
}  // namespace krylite

#endif
