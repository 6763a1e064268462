#include "system.hpp"

#include <algorithm>
#include <cmath>
#include <krylite/core/error.hpp>
#include <krylite/formats/select.hpp>
#include <krylite/solvers/gmres.hpp>
#include <limits>

#include "preconditioner.hpp"
#include "reordering.hpp"
#include "text.hpp"

namespace krylite::driver {
namespace {

Vector allocate_vector(const char* label, const LoadedMatrix& matrix) {
  return krylite::detail::allocate<Vector>(Execution(), label, static_cast<std::size_t>(matrix.csr.num_rows));
}

/// b_i = sin(i), i = 0, 1, ...
Vector sine_vector(const LoadedMatrix& matrix) {
  const Vector b = allocate_vector("krylite::driver::b", matrix);
  const auto host = Kokkos::create_mirror_view(b);
  for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = std::sin(static_cast<double>(i));
  Kokkos::deep_copy(b, host);
  return b;
}

template <class Csr>
Vector right_hand_side(const std::string& rhs, const LoadedMatrix& matrix, const Csr& csr) {
  constexpr std::uint64_t seed = 1;
  if (rhs == "sin") return sine_vector(matrix);
  if (rhs == "random") {
    const auto host = random_vector(static_cast<std::size_t>(matrix.csr.num_rows), seed);
    return Kokkos::create_mirror_view_and_copy(Memory(), host);
  }
  if (rhs != "ones" && rhs != "from-ones") return load_vector(rhs, matrix);
  const Vector ones = allocate_vector("krylite::driver::ones", matrix);
  Kokkos::deep_copy(ones, 1.0);
  if (rhs == "ones") return ones;
  const Vector b = allocate_vector("krylite::driver::b", matrix);
  spmv(Execution(), 1.0, csr, ones, 0.0, b);
  return b;
}

Vector initial_guess(const std::string& x0, const LoadedMatrix& matrix) {
  if (!x0.empty()) return load_vector(x0, matrix);
  const Vector zeros = allocate_vector("krylite::driver::x0", matrix);
  Kokkos::deep_copy(zeros, 0.0);
  return zeros;
}

/// The matrix in the format that was asked for, or in the one that is selected. \param format gets which one
template <class Offset>
DeviceMatrix<double, Offset> make_matrix(const AskedFormat& asked, const CsrMatrix<double, Offset, Memory>& csr,
                                         FormatSpec& format, Warnings& warnings) {
  const Execution exec;
  if (asked) {
    format = *asked;
    return to_format(exec, csr, format);
  }
  for (const FormatEstimate& estimate : select_format(exec, csr).estimates) {
    format.kind = estimate.kind;
    try {
      return to_format(exec, csr, format);
    } catch (const Error& error) {
      warnings.add(std::string(name(format.kind)) + " is refused, the next best is used instead: " + error.what());
    }
  }
  return csr;  // not reached: CSR refuses nothing
}

/// The names of all values of an enumeration of the library, and back.
template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.push_back(name(value));
  return names;
}
template <class Values>
auto named(const Values& values, const std::string& text) {
  return *std::find_if(values.begin(), values.end(), [&](const auto value) { return text == name(value); });
}

using Solve = std::function<GmresResult(const GmresParameters& parameters, const Vector& x)>;

/// Solves the system of the reordered rows for an x in the user's order.
Solve reordered_solve(const Solve& solve, const Permutation<Memory>& order, const LoadedMatrix& matrix) {
  const Vector reordered = allocate_vector("krylite::driver::reordered_x", matrix);
  return [=](const GmresParameters& parameters, const Vector& x) {
    const Execution exec;
    permute(exec, order, x, reordered);
    const GmresResult result = solve(parameters, reordered);
    permute_back(exec, order, reordered, x);
    exec.fence();
    return result;
  };
}

/// Converts, and makes what solves a system whose rows have their order. Waits until all is there.
template <class Offset>
Solve prepare(System& system, const SystemOptions& options, const CsrMatrix<double, Offset, Memory>& csr,
              const Vector& b, Warnings& warnings) {
  const Execution exec;
  FormatSpec format;
  const auto matrix = make_matrix(options.format, csr, format, warnings);
  const AnyPreconditioner preconditioner =
      make_preconditioner(options.precond, options.block_size, system.matrix.source, csr, matrix, warnings);
  exec.fence();
  system.replaced_diagonals = preconditioner.replaced;
  system.preconditioner_bytes = preconditioner.bytes();
  system.format = used_format(format, matrix);
  system.matrix_bytes = matrix_bytes(matrix);
  system.fill = fill(matrix);
  return [exec, preconditioner, b, matrix](const GmresParameters& parameters, const Vector& x) {
    return std::visit(
        [&](const auto& a) {
          return preconditioner.function ? gmres(exec, a, preconditioner, b, x, parameters)
                                         : gmres(exec, a, b, x, parameters);
        },
        matrix);
  };
}

/// Everything that depends on the type of the offsets.
template <class Offset>
void complete_system(System& system, const SystemOptions& options,
                     const CsrMatrix<double, Offset, Memory>& csr, Warnings& warnings) {
  const Execution exec;
  const Vector b = right_hand_side(options.rhs, system.matrix, csr);
  exec.fence();
  const Kokkos::Timer timer;
  if (options.reorder == "none") {
    system.solve = prepare(system, options, csr, b, warnings);
  } else {
    const auto order = ordering_of(options.reorder, exec, csr);
    const Vector reordered_b = allocate_vector("krylite::driver::reordered_b", system.matrix);
    permute(exec, order, b, reordered_b);
    const auto reordered = permute_system(exec, csr, order);
    system.solve =
        reordered_solve(prepare(system, options, reordered, reordered_b, warnings), order, system.matrix);
  }
  system.setup_seconds = timer.seconds();
}

}  // namespace

void add_system(CLI::App& app, SystemOptions& options) {
  add_matrix(app, options.common);
  app.add_option("--rhs", options.rhs,
                 "Right-hand side: from-ones (A times ones; the error against ones is then told), ones, "
                 "sin (sin(i), i = 0, 1, ...), random (uniform in [-1, 1), fixed seed) or a file")
      ->check(named_file())
      ->capture_default_str()
      ->type_name("B");
  app.add_option("--x0", options.x0, "File of the initial guess; zeros without it")
      ->check(named_file())
      ->type_name("FILE");
  add_format(
      app, options.format,
      "Format of the matrix: auto (selected by its rows), " + format_names_text() +
          "; with options as in krylite spmv --help");
  add_choice(app, "--precond", options.precond, preconditioner_names(), "Preconditioner");
  add_whole_number(app, "--block-size", options.block_size, 1, 32, "Rows of a block of block Jacobi");
  add_choice(app, "--side", options.side, names_of(all_sides),
             "Where the preconditioner stands; flexible keeps a second basis, and allows one that changes");
  add_choice(app, "--orthog", options.orthog, names_of(all_orthogonalizations),
             "Orthogonalization: Gram-Schmidt classical (again where that cancels), classical twice, modified, or "
             "classical with one reduction and two readings of the basis a step");
  auto orderings = reordering_names();
  orderings.insert(orderings.begin(), "none");
  add_choice(
      app, "--reorder", options.reorder, orderings,
      "Solve P A P^T (P x) = P b, with P from reverse Cuthill-McKee (rcm) or approximate minimum degree "
      "(amd); files keep the order of A");
  add_whole_number(app, "--restart", options.restart, 1, std::numeric_limits<Index>::max(),
                   "Steps in a cycle");
  add_number(app, "--tol", options.tolerance, 0, 1, "Tolerance for ||b - A x|| / ||b||");
  add_whole_number(app, "--max-iters", options.max_iterations, 0, std::int64_t(1) << 53,
                   "Steps in all cycles together");
}

GmresParameters gmres_parameters(const SystemOptions& options) {
  GmresParameters parameters;
  parameters.restart = static_cast<Index>(options.restart);
  parameters.tolerance = options.tolerance;
  parameters.max_iterations = options.max_iterations;
  parameters.side = named(all_sides, options.side);
  parameters.orthogonalization = named(all_orthogonalizations, options.orthog);
  return parameters;
}

std::vector<std::string> input_files(const SystemOptions& options) {
  return {options.common.matrix, options.rhs, options.x0};
}

System make_system(const SystemOptions& options, Warnings& warnings) {
  System system;
  system.matrix = load_matrix(options.common.matrix);
  require_square(system.matrix, "solved with");
  system.initial = initial_guess(options.x0, system.matrix);
  system.solution_is_ones = options.rhs == "from-ones";
  with_device_csr<double>(system.matrix,
                          [&](const auto& device) { complete_system(system, options, device, warnings); });
  return system;
}

Vector copy_of_initial(const System& system) {
  const Vector x = allocate_vector("krylite::driver::x", system.matrix);
  Kokkos::deep_copy(x, system.initial);
  return x;
}

OnesError error_against_ones(const Vector& x) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  OnesError error;
  double squares = 0;
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    const double difference = std::fabs(host(i) - 1.0);
    squares += difference * difference;
    error.largest = std::max(error.largest, difference);
  }
  if (host.extent(0) > 0) error.relative_norm = std::sqrt(squares / static_cast<double>(host.extent(0)));
  return error;
}

Json system_options_json(const SystemOptions& options, const System& system) {
  return {{"format", format_text(system.format)},
          {"rhs", options.rhs},
          {"x0", options.x0.empty() ? "zeros" : options.x0},
          {"precond", options.precond},
          {"block_size", options.block_size},
          {"side", options.side},
          {"orthog", options.orthog},
          {"reorder", options.reorder},
          {"restart", options.restart},
          {"tol", options.tolerance},
          {"max_iters", options.max_iterations}};
}

Json result_json(const GmresResult& result, std::int64_t replaced_diagonals) {
  Json history = Json::array();
  for (const ResidualRecord& record : result.history) {
    Json entry = {{"iteration", record.iteration}, {"estimated", finite(record.estimated)}};
    if (record.has_true) entry["true"] = finite(record.true_residual);
    history.push_back(entry);
  }
  return {{"status", name(result.status)},
          {"iterations", result.iterations},
          {"restarts", result.restarts},
          {"relative_residual", finite(result.relative_residual)},
          {"estimated_relative_residual", finite(result.estimated_relative_residual)},
          {"residual_history", history},
          {"reductions", result.reductions},
          {"replaced_diagonals", replaced_diagonals}};
}

Json times_json(double setup, const GmresTimes& times) {
  return {{"setup", setup},
          {"total", times.total},
          {"spmv", times.spmv},
          {"orthogonalization", times.orthogonalization},
          {"preconditioner", times.preconditioner},
          {"other", times.other}};
}

std::string preconditioner_text(const SystemOptions& options) {
  if (options.precond == "none") return "no preconditioner";
  const std::string size = options.precond == "block-jacobi" ? "(" + std::to_string(options.block_size) + ")" : "";
  return options.precond + size + (options.side == "right" ? "" : ", " + options.side);
}

std::string system_text(const SystemOptions& options, const System& system) {
  return matrix_text(system.matrix) + "\nGMRES(" + std::to_string(options.restart) + "), " +
         preconditioner_text(options) + ", " + options.orthog + ", tolerance " + shortest(options.tolerance) +
         ", b: " + options.rhs + "; " +
         format_text(system.format) + " (" + bytes_text(system.matrix_bytes) + ", fill " +
         percent(system.fill) + "); " +
         (options.reorder == "none" ? "" : "reordered by " + options.reorder + "; ") + execution_text() +
         "\n";
}

}  // namespace krylite::driver
