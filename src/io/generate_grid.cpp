#include <array>
#include <cmath>

#include "generate_rows.hpp"

namespace krylite::detail {
namespace {

/// Where a node stands on a grid of n points in each of `Dim` directions, the last one running fastest.
template <int Dim>
struct GridPoint {
  std::array<Index, Dim> at;
  std::array<Index, Dim> stride;

  GridPoint(Index node, Index n) : at(), stride() {
    Index step = 1;
    for (int axis = Dim - 1; axis >= 0; --axis) {
      stride[axis] = step;
      at[axis] = node / step % n;
      // The step after the slowest axis is never used, and n^Dim may be all that an Index holds.
      if (axis > 0) step *= n;
    }
  }
};

/// Diagonal and nearest neighbours: `coefficient(point, axis, side)` for side -1 and +1.
template <int Dim, class Coefficient>
HostCsr cross_stencil(const GeneratorRequest& request, double diagonal, const Coefficient& coefficient) {
  const auto n = static_cast<Index>(request.n);
  const auto count = [=](Index row) {
    const GridPoint<Dim> point(row, n);
    std::int64_t length = 1;
    for (const Index at : point.at) length += (at > 0) + (at < n - 1);
    return length;
  };
  const auto fill = [=](Index row, std::int64_t, Index* columns, double* values) {
    const GridPoint<Dim> point(row, n);
    for (int axis = 0; axis < Dim; ++axis) {
      if (point.at[axis] == 0) continue;
      *columns++ = row - point.stride[axis];
      *values++ = coefficient(point, axis, -1);
    }
    *columns++ = row;
    *values++ = diagonal;
    for (int axis = Dim - 1; axis >= 0; --axis) {
      if (point.at[axis] == n - 1) continue;
      *columns++ = row + point.stride[axis];
      *values++ = coefficient(point, axis, +1);
    }
  };
  const std::int64_t entries =
      (2 * Dim + 1) * std::int64_t(request.rows) - 2 * Dim * (request.rows / request.n);
  return build_rows(request, request.rows, entries, count, fill);
}

/// Blocks between a node and its 26 neighbours: entry (a, b) of the block towards (d0, d1, d2).
template <int Unknowns>
struct BoxBlocks {
  std::array<double, 27 * Unknowns * Unknowns> entries{};

  double& operator()(int d0, int d1, int d2, int a, int b) { return entries[position(d0, d1, d2, a, b)]; }
  double operator()(int d0, int d1, int d2, int a, int b) const {
    return entries[position(d0, d1, d2, a, b)];
  }

 private:
  static std::size_t position(int d0, int d1, int d2, int a, int b) {
    const int direction = ((d0 + 1) * 3 + d1 + 1) * 3 + d2 + 1;
    return static_cast<std::size_t>((direction * Unknowns + a) * Unknowns + b);
  }
};

/// Calls `visit(d0, d1, d2)` for every step from `point` that stays on the grid, in the order of the nodes.
template <class Visit>
void for_box(const GridPoint<3>& point, Index n, const Visit& visit) {
  const auto first = [&](int axis) { return point.at[axis] > 0 ? -1 : 0; };
  const auto last = [&](int axis) { return point.at[axis] < n - 1 ? 1 : 0; };
  for (int d0 = first(0); d0 <= last(0); ++d0) {
    for (int d1 = first(1); d1 <= last(1); ++d1) {
      for (int d2 = first(2); d2 <= last(2); ++d2) visit(d0, d1, d2);
    }
  }
}

template <int Unknowns>
HostCsr box_stencil(const GeneratorRequest& request, const BoxBlocks<Unknowns>& blocks) {
  const auto n = static_cast<Index>(request.n);
  const auto count = [=](Index row) {
    const GridPoint<3> point(row / Unknowns, n);
    std::int64_t length = Unknowns;
    for (const Index at : point.at) length *= 1 + (at > 0) + (at < n - 1);
    return length;
  };
  const auto fill = [=](Index row, std::int64_t, Index* columns, double* values) {
    const Index node = row / Unknowns;
    const GridPoint<3> point(node, n);
    for_box(point, n, [&](int d0, int d1, int d2) {
      const Index other = node + d0 * point.stride[0] + d1 * point.stride[1] + d2;
      for (int b = 0; b < Unknowns; ++b) {
        *columns++ = other * Unknowns + b;
        *values++ = blocks(d0, d1, d2, row % Unknowns, b);
      }
    });
  };
  const std::int64_t line = 3 * request.n - 2;
  const std::int64_t entries = Unknowns * Unknowns * line * line * line;
  return build_rows(request, request.rows, entries, count, fill);
}

/// Entry (a, b) of W_d = I/2 + d d^T/(d.d) + ones/8. The last term keeps every entry away from 0.
double coupling(const std::array<int, 3>& d, int a, int b) {
  const int length2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  const double along = static_cast<double>(d[a] * d[b]) / length2;
  return along + (a == b ? 0.625 : 0.125);
}

/// Calls `visit(d)` for the 26 directions.
template <class Visit>
void for_directions(const Visit& visit) {
  for (int code = 0; code < 27; ++code) {
    if (code != 13) visit(std::array<int, 3>{code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1});
  }
}

}  // namespace

HostCsr make_poisson2d(const GeneratorRequest& request) {
  return cross_stencil<2>(request, 4.0, [](const GridPoint<2>&, int, int) { return -1.0; });
}

HostCsr make_poisson3d(const GeneratorRequest& request) {
  return cross_stencil<3>(request, 6.0, [](const GridPoint<3>&, int, int) { return -1.0; });
}

HostCsr make_anisotropic(const GeneratorRequest& request) {
  const double eps = request["eps"];
  return cross_stencil<2>(request, 2.0 + 2.0 * eps + 1e-4,
                          [=](const GridPoint<2>&, int axis, int) { return axis == 0 ? -eps : -1.0; });
}

HostCsr make_convection_diffusion(const GeneratorRequest& request) {
  const double peclet = request["peclet"];
  const double h = 1.0 / static_cast<double>(request.n + 1);
  // Velocities along i (by j) and along j (by i): a table spares a sine and a cosine an entry.
  const HostExecution exec{};
  const auto points = static_cast<std::size_t>(request.n);
  const auto along_i = allocate<HostCsr::values_type>(exec, "krylite::generate::velocity", points);
  const auto along_j = allocate<HostCsr::values_type>(exec, "krylite::generate::velocity", points);
  Kokkos::parallel_for("krylite::generate::velocity", range(exec, request.n), [=](const std::int64_t point) {
    const double position = static_cast<double>(point + 1) * h;
    along_i(point) = peclet * std::sin(3.0 * position);
    along_j(point) = -peclet * std::cos(2.0 * position);
  });
  exec.fence();
  return cross_stencil<3>(request, 6.0, [=](const GridPoint<3>& point, int axis, int side) {
    const double velocity = axis == 0   ? along_i(point.at[1])
                            : axis == 1 ? along_j(point.at[0])
                                        : peclet / 2.0;
    return -1.0 + side * (velocity * h / 2.0);
  });
}

HostCsr make_stencil27(const GeneratorRequest& request) {
  BoxBlocks<1> blocks;
  for_directions([&](const std::array<int, 3>& d) { blocks(d[0], d[1], d[2], 0, 0) = -1.0; });
  blocks(0, 0, 0, 0, 0) = 26.0 + 1e-3;
  return box_stencil(request, blocks);
}

HostCsr make_elasticity(const GeneratorRequest& request) {
  BoxBlocks<3> blocks;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      blocks(0, 0, 0, a, b) = a == b ? 1e-3 : 0.0;
      for_directions([&](const std::array<int, 3>& d) {
        blocks(d[0], d[1], d[2], a, b) = -coupling(d, a, b);
        blocks(0, 0, 0, a, b) += coupling(d, a, b);
      });
    }
  }
  return box_stencil(request, blocks);
}

}  // namespace krylite::detail
