#ifndef KRYLITE_SOLVERS_DETAIL_PHASE_TIMER_HPP
#define KRYLITE_SOLVERS_DETAIL_PHASE_TIMER_HPP

#include <krylite/solvers/result.hpp>

#include <Kokkos_Core.hpp>

namespace krylite {
namespace detail {

/// Adds the time of pieces of work to the phases of a solve. Off, it only runs them: the fences that it takes to
/// time a piece cost time themselves.
template <class ExecutionSpace>
class PhaseTimer {
 public:
  PhaseTimer(const ExecutionSpace& exec, bool enabled) : exec_(exec), enabled_(enabled) {}

  template <class Work>
  void time(double GmresTimes::*phase, const Work& work) {
    if (!enabled_) return work();
    exec_.fence();
    const Kokkos::Timer timer;
    work();
    exec_.fence();
    times_.*phase += timer.seconds();
  }

  /// All phases, with the total so far and what no phase claimed. Waits for `exec`.
  GmresTimes finish() {
    exec_.fence();
    times_.total = total_.seconds();
    if (enabled_) {
      times_.other = times_.total - times_.spmv - times_.orthogonalization - times_.preconditioner;
    }
    return times_;
  }

 private:
  ExecutionSpace exec_;
  bool enabled_;
  Kokkos::Timer total_;
  GmresTimes times_;
};

}  // namespace detail
}  // namespace krylite

#endif
