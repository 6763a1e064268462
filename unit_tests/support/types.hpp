#ifndef KRYLITE_UNIT_TESTS_SUPPORT_TYPES_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_TYPES_HPP

#include "support/battery.hpp"

#include <krylite/core/traits.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

namespace krylite_test {

/// What typed tests run over: types of the matrix's values and of the vectors, of the offsets, and the place.
template <class Value, class VectorValue, class OffsetType, class Space>
struct Combination {
  using Scalar = Value;
  using Vector = VectorValue;
  using Offset = OffsetType;
  using ExecutionSpace = Space;
  using MemorySpace = typename Space::memory_space;
  using Csr = krylite::CsrMatrix<Scalar, Offset, MemorySpace>;

  static const std::vector<NamedMatrix>& matrices() {
    return std::is_same_v<Scalar, double> ? battery() : single_precision_battery();
  }
};


template <class... Lists>
struct Join;
template <class... A>
struct Join<::testing::Types<A...>> {
  using type = ::testing::Types<A...>;
};
template <class... A, class... B, class... Rest>
struct Join<::testing::Types<A...>, ::testing::Types<B...>, Rest...> {
  using type = typename Join<::testing::Types<A..., B...>, Rest...>::type;
};

template <class Space>
using CombinationsOn = ::testing::Types<
    Combination<double, double, std::int32_t, Space>, Combination<double, double, std::int64_t, Space>,
    Combination<float, float, std::int32_t, Space>, Combination<float, float, std::int64_t, Space>,
    Combination<float, double, std::int32_t, Space>, Combination<float, double, std::int64_t, Space>>;

/// Where code is instrumented, or compiled for a device too, each combination costs minutes: every type once.
template <class Space>
using FewCombinationsOn = ::testing::Types<Combination<double, double, std::int32_t, Space>,
                                           Combination<float, float, std::int64_t, Space>,
                                           Combination<float, double, std::int32_t, Space>>;

#if defined(__SANITIZE_ADDRESS__) || defined(__CUDACC__)
using DefaultCombinations = FewCombinationsOn<Kokkos::DefaultExecutionSpace>;
#else
using DefaultCombinations = CombinationsOn<Kokkos::DefaultExecutionSpace>;
#endif

/// One combination on a space that is not the default one, whose code differs from it in the dispatch alone.
template <class Space>
using OtherCombination =
    std::conditional_t<std::is_same_v<Space, Kokkos::DefaultExecutionSpace>, ::testing::Types<>,
                       ::testing::Types<Combination<double, double, std::int32_t, Space>>>;

/// Every combination on the default execution space, and one on each other that is enabled.
using Combinations = typename Join<DefaultCombinations,
#ifdef KOKKOS_ENABLE_SERIAL
                                   OtherCombination<Kokkos::Serial>,
#endif
#ifdef KOKKOS_ENABLE_OPENMP
                                   OtherCombination<Kokkos::OpenMP>,
#endif
                                   ::testing::Types<>>::type;

/// The enabled execution spaces alone.
using Spaces = typename Join<
#ifdef KOKKOS_ENABLE_SERIAL
    ::testing::Types<Kokkos::Serial>,
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    ::testing::Types<Kokkos::OpenMP>,
#endif
#ifdef KOKKOS_ENABLE_CUDA
    ::testing::Types<Kokkos::Cuda>,
#endif
    ::testing::Types<>>::type;

}  // namespace krylite_test

#endif
