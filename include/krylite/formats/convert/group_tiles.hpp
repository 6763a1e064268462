#ifndef KRYLITE_FORMATS_CONVERT_GROUP_TILES_HPP
#define KRYLITE_FORMATS_CONVERT_GROUP_TILES_HPP

/// \file
/// Moves entries between CSR, where those of a row are neighbours, and the formats that store groups of rows position
/// by position, where those of neighbouring rows are. A team reads a tile of all rows of a group and a few positions
/// into its scratch in the order of one side and writes it in the order of the other, so that both are coalesced.
/// Cost: each entry is read once and written once.

#include <krylite/formats/convert/traversal.hpp>

#include <cstdint>

namespace krylite {
namespace detail {

/// Entries of one slot: entry k is the CSR's entry number first + k * stride.
struct SlotEntries {
  std::int64_t first;
  std::int64_t stride;
  std::int64_t length;
  KOKKOS_INLINE_FUNCTION std::int64_t position(std::int64_t k) const { return first + k * stride; }
};

/// The first `most` entries of each of `num_rows` rows of CSR; rows beyond them have none.
template <class RowPointers>
struct RowSlots {
  RowPointers row_pointers;
  std::int64_t num_rows;
  std::int64_t most;

  KOKKOS_INLINE_FUNCTION SlotEntries entries(std::int64_t row) const {
    if (row >= num_rows) return {0, 1, 0};
    const std::int64_t begin = row_pointers(row);
    const std::int64_t length = row_pointers(row + 1) - begin;
    return {begin, 1, length < most ? length : most};
  }
};

/// The n of 2^n = `size`, a power of two.
inline int bits_of(int size) {
  int bits = 0;
  while ((1 << bits) < size) ++bits;
  return bits;
}

/// Groups stored one after the other, each from `pointers(group)` on.
template <class Pointers>
struct GroupLayout {
  Pointers pointers;
  std::int64_t num_groups;
  int group_size;
  int group_bits;  ///< group_size = 2^group_bits: a device divides slowly
  std::int64_t num_positions;  ///< of all groups

  GroupLayout(const Pointers& group_pointers, std::int64_t groups, int size, std::int64_t stored)
      : pointers(group_pointers), num_groups(groups), group_size(size), group_bits(bits_of(size)),
        num_positions(stored / size) {}

  /// Positions of the groups before `group`.
  KOKKOS_INLINE_FUNCTION std::int64_t first_position(std::int64_t group) const {
    return static_cast<std::int64_t>(pointers(group)) >> group_bits;
  }
  /// Where the group begins, and how far one position is from the next.
  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t group) const { return pointers(group); }
  KOKKOS_INLINE_FUNCTION std::int64_t step() const { return group_size; }
};

/// Groups of equal width, position by position over all of them: ELLPACK.
struct StridedLayout {
  std::int64_t num_groups;
  int group_size;
  std::int64_t num_positions;
  std::int64_t width;

  KOKKOS_INLINE_FUNCTION std::int64_t first_position(std::int64_t group) const { return group * width; }
  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t group) const { return group * group_size; }
  KOKKOS_INLINE_FUNCTION std::int64_t step() const { return num_groups * group_size; }
};

/// Positions [first, last) of a group: what one team has.
struct GroupPart {
  std::int64_t group;
  std::int64_t first;
  std::int64_t last;
};

/// Positions of a part: enough that few groups have several, few enough that a very wide one has many.
inline constexpr std::int64_t part_width = 128;

/// The first part of every group, then as many more as all positions could need.
template <class Layout>
std::int64_t num_parts(const Layout& layout) {
  return layout.num_groups + layout.num_positions / part_width + 1;
}

/// Part number `index`. The further parts cut the positions of all groups every `part_width`; of these, one that has
/// something beyond the first part of a group begins within that group, so that there is only one to look for.
template <class Layout>
KOKKOS_FUNCTION GroupPart part_of(const Layout& layout, std::int64_t index) {
  if (index < layout.num_groups) {
    const std::int64_t width = layout.first_position(index + 1) - layout.first_position(index);
    return {index, 0, width < part_width ? width : part_width};
  }
  const std::int64_t start = (index - layout.num_groups) * part_width;
  if (start >= layout.num_positions) return {0, 0, 0};
  std::int64_t low = 0;
  std::int64_t high = layout.num_groups;  // the first group is not behind the start, this one is
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (layout.first_position(middle) <= start ? low : high) = middle;
  }
  const std::int64_t begin = layout.first_position(low);
  const std::int64_t end = layout.first_position(low + 1);
  const std::int64_t first = start - begin < part_width ? part_width : start - begin;
  const std::int64_t last = start + part_width < end ? start + part_width : end;
  return {low, first, last - begin};
}

/// A tile in scratch: `width` positions of all rows of a group. The rows of scratch are padded so that a warp that
/// walks along rows meets every bank.
struct TileShape {
  int rows;
  int row_bits;  ///< rows = 2^row_bits
  int width;

  TileShape(int group_size, std::int64_t entries, std::int64_t num_rows)
      : rows(group_size), row_bits(bits_of(group_size)),
        width(entries > 8 * num_rows && group_size <= 128 ? 16 : 8) {}

  KOKKOS_INLINE_FUNCTION int size() const { return width * (rows + 32 / width); }
  KOKKOS_INLINE_FUNCTION int place(int position, int row) const { return position * (rows + 32 / width) + row; }
};

/// A column and its value.
template <class Scalar>
struct Entry {
  Index column;
  Scalar value;
};

/// The items of a tile in the scratch of a team.
template <class Item, class ExecutionSpace>
struct TeamTile {
  using Scratch = TeamScratch<Item, ExecutionSpace>;
  Scratch items;

  KOKKOS_FUNCTION TeamTile(const TeamMember<ExecutionSpace>& team, const TileShape& shape)
      : items(team.team_scratch(0), shape.size()) {}
  static std::size_t bytes(const TileShape& shape) { return Scratch::shmem_size(shape.size()); }

  KOKKOS_INLINE_FUNCTION Item get(int place) const { return items(place); }
  KOKKOS_INLINE_FUNCTION void put(int place, const Item& item) const { items(place) = item; }
};

/// Entries, columns apart from values: nothing pads them, and neither meets more banks than it must.
template <class Scalar, class ExecutionSpace>
struct TeamTile<Entry<Scalar>, ExecutionSpace> {
  TeamTile<Scalar, ExecutionSpace> values;
  TeamTile<Index, ExecutionSpace> columns;

  KOKKOS_FUNCTION TeamTile(const TeamMember<ExecutionSpace>& team, const TileShape& shape)
      : values(team, shape), columns(team, shape) {}
  static std::size_t bytes(const TileShape& shape) {
    return TeamTile<Scalar, ExecutionSpace>::bytes(shape) + TeamTile<Index, ExecutionSpace>::bytes(shape);
  }

  KOKKOS_INLINE_FUNCTION Entry<Scalar> get(int place) const { return {columns.get(place), values.get(place)}; }
  KOKKOS_INLINE_FUNCTION void put(int place, const Entry<Scalar>& entry) const {
    columns.put(place, entry.column);
    values.put(place, entry.value);
  }
};

/// Rows of which a thread loads entries before it puts them into the tile: it waits for all of them at once.
inline constexpr int rows_in_flight = 4;

/// Fills a tile for positions from `first`: the item at (position, row) is load(entries of the slot, position in the
/// group).
template <class Item, class Member, class Tile, class Slots, class Load>
KOKKOS_FUNCTION void load_rows(const Member& team, const TileShape& shape, const Tile& tile, const Slots& slots,
                               const GroupPart& part, std::int64_t first, const Load& load) {
  const std::int64_t slot = part.group * shape.rows;
  const int width = part.last - first < shape.width ? static_cast<int>(part.last - first) : shape.width;
  const int step = (shape.rows + rows_in_flight - 1) / rows_in_flight;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, step), [&](const int row) {
    SlotEntries entries[rows_in_flight];
    for (int i = 0; i < rows_in_flight; ++i) {
      if (row + i * step < shape.rows) entries[i] = slots.entries(slot + row + i * step);
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, width), [&](const int k) {
      Item items[rows_in_flight];
      for (int i = 0; i < rows_in_flight; ++i) {
        if (row + i * step < shape.rows) items[i] = load(entries[i], first + k);
      }
      for (int i = 0; i < rows_in_flight; ++i) {
        if (row + i * step < shape.rows) tile.put(shape.place(k, row + i * step), items[i]);
      }
    });
  });
  team.team_barrier();
}

/// body(position in the tile, row) for a tile's entries in the order of the format, then a barrier.
template <class Member, class Body>
KOKKOS_FUNCTION void for_each_stored(const Member& team, const TileShape& shape, const GroupPart& part,
                                     std::int64_t first, const Body& body) {
  const int width = part.last - first < shape.width ? static_cast<int>(part.last - first) : shape.width;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, width << shape.row_bits), [&](const int i) {
    body(i >> shape.row_bits, i & (shape.rows - 1));
  });
  team.team_barrier();
}

/// From CSR to groups: `copies(group)` has load(entries, position) and store(place from the group's begin, position,
/// item).
template <class Item, class ExecutionSpace, class Layout, class Slots, class Copies>
void rows_to_groups(const ExecutionSpace& exec, const char* label, const Layout& layout, const Slots& slots,
                    const TileShape& shape, const Copies& copies) {
  using Tile = TeamTile<Item, ExecutionSpace>;
  Kokkos::parallel_for(
      label, teams(exec, num_parts(layout), shape.width, Tile::bytes(shape)),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        const GroupPart part = part_of(layout, team.league_rank());
        if (part.first >= part.last) return;
        const Tile tile(team, shape);
        const auto copy = copies(part.group);
        const std::int64_t step = layout.step();
        for (std::int64_t first = part.first; first < part.last; first += shape.width) {
          load_rows<Item>(team, shape, tile, slots, part, first,
                          [&](const SlotEntries& entries, std::int64_t k) { return copy.load(entries, k); });
          for_each_stored(team, shape, part, first, [&](const int k, const int row) {
            copy.store((first + k) * step + row, first + k, tile.get(shape.place(k, row)));
          });
        }
      });
}

/// From groups to CSR: `copies(group)` has load(place from the group's begin, position) and store(position in CSR,
/// item). What fills a group up may be loaded and is not stored.
template <class Item, class ExecutionSpace, class Layout, class Slots, class Copies>
void groups_to_rows(const ExecutionSpace& exec, const char* label, const Layout& layout, const Slots& slots,
                    const TileShape& shape, const Copies& copies) {
  using Tile = TeamTile<Item, ExecutionSpace>;
  Kokkos::parallel_for(
      label, teams(exec, num_parts(layout), shape.width, Tile::bytes(shape)),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        const GroupPart part = part_of(layout, team.league_rank());
        if (part.first >= part.last) return;
        const Tile tile(team, shape);
        const auto copy = copies(part.group);
        const std::int64_t step = layout.step();
        for (std::int64_t first = part.first; first < part.last; first += shape.width) {
          for_each_stored(team, shape, part, first, [&](const int k, const int row) {
            tile.put(shape.place(k, row), copy.load((first + k) * step + row, first + k));
          });
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, shape.rows), [&](const int row) {
            const SlotEntries entries = slots.entries(part.group * shape.rows + row);
            const std::int64_t end = entries.length < part.last ? entries.length : part.last;
            const int width = end - first < shape.width ? static_cast<int>(end - first) : shape.width;
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, width > 0 ? width : 0), [&](const int k) {
              copy.store(entries.position(first + k), tile.get(shape.place(k, row)));
            });
          });
          team.team_barrier();
        }
      });
}

/// An array of CSR, columns or values, as it is, and a number for what fills rows up.
template <class Item>
struct ArrayCopy {
  const Item* source;
  Item* target;
  Item fill;

  KOKKOS_INLINE_FUNCTION Item load(const SlotEntries& entries, std::int64_t k) const {
    return k < entries.length ? source[entries.position(k)] : fill;
  }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t place, std::int64_t, const Item& item) const { target[place] = item; }
};

template <class Layout, class Item>
struct ArrayCopies {
  Layout layout;
  ArrayCopy<Item> all;
  KOKKOS_INLINE_FUNCTION ArrayCopy<Item> operator()(std::int64_t group) const {
    return {all.source, all.target + layout.begin(group), all.fill};
  }
};

/// The same array back.
template <class Item>
struct ArrayReturn {
  const Item* source;
  Item* target;

  KOKKOS_INLINE_FUNCTION Item load(std::int64_t place, std::int64_t) const { return source[place]; }
  KOKKOS_INLINE_FUNCTION void store(std::int64_t position, const Item& item) const { target[position] = item; }
};

template <class Layout, class Item>
struct ArrayReturns {
  Layout layout;
  ArrayReturn<Item> all;
  KOKKOS_INLINE_FUNCTION ArrayReturn<Item> operator()(std::int64_t group) const {
    return {all.source + layout.begin(group), all.target};
  }
};

}  // namespace detail
}  // namespace krylite

#endif
