#include <krylite/core/error.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/reorder/amd.hpp>

#ifdef KRYLITE_HAS_AMD
#include <amd.h>

#include <vector>
#endif

namespace krylite {

#ifdef KRYLITE_HAS_AMD

bool amd_is_available() { return true; }

namespace detail {
namespace {

using Long = SuiteSparse_long;
static_assert(sizeof(Long) == sizeof(std::int64_t), "AMD's long integers have 64 bits");

/// What `amd_of_pattern` and AMD allocate, by AMD's own formulas: its input, a copy without duplicates where
/// columns are unsorted, and 2.4 nnz + 9 n for the graph.
void require_amd_memory(const HostPattern& pattern) {
  const double rows = pattern.num_rows;
  const auto entries = static_cast<double>(pattern.num_entries());
  const double integers = 4.4 * entries + 13 * rows + 2;
  require_memory<Kokkos::HostSpace>(static_cast<std::size_t>(integers * sizeof(Long)), "AMD's ordering");
}

template <class View>
std::vector<Long> long_integers(const View& view) {
  return std::vector<Long>(view.data(), view.data() + view.extent(0));
}

}  // namespace

void require_amd() {}

Permutation<Kokkos::HostSpace> amd_of_pattern(const HostPattern& pattern) {
  const Index rows = pattern.num_rows;
  const Permutation<Kokkos::HostSpace> order("krylite::reorder::amd", static_cast<std::size_t>(rows));
  if (rows == 0) return order;
  require_amd_memory(pattern);
  std::vector<Long> columns = long_integers(pattern.columns);
  columns.push_back(0);  // AMD takes no null pointer, also where there are no entries
  std::vector<Long> result(static_cast<std::size_t>(rows));
  // AMD reads compressed columns. Ours are rows, but A + A^T is the same.
  const Long status = ::amd_l_order(rows, long_integers(pattern.row_pointers).data(), columns.data(),
                                    result.data(), nullptr, nullptr);
  require(status != AMD_OUT_OF_MEMORY, "AMD: not enough memory for ", rows, " rows and ",
          pattern.num_entries(), " entries");
  require(status == AMD_OK || status == AMD_OK_BUT_JUMBLED, "AMD: the ", rows, " x ", rows, " matrix of ",
          pattern.num_entries(), " entries is not valid; is a column outside of it?");
  for (Index row = 0; row < rows; ++row) order(row) = static_cast<Index>(result[std::size_t(row)]);
  return order;
}

}  // namespace detail

#else

bool amd_is_available() { return false; }

namespace detail {

void require_amd() {
  fail("AMD: this build of Krylite has no SuiteSparse AMD, which the minimum degree ordering needs");
}

Permutation<Kokkos::HostSpace> amd_of_pattern(const HostPattern&) {
  require_amd();
  return {};
}

}  // namespace detail

#endif

}  // namespace krylite
