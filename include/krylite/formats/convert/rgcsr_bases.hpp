#ifndef KRYLITE_FORMATS_CONVERT_RGCSR_BASES_HPP
#define KRYLITE_FORMATS_CONVERT_RGCSR_BASES_HPP

/// \file
/// Which groups of RgCSR have columns that fit 16 bits, and from which bases, as devices find it. A thread has a part
/// of a group. Where rows are short its vector lanes share the slots: each reads some neighbouring positions of its
/// own, so that all lanes have work, and they join what they found. Where rows are long they share the positions, so
/// that they read neighbours, and each goes through all slots. No scratch, no barriers.
/// Cost: columns are read once.

#include <krylite/formats/convert/group_tiles.hpp>
#include <krylite/formats/convert/rgcsr_slots.hpp>

#include <cstdint>
#include <limits>

namespace krylite {
namespace detail {

/// The smallest and the largest column at each of some neighbouring positions of a group.
struct ColumnSpans {
  /// Columns of a sector of memory, which a device reads at least.
  static constexpr int count = 8;
  Index smallest[count];
  Index largest[count];
};

/// Joins the spans of the lanes of a vector, as a Kokkos reducer.
struct JoinSpans {
  using reducer = JoinSpans;
  using value_type = ColumnSpans;
  using result_view_type = Kokkos::View<ColumnSpans, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  value_type* value;

  KOKKOS_INLINE_FUNCTION explicit JoinSpans(value_type& result) : value(&result) {}
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return *value; }
  KOKKOS_INLINE_FUNCTION void init(value_type& spans) const {
    for (int i = 0; i < ColumnSpans::count; ++i) {
      spans.smallest[i] = std::numeric_limits<Index>::max();
      spans.largest[i] = 0;
    }
  }
  KOKKOS_INLINE_FUNCTION void join(value_type& spans, const value_type& others) const {
    for (int i = 0; i < ColumnSpans::count; ++i) {
      spans.smallest[i] = others.smallest[i] < spans.smallest[i] ? others.smallest[i] : spans.smallest[i];
      spans.largest[i] = others.largest[i] > spans.largest[i] ? others.largest[i] : spans.largest[i];
    }
  }
};

/// Widens the spans of positions from `first` on by the columns of a slot.
template <class Columns>
KOKKOS_FUNCTION void add_slot(const Columns& columns, const SlotEntries& entries, std::int64_t first,
                              ColumnSpans& spans) {
  for (int i = 0; i < ColumnSpans::count; ++i) {
    if (first + i < entries.length) {
      const Index column = columns(entries.position(first + i));
      spans.smallest[i] = column < spans.smallest[i] ? column : spans.smallest[i];
      spans.largest[i] = column > spans.largest[i] ? column : spans.largest[i];
    }
  }
}

/// Stores the bases of the first `count` positions. \return whether their columns fit 16 bits from them
KOKKOS_INLINE_FUNCTION bool store_bases(const ColumnSpans& spans, std::int64_t count, Index* bases) {
  bool fit = true;
  for (int i = 0; i < ColumnSpans::count; ++i) {
    if (i < count) {
      bases[i] = spans.smallest[i];
      fit = fit && spans.largest[i] - spans.smallest[i] <= widest_packed;
    }
  }
  return fit;
}

/// Sets the bases of a part of a group, whose slots the vector lanes share. \return, to one of them at least where they
/// do not, whether the columns fit
template <class Member, class Columns, class Slots>
KOKKOS_FUNCTION bool find_bases_by_slots(const Member& team, const Columns& columns, const Slots& slots, int rows,
                                         const GroupPart& part, Index* bases) {
  bool fit = true;
  for (std::int64_t first = part.first; first < part.last; first += ColumnSpans::count) {
    ColumnSpans spans;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, rows),
        [&](const int row, ColumnSpans& own) { add_slot(columns, slots.entries(part.group * rows + row), first, own); },
        JoinSpans(spans));
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      if (!store_bases(spans, part.last - first, bases + first)) fit = false;
    });
  }
  return fit;
}

/// The same where they share the positions.
template <class Member, class Columns, class Slots>
KOKKOS_FUNCTION bool find_bases_by_positions(const Member& team, const Columns& columns, const Slots& slots, int rows,
                                             const GroupPart& part, Index* bases) {
  Index widest = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, static_cast<int>(part.last - part.first)),
      [&](const int i, Index& span) {
        const std::int64_t k = part.first + i;
        Index smallest = std::numeric_limits<Index>::max();
        Index largest = 0;
        for (int row = 0; row < rows; ++row) {
          const SlotEntries entries = slots.entries(part.group * rows + row);
          if (k < entries.length) {
            const Index column = columns(entries.position(k));
            smallest = column < smallest ? column : smallest;
            largest = column > largest ? column : largest;
          }
        }
        bases[k] = smallest;
        span = largest - smallest > span ? largest - smallest : span;
      },
      Kokkos::Max<Index>(widest));
  return widest <= widest_packed;
}

/// Vector lanes share the slots of a group up to this mean width of the groups, and positions beyond it.
inline constexpr std::int64_t mean_by_slots = 8;

/// Sets the base column of every position of every group; `fits(group)` turns 0 where the columns of a position are
/// further apart than 16 bits say. \param columns of CSR
template <class ExecutionSpace, class Columns, class Slots, class Layout, class Bases, class Fits>
void find_bases(const ExecutionSpace& exec, const Columns& columns, const Slots& slots, const Layout& layout,
                const Bases& bases, const Fits& fits) {
  using Offset = typename Fits::non_const_value_type;
  const int rows = layout.group_size;
  const bool by_slots = layout.num_positions <= mean_by_slots * layout.num_groups;
  const int lanes_of_positions = layout.num_positions <= 16 * layout.num_groups ? 16 : 32;
  const int lanes_of_slots = rows < 32 ? rows : 32;
  const int vector = by_slots ? lanes_of_slots : lanes_of_positions;
  const int team_parts = team_width / vector;
  const std::int64_t parts = num_parts(layout);
  Kokkos::parallel_for(
      "krylite::to_rgcsr::bases", teams(exec, (parts + team_parts - 1) / team_parts, vector, 0),
      KOKKOS_LAMBDA(const TeamMember<ExecutionSpace>& team) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, team_parts), [&](const int p) {
          const std::int64_t index = std::int64_t(team.league_rank()) * team_parts + p;
          if (index >= parts) return;
          const GroupPart part = part_of(layout, index);
          if (part.first >= part.last) return;
          Index* const targets = bases.data() + layout.first_position(part.group);
          const bool fit = by_slots ? find_bases_by_slots(team, columns, slots, rows, part, targets)
                                    : find_bases_by_positions(team, columns, slots, rows, part, targets);
          // Whoever finds that the group does not fit stores the same.
          if (!fit) Kokkos::atomic_exchange(&fits(part.group), Offset(0));
        });
      });
}

/// Entries of the groups that fit; the pointer of a group tells until the scan has replaced it.
template <class Offset>
struct PackedSize {
  const Offset* group_pointers;
  const Offset* fits;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t group) const {
    return fits[group] != 0 ? std::int64_t(group_pointers[group + 1]) - group_pointers[group] : 0;
  }
};

template <class Offset>
struct StoreColumnPointer {
  PackedSize<Offset> size;
  KOKKOS_INLINE_FUNCTION Offset operator()(std::int64_t group, std::int64_t packed) const {
    if (size(group) > 0) return static_cast<Offset>(packed);
    return static_cast<Offset>(-1 - (size.group_pointers[group] - packed));
  }
};

}  // namespace detail
}  // namespace krylite

#endif
