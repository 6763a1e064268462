// Tiles of CSR5: lane l of a vector walks lane l of the tile, so that values and columns are contiguous loads, and x is
// gathered. A tile takes three steps:
//
//   1. every lane sums its entries from flag to flag. The sum so far is stored at each step, which costs one store and
//      no question where the flags are
//   2. what flags close is collected from there, in the order of the rows
//   3. what the first flag of a lane closes began in the lanes before: it gains the sum that is open where the lane
//      begins, by a segmented scan over the ends of the lanes (sums alone, no differences)
//
// Closed sums wait in a buffer in the order of their rows, and go to y many at a time. Step 1 of a tile runs before
// steps 2 and 3 of the tile before it, so that neither waits for the other's last sums (a tenth faster).

#include <krylite/formats/csr5.hpp>
#include <krylite/spmv/host/kernels.hpp>
#include <krylite/spmv/vectors.hpp>

#include <hwy/base.h>

#include <algorithm>

#include "simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/spmv_csr5.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace krylite {
namespace detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMostLanes = 64;
constexpr int kMostSteps = 32;  // more than the descriptors of one word allow

/// At most 8 lanes, so that every set divides a tile of 8.
template <class T>
using Csr5Tag = hn::CappedTag<T, 8>;

template <class D, class V>
HWY_INLINE hn::Vec<D> LoadTileValues(D d, const V* values) {
  if constexpr (sizeof(V) == sizeof(hn::TFromD<D>)) {
    return hn::LoadU(d, values);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<V, D>(), values));
  }
}

template <class D>
HWY_INLINE hn::Vec<D> GatherX(D d, const Index* columns, const hn::TFromD<D>* x) {
  const auto index = hn::LoadU(hn::Rebind<std::int32_t, D>(), columns);
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::GatherIndex(d, x, hn::PromoteTo(hn::RebindToSigned<D>(), index));
  } else {
    return hn::GatherIndex(d, x, index);
  }
}

/// 32-bit words in lanes as wide as those of D.
template <class D>
HWY_INLINE auto LoadWords(D, const std::uint32_t* words) {
  const auto narrow = hn::LoadU(hn::Rebind<std::uint32_t, D>(), words);
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::PromoteTo(hn::RebindToUnsigned<D>(), narrow);
  } else {
    return narrow;
  }
}

/// The shape of the tiles, constants where omega and sigma are the usual ones, so that loops unroll, and what follows
/// from it.
template <int Omega, int Sigma>
class Shape {
 public:
  Shape(Index omega, Index sigma) : omega_(omega), sigma_(sigma) {
    const std::uint32_t flag_mask = (std::uint32_t(1) << sigma) - 1;
    y_offset_mask_ = (std::uint32_t(1) << ceil_log2(std::int64_t(omega) * sigma)) - 1;
    for (Index lane = 0; lane < omega; ++lane) {
      flag_masks_[lane] = lane == 0 ? flag_mask - 1 : flag_mask;  // the first flag of the tile closes nothing
      shifts_[lane] = static_cast<std::uint32_t>(lane % lanes_of_word() * sigma);
    }
    for (Index bit = 0; bit < 64; ++bit) {
      places_[bit] = static_cast<std::uint16_t>(bit % sigma * omega + bit / sigma % lanes_of_word());
    }
  }

  HWY_INLINE Index omega() const { return Omega > 0 ? Omega : omega_; }
  HWY_INLINE Index sigma() const { return Sigma > 0 ? Sigma : sigma_; }
  HWY_INLINE Index size() const { return omega() * sigma(); }

  /// Lanes whose flags are put into one word, a divisor of omega.
  HWY_INLINE Index lanes_of_word() const { return sigma() > 16 || omega() % 4 != 0 ? 2 : 4; }
  /// Where the bits of such a word lie among the sums of a tile, less the word's first lane.
  HWY_INLINE const std::uint16_t* places() const { return places_; }

  /// The flags of the lanes from `lane` on, which close something.
  template <class D>
  HWY_INLINE hn::Vec<D> Flags(D d, const std::uint32_t* descriptors, Index lane) const {
    return hn::And(LoadWords(d, descriptors + lane), LoadWords(d, flag_masks_ + lane));
  }
  /// How far they move to lie behind those of the lanes before them in a word.
  template <class D>
  HWY_INLINE hn::Vec<D> Shifts(D d, Index lane) const {
    return LoadWords(d, shifts_ + lane);
  }
  HWY_INLINE std::uint32_t FlagsOf(Index lane, const std::uint32_t* descriptors) const {
    return descriptors[lane] & flag_masks_[lane];
  }
  /// Number of the first flag of a lane, or of the next behind it.
  HWY_INLINE Index FirstFlag(Index lane, const std::uint32_t* descriptors) const {
    return lane == 0 ? 1 : YOffset(descriptors[lane]);
  }
  /// Flags of the tile without its own.
  HWY_INLINE Index CountFlags(const std::uint32_t* descriptors) const {
    const Index last = omega() - 1;
    return YOffset(descriptors[last]) + static_cast<Index>(hwy::PopCount(FlagsOf(last, descriptors))) - 1;
  }

 private:
  HWY_INLINE Index YOffset(std::uint32_t descriptor) const {
    return static_cast<Index>(descriptor >> sigma() & y_offset_mask_);
  }

  Index omega_;
  Index sigma_;
  std::uint32_t y_offset_mask_;
  HWY_ALIGN std::uint32_t flag_masks_[kMostLanes];
  HWY_ALIGN std::uint32_t shifts_[kMostLanes];
  std::uint16_t places_[64];
};

/// Sums of the lanes of a tile: steps[i * omega + l] gets the sum that lane l has open before its entry i, and
/// steps[sigma * omega + l] the one that it has open at its end.
template <class D, class V, class S>
HWY_INLINE void SumLanes(D d, const S& shape, const V* values, const Index* columns, const std::uint32_t* descriptors,
                         const hn::TFromD<D>* x, hn::TFromD<D>* steps) {
  const hn::RebindToUnsigned<D> du;
  const Index omega = shape.omega();
  for (Index lane = 0; lane < omega; lane += static_cast<Index>(hn::Lanes(d))) {
    auto flags = LoadWords(d, descriptors + lane);
    const auto one = hn::Set(du, 1);
    auto sum = hn::Mul(LoadTileValues(d, values + lane), GatherX(d, columns + lane, x));
    for (Index i = 1; i < shape.sigma(); ++i) {
      const Index place = i * omega + lane;
      hwy::Prefetch(values + place + prefetched_entries);
      if (i % 2 == 1) hwy::Prefetch(columns + place + prefetched_entries);
      hn::Store(sum, d, steps + place);
      flags = hn::ShiftRight<1>(flags);
      const auto starts = hn::RebindMask(d, hn::TestBit(flags, one));
      const auto xs = GatherX(d, columns + place, x);
      sum = hn::MulAdd(LoadTileValues(d, values + place), xs, hn::IfThenZeroElse(starts, sum));
    }
    hn::Store(sum, d, steps + shape.sigma() * omega + lane);
  }
}

/// closed[f] = what flag f closes, as far as it lies in the lane of the flag; for all flags of a tile.
template <class S, class T>
HWY_INLINE void CollectClosed(const S& shape, const std::uint32_t* descriptors, const T* steps, T* closed) {
  const hn::CappedTag<std::uint64_t, 8> d;
  HWY_ALIGN std::uint64_t shifted[kMostLanes];
  for (Index lane = 0; lane < shape.omega(); lane += static_cast<Index>(hn::Lanes(d))) {
    hn::Store(hn::Shl(shape.Flags(d, descriptors, lane), shape.Shifts(d, lane)), d, shifted + lane);
  }
  constexpr Index together = 8;  // without a branch for each; the surplus is overwritten or not read
  ++closed;
  for (Index lane = 0; lane < shape.omega(); lane += shape.lanes_of_word()) {
    std::uint64_t flags = 0;
    for (Index l = lane; l < lane + shape.lanes_of_word(); ++l) flags |= shifted[l];
    const auto count = static_cast<Index>(hwy::PopCount(flags));
    const T* const sums = steps + lane;
    for (Index f = 0; f < count; f += together) {
      for (Index j = 0; j < together; ++j) {
        const std::uint64_t guarded = flags | std::uint64_t(1) << 63;
        closed[f + j] = sums[shape.places()[hwy::Num0BitsBelowLS1Bit_Nonzero64(guarded)]];
        flags &= flags - 1;
      }
    }
    closed += count;
  }
}

/// Sums over lanes up to each lane, from the last lane before it (or itself) that has a flag.
/// \param lanes_with bit l where lane l has a flag; z lane sums, the first one with what is open before it
template <class D>
HWY_INLINE hn::Vec<D> ScanSegments(D d, std::uint64_t lanes_with, hn::Vec<D> z) {
  using Unsigned = hn::TFromD<hn::RebindToUnsigned<D>>;
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  std::uint64_t reached = lanes_with | 1;
  for (int shift = 1; shift < lanes; shift *= 2) {
    const auto from = hn::IndicesFromVec(
        d, hn::And(hn::Iota(di, static_cast<hn::TFromD<decltype(di)>>(lanes - shift)),
                   hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(Unsigned(lanes - 1)))));
    const std::uint64_t gaining = ~reached;
    const auto gains = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&gaining));
    z = hn::Add(z, hn::IfThenElseZero(gains, hn::TableLookupLanes(z, from)));
    reached |= reached << shift;
  }
  return z;
}

/// The lanes of one vector of a tile as the lanes before and behind them see them.
template <class D>
struct LaneEnds {
  std::uint64_t lanes_with;             ///< bit l where lane l has a flag
  HWY_ALIGN hn::TFromD<D> before[16];   ///< before[7 + l] is what is open where lane l begins
};

/// \param open what is open before lane `group`, the first of the vector
/// \return what is open behind the last
template <class D, class S>
HWY_INLINE hn::TFromD<D> FindOpen(D d, const S& shape, const std::uint32_t* descriptors, const hn::TFromD<D>* steps,
                                  Index group, hn::TFromD<D> open, LaneEnds<D>& lanes) {
  const hn::RebindToUnsigned<D> du;
  const auto count = static_cast<Index>(hn::Lanes(d));
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(du, hn::Ne(shape.Flags(du, descriptors, group), hn::Zero(du)), bits);
  lanes.lanes_with = bits[0];
  const auto ends = hn::Load(d, steps + shape.size() + group);
  if (lanes.lanes_with == 0) return open + hn::GetLane(hn::SumOfLanes(d, ends));
  lanes.before[7] = open;
  if (lanes.lanes_with == (std::uint64_t(1) << count) - 1) {
    hn::Store(ends, d, lanes.before + 8);
  } else {
    const std::uint64_t first = ~lanes.lanes_with & 1;
    const auto gains = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&first));
    const auto sums = hn::Add(ends, hn::IfThenElseZero(gains, hn::Set(d, open)));
    hn::Store(ScanSegments(d, lanes.lanes_with, sums), d, lanes.before + 8);
  }
  return lanes.before[7 + count];
}

/// Adds what is open before a lane to what its first flag closes.
template <class D, class S>
HWY_INLINE hn::TFromD<D> JoinLanes(D d, const S& shape, const std::uint32_t* descriptors,
                                   const hn::TFromD<D>* steps, hn::TFromD<D> open, hn::TFromD<D>* closed) {
  const auto count = static_cast<Index>(hn::Lanes(d));
  for (Index group = 0; group < shape.omega(); group += count) {
    LaneEnds<D> lanes;
    open = FindOpen(d, shape, descriptors, steps, group, open, lanes);
    if (lanes.lanes_with == 0) continue;
    for (Index l = 0; l < count; ++l) {
      // A lane without flags adds to a place of its own, which is not read.
      const bool has_flag = (lanes.lanes_with >> l & 1) != 0;
      const Index flag = has_flag ? shape.FirstFlag(group + l, descriptors) : shape.size() + l;
      closed[flag] += lanes.before[7 + l];
    }
  }
  return open;
}

/// CollectClosed and JoinLanes at once where no lane has more than one flag.
template <class D, class S>
HWY_INLINE hn::TFromD<D> CloseOneALane(D d, const S& shape, const std::uint32_t* descriptors,
                                       const hn::TFromD<D>* steps, hn::TFromD<D> open, hn::TFromD<D>* closed) {
  constexpr Index together = 4;
  const auto count = static_cast<Index>(hn::Lanes(d));
  ++closed;
  for (Index group = 0; group < shape.omega(); group += count) {
    LaneEnds<D> lanes;
    open = FindOpen(d, shape, descriptors, steps, group, open, lanes);
    std::uint64_t rest = lanes.lanes_with;
    const auto flags_here = static_cast<Index>(hwy::PopCount(rest));
    for (Index f = 0; f < flags_here; f += together) {
      for (Index j = 0; j < together; ++j) {
        const auto l = static_cast<Index>(hwy::Num0BitsBelowLS1Bit_Nonzero64(rest | std::uint64_t(1) << (count - 1)));
        const std::uint32_t flags = shape.FlagsOf(group + l, descriptors) | std::uint32_t(1) << shape.sigma();
        const auto step = static_cast<Index>(hwy::Num0BitsBelowLS1Bit_Nonzero32(flags));
        closed[f + j] = steps[step * shape.omega() + group + l] + lanes.before[7 + l];
        rest &= rest - 1;
      }
    }
    closed += flags_here;
  }
  return open;
}

/// Whether any lane of the tile has two flags or more.
template <class S>
HWY_INLINE bool HasInnerFlags(const S& shape, const std::uint32_t* descriptors) {
  const hn::Rebind<std::uint32_t, hn::CappedTag<std::uint64_t, 8>> d;  // no more lanes than a tile has for sure
  auto inner = hn::Zero(d);
  for (Index lane = 0; lane < shape.omega(); lane += static_cast<Index>(hn::Lanes(d))) {
    const auto flags = shape.Flags(d, descriptors, lane);
    inner = hn::Or(inner, hn::And(flags, hn::Sub(flags, hn::Set(d, 1))));
  }
  return !hn::AllTrue(d, hn::Eq(inner, hn::Zero(d)));
}

/// The rows of a chunk on their way to y: sums of neighbouring rows gather here, and are written together. The row
/// from which on they are may have begun before the chunk; then its sum is the carry.
template <class T>
class PendingRows {
 public:
  PendingRows(T* y, T alpha, T beta, Index first_row, Index first_written)
      : y_(y), alpha_(alpha), beta_(beta), base_(first_row), next_(first_written) {}

  /// The row behind those that are pending.
  HWY_INLINE Index OpenRow() const { return base_ + count_; }
  /// Where the sum of the open row belongs, and those of up to a tile's rows behind it.
  HWY_INLINE T* End() { return sums_ + 8 + count_; }
  HWY_INLINE void Add(Index count) {
    count_ += count;
    if (HWY_UNLIKELY(count_ >= kEnough)) Flush();
  }

  /// Makes `row` the open one; the rows between are empty.
  HWY_INLINE void SkipTo(Index row) {
    if (HWY_LIKELY(row == OpenRow())) return;
    Flush();
    for (; next_ < row; ++next_) update(y_[next_], alpha_, T(0), beta_);
    base_ = row;
  }

  void Flush() {
    const Csr5Tag<T> d;
    const auto lanes = static_cast<Index>(hn::Lanes(d));
    const T* sums = sums_ + 8;
    if (count_ > 0 && base_ < next_) {
      carry_ = *sums++;
      ++base_;
      --count_;
    }
    // Empty rows that lie before the first row of the chunk.
    for (; next_ < base_; ++next_) update(y_[next_], alpha_, T(0), beta_);
    T* const target = y_ + base_;
    const auto factor = hn::Set(d, alpha_);
    Index i = 0;
    for (; i + lanes <= count_; i += lanes) {
      auto result = hn::Mul(factor, hn::LoadU(d, sums + i));
      if (beta_ != T(0)) result = hn::MulAdd(hn::Set(d, beta_), hn::LoadU(d, target + i), result);
      hn::StoreU(result, d, target + i);
    }
    for (; i < count_; ++i) update(target[i], alpha_, sums[i], beta_);
    base_ += count_;
    next_ = base_ > next_ ? base_ : next_;
    count_ = 0;
  }

  T Carry() const { return carry_; }

 private:
  static constexpr Index kEnough = 512;
  T* y_;
  T alpha_;
  T beta_;
  Index base_;      ///< row of the first pending sum
  Index count_ = 0;
  Index next_;      ///< first row that is not written
  T carry_ = 0;
  HWY_ALIGN T sums_[8 + kEnough + kMostLanes * kMostSteps + 16];  // 8: flag 0 of the first tile
};

/// Steps 2 and 3. closed[f] gets what flag f of the tile closes; flag 0, the tile's own, closes nothing.
/// \return the sum that is open at the end of the tile
template <class D, class S>
HWY_INLINE hn::TFromD<D> CloseTile(D d, const S& shape, const std::uint32_t* descriptors, const hn::TFromD<D>* steps,
                                   hn::TFromD<D> open, hn::TFromD<D>* closed) {
  if (!HasInnerFlags(shape, descriptors)) return CloseOneALane(d, shape, descriptors, steps, open, closed);
  CollectClosed(shape, descriptors, steps, closed);
  return JoinLanes(d, shape, descriptors, steps, open, closed);
}

/// Moves the closed sums of a tile with empty rows between its rows, which lie behind the pending ones, to their rows.
template <class T>
HWY_NOINLINE void AddWithGaps(PendingRows<T>& rows, Index tile_row, const Index* empty_offsets, Index count) {
  T sums[kMostLanes * kMostSteps];
  std::copy_n(rows.End(), count, sums);
  for (Index f = 0; f < count; ++f) {
    *rows.End() = sums[f];
    rows.Add(1);
    rows.SkipTo(tile_row + empty_offsets[f + 1]);
  }
}

template <int Omega, int Sigma, class V, class Offset, class T>
HWY_INLINE T MultiplyChunk(const Csr5Tiles<V, Offset>& tiles, const Csr5Chunk& chunk, const T* x, T alpha, T beta,
                           T* y) {
  const Csr5Tag<T> d;
  const Shape<Omega, Sigma> shape(tiles.omega, tiles.sigma);
  constexpr std::uint32_t mark = 0x80000000u;
  constexpr std::size_t most_steps = kMostLanes * (kMostSteps + 1);
  HWY_ALIGN T both_steps[2 * most_steps];  // of this tile and the next
  for (Index lane = 0; lane < shape.omega(); ++lane) both_steps[lane] = both_steps[most_steps + lane] = 0;
  const auto sum_lanes = [&](std::int64_t tile) HWY_ATTR {
    SumLanes(d, shape, tiles.values + tile * shape.size(), tiles.columns + tile * shape.size(),
             tiles.tile_descriptors + tile * shape.omega(), x, both_steps + tile % 2 * most_steps);
  };
  const auto first_row = static_cast<Index>(tiles.tile_pointers[chunk.first_tile] & ~mark);
  PendingRows<T> rows(y, alpha, beta, first_row, chunk.first_row);
  T open = 0;
  sum_lanes(chunk.first_tile);
  for (std::int64_t tile = chunk.first_tile; tile < chunk.last_tile; ++tile) {
    if (tile + 1 < chunk.last_tile) sum_lanes(tile + 1);
    const std::uint32_t pointer = tiles.tile_pointers[tile];
    const auto tile_row = static_cast<Index>(pointer & ~mark);
    if (tile_row != rows.OpenRow()) {
      *rows.End() = open;
      open = 0;
      rows.Add(1);
      rows.SkipTo(tile_row);
    }
    const std::uint32_t* const descriptors = tiles.tile_descriptors + tile * shape.omega();
    open = CloseTile(d, shape, descriptors, both_steps + tile % 2 * most_steps, open, rows.End() - 1);
    const Index count = shape.CountFlags(descriptors);
    if (HWY_LIKELY((pointer & mark) == 0)) {
      rows.Add(count);
    } else {
      AddWithGaps(rows, tile_row, tiles.empty_offsets + tiles.empty_offset_pointers[tile], count);
    }
  }
  *rows.End() = open;
  rows.Add(1);
  rows.SkipTo(chunk.last_row);
  rows.Flush();
  return rows.Carry();
}

template <class V, class Offset, class T>
HWY_INLINE T MultiplyTiles(const Csr5Tiles<V, Offset>& tiles, const Csr5Chunk& chunk, const T* x, T alpha, T beta,
                           T* y) {
  if (tiles.omega == 8 && tiles.sigma == 12) return MultiplyChunk<8, 12>(tiles, chunk, x, alpha, beta, y);
  if constexpr (hn::MaxLanes(Csr5Tag<T>()) <= 4) {
    if (tiles.omega == 4 && tiles.sigma == 16) return MultiplyChunk<4, 16>(tiles, chunk, x, alpha, beta, y);
  }
  return MultiplyChunk<0, 0>(tiles, chunk, x, alpha, beta, y);
}

// The flags of two lanes at least are put into one word.
int LanesDouble() { return std::max(2, static_cast<int>(hn::Lanes(Csr5Tag<double>()))); }
int LanesFloat() { return std::max(2, static_cast<int>(hn::Lanes(Csr5Tag<float>()))); }
double TilesDouble32(const Csr5Tiles<double, std::int32_t>& tiles, const Csr5Chunk& chunk, const double* x,
                     double alpha, double beta, double* y) {
  return MultiplyTiles(tiles, chunk, x, alpha, beta, y);
}
double TilesDouble64(const Csr5Tiles<double, std::int64_t>& tiles, const Csr5Chunk& chunk, const double* x,
                     double alpha, double beta, double* y) {
  return MultiplyTiles(tiles, chunk, x, alpha, beta, y);
}
float TilesFloat32(const Csr5Tiles<float, std::int32_t>& tiles, const Csr5Chunk& chunk, const float* x, float alpha,
                   float beta, float* y) {
  return MultiplyTiles(tiles, chunk, x, alpha, beta, y);
}
float TilesFloat64(const Csr5Tiles<float, std::int64_t>& tiles, const Csr5Chunk& chunk, const float* x, float alpha,
                   float beta, float* y) {
  return MultiplyTiles(tiles, chunk, x, alpha, beta, y);
}
double TilesMixed32(const Csr5Tiles<float, std::int32_t>& tiles, const Csr5Chunk& chunk, const double* x,
                    double alpha, double beta, double* y) {
  return MultiplyTiles(tiles, chunk, x, alpha, beta, y);
}
double TilesMixed64(const Csr5Tiles<float, std::int64_t>& tiles, const Csr5Chunk& chunk, const double* x,
                    double alpha, double beta, double* y) {
  return MultiplyTiles(tiles, chunk, x, alpha, beta, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace krylite
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krylite {
namespace detail {

HWY_EXPORT(LanesDouble);
HWY_EXPORT(LanesFloat);
HWY_EXPORT(TilesDouble32);
HWY_EXPORT(TilesDouble64);
HWY_EXPORT(TilesFloat32);
HWY_EXPORT(TilesFloat64);
HWY_EXPORT(TilesMixed32);
HWY_EXPORT(TilesMixed64);

int csr5_lanes(double) { return HWY_DYNAMIC_DISPATCH(LanesDouble)(); }
int csr5_lanes(float) { return HWY_DYNAMIC_DISPATCH(LanesFloat)(); }

double multiply_tiles(const Csr5Tiles<double, std::int32_t>& tiles, const Csr5Chunk& chunk, const double* x,
                      double alpha, double beta, double* y) {
  return HWY_DYNAMIC_DISPATCH(TilesDouble32)(tiles, chunk, x, alpha, beta, y);
}
double multiply_tiles(const Csr5Tiles<double, std::int64_t>& tiles, const Csr5Chunk& chunk, const double* x,
                      double alpha, double beta, double* y) {
  return HWY_DYNAMIC_DISPATCH(TilesDouble64)(tiles, chunk, x, alpha, beta, y);
}
float multiply_tiles(const Csr5Tiles<float, std::int32_t>& tiles, const Csr5Chunk& chunk, const float* x, float alpha,
                     float beta, float* y) {
  return HWY_DYNAMIC_DISPATCH(TilesFloat32)(tiles, chunk, x, alpha, beta, y);
}
float multiply_tiles(const Csr5Tiles<float, std::int64_t>& tiles, const Csr5Chunk& chunk, const float* x, float alpha,
                     float beta, float* y) {
  return HWY_DYNAMIC_DISPATCH(TilesFloat64)(tiles, chunk, x, alpha, beta, y);
}
double multiply_tiles(const Csr5Tiles<float, std::int32_t>& tiles, const Csr5Chunk& chunk, const double* x,
                      double alpha, double beta, double* y) {
  return HWY_DYNAMIC_DISPATCH(TilesMixed32)(tiles, chunk, x, alpha, beta, y);
}
double multiply_tiles(const Csr5Tiles<float, std::int64_t>& tiles, const Csr5Chunk& chunk, const double* x,
                      double alpha, double beta, double* y) {
  return HWY_DYNAMIC_DISPATCH(TilesMixed64)(tiles, chunk, x, alpha, beta, y);
}

}  // namespace detail
}  // namespace krylite
#endif
