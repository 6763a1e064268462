#ifndef KRYLITE_FORMATS_CONVERT_RGCSR_SLOTS_HPP
#define KRYLITE_FORMATS_CONVERT_RGCSR_SLOTS_HPP

/// \file
/// What both ways of the conversion to RgCSR share: the slots, and when columns are packed.

#include <krylite/formats/convert/common.hpp>
#include <krylite/formats/rgcsr.hpp>

#include <cstdint>

namespace krylite {
namespace detail {

/// What is to be stored as the rows of an RgCSR matrix: for each slot, where its entries begin in CSR, how far apart
/// they are there and how many there are (rows as they are, sorted rows, or pieces of rows).
template <class Csr>
struct RgCsrSlots {
  Kokkos::View<typename Csr::offset_type*, typename Csr::memory_space> begins;
  Kokkos::View<Index*, typename Csr::memory_space> lengths;
  Kokkos::View<Index*, typename Csr::memory_space> strides;  ///< no entries: all 1
  /// `begins` are the row pointers of CSR, and `lengths` are not set yet: groups are measured and these set at once.
  bool to_measure = false;

  KOKKOS_INLINE_FUNCTION SlotEntries entries(std::int64_t slot) const {
    if (slot >= static_cast<std::int64_t>(lengths.extent(0))) return {0, 1, 0};
    return {static_cast<std::int64_t>(begins(slot)), strides.extent(0) > 0 ? strides(slot) : 1, lengths(slot)};
  }
};

/// How far the columns of a position may be apart where they are packed to 16 bits.
inline constexpr Index widest_packed = 0xffff;

/// Refuses groups of `stored` entries that do not fit. \param format its name, for the message
template <class Csr>
void require_group_room(const char* format, const Csr& csr, std::int64_t stored, double fill_limit) {
  const std::size_t bytes = static_cast<std::size_t>(stored) * (sizeof(Index) + sizeof(typename Csr::scalar_type));
  require_storable(format, csr, stored, bytes, fill_limit);
}

/// The arrays of columns of a matrix of which groups of `packed_entries` are packed.
template <class ExecutionSpace, class RgCsr>
void allocate_packed(const ExecutionSpace& exec, std::int64_t packed_entries, RgCsr& result) {
  allocate_array(exec, "krylite::rgcsr::column_offsets", packed_entries, result.column_offsets);
  // Often all groups are packed, and an allocation on a device takes as long as a kernel.
  const std::int64_t others = result.stored_entries() - packed_entries;
  if (others > 0) allocate_array(exec, "krylite::rgcsr::columns", others, result.columns);
}

/// Whether packing saves bytes enough to be worth the unpacking (on an AVX-512 machine, three tenths of those of the
/// columns). \param packed_entries of the groups that fit
template <class RgCsr>
bool packing_pays(const RgCsr& result, std::int64_t packed_entries) {
  const std::int64_t stored = result.stored_entries();
  const std::int64_t packed_bytes =
      2 * packed_entries + 4 * (stored - packed_entries) + 4 * (stored / result.group_size) +
      std::int64_t(sizeof(typename RgCsr::offset_type)) * result.num_groups();
  return 10 * packed_bytes < 7 * 4 * stored;
}

}  // namespace detail
}  // namespace krylite

#endif
