#ifndef KRYLITE_IO_GENERATE_HPP
#define KRYLITE_IO_GENERATE_HPP

/// \file
/// Generated systems: matrices that are the same for everyone, named by a text that stands wherever a file
/// name does, `gen:KIND:N[:key=value...]` (`gen:convection-diffusion:128:peclet=40`).
///
/// On a grid of n points a side, h = 1/(n + 1), rows numbered i n + j or (i n + j) n + k, and neighbours
/// outside of the grid dropped:
///
///     poisson2d, poisson3d   4 or 6 on the diagonal, -1 to the 4 or 6 nearest neighbours
///     stencil27              26 + 1e-3 on the diagonal, -1 to the 26 neighbours
///     convection-diffusion   6 on the diagonal, -1 -+ v_d h/2 to the neighbour in -d and +d;
///                            v = (P sin 3y, -P cos 2x, P/2) along (i, j, k), x = (i+1) h, y = (j+1) h
///     anisotropic            2-D: 2 + 2 eps + 1e-4 on the diagonal, -eps along i, -1 along j
///     elasticity             3 unknowns a node, node p with its 26 neighbours q = p + d (81 entries a row):
///                            -W_d off the diagonal, 1e-3 I + sum over all 26 d of W_d on it, where
///                            W_d = I/2 + d d^T/(d.d) + ones/8. Each W_d is positive definite, so
///                            x^T A x = 1e-3 x.x + sum over pairs of (x_p - x_q)^T W_d (x_p - x_q) + (edge
///                            terms) is positive: A is symmetric positive definite
///
/// and without a grid:
///
///     rmat                   2^n vertices, `edges` 2^n edges; each of n levels picks a quadrant with
///     probability
///                            0.57, 0.19, 0.19, 0.05. Edges that coincide are stored once, with a random
///                            value in (0, 1]. A graph: nothing is added to the diagonal
///     circuit                6 evenly spaced rows of 15 % of all columns; the others the diagonal and a
///     geometric
///                            number (p = 0.3; 1, 2, ...) of entries, 90 % of them at most 1,000 from it
///     web                    15 % of the rows are empty; P(length >= k) = k^-1.25 for the others, up to n/4:
///     the
///                            diagonal and entries of which 70 % are at most 500 from it while there is room.
///                            For products only: the empty rows make it singular
///     lp                     n x `columns`, row lengths exponential with mean 2,600, at least 1 and at most
///                            `columns`, spread over all columns; values in [-1, 1]. Never dominant
///     arrow                  first row, first column and diagonal; -1, with n and then 2 on the diagonal
///     diagonal-plus-dense-row  diagonal 2; row floor(n/2) is dense with -1 and n on the diagonal
///
/// Off-diagonal values of circuit and web are random in [-1, 1] and never 0; the diagonal is 1 + the sum of
/// their absolute values, so that every row that is not empty is strictly dominant.
///
/// `shuffle=SEED` makes P A P^T with a random P (P A Q^T where A is rectangular). Rows are sorted by column
/// and hold no column twice. The result depends on the text alone, to the last bit, whatever the number of
/// threads and the machine (convection-diffusion: up to the rounding of the machine's sine and cosine).
///
/// Cost: the matrix is written once, in parallel, on the host; rmat also holds 4 bytes an edge meanwhile, and
/// a shuffle a second copy of the matrix.

#include <cstdint>
#include <krylite/formats/csr.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace krylite {

/// Matrix as it is generated (and as files are read): on the host, with 64-bit offsets.
using HostCsr = CsrMatrix<double, std::int64_t, Kokkos::HostSpace>;

/// What `gen:KIND:N[:key=value...]` says.
struct GeneratorSpec {
  std::string kind;                       ///< name of the kind, "poisson2d"
  std::int64_t n = 0;                     ///< size; points a side, rows or levels, as the kind has it
  std::map<std::string, double> options;  ///< those that are given; others have their defaults
};

/// A key that a kind takes.
struct GeneratorOption {
  std::string name;
  std::string description;
  std::optional<double> default_value;  ///< none where the description says what happens without the key
  double minimum = 0;
  double maximum = 0;  ///< of the values that are allowed
  bool whole = false;  ///< whether only whole numbers are
};

/// A kind of matrix, for the help.
struct GeneratorKind {
  std::string name;
  std::string description;       ///< one line
  std::string size_description;  ///< what n counts
  std::vector<GeneratorOption> options;
};

/// All kinds, in the order of the help.
std::vector<GeneratorKind> generator_kinds();

/// Whether `text` names a generated matrix rather than a file: it starts with "gen:".
bool is_generator(const std::string& text);

/// Reads `gen:KIND:N[:key=value...]`.
/// \throws Error, as `TEXT: what is wrong`, for an unknown kind, a size that is not a whole number from 1 or
///         gives more than 2^31 - 1 rows, and a key that the kind lacks, that comes twice or whose value is
///         no number in its range
GeneratorSpec parse_generator(const std::string& text);

/// Makes the matrix.
/// \throws Error as parse_generator does, and where the memory for the matrix is not there
HostCsr generate(const GeneratorSpec& spec);

}  // namespace krylite

#endif
