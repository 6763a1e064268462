#ifndef KRYLITE_PERF_TESTS_SUPPORT_LOAD_HPP
#define KRYLITE_PERF_TESTS_SUPPORT_LOAD_HPP

#include <krylite/krylite.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace krylite_perf {

using Execution = Kokkos::DefaultExecutionSpace;
using Memory = Execution::memory_space;
using Csr = krylite::CsrMatrix<double, std::int32_t, Memory>;
using Vector = Kokkos::View<double*, Memory>;

/// A matrix from a Matrix Market file or a gen: text.
inline Csr load(const std::string& source) {
  const Kokkos::DefaultHostExecutionSpace host;
  const auto matrix = krylite::is_generator(source)
                          ? krylite::generate(krylite::parse_generator(source))
                          : krylite::read_matrix_market<double, std::int64_t>(host, source);
  return krylite::copy_to<Memory>(krylite::convert_types<double, std::int32_t>(host, matrix));
}

/// The name of a file without folder and ending, or the gen: text.
inline std::string short_name(const std::string& source) {
  const std::string name = source.substr(krylite::is_generator(source) ? 0 : source.find_last_of('/') + 1);
  return name.substr(0, name.find(".mtx"));
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace krylite_perf

#endif
