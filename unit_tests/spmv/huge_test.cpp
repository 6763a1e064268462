// Matrices of more than 2^31 stored entries, which take little memory: their columns and values are pages of zeros
// that the system shares until they are written to, and only a few are.

#include "support/expect.hpp"

#include <krylite/formats/any_matrix.hpp>

#include <sys/mman.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

using namespace krylite_test;
using krylite::Index;
using Host = Kokkos::DefaultHostExecutionSpace;
using Space = Kokkos::HostSpace;
using Offset = std::int64_t;

// Under AddressSanitizer the pages would be shadowed by real memory.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_practical = false;
#else
constexpr bool is_practical = true;
#endif

/// An array of zeros as long as the address space allows.
template <class T>
class ZeroPages {
 public:
  explicit ZeroPages(std::int64_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    view_ = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(static_cast<T*>(data_),
                                                                             static_cast<std::size_t>(count));
  }
  ~ZeroPages() { munmap(data_, bytes_); }
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;

  bool is_there() const { return data_ != MAP_FAILED; }
  Kokkos::View<T*, Space> view() const { return view_; }

 private:
  std::size_t bytes_;
  void* data_;
  Kokkos::View<T*, Space> view_;
};

/// Rows of 4096 zeros in column 0, a little more than 2^31 of them in all, but for single entries in the rows around
/// entry 2^31 and at the end.
class HugeMatrixTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t width = 4096;
  static constexpr Index rows = (Index(1) << 19) + 16;
  static constexpr std::int64_t entries = width * rows;
  static constexpr std::int64_t group = 8;
  static_assert(entries > (std::int64_t(1) << 31));

  void SetUp() override {
    if (!is_practical) GTEST_SKIP() << "needs pages that are not there";
    ASSERT_TRUE(columns_.is_there() && values_.is_there()) << "no address space";
    Kokkos::deep_copy(x_, 2.0);
  }

  /// Sets a(row, 1) = value at `place` in the arrays.
  void set(std::int64_t place, float value) {
    columns_.view()(place) = 1;
    values_.view()(place) = value;
  }

  /// The same in groups of rows: entry 17, 0 and the last of the three rows.
  void set_in_groups() {
    const auto place = [](std::int64_t row, std::int64_t k) { return row / group * group * width + k * group + row % group; };
    set(place((1 << 19) - 1, 17), 3);
    set(place(1 << 19, 0), 5);
    set(place(rows - 1, width - 1), 7);
  }

  /// Rows 2^19 - 1, 2^19 and the last hold 3, 5 and 7; all else is 0.
  template <class Matrix>
  void expect_products(const Matrix& matrix) {
    const Host exec;
    for (const auto kernel : {krylite::Kernel::portable, krylite::Kernel::automatic}) {
      krylite::SpmvOptions options;
      options.kernel = kernel;
      const Kokkos::View<double*, Space> y("y", rows);
      krylite::spmv(exec, 1.0, matrix, x_, 0.0, y, options);
      exec.fence();
      for (Index row = 0; row < rows; ++row) {
        const double expected = row == (1 << 19) - 1 ? 6 : row == 1 << 19 ? 10 : row == rows - 1 ? 14 : 0;
        ASSERT_EQ(y(row), expected) << "row " << row;
      }
    }
  }

  ZeroPages<Index> columns_{entries};
  ZeroPages<float> values_{entries};
  Kokkos::View<double*, Space> x_{"x", 2};
};

TEST_F(HugeMatrixTest, Csr) {
  const Kokkos::View<Offset*, Space> row_pointers("row_pointers", rows + 1);
  for (Index row = 0; row <= rows; ++row) row_pointers(row) = row * width;
  const krylite::CsrMatrix<float, Offset, Space> csr(rows, 2, row_pointers, columns_.view(), values_.view());
  set(((1 << 19) - 1) * width + 17, 3);
  set((1 << 19) * width, 5);
  set(entries - 1, 7);
  expect_products(csr);
  expect_error([&] { krylite::convert_types<float, std::int32_t>(Host(), csr); }, "2147549184 entries", "32-bit");
}

TEST_F(HugeMatrixTest, SlicedEll) {
  krylite::SlicedEllMatrix<float, Offset, Space> matrix;
  matrix.num_rows = rows;
  matrix.num_cols = 2;
  matrix.slice_size = group;
  matrix.entries = entries;
  matrix.slice_pointers = Kokkos::View<Offset*, Space>("slice_pointers", rows / group + 1);
  for (Index slice = 0; slice <= rows / group; ++slice) matrix.slice_pointers(slice) = slice * width * group;
  matrix.columns = columns_.view();
  matrix.values = values_.view();
  set_in_groups();
  expect_products(matrix);
}

TEST_F(HugeMatrixTest, RgCsrAndAdaptiveRgCsr) {
  krylite::RgCsrMatrix<float, Offset, Space> matrix;
  matrix.num_rows = rows;
  matrix.num_cols = 2;
  matrix.group_size = group;
  matrix.entries = entries;
  matrix.group_pointers = Kokkos::View<Offset*, Space>("group_pointers", rows / group + 1);
  for (Index g = 0; g <= rows / group; ++g) matrix.group_pointers(g) = g * width * group;
  matrix.row_lengths = Kokkos::View<Index*, Space>("row_lengths", rows);
  Kokkos::deep_copy(matrix.row_lengths, Index(width));
  matrix.columns = columns_.view();
  matrix.values = values_.view();
  set_in_groups();
  expect_products(matrix);

  krylite::AdaptiveRgCsrMatrix<float, Offset, Space> adaptive;
  adaptive.num_rows = rows;
  adaptive.num_cols = 2;
  adaptive.pieces = matrix;
  adaptive.targets = Kokkos::View<Index*, Space>("targets", rows);
  for (Index row = 0; row < rows; ++row) adaptive.targets(row) = row;
  expect_products(adaptive);
}

}  // namespace
