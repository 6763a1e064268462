#include "load.hpp"

#include <krylite/core/error.hpp>
#include <krylite/io/matrix_market.hpp>
#include <random>

namespace krylite::driver {
namespace {

std::string without_ending(const std::string& name, const std::string& ending) {
  const bool ends =
      name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  return ends ? name.substr(0, name.size() - ending.size()) : name;
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return without_ending(without_ending(name, ".gz"), ".mtx");
}

}  // namespace

LoadedMatrix load_matrix(const std::string& source) {
  if (is_generator(source)) return {source, source, generate(parse_generator(source))};
  return {source, file_name(source), read_matrix_market<double, std::int64_t>(Host(), source)};
}

Vector load_vector(const std::string& path, const LoadedMatrix& matrix) {
  const auto host = read_matrix_market_vector(path);
  krylite::detail::require(host.extent(0) == static_cast<std::size_t>(matrix.csr.num_rows), path, ": has ",
                           host.extent(0), " entries, but ", matrix.source, " has ", matrix.csr.num_rows,
                           " rows");
  return Kokkos::create_mirror_view_and_copy(Memory(), host);
}

Kokkos::View<double*, Kokkos::HostSpace> random_vector(std::size_t n, std::uint64_t seed) {
  const auto vector =
      krylite::detail::allocate<Kokkos::View<double*, Kokkos::HostSpace>>(Host(), "krylite::driver::random", n);
  std::mt19937_64 random(seed);
  // The standard's distributions differ from library to library; its engines do not.
  for (std::size_t i = 0; i < n; ++i) vector(i) = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
  return vector;
}

}  // namespace krylite::driver
