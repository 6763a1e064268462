#ifndef KRYLITE_SOLVERS_DETAIL_ANY_BASIS_HPP
#define KRYLITE_SOLVERS_DETAIL_ANY_BASIS_HPP

#include <krylite/basis/compressed_basis.hpp>
#include <krylite/basis/sweeps.hpp>
#include <krylite/distributed/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <variant>

namespace krylite {
namespace detail {

/// A compressed basis whose storage is chosen at run time, with the reductions of its sweeps over all processes: the
/// solver is compiled once, and only the sweeps once a storage.
template <class ExecutionSpace>
class AnyBasis {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Workspace = SweepWorkspace<MemorySpace>;
  using In = VectorRef<const double, MemorySpace>;
  using Out = VectorRef<double, MemorySpace>;
  using Vector = Kokkos::View<double*, MemorySpace>;

  AnyBasis(const ExecutionSpace& exec, Communicator& communicator, const Workspace& workspace, Kernel kernel)
      : exec_(exec), communicator_(&communicator), workspace_(workspace), kernel_(kernel) {}

  /// Room for `capacity` vectors in `storage`, instead of what was there. \throws Error where the memory is not there
  void reserve(BasisStorage storage, std::int64_t length, Index capacity) {
    if (capacity_ == capacity && storage_ == storage) return;
    basis_ = Variant();  // gives its memory back first
    capacity_ = 0;
    basis_ = make(exec_, storage, length, capacity);
    storage_ = storage;
    capacity_ = capacity;
  }

  BasisStorage storage() const { return storage_; }

  /// Runs a sweep; one reduction gives every process the sums of all. `norms.largest` stays that of this process.
  SweepSums sweep(const Sweep& sweep, const double* coefficients, const Out& w) {
    SweepSums sums = local_sweep(sweep, coefficients, w);
    communicator_->sum(sums.products, sums.count);
    sums.norms.squares = sums.products[sums.count - 2];
    sums.stored_error = sums.products[sums.count - 1];
    return sums;
  }

  /// Runs a sweep whose sums are not needed over all processes.
  SweepSums local_sweep(const Sweep& sweep, const double* coefficients, const Out& w) {
    return std::visit(
        [&](const auto& basis) { return run_sweep(exec_, basis, sweep, coefficients, w, workspace_, kernel_); },
        basis_);
  }

  /// Vector `column` = w / divisor, and w likewise. \param largest the largest |w_i| of this process
  /// \param magnitudes n numbers or none: what is larger in w / divisor is taken over
  void store(Index column, double divisor, double largest, const Out& w, const Vector& magnitudes = Vector()) {
    std::visit(
        [&](const auto& basis) {
          krylite::store(exec_, basis, column, divisor, largest, w, workspace_, magnitudes, kernel_);
        },
        basis_);
  }

  /// The exponents of the rows of all vectors that are stored from now on; none: no row scaling.
  void scale_rows(const Kokkos::View<std::int8_t*, MemorySpace>& exponents) {
    std::visit([&](auto& basis) { basis.row_exponents = exponents; }, basis_);
  }

  /// w = vector `column` as it is stored.
  void load(Index column, const Out& w) const {
    std::visit([&](const auto& basis) { krylite::load(exec_, basis, column, w); }, basis_);
  }

  /// Norms of w: the sum of squares over all processes, the largest of this one.
  VectorNorms norms(const In& w) {
    VectorNorms found = krylite::norms(exec_, w, workspace_.norms);
    communicator_->sum(&found.squares, 1);
    return found;
  }

  /// ||w|| from what `norms` or a sweep found. Not finite where w is not.
  double norm(const In& w, const VectorNorms& found) {
    return safe_norm(exec_, w, found, workspace_.norms, *communicator_);
  }

  /// Norms of w on this process alone.
  VectorNorms local_norms(const In& w) const { return krylite::norms(exec_, w, workspace_.norms); }

  std::size_t bytes() const {
    return std::visit([](const auto& basis) { return basis.bytes(); }, basis_);
  }

 private:
  template <class Code>
  using Basis = CompressedBasis<Code, MemorySpace>;
  using Variant = std::variant<Basis<double>, Basis<float>, Basis<Float16>, Basis<BFloat16>, Basis<std::int32_t>,
                               Basis<std::int16_t>, Basis<BlockFloat32>, Basis<BlockFloat16>>;

  static Variant make(const ExecutionSpace& exec, BasisStorage storage, std::int64_t length, Index capacity) {
    switch (storage) {
      case BasisStorage::float32: return make_compressed_basis<float>(exec, length, capacity);
      case BasisStorage::float16: return make_compressed_basis<Float16>(exec, length, capacity);
      case BasisStorage::bfloat16: return make_compressed_basis<BFloat16>(exec, length, capacity);
      case BasisStorage::int32: return make_compressed_basis<std::int32_t>(exec, length, capacity);
      case BasisStorage::int16: return make_compressed_basis<std::int16_t>(exec, length, capacity);
      case BasisStorage::bfp32: return make_compressed_basis<BlockFloat32>(exec, length, capacity);
      case BasisStorage::bfp16: return make_compressed_basis<BlockFloat16>(exec, length, capacity);
      case BasisStorage::float64:
      case BasisStorage::automatic: break;
    }
    return make_compressed_basis<double>(exec, length, capacity);
  }

  ExecutionSpace exec_;
  Communicator* communicator_;
  Variant basis_;
  BasisStorage storage_ = BasisStorage::float64;
  Index capacity_ = 0;
  Workspace workspace_;
  Kernel kernel_;
};

}  // namespace detail
}  // namespace krylite

#endif
