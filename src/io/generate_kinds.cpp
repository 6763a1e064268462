#include "generate_kinds.hpp"

namespace krylite::detail {
namespace {

constexpr double largest_index = std::numeric_limits<Index>::max();
constexpr double largest_whole = 0x1p53;  // up to here every whole number is a double

/// `Unknowns` n^`Power`, or one more than an Index holds where that is larger.
template <int Power, int Unknowns = 1>
std::int64_t polynomial_rows(std::int64_t n) {
  std::int64_t rows = Unknowns;
  for (int factor = 0; factor < Power; ++factor) {
    if (rows > max_rows / n) return max_rows + 1;
    rows *= n;
  }
  return rows;
}

/// 2^n, or one more than an Index holds where that is larger.
std::int64_t exponential_rows(std::int64_t n) { return n > 30 ? max_rows + 1 : std::int64_t(1) << n; }

GeneratorOption shuffle_option() {
  return {"shuffle",     "seed of a random order of rows and columns; without it the natural order",
          std::nullopt,  0,
          largest_whole, true};
}

GeneratorOption seed_option() { return {"seed", "seed of the random numbers", 1, 0, largest_whole, true}; }

KindEntry structured(const char* name, const char* description, const char* size, RowCount rows, Maker make,
                     std::vector<GeneratorOption> options = {}) {
  options.push_back(shuffle_option());
  return {{name, description, size, std::move(options)}, rows, make};
}

KindEntry random_kind(const char* name, const char* description, const char* size, RowCount rows, Maker make,
                      std::vector<GeneratorOption> options = {}) {
  options.push_back(seed_option());
  return structured(name, description, size, rows, make, std::move(options));
}

std::vector<KindEntry> make_table() {
  const char* const side = "grid points a side";
  const char* const rows = "rows";
  const GeneratorOption peclet{"peclet", "strength of the convection", 40, 0, 1e9, false};
  const GeneratorOption eps{"eps", "diffusion along i relative to that along j", 0.01, 1e-15, 1e15, false};
  const GeneratorOption edges{"edges", "edges a vertex, before duplicates are merged", 16, 1, 4096, true};
  const GeneratorOption columns{"columns", "columns; without it 4 n", std::nullopt, 1, largest_index, true};
  return {
      structured("poisson2d", "5-point Laplacian, n^2 rows", side, polynomial_rows<2>, make_poisson2d),
      structured("poisson3d", "7-point Laplacian, n^3 rows", side, polynomial_rows<3>, make_poisson3d),
      structured("stencil27", "27-point operator, n^3 rows", side, polynomial_rows<3>, make_stencil27),
      structured("convection-diffusion", "7-point, not symmetric, n^3 rows", side, polynomial_rows<3>,
                 make_convection_diffusion, {peclet}),
      structured("anisotropic", "5-point, unequal directions, n^2 rows", side, polynomial_rows<2>,
                 make_anisotropic, {eps}),
      structured("elasticity", "27-point, 3 unknowns a node, positive definite, 3 n^3 rows", side,
                 polynomial_rows<3, 3>, make_elasticity),
      random_kind("rmat", "recursive random graph, 2^n rows", "levels; log2 of the vertices",
                  exponential_rows, make_rmat, {edges}),
      random_kind("circuit", "short rows near the diagonal and 6 rows of 15 % of all columns", rows,
                  polynomial_rows<1>, make_circuit),
      random_kind("web", "15 % empty rows, row lengths by a power law; for products only", rows,
                  polynomial_rows<1>, make_web),
      random_kind("lp", "rectangular, about 2,600 entries a row", rows, polynomial_rows<1>, make_lp,
                  {columns}),
      structured("arrow", "dense first row, first column and diagonal", rows, polynomial_rows<1>, make_arrow),
      structured("diagonal-plus-dense-row", "diagonal, and the middle row dense", rows, polynomial_rows<1>,
                 make_diagonal_plus_dense_row),
  };
}

}  // namespace

const std::vector<KindEntry>& kind_table() {
  static const std::vector<KindEntry> table = make_table();
  return table;
}

}  // namespace krylite::detail
