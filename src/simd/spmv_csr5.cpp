// Tiles of CSR5: lane l of a vector walks lane l of the tile, so that values and columns are contiguous loads, and x is
// gathered. A tile takes four steps:
//
//   1. every lane sums its entries from flag to flag; the sums so far are stored at each step, which costs one store
//      and no question where the flags are
//   2. the sums that flags close are collected in the order of the rows
//   3. the open end of each lane is added to the sum that the next flag behind it closes
//   4. the closed sums are written to y, neighbours together

#include <krylite/spmv/host/kernels.hpp>
#include <krylite/spmv/vectors.hpp>

#include <hwy/base.h>

#include "simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/spmv_csr5.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace krylite {
namespace detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMostLanes = 64;
constexpr int kMostSteps = 32;

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

/// The shape of the tiles; constants where omega and sigma are the usual ones, so that loops unroll.
template <int Omega, int Sigma>
struct Shape {
  Index omega_;
  Index sigma_;
  HWY_INLINE Index omega() const { return Omega > 0 ? Omega : omega_; }
  HWY_INLINE Index sigma() const { return Sigma > 0 ? Sigma : sigma_; }
};

/// Sums of the lanes of a tile: steps[i * omega + l] gets the sum that lane l has open before its entry i, and
/// steps[sigma * omega + l] the one that it has open at its end.
template <class D, class V, class S>
HWY_INLINE void SumLanes(D d, S shape, const V* values, const Index* columns, const std::uint32_t* descriptors,
                         const hn::TFromD<D>* x, hn::TFromD<D>* steps) {
  const hn::RebindToUnsigned<D> du;
  using Word = hn::TFromD<decltype(du)>;
  const Index omega = shape.omega();
  for (Index lane = 0; lane < omega; lane += static_cast<Index>(hn::Lanes(d))) {
    const auto flags = LoadWords(d, descriptors + lane);
    auto sum = hn::Mul(LoadTileValues(d, values + lane), GatherX(d, columns + lane, x));
    for (Index i = 1; i < shape.sigma(); ++i) {
      const Index place = i * omega + lane;
      hn::Store(sum, d, steps + place);
      const auto starts = hn::RebindMask(d, hn::TestBit(flags, hn::Set(du, Word(1) << i)));
      const auto xs = GatherX(d, columns + place, x);
      sum = hn::MulAdd(LoadTileValues(d, values + place), xs, hn::IfThenZeroElse(starts, sum));
    }
    hn::Store(sum, d, steps + shape.sigma() * omega + lane);
  }
}

/// The flags of a tile in the order of CSR, without the first, which is the tile's own.
template <class S>
struct TileFlags {
  std::uint64_t words[kMostLanes * kMostSteps / 64 + 1];
  Index before[kMostLanes];       ///< flags in the lanes before
  std::uint64_t lanes_with = 0;   ///< lanes that have one

  HWY_INLINE Index Read(S shape, const std::uint32_t* descriptors) {
    const Index omega = shape.omega();
    const Index sigma = shape.sigma();
    const std::uint32_t mask = ~std::uint32_t(0) >> (32 - sigma);
    for (Index w = 0; w * 64 < omega * sigma; ++w) words[w] = 0;
    Index count = 0;
    for (Index lane = 0; lane < omega; ++lane) {
      std::uint64_t flags = descriptors[lane] & mask;
      if (lane == 0) flags &= ~std::uint64_t(1);
      const Index place = lane * sigma;
      words[place / 64] |= flags << (place % 64);
      if (place % 64 + sigma > 64) words[place / 64 + 1] |= flags >> (64 - place % 64);
      before[lane] = count;
      count += static_cast<Index>(hwy::PopCount(flags));
      lanes_with |= std::uint64_t(flags != 0) << lane;
    }
    return count;
  }
};

/// closed[f] = the sum that flag f closes, as far as it lies in the flag's own lane.
template <class S, class T>
HWY_INLINE void CollectClosed(S shape, const TileFlags<S>& flags, const std::uint16_t* places, const T* steps,
                              T* closed) {
  constexpr int together = 4;  // without a branch for each; the surplus is overwritten
  for (Index w = 0; w * 64 < shape.omega() * shape.sigma(); ++w, places += 64) {
    std::uint64_t rest = flags.words[w];
    const auto count = static_cast<Index>(hwy::PopCount(rest));
    for (Index f = 0; f < count; f += together) {
      for (int j = 0; j < together; ++j) {
        closed[f + j] = steps[places[hwy::Num0BitsBelowLS1Bit_Nonzero64(rest | std::uint64_t(1) << 63)]];
        rest &= rest - 1;
      }
    }
    closed += count;
  }
}

/// Adds the open ends of lanes to what the flags behind them close.
/// \return the sum that is open at the end of the tile
template <class S, class T>
HWY_INLINE T JoinLanes(S shape, const TileFlags<S>& flags, const T* ends, T open, T* closed) {
  for (Index lane = 0; lane < shape.omega(); ++lane) {
    const bool has_flag = (flags.lanes_with >> lane & 1) != 0;
    closed[flags.before[lane]] += has_flag ? open : T(0);
    open = (has_flag ? T(0) : open) + ends[lane];
  }
  return open;
}

/// The rows of a chunk as they are written.
template <class T>
struct Rows {
  T* y;
  T alpha;
  T beta;
  Index next;  ///< first row that is not written

  HWY_INLINE void Write(Index row, T sum) {
    WriteEmpty(row);
    update(y[row], alpha, sum, beta);
    next = row + 1;
  }
  HWY_INLINE void WriteEmpty(Index end) {
    for (; HWY_UNLIKELY(next < end); ++next) update(y[next], alpha, T(0), beta);
  }
  /// Rows next, next + 1, ...
  HWY_INLINE void WriteNeighbours(const T* sums, Index count) {
    const Csr5Tag<T> d;
    const auto lanes = static_cast<Index>(hn::Lanes(d));
    const auto factor = hn::Set(d, alpha);
    T* const target = y + next;
    next += count;
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
      auto result = hn::Mul(factor, hn::LoadU(d, sums + i));
      if (beta != T(0)) result = hn::MulAdd(hn::Set(d, beta), hn::LoadU(d, target + i), result);
      hn::StoreU(result, d, target + i);
    }
    for (; i < count; ++i) update(target[i], alpha, sums[i], beta);
  }
};

template <int Omega, int Sigma, class V, class Offset, class T>
HWY_INLINE T MultiplyChunk(const Csr5Tiles<V, Offset>& tiles, const Csr5Chunk& chunk, const T* x, T alpha, T beta,
                           T* y) {
  using S = Shape<Omega, Sigma>;
  const S shape{tiles.omega, tiles.sigma};
  constexpr std::uint32_t mark = 0x80000000u;
  const Index size = shape.omega() * shape.sigma();
  HWY_ALIGN T steps[kMostLanes * (kMostSteps + 1)];
  HWY_ALIGN T closed[kMostLanes * kMostSteps + 8];
  std::uint16_t places[kMostLanes * kMostSteps + 64];
  for (Index p = 0; p < size; ++p) {
    places[p] = static_cast<std::uint16_t>(p % shape.sigma() * shape.omega() + p / shape.sigma());
  }
  for (Index p = size; p < size + 64; ++p) places[p] = 0;
  for (Index lane = 0; lane < shape.omega(); ++lane) steps[lane] = 0;

  Rows<T> rows{y, alpha, beta, chunk.first_row};
  T carry = 0;
  T open = 0;
  Index row = static_cast<Index>(tiles.tile_pointers[chunk.first_tile] & ~mark);
  const auto close = [&](T sum) {
    if (row < rows.next) {
      carry = sum;
    } else {
      rows.Write(row, sum);
    }
  };
  for (std::int64_t tile = chunk.first_tile; tile < chunk.last_tile; ++tile) {
    const std::uint32_t pointer = tiles.tile_pointers[tile];
    const auto tile_row = static_cast<Index>(pointer & ~mark);
    if (tile_row != row) {
      close(open);
      open = 0;
      row = tile_row;
    }
    const std::uint32_t* const descriptors =
        tiles.tile_descriptors + tile * tiles.descriptor_words * shape.omega();
    SumLanes(Csr5Tag<T>(), shape, tiles.values + tile * size, tiles.columns + tile * size, descriptors, x, steps);
    TileFlags<S> flags;
    const Index count = flags.Read(shape, descriptors);
    CollectClosed(shape, flags, places, steps, closed);
    open = JoinLanes(shape, flags, steps + size, open, closed);
    if (count == 0) continue;
    close(closed[0]);
    if (HWY_LIKELY((pointer & mark) == 0)) {
      rows.WriteNeighbours(closed + 1, count - 1);
      row = tile_row + count;
    } else {
      const Index* const offsets = tiles.empty_offsets + tiles.empty_offset_pointers[tile];
      for (Index f = 1; f < count; ++f) rows.Write(tile_row + offsets[f], closed[f]);
      row = tile_row + offsets[count];
    }
  }
  close(open);
  rows.WriteEmpty(chunk.last_row);
  return carry;
}

template <class V, class Offset, class T>
HWY_INLINE T MultiplyTiles(const Csr5Tiles<V, Offset>& tiles, const Csr5Chunk& chunk, const T* x, T alpha, T beta,
                           T* y) {
  if (tiles.omega == 8 && tiles.sigma == 12) return MultiplyChunk<8, 12>(tiles, chunk, x, alpha, beta, y);
  if (tiles.omega == 4 && tiles.sigma == 16) return MultiplyChunk<4, 16>(tiles, chunk, x, alpha, beta, y);
  return MultiplyChunk<0, 0>(tiles, chunk, x, alpha, beta, y);
}

int LanesDouble() { return static_cast<int>(hn::Lanes(Csr5Tag<double>())); }
int LanesFloat() { return static_cast<int>(hn::Lanes(Csr5Tag<float>())); }
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
