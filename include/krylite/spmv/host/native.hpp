#ifndef KRYLITE_SPMV_HOST_NATIVE_HPP
#define KRYLITE_SPMV_HOST_NATIVE_HPP

/// \file
/// Native products on hosts: Kokkos divides the work among threads, and each calls the SIMD kernels of the library.
/// Every overload of `multiply_native` says whether it did the product; the general one never does.

#include <krylite/formats/adaptive_rgcsr.hpp>
#include <krylite/formats/csr.hpp>
#include <krylite/formats/ell.hpp>
#include <krylite/formats/hyb.hpp>
#include <krylite/formats/csr5.hpp>
#include <krylite/formats/rgcsr.hpp>
#include <krylite/formats/sliced_ell.hpp>
#include <krylite/spmv/adaptive_rgcsr.hpp>
#include <krylite/spmv/coo.hpp>
#include <krylite/spmv/csr.hpp>
#include <krylite/spmv/csr5.hpp>
#include <krylite/spmv/host/kernels.hpp>

#include <type_traits>

namespace krylite {
namespace detail {

/// Whether the library holds SIMD kernels for values V and vectors X and Y on `ExecutionSpace`.
template <class ExecutionSpace, class V, class X, class Y>
inline constexpr bool has_simd_kernel =
#ifdef KRYLITE_HAS_SIMD
    is_host_space<ExecutionSpace> && std::is_same_v<X, Y> &&
    ((std::is_same_v<V, double> && std::is_same_v<X, double>) ||
     (std::is_same_v<V, float> && (std::is_same_v<X, double> || std::is_same_v<X, float>)));
#else
    false;
#endif

/// work(first, last) for as many stretches of [0, count) as there are threads, of equal weight.
/// \param weight_before weight of all items before item i, which never falls
template <class ExecutionSpace, class WeightBefore, class Work>
void for_equal_stretches(const ExecutionSpace& exec, const char* label, std::int64_t count,
                         const WeightBefore& weight_before, const Work& work) {
  const std::int64_t stretches = exec.concurrency();
  const std::int64_t total = weight_before(count);
  const auto begin_of = [=](std::int64_t stretch) {
    const std::int64_t target = total / stretches * stretch + total % stretches * stretch / stretches;
    std::int64_t low = 0;
    std::int64_t high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (weight_before(middle) < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  Kokkos::parallel_for(label, range(exec, stretches), [=](const std::int64_t stretch) {
    work(begin_of(stretch), stretch + 1 == stretches ? count : begin_of(stretch + 1));
  });
}

/// The slots of an RgCSR matrix, summed to where `out` says.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T>
void multiply_groups_native(const ExecutionSpace& exec, const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                            const T* x, const RowTargets<T>& out) {
  const GroupedRows<Scalar, Offset> rows = {matrix.group_pointers.data(),
                                            matrix.group_size,
                                            matrix.num_rows,
                                            matrix.row_lengths.data(),
                                            matrix.values.data(),
                                            matrix.columns.data(),
                                            matrix.is_packed() ? matrix.column_pointers.data() : nullptr,
                                            matrix.column_offsets.data(),
                                            matrix.column_bases.data()};
  // A group costs about as much as two entries for each row besides those that it stores.
  for_equal_stretches(
      exec, "krylite::spmv::rgcsr_native", matrix.num_groups(),
      [=](std::int64_t group) {
        return static_cast<std::int64_t>(rows.group_pointers[group]) + 2 * rows.group_size * group;
      },
      [=](std::int64_t first, std::int64_t last) { multiply_groups(rows, x, out, first, last); });
}

/// The rows of an ELLPACK matrix. All of them are one group, and so are the rows of each stretch: the group moved
/// forward to its first row.
template <class ExecutionSpace, class Scalar, class Offset, class MemorySpace, class T>
void multiply_ell_native(const ExecutionSpace& exec, const EllMatrix<Scalar, Offset, MemorySpace>& matrix, const T* x,
                         const RowTargets<T>& out) {
  constexpr std::int64_t lanes = 8;
  const std::int64_t num_rows = matrix.num_rows;
  const std::int64_t stride = matrix.stride;
  const auto stored = static_cast<Offset>(matrix.stored_entries());
  const Scalar* const values = matrix.values.data();
  const Index* const columns = matrix.columns.data();
  for_equal_stretches(
      exec, "krylite::spmv::ell_native", (num_rows + lanes - 1) / lanes, [](std::int64_t i) { return i; },
      [=](std::int64_t first, std::int64_t last) {
        const std::int64_t begin = first * lanes;
        const std::int64_t end = last * lanes < num_rows ? last * lanes : num_rows;
        if (begin >= end) return;
        const Offset pointers[2] = {0, stored};
        const GroupedRows<Scalar, Offset> rows = {pointers,        stride,  end - begin, nullptr, values + begin,
                                                  columns + begin, nullptr, nullptr,     nullptr};
        multiply_groups(rows, x, RowTargets<T>{nullptr, nullptr, out.y + begin, out.alpha, out.beta}, 0, 1);
      });
}

template <class ExecutionSpace, class T, class Matrix, class X, class Y, class Workspace>
bool multiply_native(const ExecutionSpace&, T, const Matrix&, const ContiguousVector<const X>&, T,
                     const ContiguousVector<Y>&, Workspace&, const SpmvOptions&) {
  return false;
}

template <class ExecutionSpace, class T, class Scalar, class Offset, class MemorySpace, class X, class Y>
bool multiply_native(const ExecutionSpace& exec, T alpha, const RgCsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                     const ContiguousVector<const X>& x, T beta, const ContiguousVector<Y>& y,
                     SpmvWorkspace<MemorySpace>&, const SpmvOptions&) {
  if constexpr (has_simd_kernel<ExecutionSpace, Scalar, X, Y>) {
    if (matrix.group_size % 8 != 0) return false;
    const Index* const order = matrix.row_order.extent(0) > 0 ? matrix.row_order.data() : nullptr;
    multiply_groups_native(exec, matrix, x.data, RowTargets<T>{order, nullptr, y.data, alpha, beta});
    return true;
  }
  return false;
}

template <class ExecutionSpace, class T, class Scalar, class Offset, class MemorySpace, class X, class Y>
bool multiply_native(const ExecutionSpace& exec, T alpha,
                     const AdaptiveRgCsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                     const ContiguousVector<const X>& x, T beta, const ContiguousVector<Y>& y,
                     SpmvWorkspace<MemorySpace>& workspace, const SpmvOptions&) {
  if constexpr (has_simd_kernel<ExecutionSpace, Scalar, X, Y>) {
    if (matrix.pieces.group_size % 8 != 0) return false;
    T* const partials = workspace.template get<T>(exec, static_cast<std::size_t>(matrix.num_partials()));
    multiply_groups_native(exec, matrix.pieces, x.data,
                           RowTargets<T>{matrix.targets.data(), partials, y.data, alpha, beta});
    add_pieces<1>(exec, alpha, matrix, partials, beta, y);
    return true;
  }
  return false;
}

template <class ExecutionSpace, class T, class Scalar, class Offset, class MemorySpace, class X, class Y>
bool multiply_native(const ExecutionSpace& exec, T alpha, const EllMatrix<Scalar, Offset, MemorySpace>& matrix,
                     const ContiguousVector<const X>& x, T beta, const ContiguousVector<Y>& y,
                     SpmvWorkspace<MemorySpace>&, const SpmvOptions&) {
  if constexpr (has_simd_kernel<ExecutionSpace, Scalar, X, Y>) {
    if (matrix.stride % 8 != 0) return false;
    multiply_ell_native(exec, matrix, x.data, RowTargets<T>{nullptr, nullptr, y.data, alpha, beta});
    return true;
  }
  return false;
}

template <class ExecutionSpace, class T, class Scalar, class Offset, class MemorySpace, class X, class Y>
bool multiply_native(const ExecutionSpace& exec, T alpha, const SlicedEllMatrix<Scalar, Offset, MemorySpace>& matrix,
                     const ContiguousVector<const X>& x, T beta, const ContiguousVector<Y>& y,
                     SpmvWorkspace<MemorySpace>&, const SpmvOptions&) {
  if constexpr (has_simd_kernel<ExecutionSpace, Scalar, X, Y>) {
    if (matrix.slice_size % 8 != 0) return false;
    const RowTargets<T> out = {nullptr, nullptr, y.data, alpha, beta};
    const T* const in = x.data;
    const GroupedRows<Scalar, Offset> rows = {matrix.slice_pointers.data(),
                                              matrix.slice_size,
                                              matrix.num_rows,
                                              nullptr,
                                              matrix.values.data(),
                                              matrix.columns.data(),
                                              nullptr,
                                              nullptr,
                                              nullptr};
    // As in RgCSR, a slice costs about two entries for each row besides those that it stores.
    for_equal_stretches(
        exec, "krylite::spmv::sliced_ell_native", matrix.num_slices(),
        [=](std::int64_t slice) {
          return static_cast<std::int64_t>(rows.group_pointers[slice]) + 2 * rows.group_size * slice;
        },
        [=](std::int64_t first, std::int64_t last) { multiply_groups(rows, in, out, first, last); });
    return true;
  }
  return false;
}

/// The ELL part by SIMD, to which the COO part is added.
template <class ExecutionSpace, class T, class Scalar, class Offset, class MemorySpace, class X, class Y>
bool multiply_native(const ExecutionSpace& exec, T alpha, const HybMatrix<Scalar, Offset, MemorySpace>& matrix,
                     const ContiguousVector<const X>& x, T beta, const ContiguousVector<Y>& y,
                     SpmvWorkspace<MemorySpace>& workspace, const SpmvOptions& options) {
  if constexpr (has_simd_kernel<ExecutionSpace, Scalar, X, Y>) {
    if (matrix.ell.stride % 8 != 0) return false;
    if (matrix.ell.width == 0) {
      scale_rows<1>(exec, matrix.num_rows, beta, y);
    } else {
      multiply_native(exec, alpha, matrix.ell, x, beta, y, workspace, options);
    }
    add_entries<1>(exec, alpha, matrix.coo, x, y, workspace);
    return true;
  }
  return false;
}

/// The balanced product of spmv/csr.hpp with SIMD sums.
template <class ExecutionSpace, class T, class Scalar, class Offset, class MemorySpace, class X, class Y>
bool multiply_native(const ExecutionSpace& exec, T alpha, const CsrMatrix<Scalar, Offset, MemorySpace>& matrix,
                     const ContiguousVector<const X>& x, T beta, const ContiguousVector<Y>& y,
                     SpmvWorkspace<MemorySpace>& workspace, const SpmvOptions& options) {
  if constexpr (has_simd_kernel<ExecutionSpace, Scalar, X, Y>) {
    if (options.csr_kernel == CsrKernel::scalar || options.csr_kernel == CsrKernel::vector) return false;
    constexpr std::int64_t items = balanced_items<ExecutionSpace>;
    const std::int64_t all_items = matrix.num_rows + matrix.num_entries();
    const auto carries = make_carries<T, 1>(exec, workspace, (all_items + items - 1) / items);
    const CsrRows<Scalar, Offset> rows = {matrix.row_pointers.data(), matrix.columns.data(), matrix.values.data()};
    Kokkos::parallel_for("krylite::spmv::csr_native", range(exec, carries.num_chunks), [=](const std::int64_t c) {
      const std::int64_t last_item = (c + 1) * items < all_items ? (c + 1) * items : all_items;
      const BalancedChunk chunk = balanced_chunk(matrix.row_pointers, matrix.num_rows, c * items, last_item);
      const std::int64_t carried = chunk.carry_end - chunk.carry_begin;
      T carry[1] = {0};
      if (carried > 0) {
        carry[0] =
            multiply_entries(rows.values + chunk.carry_begin, rows.columns + chunk.carry_begin, x.data, carried);
      }
      carries.set(c, carried > 0 ? chunk.first_row - 1 : -1, carry);
      multiply_rows(rows, x.data, alpha, beta, y.data, chunk.first_row, chunk.last_row, chunk.end);
    });
    add_carries(exec, carries, alpha, y);
    return true;
  }
  return false;
}

/// The product of spmv/csr5.hpp, whose tiles are summed by SIMD lanes.
template <class ExecutionSpace, class T, class Scalar, class Offset, class MemorySpace, class X, class Y>
bool multiply_native(const ExecutionSpace& exec, T alpha, const Csr5Matrix<Scalar, Offset, MemorySpace>& matrix,
                     const ContiguousVector<const X>& x, T beta, const ContiguousVector<Y>& y,
                     SpmvWorkspace<MemorySpace>& workspace, const SpmvOptions&) {
  if constexpr (has_simd_kernel<ExecutionSpace, Scalar, X, Y>) {
    if (matrix.omega % csr5_lanes(T()) != 0 || matrix.descriptor_words() != 1) return false;
    constexpr std::int64_t chunk_tiles = csr5_chunk_tiles<ExecutionSpace>;
    const std::int64_t num_chunks = (matrix.num_tiles() + chunk_tiles - 1) / chunk_tiles;
    const auto carries = make_carries<T, 1>(exec, workspace, num_chunks + 1);
    const Csr5Tiles<Scalar, Offset> tiles = {matrix.omega,
                                             matrix.sigma,
                                             matrix.values.data(),
                                             matrix.columns.data(),
                                             matrix.tile_pointers.data(),
                                             matrix.tile_descriptors.data(),
                                             matrix.empty_offset_pointers.data(),
                                             matrix.empty_offsets.data()};
    Kokkos::parallel_for("krylite::spmv::csr5_native", range(exec, num_chunks), [=](const std::int64_t c) {
      const Csr5Chunk chunk = csr5_chunk(matrix, c, chunk_tiles);
      const T carry[1] = {multiply_tiles(tiles, chunk, x.data, alpha, beta, y.data)};
      const Index tile_row = matrix.tile_row(chunk.first_tile);
      carries.set(c, tile_row < chunk.first_row ? tile_row : -1, carry);
    });
    multiply_csr5_tail<1>(exec, alpha, matrix, matrix.tail_row, x, beta, y, carries);
    add_carries(exec, carries, alpha, y);
    return true;
  }
  return false;
}

}  // namespace detail
}  // namespace krylite

#endif
