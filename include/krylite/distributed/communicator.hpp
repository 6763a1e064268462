#ifndef KRYLITE_DISTRIBUTED_COMMUNICATOR_HPP
#define KRYLITE_DISTRIBUTED_COMMUNICATOR_HPP

/// \file
/// The place through which every global reduction of a solver goes. A solver works on the rows of one process; what
/// the rows of all add up to, it asks here, all numbers of one reduction in one call. A single process needs nothing;
/// processes that share a system give a class of their own:
///
///     struct MpiCommunicator : krylite::Communicator {
///       void sum_all(double* values, int count) override { MPI_Allreduce(MPI_IN_PLACE, values, count, ...SUM...); }
///       void largest_all(double* values, int count) override { ...MAX... }
///     };
///
/// The values lie in host memory. Each process must get the same bits, so that all decide alike.

#include <cstdint>

namespace krylite {

/// One process: sums are what they are. Counts the reductions.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// values[i] = the sum of values[i] over all processes, for 0 <= i < count.
  void sum(double* values, int count) {
    ++reductions_;
    sum_all(values, count);
  }

  /// values[i] = the largest values[i] of all processes.
  void largest(double* values, int count) {
    ++reductions_;
    largest_all(values, count);
  }

  /// Reductions so far, each one wait for all processes.
  std::int64_t reductions() const { return reductions_; }

 protected:
  virtual void sum_all(double*, int) {}
  virtual void largest_all(double*, int) {}

 private:
  std::int64_t reductions_ = 0;
};

}  // namespace krylite

#endif
