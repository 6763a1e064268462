#include "support/dense_block.hpp"
#include "support/expect.hpp"
#include "support/types.hpp"

#include <krylite/preconditioners/block_jacobi.hpp>
#include <krylite/preconditioners/jacobi.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using krylite::BlockJacobiOptions;
using krylite::BlockStorage;
using krylite::Index;
using namespace krylite_test;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr BlockStorage fixed_storages[] = {BlockStorage::float64, BlockStorage::float32, BlockStorage::float16};

double unit_roundoff(BlockStorage storage) {
  return storage == BlockStorage::float16 ? 0x1p-11 : storage == BlockStorage::float32 ? 0x1p-24 : 0x1p-53;
}

/// The stored inverse of `block` is within the bound of the inversion and of one rounding an entry.
void expect_inverse(const Block& block, const Block& stored, BlockStorage storage, const std::string& what) {
  const InverseReference reference = reference_inverse(block);
  // float16 below 2^-14 is a multiple of 2^-24, in units that make the largest entry at least 2^14.
  const long double subnormal = storage == BlockStorage::float16 ? 0x1p-39L * reference.largest : 0;
  const double u = storage == BlockStorage::float64 ? 0 : unit_roundoff(storage);
  for (std::size_t i = 0; i < block.size(); ++i) {
    for (std::size_t j = 0; j < block.size(); ++j) {
      const long double exact = reference.inverse[i][j];
      const long double bound =
          reference.error + std::max(u * (std::abs(exact) + reference.error), subnormal);
      EXPECT_LE(std::abs(stored[i][j] - exact), bound) << what << ": entry " << i << ", " << j;
    }
  }
}

template <class ExecutionSpace>
class BlockJacobiTest : public ::testing::Test {
 protected:
  using Space = typename ExecutionSpace::memory_space;
  using Preconditioner = krylite::BlockJacobiPreconditioner<Space>;
  using Vector = Kokkos::View<double*, Space>;

  static auto device_csr(const HostCsr& csr) { return convert<double, std::int32_t, Space>(csr); }

  Preconditioner make(const std::vector<Block>& blocks, BlockStorage storage) const {
    BlockJacobiOptions options;
    options.storage = storage;
    return krylite::make_block_jacobi(exec_, device_csr(with_blocks(blocks)), pointers_of(blocks), options);
  }

  static Vector device_vector(const std::vector<double>& values) {
    const Vector view("vector", values.size());
    const auto host = Kokkos::create_mirror_view(view);
    std::copy(values.begin(), values.end(), host.data());
    Kokkos::deep_copy(view, host);
    return view;
  }

  std::vector<double> apply(const Preconditioner& M, const std::vector<double>& x) const {
    const Vector y("y", x.size());
    Kokkos::deep_copy(y, nan);
    M.apply(exec_, device_vector(x), y);
    exec_.fence();
    const auto host = to_host(y);
    return std::vector<double>(host.data(), host.data() + x.size());
  }

  static std::vector<Block> scaled(std::vector<Block> blocks, double factor) {
    for (Block& block : blocks) {
      for (auto& row : block) {
        for (double& value : row) value *= factor;
      }
    }
    return blocks;
  }

  /// What is stored, by products with unit vectors, which are exact.
  std::vector<Block> stored(const Preconditioner& M, const std::vector<Index>& pointers) const {
    std::vector<Block> result;
    Index largest = 0;
    for (std::size_t b = 0; b + 1 < pointers.size(); ++b) {
      const Index size = pointers[b + 1] - pointers[b];
      result.emplace_back(size, std::vector<double>(size));
      largest = std::max(largest, size);
    }
    for (Index j = 0; j < largest; ++j) {
      std::vector<double> x(pointers.back(), 0.0);
      for (std::size_t b = 0; b < result.size(); ++b) {
        if (pointers[b] + j < pointers[b + 1]) x[pointers[b] + j] = 1;
      }
      const std::vector<double> y = apply(M, x);
      for (std::size_t b = 0; b < result.size(); ++b) {
        const Index size = pointers[b + 1] - pointers[b];
        for (Index i = 0; j < size && i < size; ++i) result[b][i][j] = y[pointers[b] + i];
      }
    }
    return result;
  }

  /// y is the product with what is stored, within the rounding of as many products and sums.
  static void expect_product(const std::vector<Block>& inverses, const std::vector<Index>& pointers,
                             const std::vector<double>& x, const Vector& y, const std::string& what) {
    const auto found = to_host(y);
    for (std::size_t b = 0; b < inverses.size(); ++b) {
      for (std::size_t i = 0; i < inverses[b].size(); ++i) {
        long double sum = 0, magnitude = 0;
        for (std::size_t j = 0; j < inverses[b].size(); ++j) {
          const long double term = (long double)inverses[b][i][j] * x[pointers[b] + j];
          sum += term;
          magnitude += std::abs(term);
        }
        const double u = 0x1p-53;
        const double terms = double(inverses[b].size());
        EXPECT_LE(std::abs(found(pointers[b] + i) - sum), terms * u / (1 - terms * u) * magnitude)
            << what << ": block " << b << ", row " << i;
      }
    }
  }

  static void expect_counts(const Preconditioner& M, std::int64_t float64, std::int64_t float32, std::int64_t float16,
                            const std::string& what) {
    EXPECT_EQ(M.float64_blocks, float64) << what;
    EXPECT_EQ(M.float32_blocks, float32) << what;
    EXPECT_EQ(M.float16_blocks, float16) << what;
  }

  ExecutionSpace exec_;
};
TYPED_TEST_SUITE(BlockJacobiTest, Spaces);

std::string label(BlockStorage storage) { return "storage " + std::to_string(int(storage)); }

TYPED_TEST(BlockJacobiTest, BlocksWhoseInverseIsExactAreExactInEveryStorage) {
  const std::vector<Block> blocks = {{{0, 1}, {1, 0}},
                                     {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
                                     {{0, 2}, {4, 0}},
                                     {{1, 2}, {1, 3}},
                                     {{1, 0}, {0, 0x1p27}},
                                     {{0, 0, 0, 8}, {0, 2, 2, 0}, {0, 0, 1, 0}, {-4, 0, 0, 0}}};
  const std::vector<Block> inverses = {{{0, 1}, {1, 0}},
                                       {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                       {{0, 0.25}, {0.5, 0}},
                                       {{3, -2}, {-1, 1}},
                                       {{1, 0}, {0, 0x1p-27}},
                                       {{0, 0, 0, -0.25}, {0, 0.5, -1, 0}, {0, 0, 1, 0}, {0.125, 0, 0, 0}}};
  for (const BlockStorage storage : fixed_storages) {
    const auto M = this->make(blocks, storage);
    EXPECT_EQ(M.replaced, 0);
    EXPECT_EQ(this->stored(M, pointers_of(blocks)), inverses) << label(storage);
  }
}

TYPED_TEST(BlockJacobiTest, EverySizeAndStorageIsWithinTheBoundOfItsRoundoff) {
  for (Index size = 1; size <= 32; ++size) {
    // The last block is smaller, where it can be.
    std::vector<Block> blocks = {noise_block(size, 3 * size), noise_block(size, 3 * size + 1)};
    if (size > 1) blocks.push_back(noise_block((size + 1) / 2, 3 * size + 2));
    const std::vector<Index> pointers = pointers_of(blocks);
    const auto csr = this->device_csr(with_blocks(blocks));
    for (const BlockStorage storage : fixed_storages) {
      const std::string what = "size " + std::to_string(size) + ", " + label(storage);
      BlockJacobiOptions options;
      options.block_size = size;
      options.storage = storage;
      const auto M = krylite::make_block_jacobi(this->exec_, csr, options);
      EXPECT_EQ(M.replaced, 0) << what;
      ASSERT_EQ(M.num_blocks(), std::int64_t(blocks.size())) << what;
      const std::vector<Block> inverses = this->stored(M, pointers);
      for (std::size_t b = 0; b < blocks.size(); ++b) expect_inverse(blocks[b], inverses[b], storage, what);

      // Both kernels on every space, whichever it uses.
      std::vector<double> x(pointers.back());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = noise(i, 77);
      const auto device_x = this->device_vector(x);
      const typename TestFixture::Vector y("y", x.size()), z("z", x.size());
      krylite::detail::multiply_by_blocks(this->exec_, M, device_x, y);
      krylite::detail::multiply_by_rows(this->exec_, M, device_x, z);
      this->exec_.fence();
      this->expect_product(inverses, pointers, x, y, what + ", by blocks");
      this->expect_product(inverses, pointers, x, z, what + ", by rows");
    }
  }
}

TYPED_TEST(BlockJacobiTest, SmallPivotsArePassedOver) {
  const std::vector<Block> blocks = {{{1e-20, 1}, {1, 1}}, {{1, 1, 0}, {1, 1 + 0x1p-50, 1}, {0, 1, 1}}};
  const auto M = this->make(blocks, BlockStorage::float64);
  const std::vector<Block> found = this->stored(M, pointers_of(blocks));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    expect_inverse(blocks[b], found[b], BlockStorage::float64, "block " + std::to_string(b));
  }
}

TYPED_TEST(BlockJacobiTest, StorageIsTheNarrowestThatTheConditionNumberAllows) {
  const auto diagonal = [](double condition) { return Block{{condition, 0}, {0, 1}}; };
  const auto shear = [](double c) { return Block{{1, c}, {0, 1}}; };  // condition number (1 + c)^2
  // (1 + c)^2 and (1 + 2 c)^2, by columns; by rows it would be the other way round.
  const auto wide = [](double c) { return Block{{1, c, c}, {0, 1, 0}, {0, 0, 1}}; };
  const auto tall = [](double c) { return Block{{1, 0, 0}, {c, 1, 0}, {c, 0, 1}}; };
  struct {
    Block block;
    BlockStorage expected;
  } const cases[] = {
      // 0.1 * 2^11 = 204.8, 0.1 * 2^24 = 1677721.6
      {diagonal(1), BlockStorage::float16},       {diagonal(204), BlockStorage::float16},
      {diagonal(205), BlockStorage::float32},     {diagonal(1677721), BlockStorage::float32},
      {diagonal(1677722), BlockStorage::float64}, {diagonal(1e18), BlockStorage::float64},
      {shear(13), BlockStorage::float16},         {shear(14), BlockStorage::float32},
      {shear(1294), BlockStorage::float32},       {shear(1295), BlockStorage::float64},
      {wide(13), BlockStorage::float16},          {wide(14), BlockStorage::float32},
      {tall(6), BlockStorage::float16},           {tall(7), BlockStorage::float32},
      {{{0x1p-1000}}, BlockStorage::float16},     {{{1e300, 0}, {0, 1e-300}}, BlockStorage::float64}};
  std::vector<Block> blocks;
  for (const auto& it : cases) blocks.push_back(it.block);
  const auto M = this->make(blocks, BlockStorage::automatic);
  const auto storages = to_host(M.storages);
  const std::vector<Block> inverses = this->stored(M, pointers_of(blocks));
  std::int64_t counts[4] = {};
  std::int64_t bytes = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    EXPECT_EQ(int(storages(b)), int(cases[b].expected)) << "block " << b;
    ++counts[int(cases[b].expected)];
    const std::int64_t width[] = {0, 8, 4, 2};
    const auto size = static_cast<std::int64_t>(blocks[b].size());
    bytes += (size * size * width[int(cases[b].expected)] + 7) / 8 * 8;
    expect_inverse(blocks[b], inverses[b], cases[b].expected, "block " + std::to_string(b));
  }
  this->expect_counts(M, counts[1], counts[2], counts[3], "as listed");
  EXPECT_EQ(std::int64_t(M.values.extent(0)), bytes);
}

TYPED_TEST(BlockJacobiTest, ThresholdMovesTheChoiceAndAStorageOverridesIt) {
  const auto csr = this->device_csr(make_csr(3, {{{0, 1.0}}, {{1, 300.0}}, {{2, 1.0}}}));
  const std::vector<Index> pointers = {0, 2, 3};  // condition numbers 300 and 1
  BlockJacobiOptions options;
  const auto make = [&] { return krylite::make_block_jacobi(this->exec_, csr, pointers, options); };
  this->expect_counts(make(), 0, 1, 1, "0.1");
  options.threshold = 0.2;
  this->expect_counts(make(), 0, 0, 2, "0.2");
  options.threshold = 300 * 0x1p-11;
  this->expect_counts(make(), 0, 0, 2, "exactly what 300 asks for");
  options.threshold = std::nextafter(300 * 0x1p-11, 0.0);
  this->expect_counts(make(), 0, 1, 1, "just below");
  options.threshold = 1e-5;
  this->expect_counts(make(), 1, 1, 0, "1e-5");
  options.threshold = 0;
  this->expect_counts(make(), 2, 0, 0, "0");
  options.storage = BlockStorage::float64;
  this->expect_counts(make(), 2, 0, 0, "float64");
  options.storage = BlockStorage::float32;
  this->expect_counts(make(), 0, 2, 0, "float32");
  options.storage = BlockStorage::float16;
  this->expect_counts(make(), 0, 0, 2, "float16");
}

TYPED_TEST(BlockJacobiTest, BytesAreThoseOfTheArrays) {
  std::vector<Block> blocks(3, noise_block(3, 1));
  // 4 pointers, 9 rows, 3 storages, 3 factors, 4 offsets, and 3 x 3 entries filled up to a multiple of 8.
  const std::size_t around = 4 * 4 + 9 * 4 + 3 * 1 + 3 * 8 + 4 * 8;
  EXPECT_EQ(this->make(blocks, BlockStorage::float64).bytes(), around + 3 * 72);
  EXPECT_EQ(this->make(blocks, BlockStorage::float32).bytes(), around + 3 * 40);
  EXPECT_EQ(this->make(blocks, BlockStorage::float16).bytes(), around + 3 * 24);
}

TYPED_TEST(BlockJacobiTest, SingularBlocksBecomeTheIdentity) {
  const std::vector<Block> blocks = {{{1, 2}, {2, 4}},
                                     {{0, 0}, {0, 0}},
                                     {{2, 0}, {0, 4}},
                                     {{1, 1, 0}, {1, 1, 0}, {0, 0, 1}},
                                     {{1e-320, 0}, {0, 1}},
                                     {{0x1p-1000, 0x1p-999}, {0x1p-999, 0x1p-998}},
                                     {{0x1p+1000, 0x1p+1001}, {0x1p+1001, 0x1p+1002}},
                                     {{0}}};
  const auto identity = [](Index size) {
    Block block(size, std::vector<double>(size));
    for (Index i = 0; i < size; ++i) block[i][i] = 1;
    return block;
  };
  for (const BlockStorage storage : {BlockStorage::automatic, BlockStorage::float64, BlockStorage::float16}) {
    const auto M = this->make(blocks, storage);
    EXPECT_EQ(M.replaced, 7);
    // The condition number is that of the identity.
    if (storage == BlockStorage::automatic) this->expect_counts(M, 0, 0, 8, label(storage));
    const std::vector<Block> found = this->stored(M, pointers_of(blocks));
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Block expected = b == 2 ? Block{{0.5, 0}, {0, 0.25}} : identity(Index(blocks[b].size()));
      EXPECT_EQ(found[b], expected) << "block " << b << ", " << label(storage);
    }
  }
}

/// Singular in decimal, but with a pivot that is rounding: the inverse would have no right digit. Scales do not matter,
/// and what is only badly conditioned stays.
TYPED_TEST(BlockJacobiTest, BlocksThatAreSingularButForRoundingAreReplaced) {
  const std::vector<Block> blocks = {{{1, 3}, {0.1, 0.3}},
                                     {{1e200, 3e200}, {0.1e-200, 0.3e-200}},
                                     {{1e-150, 3e150}, {0.1e-150, 0.3e150}},
                                     {{1, 1}, {1, 1 + 1e-13}},
                                     {{1, 1e-30}, {1, 2e-30}},
                                     {{1, 0}, {0, 1e-300}}};
  EXPECT_EQ(this->make(blocks, BlockStorage::automatic).replaced, 3);
}

TYPED_TEST(BlockJacobiTest, RowsWithoutEntriesMakeASingularBlock) {
  const auto csr = this->device_csr(make_csr(4, {{{0, 2.0}}, {}, {{2, 4.0}}, {{3, 4.0}}}));
  BlockJacobiOptions options;
  options.block_size = 2;
  const auto M = krylite::make_block_jacobi(this->exec_, csr, options);
  EXPECT_EQ(M.replaced, 1);
  EXPECT_EQ(this->apply(M, {3, 5, 8, 4}), (std::vector<double>{3, 5, 2, 1}));
}

TYPED_TEST(BlockJacobiTest, NaNIsNotHiddenAndStaysInItsBlock) {
  const std::vector<Block> blocks = {{{2, 0}, {0, 2}}, {{1, 0}, {nan, 1}}, {{0, nan}, {0, 0}}, {{4}}};
  for (const BlockStorage storage :
       {BlockStorage::automatic, BlockStorage::float64, BlockStorage::float32, BlockStorage::float16}) {
    const auto M = this->make(blocks, storage);
    EXPECT_EQ(M.replaced, 0) << label(storage);
    const std::vector<double> y = this->apply(M, {2, 4, 1, 1, 1, 1, 4});
    for (const int i : {2, 3, 4, 5}) EXPECT_TRUE(std::isnan(y[i])) << "row " << i << ", " << label(storage);
    EXPECT_EQ(y[0], 1);
    EXPECT_EQ(y[1], 2);
    EXPECT_EQ(y[6], 1);
  }
}

TYPED_TEST(BlockJacobiTest, PowersOfTwoScaleTheInverseAndChangeNothingElse) {
  const std::vector<Block> blocks = {noise_block(4, 5), noise_block(7, 6), {{1, 1e4}, {0, 1}}, {{3}}};
  for (const BlockStorage storage :
       {BlockStorage::automatic, BlockStorage::float64, BlockStorage::float32, BlockStorage::float16}) {
    const auto plain = this->make(blocks, storage);
    const std::vector<Block> inverses = this->stored(plain, pointers_of(blocks));
    for (const double scale : {0x1p+997, 0x1p-997}) {
      const auto M = this->make(this->scaled(blocks, scale), storage);
      EXPECT_EQ(M.replaced, 0);
      this->expect_counts(M, plain.float64_blocks, plain.float32_blocks, plain.float16_blocks, label(storage));
      EXPECT_EQ(this->scaled(this->stored(M, pointers_of(blocks)), scale), inverses) << scale << ", " << label(storage);
    }
  }
}

TYPED_TEST(BlockJacobiTest, ExtremeScalesMeetTheirBounds) {
  const std::vector<Block> blocks = {noise_block(4, 1, 1e300), noise_block(4, 2, 1e-300), noise_block(5, 3),
                                     {{1.5e308}}, {{2.3e-308}}};
  for (const BlockStorage storage : fixed_storages) {
    const auto M = this->make(blocks, storage);
    EXPECT_EQ(M.replaced, 0);
    const std::vector<Block> found = this->stored(M, pointers_of(blocks));
    for (std::size_t b = 0; b < 3; ++b) expect_inverse(blocks[b], found[b], storage, "block " + std::to_string(b));
    // The inverse of the largest numbers is subnormal in double already, a multiple of 2^-1074.
    for (std::size_t b = 3; b < 5; ++b) {
      const long double exact = 1 / (long double)blocks[b][0][0];
      EXPECT_LE(std::abs(found[b][0][0] - exact), (unit_roundoff(storage) + 0x1p-53) * exact + 0x1p-1074L) << b;
    }
  }
}

TYPED_TEST(BlockJacobiTest, LargeVectorsDoNotOverflowInside) {
  const std::vector<Block> blocks = {{{1, 0}, {0, 1}}, {{1e300}}};
  for (const BlockStorage storage : fixed_storages) {
    const std::vector<double> y = this->apply(this->make(blocks, storage), {1e308, -1e308, 1e308});
    EXPECT_EQ(y[0], 1e308);
    EXPECT_EQ(y[1], -1e308);
    EXPECT_LE(std::fabs(y[2] - 1e8), (unit_roundoff(storage) + 0x1p-51) * 1e8) << label(storage);
  }
}

TYPED_TEST(BlockJacobiTest, BlockPointersMayBeAVectorOrAViewAnywhere) {
  std::vector<Block> blocks;
  for (const Index size : {1, 3, 32, 2, 5, 1, 17, 16, 9}) blocks.push_back(noise_block(size, 40 + size));
  const std::vector<Index> pointers = pointers_of(blocks);
  const auto csr = this->device_csr(with_blocks(blocks));
  BlockJacobiOptions options;
  options.storage = BlockStorage::float64;
  const auto M = krylite::make_block_jacobi(this->exec_, csr, pointers, options);
  const std::vector<Block> inverses = this->stored(M, pointers);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    expect_inverse(blocks[b], inverses[b], BlockStorage::float64, "block " + std::to_string(b));
  }

  const Kokkos::View<Index*, Kokkos::HostSpace> host("pointers", pointers.size());
  std::copy(pointers.begin(), pointers.end(), host.data());
  const auto device = Kokkos::create_mirror_view_and_copy(typename TestFixture::Space(), host);
  for (const auto& other : {krylite::make_block_jacobi(this->exec_, csr, host, options),
                            krylite::make_block_jacobi(this->exec_, csr, device, options)}) {
    expect_same_bits(M.values, other.values, "values");
    expect_same_bits(M.offsets, other.offsets, "offsets");
    expect_same_bits(M.row_blocks, other.row_blocks, "row_blocks");
  }

  // By rows the block of a row is looked up.
  std::vector<double> x(pointers.back());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = noise(i, 78);
  const typename TestFixture::Vector y("y", x.size());
  krylite::detail::multiply_by_rows(this->exec_, M, this->device_vector(x), y);
  this->exec_.fence();
  this->expect_product(inverses, pointers, x, y, "by rows");
}

TYPED_TEST(BlockJacobiTest, BlockSizeIsTheSameAsItsPointers) {
  const std::vector<Block> blocks = {noise_block(5, 1), noise_block(5, 2), noise_block(3, 3)};
  const auto csr = this->device_csr(with_blocks(blocks));
  BlockJacobiOptions options;
  options.block_size = 5;
  const auto by_size = krylite::make_block_jacobi(this->exec_, csr, options);
  const auto by_pointers = krylite::make_block_jacobi(this->exec_, csr, pointers_of(blocks));
  expect_same_bits(by_size.block_pointers, by_pointers.block_pointers, "block_pointers");
  expect_same_bits(by_size.storages, by_pointers.storages, "storages");
  expect_same_bits(by_size.factors, by_pointers.factors, "factors");
  expect_same_bits(by_size.offsets, by_pointers.offsets, "offsets");
  expect_same_bits(by_size.values, by_pointers.values, "values");
}

TYPED_TEST(BlockJacobiTest, RefusesWhatIsNoPartitionOfTheRows) {
  const auto csr = this->device_csr(make_csr(40, Rows(40, {{0, 1.0}})));
  const auto make = [&](const std::vector<Index>& pointers) {
    return [&, pointers] { krylite::make_block_jacobi(this->exec_, csr, pointers); };
  };
  expect_error(make({}), "at least one");
  expect_error(make({1, 20, 40}), "from 1 to 40", "not from 0 to 40");
  expect_error(make({0, 20, 41}), "from 0 to 41", "not from 0 to 40");
  expect_error(make({0, 20, 39}), "from 0 to 39");
  expect_error(make({0}), "from 0 to 0");
  expect_error(make({0, 20, 20, 40}), "block 1", "from 20 to 20", "size 0");
  expect_error(make({0, 20, 10, 40}), "block 1", "from 20 to 10", "size -10");
  expect_error(make({0, 7, 40}), "block 1", "from 7 to 40", "size 33");
  EXPECT_NO_THROW(make({0, 8, 40})());
}

TYPED_TEST(BlockJacobiTest, RefusesOptionsAndShapesThatCannotBe) {
  const auto csr = this->device_csr(make_csr(2, {{{0, 1}}, {{1, 1}}}));
  BlockJacobiOptions options;
  for (const Index size : {0, -4, 33}) {
    options.block_size = size;
    expect_error([&] { krylite::make_block_jacobi(this->exec_, csr, options); }, "1 to 32", std::to_string(size));
  }
  options.block_size = 2;
  for (const double threshold : {-0.1, 1.0, nan, infinity}) {
    options.threshold = threshold;
    expect_error([&] { krylite::make_block_jacobi(this->exec_, csr, options); }, "threshold", "[0, 1)");
  }
  const auto wide = this->device_csr(make_csr(3, {{{0, 1}}, {{1, 1}}}));
  expect_error([&] { krylite::make_block_jacobi(this->exec_, wide); }, "square", "2 x 3");
  expect_error([&] { krylite::make_block_jacobi(this->exec_, wide, std::vector<Index>{0, 2}); }, "square", "2 x 3");

  const auto M = krylite::make_block_jacobi(this->exec_, csr);
  const typename TestFixture::Vector two("two", 2), three("three", 3);
  expect_error([&] { M.apply(this->exec_, three, two); }, "2 rows", "x has 3");
  expect_error([&] { M.apply(this->exec_, two, three); }, "y 3");
}

TYPED_TEST(BlockJacobiTest, MatricesSmallerThanABlock) {
  BlockJacobiOptions options;
  for (const Index size : {1, 4, 32}) {
    options.block_size = size;
    const auto none = krylite::make_block_jacobi(this->exec_, this->device_csr(make_csr(0, {})), options);
    EXPECT_EQ(none.num_blocks(), 0);
    EXPECT_EQ(none.replaced, 0);
    EXPECT_TRUE(this->apply(none, {}).empty());

    const auto one = krylite::make_block_jacobi(this->exec_, this->device_csr(make_csr(1, {{{0, 4.0}}})), options);
    EXPECT_EQ(one.num_blocks(), 1);
    EXPECT_EQ(this->apply(one, {6}), std::vector<double>{1.5});
  }
  const auto csr = this->device_csr(make_csr(3, {{{1, 2.0}}, {{0, 4.0}}, {{2, 8.0}}}));
  EXPECT_EQ(this->apply(krylite::make_block_jacobi(this->exec_, csr, options), {2, 4, 8}),
            (std::vector<double>{1, 1, 1}));
  const auto none = krylite::make_block_jacobi(this->exec_, this->device_csr(make_csr(0, {})), std::vector<Index>{0});
  EXPECT_EQ(none.num_blocks(), 0);
  EXPECT_TRUE(this->apply(none, {}).empty());
}

TYPED_TEST(BlockJacobiTest, BlocksOfOneRowAreJacobi) {
  Rows rows = {{{0, 3.0}, {1, 9.0}},  {{0, 1.0}},         {{2, 0.0}},    {{3, 1.0}, {3, 3.1}, {0, 5.0}},
               {{4, 1e-320}},         {{5, -0.7}},        {{6, nan}},    {{7, infinity}},
               {{8, 1.7e308}},        {{9, 2.3e-308}}};
  for (Index i = 10; i < 300; ++i) rows.push_back({{i, noise(i) * std::pow(10.0, i % 100)}, {i - 1, 2.0}});
  const auto csr = this->device_csr(make_csr(300, rows));
  BlockJacobiOptions options;
  options.block_size = 1;
  options.storage = BlockStorage::float64;
  const auto M = krylite::make_block_jacobi(this->exec_, csr, options);
  const auto jacobi = krylite::make_jacobi(this->exec_, csr);
  EXPECT_EQ(M.replaced, jacobi.replaced);
  EXPECT_EQ(jacobi.replaced, 3);
  std::vector<double> x(300);
  for (Index i = 0; i < 300; ++i) x[i] = noise(i, 2);
  const typename TestFixture::Vector expected("expected", 300);
  jacobi.apply(this->exec_, this->device_vector(x), expected);
  this->exec_.fence();
  const auto y = this->apply(M, x);
  const auto host = to_host(expected);
  for (Index i = 0; i < 300; ++i) {
    if (i == 6) {
      EXPECT_TRUE(std::isnan(y[i]) && std::isnan(host(i)));
    } else {
      EXPECT_EQ(y[i], host(i)) << i;
    }
  }
}

TYPED_TEST(BlockJacobiTest, DuplicatesCountAsTheirSum) {
  // [4 1; 2 3] in parts, in any order, with a zero that cancels.
  const auto parts = this->device_csr(
      make_csr(2, {{{1, 0.5}, {0, 3.0}, {1, 0.5}, {0, 1.0}}, {{0, 7.0}, {1, 2.0}, {0, -5.0}, {1, 1.0}}}));
  const auto whole = this->device_csr(make_csr(2, {{{0, 4.0}, {1, 1.0}}, {{0, 2.0}, {1, 3.0}}}));
  BlockJacobiOptions options;
  options.storage = BlockStorage::float64;
  const auto M = krylite::make_block_jacobi(this->exec_, parts, options);
  expect_same_bits(krylite::make_block_jacobi(this->exec_, whole, options).values, M.values, "values");
  expect_inverse({{4, 1}, {2, 3}}, this->stored(M, {0, 2})[0], BlockStorage::float64, "sums");
}

TYPED_TEST(BlockJacobiTest, OtherTypesOfTheMatrix) {
  const HostCsr csr = make_csr(2, {{{0, 0.0}, {1, 2.0}}, {{0, 4.0}, {1, 0.0}}});
  using Memory = typename TestFixture::Space;
  const auto single = krylite::make_block_jacobi(this->exec_, convert<float, std::int64_t, Memory>(csr));
  const auto half = krylite::make_block_jacobi(this->exec_, convert<krylite::Float16, std::int32_t, Memory>(csr));
  for (const auto& M : {single, half}) EXPECT_EQ(this->apply(M, {2, 4}), (std::vector<double>{1, 1}));
}

TYPED_TEST(BlockJacobiTest, RepeatsBitForBitAndLeavesXAlone) {
  std::vector<Block> blocks;
  for (Index b = 0; b < 200; ++b) blocks.push_back(noise_block(1 + b % 13, 500 + b));
  const auto csr = this->device_csr(with_blocks(blocks));
  const auto M = krylite::make_block_jacobi(this->exec_, csr, pointers_of(blocks));
  EXPECT_GT(M.float16_blocks, 0);
  EXPECT_GT(M.float32_blocks, 0);
  std::vector<double> values(csr.num_rows);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = noise(i, 9);
  const auto x = this->device_vector(values);
  const typename TestFixture::Vector y("y", values.size());
  M.apply(this->exec_, x, y);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto again = krylite::make_block_jacobi(this->exec_, csr, pointers_of(blocks));
    const typename TestFixture::Vector z("z", values.size());
    again.apply(this->exec_, x, z);
    this->exec_.fence();
    expect_same_bits(M.storages, again.storages, "storages");
    expect_same_bits(M.factors, again.factors, "factors");
    expect_same_bits(M.values, again.values, "values");
    expect_same_bits(y, z, "y");
  }
  expect_same_bits(this->device_vector(values), x, "x");
}

}  // namespace
