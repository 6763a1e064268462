#ifndef KRYLITE_SPMV_HELD_PRODUCTS_HPP
#define KRYLITE_SPMV_HELD_PRODUCTS_HPP

/// \file
/// Products that the library holds compiled (src/instantiations/spmv_*.cpp): every format in double, in float, and
/// with float or Float16 values and double vectors; both offset types; the enabled execution spaces. Every other
/// combination is compiled where it is used.

#include <krylite/spmv/product.hpp>

#include <cstdint>
#include <type_traits>

namespace krylite {
namespace detail {

/// All held products of one format on one execution space.
template <class ExecutionSpace, template <class, class, class> class Format>
struct HeldProducts {
  using Memory = typename ExecutionSpace::memory_space;
  using Workspace = SpmvWorkspace<Memory>;
  template <class Scalar, class Offset>
  using Matrix = Format<Scalar, Offset, Memory>;
  template <class T>
  using In = VectorBlock<const T>;
  template <class T>
  using Out = VectorBlock<T>;

  static void run(const ExecutionSpace& exec, double alpha, const Matrix<double, std::int32_t>& A, const In<double>& x,
                  double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options);
  static void run(const ExecutionSpace& exec, double alpha, const Matrix<double, std::int64_t>& A, const In<double>& x,
                  double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options);
  static void run(const ExecutionSpace& exec, float alpha, const Matrix<float, std::int32_t>& A, const In<float>& x,
                  float beta, const Out<float>& y, Workspace& workspace, const SpmvOptions& options);
  static void run(const ExecutionSpace& exec, float alpha, const Matrix<float, std::int64_t>& A, const In<float>& x,
                  float beta, const Out<float>& y, Workspace& workspace, const SpmvOptions& options);
  static void run(const ExecutionSpace& exec, double alpha, const Matrix<float, std::int32_t>& A, const In<double>& x,
                  double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options);
  static void run(const ExecutionSpace& exec, double alpha, const Matrix<float, std::int64_t>& A, const In<double>& x,
                  double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options);
  static void run(const ExecutionSpace& exec, double alpha, const Matrix<Float16, std::int32_t>& A,
                  const In<double>& x, double beta, const Out<double>& y, Workspace& workspace,
                  const SpmvOptions& options);
  static void run(const ExecutionSpace& exec, double alpha, const Matrix<Float16, std::int64_t>& A,
                  const In<double>& x, double beta, const Out<double>& y, Workspace& workspace,
                  const SpmvOptions& options);
};

template <class E, template <class, class, class> class F>
void HeldProducts<E, F>::run(const E& exec, double alpha, const Matrix<double, std::int32_t>& A, const In<double>& x,
                             double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options) {
  compute_product(exec, alpha, A, x, beta, y, workspace, options);
}
template <class E, template <class, class, class> class F>
void HeldProducts<E, F>::run(const E& exec, double alpha, const Matrix<double, std::int64_t>& A, const In<double>& x,
                             double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options) {
  compute_product(exec, alpha, A, x, beta, y, workspace, options);
}
template <class E, template <class, class, class> class F>
void HeldProducts<E, F>::run(const E& exec, float alpha, const Matrix<float, std::int32_t>& A, const In<float>& x,
                             float beta, const Out<float>& y, Workspace& workspace, const SpmvOptions& options) {
  compute_product(exec, alpha, A, x, beta, y, workspace, options);
}
template <class E, template <class, class, class> class F>
void HeldProducts<E, F>::run(const E& exec, float alpha, const Matrix<float, std::int64_t>& A, const In<float>& x,
                             float beta, const Out<float>& y, Workspace& workspace, const SpmvOptions& options) {
  compute_product(exec, alpha, A, x, beta, y, workspace, options);
}
template <class E, template <class, class, class> class F>
void HeldProducts<E, F>::run(const E& exec, double alpha, const Matrix<float, std::int32_t>& A, const In<double>& x,
                             double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options) {
  compute_product(exec, alpha, A, x, beta, y, workspace, options);
}
template <class E, template <class, class, class> class F>
void HeldProducts<E, F>::run(const E& exec, double alpha, const Matrix<float, std::int64_t>& A, const In<double>& x,
                             double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options) {
  compute_product(exec, alpha, A, x, beta, y, workspace, options);
}
template <class E, template <class, class, class> class F>
void HeldProducts<E, F>::run(const E& exec, double alpha, const Matrix<Float16, std::int32_t>& A, const In<double>& x,
                             double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options) {
  compute_product(exec, alpha, A, x, beta, y, workspace, options);
}
template <class E, template <class, class, class> class F>
void HeldProducts<E, F>::run(const E& exec, double alpha, const Matrix<Float16, std::int64_t>& A, const In<double>& x,
                             double beta, const Out<double>& y, Workspace& workspace, const SpmvOptions& options) {
  compute_product(exec, alpha, A, x, beta, y, workspace, options);
}

/// Whether the library was built for an execution space.
template <class ExecutionSpace>
inline constexpr bool is_held_space =
#ifdef KOKKOS_ENABLE_SERIAL
    std::is_same_v<ExecutionSpace, Kokkos::Serial> ||
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    std::is_same_v<ExecutionSpace, Kokkos::OpenMP> ||
#endif
#ifdef KOKKOS_ENABLE_CUDA
    std::is_same_v<ExecutionSpace, Kokkos::Cuda> ||
#endif
    false;

/// Whether it holds products of values V with vectors X and Y and offsets O.
template <class V, class O, class X, class Y>
inline constexpr bool are_held_types =
    std::is_same_v<X, Y> && (std::is_same_v<O, std::int32_t> || std::is_same_v<O, std::int64_t>) &&
    ((std::is_same_v<X, double> &&
      (std::is_same_v<V, double> || std::is_same_v<V, float> || std::is_same_v<V, Float16>)) ||
     (std::is_same_v<X, float> && std::is_same_v<V, float>));

/// The held product where there is one.
template <class ExecutionSpace, class T, template <class, class, class> class Format, class Scalar, class Offset,
          class MemorySpace, class X, class Y>
void run_product(const ExecutionSpace& exec, T alpha, const Format<Scalar, Offset, MemorySpace>& A,
                 const VectorBlock<const X>& x, T beta, const VectorBlock<Y>& y, SpmvWorkspace<MemorySpace>& workspace,
                 const SpmvOptions& options) {
  if constexpr (is_held_space<ExecutionSpace> && are_held_types<Scalar, Offset, X, Y> &&
                std::is_same_v<MemorySpace, typename ExecutionSpace::memory_space>) {
    HeldProducts<ExecutionSpace, Format>::run(exec, alpha, A, x, beta, y, workspace, options);
  } else {
    compute_product(exec, alpha, A, x, beta, y, workspace, options);
  }
}

#ifdef KOKKOS_ENABLE_SERIAL
extern template struct HeldProducts<Kokkos::Serial, CsrMatrix>;
extern template struct HeldProducts<Kokkos::Serial, RgCsrMatrix>;
extern template struct HeldProducts<Kokkos::Serial, AdaptiveRgCsrMatrix>;
extern template struct HeldProducts<Kokkos::Serial, EllMatrix>;
extern template struct HeldProducts<Kokkos::Serial, SlicedEllMatrix>;
extern template struct HeldProducts<Kokkos::Serial, CooMatrix>;
extern template struct HeldProducts<Kokkos::Serial, HybMatrix>;
extern template struct HeldProducts<Kokkos::Serial, BcsrMatrix>;
extern template struct HeldProducts<Kokkos::Serial, Csr5Matrix>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
extern template struct HeldProducts<Kokkos::OpenMP, CsrMatrix>;
extern template struct HeldProducts<Kokkos::OpenMP, RgCsrMatrix>;
extern template struct HeldProducts<Kokkos::OpenMP, AdaptiveRgCsrMatrix>;
extern template struct HeldProducts<Kokkos::OpenMP, EllMatrix>;
extern template struct HeldProducts<Kokkos::OpenMP, SlicedEllMatrix>;
extern template struct HeldProducts<Kokkos::OpenMP, CooMatrix>;
extern template struct HeldProducts<Kokkos::OpenMP, HybMatrix>;
extern template struct HeldProducts<Kokkos::OpenMP, BcsrMatrix>;
extern template struct HeldProducts<Kokkos::OpenMP, Csr5Matrix>;
#endif
#ifdef KOKKOS_ENABLE_CUDA
extern template struct HeldProducts<Kokkos::Cuda, CsrMatrix>;
extern template struct HeldProducts<Kokkos::Cuda, RgCsrMatrix>;
extern template struct HeldProducts<Kokkos::Cuda, AdaptiveRgCsrMatrix>;
extern template struct HeldProducts<Kokkos::Cuda, EllMatrix>;
extern template struct HeldProducts<Kokkos::Cuda, SlicedEllMatrix>;
extern template struct HeldProducts<Kokkos::Cuda, CooMatrix>;
extern template struct HeldProducts<Kokkos::Cuda, HybMatrix>;
extern template struct HeldProducts<Kokkos::Cuda, BcsrMatrix>;
extern template struct HeldProducts<Kokkos::Cuda, Csr5Matrix>;
#endif

}  // namespace detail
}  // namespace krylite

#endif
