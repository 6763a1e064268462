// Tiles of a compressed basis: the lanes of a vector are neighbouring rows, and four columns go side by side.

#include <krylite/basis/host/tile.hpp>

#include "simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/basis.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace krylite {
namespace detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The 16-bit codes at `codes` as float16 or as the upper half of float32, in the lanes of D.
template <class D>
HWY_INLINE hn::Vec<D> Decode(D d, const Float16* codes) {
  const auto bits = hn::LoadU(hn::Rebind<std::uint16_t, D>(), reinterpret_cast<const std::uint16_t*>(codes));
  const auto half = hn::BitCast(hn::Rebind<hwy::float16_t, D>(), bits);
  return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<float, D>(), half));
}
template <class D>
HWY_INLINE hn::Vec<D> Decode(D d, const BFloat16* codes) {
  const auto bits = hn::LoadU(hn::Rebind<std::uint16_t, D>(), reinterpret_cast<const std::uint16_t*>(codes));
  const auto upper = hn::ShiftLeft<16>(hn::PromoteTo(hn::Rebind<std::uint32_t, D>(), bits));
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<float, D>(), upper));
}
template <class D>
HWY_INLINE hn::Vec<D> Decode(D d, const double* codes) {
  return hn::LoadU(d, codes);
}
template <class D>
HWY_INLINE hn::Vec<D> Decode(D d, const float* codes) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), codes));
}
template <class D>
HWY_INLINE hn::Vec<D> Decode(D d, const std::int32_t* codes) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::int32_t, D>(), codes));
}
template <class D>
HWY_INLINE hn::Vec<D> Decode(D d, const std::int16_t* codes) {
  const auto wide = hn::PromoteTo(hn::Rebind<std::int32_t, D>(), hn::LoadU(hn::Rebind<std::int16_t, D>(), codes));
  return hn::PromoteTo(d, wide);
}

/// One column of a tile, without its factor.
template <class D, class Code>
struct Column {
  const Code* codes;
  const std::int8_t* exponents;
  hn::Vec<D> scale;  ///< what decoded codes of this storage are multiplied with, if anything

  HWY_INLINE Column(D d, const BasisTile& tile, Index j)
      : codes(static_cast<const Code*>(tile.codes) + j * tile.stride),
        exponents(is_block_float<Code> ? tile.exponents + j * tile.exponent_stride : nullptr),
        scale(hn::Set(d, code_unit<Code>())) {}

  /// Before rows i to i + 31 are loaded, where i is a multiple of 32.
  HWY_INLINE void Enter(D d, std::int64_t i) {
    if constexpr (is_block_float<Code>) {
      scale = hn::Set(d, power_of_two(exponents[i / entries_per_exponent]) * code_unit<Code>());
    }
  }

  /// Asks for as many rows `ahead` bytes away, from row i on. The address may lie behind the array.
  HWY_INLINE void PrefetchAhead(std::int64_t i, std::int64_t ahead) const {
    const auto address = reinterpret_cast<std::uintptr_t>(codes + i) + static_cast<std::uintptr_t>(ahead);
    constexpr auto bytes = static_cast<std::uintptr_t>(entries_per_exponent) * sizeof(Code);
    for (std::uintptr_t k = 0; k < bytes; k += 64) hwy::Prefetch(reinterpret_cast<const char*>(address + k));
  }

  HWY_INLINE hn::Vec<D> Load(D d, std::int64_t i) const {
    if constexpr (is_block_float<Code>) {
      return hn::Mul(Decode(d, &codes[i].mantissa), scale);
    } else {
      const auto value = Decode(d, codes + i);
      return code_unit<Code>() == 1.0 ? value : hn::Mul(value, scale);
    }
  }

  HWY_INLINE double LoadOne(std::int64_t i) const {
    const double value = decode(codes[i]);
    if constexpr (is_block_float<Code>) {
      return value * power_of_two(exponents[i / entries_per_exponent]);
    } else {
      return value;
    }
  }
};

/// Bytes from columns j to j + 3 to what is read behind them: the next four columns, or the first ones of the next
/// tile.
template <class Code>
HWY_INLINE std::int64_t BytesAhead(const BasisTile& tile, Index j, Index columns) {
  const std::int64_t codes = j + 8 <= columns ? 4 * tile.stride : tile.rows - j * tile.stride;
  return codes * static_cast<std::int64_t>(sizeof(Code));
}

/// Rows that are taken without a look at their end.
HWY_INLINE std::int64_t WholeBlocks(std::int64_t rows) { return rows / entries_per_exponent * entries_per_exponent; }

/// Four columns side by side. Not an array: vectors of some instruction sets have no size.
template <class D, class Code>
struct FourColumns {
  Column<D, Code> a, b, c, e;

  HWY_INLINE FourColumns(D d, const BasisTile& tile, Index j)
      : a(d, tile, j), b(d, tile, j + 1), c(d, tile, j + 2), e(d, tile, j + 3) {}

  HWY_INLINE void Enter(D d, std::int64_t i, std::int64_t ahead) {
    a.Enter(d, i);
    b.Enter(d, i);
    c.Enter(d, i);
    e.Enter(d, i);
    a.PrefetchAhead(i, ahead);
    b.PrefetchAhead(i, ahead);
    c.PrefetchAhead(i, ahead);
    e.PrefetchAhead(i, ahead);
  }
};

/// Columns j to j + 3.
template <class Code, bool kGram>
HWY_INLINE void ProjectFour(const BasisTile& tile, Index j, std::int64_t ahead, const double* w, const double* u,
                            double* products, double* gram) {
  const hn::CappedTag<double, 8> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  FourColumns<decltype(d), Code> v(d, tile, j);
  auto pa = hn::Zero(d), pb = hn::Zero(d), pc = hn::Zero(d), pe = hn::Zero(d);
  auto ga = hn::Zero(d), gb = hn::Zero(d), gc = hn::Zero(d), ge = hn::Zero(d);
  std::int64_t i = 0;
  while (i < WholeBlocks(tile.rows)) {
    v.Enter(d, i, ahead);
    for (const std::int64_t end = i + entries_per_exponent; i < end; i += lanes) {
      const auto wi = hn::LoadU(d, w + i);
      const auto va = v.a.Load(d, i), vb = v.b.Load(d, i), vc = v.c.Load(d, i), ve = v.e.Load(d, i);
      pa = hn::MulAdd(va, wi, pa);
      pb = hn::MulAdd(vb, wi, pb);
      pc = hn::MulAdd(vc, wi, pc);
      pe = hn::MulAdd(ve, wi, pe);
      if constexpr (kGram) {
        const auto ui = hn::LoadU(d, u + i);
        ga = hn::MulAdd(va, ui, ga);
        gb = hn::MulAdd(vb, ui, gb);
        gc = hn::MulAdd(vc, ui, gc);
        ge = hn::MulAdd(ve, ui, ge);
      }
    }
  }
  const auto sum = [d](auto lanes_of) { return hn::GetLane(hn::SumOfLanes(d, lanes_of)); };
  double tail[4] = {sum(pa), sum(pb), sum(pc), sum(pe)};
  double gram_tail[4] = {sum(ga), sum(gb), sum(gc), sum(ge)};
  for (; i < tile.rows; ++i) {
    const double values[4] = {v.a.LoadOne(i), v.b.LoadOne(i), v.c.LoadOne(i), v.e.LoadOne(i)};
    for (int k = 0; k < 4; ++k) {
      tail[k] += values[k] * w[i];
      if constexpr (kGram) gram_tail[k] += values[k] * u[i];
    }
  }
  for (int k = 0; k < 4; ++k) {
    products[j + k] += tail[k];
    if constexpr (kGram) gram[j + k] += gram_tail[k];
  }
}

/// Column j alone.
template <class Code, bool kGram>
HWY_INLINE void ProjectOne(const BasisTile& tile, Index j, const double* w, const double* u, double* products,
                           double* gram) {
  const hn::CappedTag<double, 8> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Column<decltype(d), Code> column(d, tile, j);
  auto p = hn::Zero(d), g = hn::Zero(d);
  std::int64_t i = 0;
  while (i < WholeBlocks(tile.rows)) {
    column.Enter(d, i);
    for (const std::int64_t end = i + entries_per_exponent; i < end; i += lanes) {
      const auto v = column.Load(d, i);
      p = hn::MulAdd(v, hn::LoadU(d, w + i), p);
      if constexpr (kGram) g = hn::MulAdd(v, hn::LoadU(d, u + i), g);
    }
  }
  double product = hn::GetLane(hn::SumOfLanes(d, p));
  double gram_product = hn::GetLane(hn::SumOfLanes(d, g));
  for (; i < tile.rows; ++i) {
    const double value = column.LoadOne(i);
    product += value * w[i];
    if constexpr (kGram) gram_product += value * u[i];
  }
  products[j] += product;
  if constexpr (kGram) gram[j] += gram_product;
}

template <class Code, bool kGram>
HWY_INLINE void ProjectColumns(const BasisTile& tile, Index columns, const double* w, const double* u,
                               double* products, double* gram) {
  Index j = 0;
  for (; j + 4 <= columns; j += 4) {
    ProjectFour<Code, kGram>(tile, j, BytesAhead<Code>(tile, j, columns), w, u, products, gram);
  }
  for (; j < columns; ++j) ProjectOne<Code, kGram>(tile, j, w, u, products, gram);
}

template <class Code>
struct Project {
  static void Run(const BasisTile& tile, Index columns, const double* w, const double* u, double* products,
                  double* gram) {
    if (gram != nullptr) {
      ProjectColumns<Code, true>(tile, columns, w, u, products, gram);
    } else {
      ProjectColumns<Code, false>(tile, columns, w, u, products, gram);
    }
  }
};

template <class Code>
HWY_INLINE void AddFour(const BasisTile& tile, Index j, std::int64_t ahead, const double* weights, double* w) {
  const hn::CappedTag<double, 8> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  FourColumns<decltype(d), Code> v(d, tile, j);
  const auto ha = hn::Set(d, weights[j]), hb = hn::Set(d, weights[j + 1]);
  const auto hc = hn::Set(d, weights[j + 2]), he = hn::Set(d, weights[j + 3]);
  std::int64_t i = 0;
  while (i < WholeBlocks(tile.rows)) {
    v.Enter(d, i, ahead);
    for (const std::int64_t end = i + entries_per_exponent; i < end; i += lanes) {
      auto sum = hn::LoadU(d, w + i);
      sum = hn::MulAdd(ha, v.a.Load(d, i), sum);
      sum = hn::MulAdd(hb, v.b.Load(d, i), sum);
      sum = hn::MulAdd(hc, v.c.Load(d, i), sum);
      sum = hn::MulAdd(he, v.e.Load(d, i), sum);
      hn::StoreU(sum, d, w + i);
    }
  }
  for (; i < tile.rows; ++i) {
    w[i] += weights[j] * v.a.LoadOne(i) + weights[j + 1] * v.b.LoadOne(i) + weights[j + 2] * v.c.LoadOne(i) +
            weights[j + 3] * v.e.LoadOne(i);
  }
}

template <class Code>
HWY_INLINE void AddOne(const BasisTile& tile, Index j, const double* weights, double* w) {
  const hn::CappedTag<double, 8> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Column<decltype(d), Code> column(d, tile, j);
  const auto h = hn::Set(d, weights[j]);
  std::int64_t i = 0;
  while (i < WholeBlocks(tile.rows)) {
    column.Enter(d, i);
    for (const std::int64_t end = i + entries_per_exponent; i < end; i += lanes) {
      hn::StoreU(hn::MulAdd(h, column.Load(d, i), hn::LoadU(d, w + i)), d, w + i);
    }
  }
  for (; i < tile.rows; ++i) w[i] += weights[j] * column.LoadOne(i);
}

template <class Code>
struct Add {
  static void Run(const BasisTile& tile, Index columns, const double* weights, double* w) {
    Index j = 0;
    for (; j + 4 <= columns; j += 4) AddFour<Code>(tile, j, BytesAhead<Code>(tile, j, columns), weights, w);
    for (; j < columns; ++j) AddOne<Code>(tile, j, weights, w);
  }
};

template <class Code>
struct DecodeColumn {
  static void Run(const BasisTile& tile, double* out) {
    const hn::CappedTag<double, 8> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    Column<decltype(d), Code> column(d, tile, 0);
    std::int64_t i = 0;
    while (i < WholeBlocks(tile.rows)) {
      column.Enter(d, i);
      for (const std::int64_t end = i + entries_per_exponent; i < end; i += lanes) {
        hn::StoreU(column.Load(d, i), d, out + i);
      }
    }
    for (; i < tile.rows; ++i) out[i] = column.LoadOne(i);
  }
};

/// Operation<Code>::Run(tile, ...) for the tile's storage.
template <template <class> class Operation, class... Arguments>
void ForStorage(const BasisTile& tile, Arguments... arguments) {
  switch (tile.storage) {
    case BasisStorage::float32: return Operation<float>::Run(tile, arguments...);
    case BasisStorage::float16: return Operation<Float16>::Run(tile, arguments...);
    case BasisStorage::bfloat16: return Operation<BFloat16>::Run(tile, arguments...);
    case BasisStorage::int32: return Operation<std::int32_t>::Run(tile, arguments...);
    case BasisStorage::int16: return Operation<std::int16_t>::Run(tile, arguments...);
    case BasisStorage::bfp32: return Operation<BlockFloat32>::Run(tile, arguments...);
    case BasisStorage::bfp16: return Operation<BlockFloat16>::Run(tile, arguments...);
    default: return Operation<double>::Run(tile, arguments...);
  }
}

void ProjectTile(const BasisTile& tile, Index columns, const double* w, const double* u, double* products,
                 double* gram) {
  ForStorage<Project>(tile, columns, w, u, products, gram);
}
void AddTile(const BasisTile& tile, Index columns, const double* weights, double* w) {
  ForStorage<Add>(tile, columns, weights, w);
}
void DecodeTile(const BasisTile& tile, double* out) { ForStorage<DecodeColumn>(tile, out); }

}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace krylite
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krylite {
namespace detail {

HWY_EXPORT(ProjectTile);
HWY_EXPORT(AddTile);
HWY_EXPORT(DecodeTile);

void project_tile(const BasisTile& tile, Index columns, const double* w, const double* u, double* products,
                  double* gram) {
  HWY_DYNAMIC_DISPATCH(ProjectTile)(tile, columns, w, u, products, gram);
}
void add_tile(const BasisTile& tile, Index columns, const double* weights, double* w) {
  HWY_DYNAMIC_DISPATCH(AddTile)(tile, columns, weights, w);
}
void decode_tile(const BasisTile& tile, double* out) { HWY_DYNAMIC_DISPATCH(DecodeTile)(tile, out); }

}  // namespace detail
}  // namespace krylite
#endif
