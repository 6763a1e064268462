#ifndef KRYLITE_BASIS_COMPRESSED_BASIS_HPP
#define KRYLITE_BASIS_COMPRESSED_BASIS_HPP

/// \file
/// A Krylov basis V of up to m vectors of n entries in compressed storage: codes column by column, a factor a column,
/// and in block floating point an exponent for each 32 entries of a column (see basis/storage.hpp):
///
///     v_ij = factors(j) * decode(codes(i + j stride)) * 2^exponents(i / 32 + j ceil(n / 32))
///
/// Where rows have exponents (basis/row_scaling.hpp), v_ij is that times 2^row_exponents(i).
///
/// Long columns lie an odd number of cache lines apart, so that a stretch of rows of many columns does not fall into
/// few sets of a cache.

#include <krylite/basis/storage.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>

#include <cstddef>
#include <cstdint>

namespace krylite {

/// The stored vectors as kernels see them; without the factors, which are folded into what multiplies a column.
template <class Code>
struct BasisAccessor {
  const Code* codes = nullptr;
  const std::int8_t* exponents = nullptr;  ///< null but in block floating point
  std::int64_t stride = 0;                 ///< codes from one column to the next
  std::int64_t exponent_stride = 0;
  const std::int8_t* row_exponents = nullptr;  ///< null where rows have none

  KOKKOS_INLINE_FUNCTION double row_scale(std::int64_t i) const {
    return row_exponents == nullptr ? 1.0 : power_of_two(row_exponents[i]);
  }

  /// v_ij / factors(j)
  KOKKOS_INLINE_FUNCTION double operator()(std::int64_t i, Index j) const {
    const double value = decode(codes[i + j * stride]) * row_scale(i);
    if constexpr (is_block_float<Code>) {
      return value * power_of_two(exponents[i / entries_per_exponent + j * exponent_stride]);
    } else {
      return value;
    }
  }

  /// The same from row `row` (a multiple of 32) and column `column` on.
  KOKKOS_INLINE_FUNCTION BasisAccessor at(std::int64_t row, Index column) const {
    BasisAccessor part = *this;
    part.codes += row + column * stride;
    if constexpr (is_block_float<Code>) part.exponents += row / entries_per_exponent + column * exponent_stride;
    return part;
  }
};

template <class Code, class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
struct CompressedBasis {
  using code_type = Code;
  using memory_space = MemorySpace;

  std::int64_t length = 0;  ///< n
  Index capacity = 0;       ///< m
  std::int64_t stride = 0;  ///< codes from one column to the next
  Kokkos::View<Code*, MemorySpace> codes;               ///< m stride
  Kokkos::View<std::int8_t*, MemorySpace> exponents;    ///< m ceil(n / 32) in block floating point, else none
  Kokkos::View<double*, MemorySpace> factors;           ///< m
  Kokkos::View<std::int8_t*, MemorySpace> row_exponents;  ///< n, or none; not owned by this basis alone

  std::int64_t exponent_stride() const { return (length + entries_per_exponent - 1) / entries_per_exponent; }

  /// Where column j begins; the exponents null but in block floating point.
  Code* codes_of(Index j) const { return codes.data() + j * stride; }
  std::int8_t* exponents_of(Index j) const {
    return is_block_float<Code> ? exponents.data() + j * exponent_stride() : nullptr;
  }

  BasisAccessor<Code> accessor() const {
    return {codes.data(), exponents.data(), stride, exponent_stride(), row_exponents.data()};
  }

  std::size_t bytes() const {
    return codes.extent(0) * sizeof(Code) + exponents.extent(0) + factors.extent(0) * sizeof(double);
  }
};

namespace detail {

/// Divides by one number many times: by a product with its reciprocal, where that is in range.
struct Divisor {
  double value;
  double reciprocal;
  bool is_tame;

  explicit Divisor(double number) : value(number), reciprocal(1 / number), is_tame(number > 1e-300 && number < 1e300) {}
  KOKKOS_INLINE_FUNCTION double operator()(double x) const { return is_tame ? x * reciprocal : x / value; }
};

/// Codes from one column to the next. Short columns lie side by side, on devices in whole cache lines; long ones an odd
/// number of lines apart that is 37 modulo 64: consecutive columns then spread over the sets of a cache whatever n is.
template <class Code, class MemorySpace>
std::int64_t column_stride(std::int64_t length) {
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(Code));
  constexpr std::int64_t short_lines = 1024;
  const std::int64_t lines = (length + line - 1) / line;
  if (lines < short_lines) return is_host_space<typename MemorySpace::execution_space> ? length : lines * line;
  return (lines + (37 - lines % 64 + 64) % 64) * line;
}

/// Zeros where a column has no rows. CUDA kernels read columns by whole packs.
template <class ExecutionSpace, class Basis>
void clear_padding(const ExecutionSpace& exec, const Basis& basis) {
  using Code = typename Basis::code_type;
  const auto codes = basis.codes;
  const std::int64_t length = basis.length;
  const std::int64_t stride = basis.stride;
  const std::int64_t padding = stride - length;
  Kokkos::parallel_for(
      "krylite::basis::clear_padding", range(exec, padding * basis.capacity), KOKKOS_LAMBDA(const std::int64_t i) {
        codes(i / padding * stride + length + i % padding) = Code{};
      });
}

}  // namespace detail

/// Bytes of a basis of `capacity` vectors of `length` entries.
template <class Code, class MemorySpace = Kokkos::HostSpace>
std::size_t compressed_basis_bytes(std::int64_t length, Index capacity) {
  const auto columns = static_cast<std::size_t>(capacity);
  const auto codes = static_cast<std::size_t>(detail::column_stride<Code, MemorySpace>(length)) * sizeof(Code);
  const auto blocks = static_cast<std::size_t>((length + entries_per_exponent - 1) / entries_per_exponent);
  return columns * (codes + (is_block_float<Code> ? blocks : 0) + sizeof(double));
}

/// Room for `capacity` vectors of `length` entries, uninitialized.
/// \throws Error where the machine does not have the memory
template <class Code, class ExecutionSpace>
CompressedBasis<Code, typename ExecutionSpace::memory_space> make_compressed_basis(const ExecutionSpace& exec,
                                                                                   std::int64_t length,
                                                                                   Index capacity) {
  using Basis = CompressedBasis<Code, typename ExecutionSpace::memory_space>;
  using MemorySpace = typename ExecutionSpace::memory_space;
  require_memory<MemorySpace>(compressed_basis_bytes<Code, MemorySpace>(length, capacity), "the Krylov basis");
  Basis basis;
  basis.length = length;
  basis.capacity = capacity;
  basis.stride = detail::column_stride<Code, MemorySpace>(length);
  basis.codes = detail::allocate<decltype(basis.codes)>(
      exec, "krylite::basis::codes", static_cast<std::size_t>(basis.stride) * static_cast<std::size_t>(capacity));
  if constexpr (is_block_float<Code>) {
    basis.exponents = detail::allocate<decltype(basis.exponents)>(
        exec, "krylite::basis::exponents",
        static_cast<std::size_t>(basis.exponent_stride()) * static_cast<std::size_t>(capacity));
  }
  basis.factors = decltype(basis.factors)("krylite::basis::factors", capacity);
  if constexpr (!is_host_space<ExecutionSpace>) detail::clear_padding(exec, basis);
  return basis;
}

}  // namespace krylite

#endif
