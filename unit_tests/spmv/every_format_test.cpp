// Every format on every nasty matrix, in every way a product can be asked for.

#include "support/product_reference.hpp"
#include "support/product_test.hpp"

#include <krylite/core/simd.hpp>
#include <krylite/formats/any_matrix.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using krylite::FormatKind;
using krylite::FormatSpec;
using krylite::Index;
using krylite::Kernel;
using krylite::RowOrder;
using krylite::SpmvOptions;
using krylite::Transpose;
using namespace krylite_test;

struct NamedFormat {
  std::string name;
  FormatSpec spec;
};

template <class Change>
NamedFormat variant(const std::string& name, FormatKind kind, const Change& change) {
  FormatSpec spec;
  spec.kind = kind;
  change(spec);
  return {name, spec};
}

/// Formats with the options that change what is stored or which code runs.
std::vector<NamedFormat> formats() {
  std::vector<NamedFormat> all;
  for (const auto& [kind, name] : krylite::format_names) all.push_back(variant(name, kind, [](FormatSpec&) {}));
  for (const auto kernel :
       {krylite::CsrKernel::scalar, krylite::CsrKernel::vector, krylite::CsrKernel::balanced}) {
    all.push_back(variant("csr kernel", FormatKind::csr, [=](FormatSpec& f) { f.csr_kernel = kernel; }));
  }
  for (const Index slice : {1, 4, 32}) {
    all.push_back(variant("sliced_ell", FormatKind::sliced_ell, [=](FormatSpec& f) { f.sliced_ell.slice_size = slice; }));
  }
  for (const Index width : {0, 2}) {
    all.push_back(variant("hyb width", FormatKind::hyb, [=](FormatSpec& f) { f.hyb.ell_width = width; }));
  }
  for (const Index block : {2, 3, 8}) {
    all.push_back(variant("bcsr block", FormatKind::bcsr, [=](FormatSpec& f) { f.bcsr.block_size = block; }));
  }
  for (const Index group : {2, 16, 128}) {
    all.push_back(variant("rgcsr group", FormatKind::rgcsr, [=](FormatSpec& f) { f.rgcsr.group_size = group; }));
  }
  all.push_back(variant("rgcsr unpacked", FormatKind::rgcsr, [](FormatSpec& f) { f.rgcsr.packed = false; }));
  all.push_back(variant("rgcsr windowed", FormatKind::rgcsr, [](FormatSpec& f) {
    f.rgcsr.order = RowOrder::windowed;
    f.rgcsr.order_window = 50;
  }));
  all.push_back(variant("rgcsr descending", FormatKind::rgcsr, [](FormatSpec& f) {
    f.rgcsr.order = RowOrder::descending;
    f.rgcsr.packed = false;
  }));
  for (const Index piece : {1, 3, 17}) {
    all.push_back(variant("adaptive piece " + std::to_string(piece), FormatKind::adaptive_rgcsr,
                          [=](FormatSpec& f) { f.adaptive_rgcsr.piece_length = piece; }));
  }
  all.push_back(variant("rgcsr clusters", FormatKind::rgcsr, [](FormatSpec& f) { f.rgcsr.order = RowOrder::clusters; }));
  for (const Index columns : {5, 64}) {
    all.push_back(variant("adaptive columns " + std::to_string(columns), FormatKind::adaptive_rgcsr, [=](FormatSpec& f) {
      f.adaptive_rgcsr.block_columns = columns;
      f.adaptive_rgcsr.piece_length = 9;
    }));
  }
  all.push_back(variant("adaptive clusters", FormatKind::adaptive_rgcsr,
                        [](FormatSpec& f) { f.adaptive_rgcsr.groups.order = RowOrder::clusters; }));
  all.push_back(variant("csr5 4x16", FormatKind::csr5, [](FormatSpec& f) { f.csr5 = {4, 16}; }));
  all.push_back(variant("csr5 8x12", FormatKind::csr5, [](FormatSpec& f) { f.csr5 = {8, 12}; }));
  all.push_back(variant("csr5 3x2", FormatKind::csr5, [](FormatSpec& f) { f.csr5 = {3, 2}; }));
  return all;
}

constexpr double sentinel = 77;

/// Every pair of alpha and beta.
std::vector<std::pair<double, double>> all_factors() {
  std::vector<std::pair<double, double>> all;
  for (const double alpha : factors) {
    for (const double beta : factors) all.emplace_back(alpha, beta);
  }
  return all;
}

/// Vectors in a block with gaps around: several of them in rows (gaps between the rows) or in columns.
template <class Vector, class Layout, class Space>
struct Block {
  Block(std::size_t size, std::size_t count)
      : rows(size), vectors(count), all("block", size + 3, count + 4), used(Kokkos::subview(
            all, std::make_pair(std::size_t(1), size + 1), std::make_pair(std::size_t(2), count + 2))),
        host(Kokkos::create_mirror_view(all)) {
    Kokkos::deep_copy(host, Vector(sentinel));
  }

  Vector& at(std::size_t i, std::size_t v) const { return host(i + 1, v + 2); }
  void to_device() const { Kokkos::deep_copy(all, host); }
  void to_host() const { Kokkos::deep_copy(host, all); }

  bool gaps_are_untouched() const {
    for (std::size_t i = 0; i < all.extent(0); ++i) {
      for (std::size_t v = 0; v < all.extent(1); ++v) {
        const bool is_used = i >= 1 && i < rows + 1 && v >= 2 && v < vectors + 2;
        if (!is_used && host(i, v) != Vector(sentinel)) return false;
      }
    }
    return true;
  }

  std::size_t rows, vectors;
  Kokkos::View<Vector**, Layout, Space> all;
  Kokkos::View<Vector**, Kokkos::LayoutStride, Space> used;
  typename Kokkos::View<Vector**, Layout, Space>::HostMirror host;
};

template <class Combination>
class EveryFormatTest : public ProductTest<Combination> {
 protected:
  using typename ProductTest<Combination>::Vector;
  using typename ProductTest<Combination>::Space;
  using typename ProductTest<Combination>::Device;
  using ProductTest<Combination>::exec_;
  using ProductTest<Combination>::filled;
  using Matrix = krylite::AnyMatrix<typename Combination::Scalar, typename Combination::Offset, Space>;

  /// One contiguous vector, for pairs of alpha and beta and each kernel in turn.
  void check_vector(const std::string& what, const HostCsr& csr, const Matrix& matrix, SpmvOptions options,
                    const std::vector<Kernel>& kernels,
                    const std::vector<std::pair<double, double>>& pairs = all_factors()) {
    const bool transposed = options.transpose == Transpose::yes;
    const Device x = filled(transposed ? csr.num_rows : csr.num_cols, 3);
    const Device before = filled(transposed ? csr.num_cols : csr.num_rows, 4);
    const auto host_before = to_host(before);
    const ProductReference reference(csr, transposed, to_host(x));
    const Device y("y", before.extent(0));
    for (const Kernel kernel : kernels) {
      options.kernel = kernel;
      for (const auto& [alpha, beta] : pairs) {
        Kokkos::deep_copy(y, before);
        // beta = 0 must not read what is in y.
        if (beta == 0) Kokkos::deep_copy(y, std::numeric_limits<Vector>::quiet_NaN());
        krylite::spmv(exec_, alpha, matrix, x, beta, y, options);
        exec_.fence();
        const double error = reference.template error<Vector>(alpha, beta, host_before, to_host(y));
        ASSERT_LE(error, 1.0) << what << ", alpha " << alpha << ", beta " << beta << ", kernel "
                              << static_cast<int>(kernel) << (transposed ? ", transposed" : "");
      }
    }
  }

  /// Seven vectors with gaps between them, all at once.
  template <class Layout>
  void check_block(const std::string& what, const HostCsr& csr, const Matrix& matrix, const SpmvOptions& options,
                   const std::vector<std::pair<double, double>>& pairs = all_factors()) {
    constexpr std::size_t count = 7;
    const bool transposed = options.transpose == Transpose::yes;
    const Block<Vector, Layout, Space> x(transposed ? csr.num_rows : csr.num_cols, count);
    const Block<Vector, Layout, Space> y(transposed ? csr.num_cols : csr.num_rows, count);
    std::vector<ProductReference> references;
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t i = 0; i < x.rows; ++i) x.at(i, v) = static_cast<Vector>(noise(i, 5 + v));
      references.emplace_back(csr, transposed, [&](std::size_t i) { return x.at(i, v); });
    }
    x.to_device();
    const auto old = [](std::size_t i, std::size_t v) { return static_cast<Vector>(noise(i, 20 + v)); };
    for (const auto& [alpha, beta] : pairs) {
      for (std::size_t v = 0; v < count; ++v) {
        for (std::size_t i = 0; i < y.rows; ++i) {
          y.at(i, v) = beta == 0 ? std::numeric_limits<Vector>::quiet_NaN() : old(i, v);
        }
      }
      y.to_device();
      krylite::spmv(exec_, alpha, matrix, x.used, beta, y.used, options);
      exec_.fence();
      y.to_host();
      for (std::size_t v = 0; v < count; ++v) {
        const auto before = [&](std::size_t i) { return old(i, v); };
        const auto found = [&](std::size_t i) { return y.at(i, v); };
        const std::function<Vector(std::size_t)> as_before = before, as_found = found;
        ASSERT_LE(references[v].template error<Vector>(alpha, beta, as_before, as_found), 1.0)
            << what << ", vector " << v << ", alpha " << alpha << ", beta " << beta
            << (transposed ? ", transposed" : "");
      }
      ASSERT_TRUE(y.gaps_are_untouched()) << what;
    }
  }

  /// Calls check(what, csr, matrix, options) for every matrix in every format.
  template <class Check>
  void for_all(const Check& check) {
    for (const NamedMatrix& named : Combination::matrices()) {
      const auto csr = convert<typename Combination::Scalar, typename Combination::Offset, Space>(named.csr);
      const auto exact = convert<double, std::int64_t, Kokkos::HostSpace>(as_stored(named.csr));
      for (const NamedFormat& format : formats()) {
        SpmvOptions options;
        options.csr_kernel = format.spec.csr_kernel;
        check(named.name + " as " + format.name, exact, krylite::to_format(exec_, csr, format.spec), options);
        if (this->HasFatalFailure()) return;
      }
    }
  }

  /// The values as the matrix's type rounds them, in double.
  static HostCsr as_stored(const HostCsr& csr) {
    HostCsr copy = csr;
    copy.values = HostCsr::values_type("values", csr.values.extent(0));
    for (std::size_t k = 0; k < copy.values.extent(0); ++k) {
      copy.values(k) = static_cast<double>(static_cast<typename Combination::Scalar>(csr.values(k)));
    }
    return copy;
  }
};
TYPED_TEST_SUITE(EveryFormatTest, Combinations);

TYPED_TEST(EveryFormatTest, OneVectorIsWithinTheBound) {
  this->for_all([&](const std::string& what, const HostCsr& csr, const auto& matrix, const SpmvOptions& options) {
    this->check_vector(what, csr, matrix, options, {Kernel::portable, Kernel::automatic});
  });
}

TYPED_TEST(EveryFormatTest, OneVectorTransposedIsWithinTheBound) {
  this->for_all([&](const std::string& what, const HostCsr& csr, const auto& matrix, SpmvOptions options) {
    options.transpose = Transpose::yes;
    this->check_vector(what, csr, matrix, options, {Kernel::automatic});
  });
}

TYPED_TEST(EveryFormatTest, SevenStridedVectorsAreWithinTheBound) {
  bool by_rows = false;
  this->for_all([&](const std::string& what, const HostCsr& csr, const auto& matrix, SpmvOptions options) {
    by_rows = !by_rows;
    for (const Transpose transpose : {Transpose::no, Transpose::yes}) {
      options.transpose = transpose;
      if (by_rows) {
        this->template check_block<Kokkos::LayoutRight>(what, csr, matrix, options);
      } else {
        this->template check_block<Kokkos::LayoutLeft>(what, csr, matrix, options);
      }
    }
  });
}

#ifdef KOKKOS_ENABLE_CUDA
/// Every kernel on every matrix a few times only, so that compute-sanitizer can watch them all.
TYPED_TEST(EveryFormatTest, OnceEachIsWithinTheBound) {
  this->for_all([&](const std::string& what, const HostCsr& csr, const auto& matrix, const SpmvOptions& options) {
    this->check_vector(what, csr, matrix, options, {Kernel::automatic}, {{2.5, -1.0}});
    this->template check_block<Kokkos::LayoutLeft>(what, csr, matrix, options, {{1.0, 0.0}});
  });
}
#endif

/// The instruction sets of the library, each forced in turn.
TYPED_TEST(EveryFormatTest, EveryInstructionSetIsWithinTheBound) {
  for (const std::string& target : krylite::simd_targets()) {
    krylite::set_simd_target(target);
    EXPECT_EQ(krylite::simd_target(), target);
    this->for_all([&](const std::string& what, const HostCsr& csr, const auto& matrix, const SpmvOptions& options) {
      this->check_vector(what + " with " + target, csr, matrix, options, {Kernel::automatic});
    });
  }
  krylite::set_simd_target("best");
}

}  // namespace
