#ifndef KRYLITE_SPMV_WORKSPACE_HPP
#define KRYLITE_SPMV_WORKSPACE_HPP

#include <krylite/core/kokkos_compat.hpp>
#include <krylite/core/memory.hpp>
#include <krylite/core/traits.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

namespace krylite {

/// Scratch memory of products: sums of rows that several threads share (CSR5's calibrator, carries of balanced
/// CSR and COO) and the private results of transposed products. It grows to the largest product that used it and
/// holds nothing between two. Two products that may run at once need one each.
template <class MemorySpace>
class SpmvWorkspace {
 public:
  /// Room for `count` T, its content undefined, good until the next call.
  /// \throws Error where the memory is not there
  template <class T, class ExecutionSpace>
  T* get(const ExecutionSpace& exec, std::size_t count) {
    const std::size_t words = (count * sizeof(T) + sizeof(double) - 1) / sizeof(double);
    if (words > memory_.extent(0)) {
      require_memory<MemorySpace>(words * sizeof(double), "the workspace of a product");
      exec.fence();  // earlier products may still use what is about to be freed
      memory_ = Memory();
      memory_ = detail::allocate<Memory>(exec, "krylite::spmv::workspace", words);
      exec.fence();
    }
    return reinterpret_cast<T*>(memory_.data());
  }

  /// Bytes that are held.
  std::size_t bytes() const { return memory_.extent(0) * sizeof(double); }

 private:
  using Memory = Kokkos::View<double*, MemorySpace>;
  Memory memory_;
};

namespace detail {

/// The workspace of products that bring none: one for each execution instance and host thread, so that neither
/// two streams nor two threads share. Freed when Kokkos ends.
template <class ExecutionSpace>
SpmvWorkspace<typename ExecutionSpace::memory_space>& default_workspace(const ExecutionSpace& exec) {
  using Workspace = SpmvWorkspace<typename ExecutionSpace::memory_space>;
  using Key = std::tuple<std::thread::id, const void*>;
  static std::mutex mutex;
  // Never destroyed, since Kokkos may end after static objects do.
  static std::map<Key, Workspace>& workspaces = *new std::map<Key, Workspace>;
  const std::lock_guard<std::mutex> lock(mutex);
  static const bool is_registered = [] {
    Kokkos::push_finalize_hook([] { workspaces.clear(); });
    return true;
  }();
  (void)is_registered;
  return workspaces[Key(std::this_thread::get_id(), instance_key(exec))];
}

}  // namespace detail
}  // namespace krylite

#endif
