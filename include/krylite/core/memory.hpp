#ifndef KRYLITE_CORE_MEMORY_HPP
#define KRYLITE_CORE_MEMORY_HPP

/// \file
/// How much memory a new allocation may take, asked before it is made: a kernel that hands out more memory
/// than it has ends the process later, on the first touch, without a message.
///
///     available = min(MemAvailable of the machine,
///                     limit - use + page cache      of each control group (v1, v2) above the process,
///                     RLIMIT_AS   - address space   of the process,
///                     RLIMIT_DATA - data            of the process)
///
/// A source that cannot be read does not count. Cost: a few small reads under /proc and /sys.
/// Source: proc(5), getrlimit(2) and the kernel's descriptions of the two control group versions.

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iomanip>
#include <krylite/core/error.hpp>
#include <krylite/core/traits.hpp>
#include <limits>
#include <sstream>
#include <string>

namespace krylite {

/// What `available_bytes` answers where nothing is known to limit an allocation.
inline constexpr std::size_t unlimited_bytes = std::numeric_limits<std::size_t>::max();

namespace detail {

/// `bytes` in the largest binary unit that leaves a number of at least 1, as "16.0 GiB".
inline std::string human_bytes(std::size_t bytes) {
  if (bytes == unlimited_bytes) return "unlimited";
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes);
  int unit = 0;
  for (; amount >= 1024 && unit < 6; ++unit) amount /= 1024;
  std::ostringstream text;
  text << std::fixed << std::setprecision(unit == 0 ? 0 : 1) << amount << ' ' << units[unit];
  return text.str();
}

/// `a - b`, but 0 where that would be negative; no limit less anything stays no limit.
inline std::size_t remaining(std::size_t limit, std::size_t used) {
  if (limit == unlimited_bytes) return unlimited_bytes;
  return limit > used ? limit - used : 0;
}

/// `a + b`, but unlimited where that would wrap.
inline std::size_t saturated_sum(std::size_t a, std::size_t b) {
  return a > unlimited_bytes - b ? unlimited_bytes : a + b;
}

/// The single number in a file of the kernel; `otherwise` where there is none (also for the word "max").
inline std::size_t number_in_file(const std::string& path, std::size_t otherwise) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : otherwise;
}

/// The number after the word `key` in a file of "key number" lines; `otherwise` where there is none.
inline std::size_t number_after(const std::string& path, const std::string& key, std::size_t otherwise) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string word;
    std::size_t number = 0;
    if (words >> word && word == key && words >> number) return number;
  }
  return otherwise;
}

/// Names of the files of one control group version.
struct ControlGroupFiles {
  const char* root;
  const char* limit;
  const char* usage;
  const char* inactive_cache;
  const char* active_cache;
};

/// What is left in one control group's folder; unlimited where it sets no limit.
inline std::size_t available_in_group(const std::string& folder, const ControlGroupFiles& files) {
  const std::size_t limit = number_in_file(folder + "/" + files.limit, unlimited_bytes);
  // Version 1 says "no limit" by a huge number.
  if (limit > unlimited_bytes / 4) return unlimited_bytes;
  const std::size_t used = number_in_file(folder + "/" + files.usage, 0);
  const std::string statistics = folder + "/memory.stat";
  // Pages of files count as used, but are given up when memory is needed.
  const std::size_t cache = saturated_sum(number_after(statistics, files.inactive_cache, 0),
                                          number_after(statistics, files.active_cache, 0));
  return remaining(limit, remaining(used, cache));
}

/// The least of a group and all groups above it. In a container the path is the host's and need not exist,
/// but the group at the root of the mount is then the container's own.
inline std::size_t available_in_hierarchy(std::string group, const ControlGroupFiles& files) {
  std::size_t least = available_in_group(files.root, files);
  while (!group.empty() && group != "/") {
    least = std::min(least, available_in_group(files.root + group, files));
    group.erase(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
  }
  return least;
}

/// What the control groups of this process leave; unlimited where there are none.
inline std::size_t available_in_control_groups() {
  const ControlGroupFiles version2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file",
                                      "active_file"};
  const ControlGroupFiles version1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                      "memory.usage_in_bytes", "total_inactive_file", "total_active_file"};
  std::ifstream groups("/proc/self/cgroup");
  std::size_t least = unlimited_bytes;
  std::string line;
  while (std::getline(groups, line)) {  // "number:controllers:path"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, available_in_hierarchy(path, version2));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, available_in_hierarchy(path, version1));
  }
  return least;
}

/// The soft limit of a resource of this process less what it uses, which is the word number `field` of
/// /proc/self/statm, in pages.
template <class Resource>
std::size_t available_in_limit(Resource resource, int field) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited_bytes;
  std::ifstream statistics("/proc/self/statm");
  std::size_t pages = 0;
  for (int word = 0; word <= field; ++word)
    if (!(statistics >> pages)) pages = 0;
  const long page = sysconf(_SC_PAGESIZE);
  return remaining(static_cast<std::size_t>(limit.rlim_cur), pages * static_cast<std::size_t>(page));
}

}  // namespace detail

/// Bytes that can still be allocated in `MemorySpace`, as well as that can be known without trying.
/// \return `unlimited_bytes` for spaces that the host cannot reach, and where nothing is known
template <class MemorySpace>
std::size_t available_bytes() {
  if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible) {
    return unlimited_bytes;
  } else {
    const std::size_t kibibytes = detail::number_after("/proc/meminfo", "MemAvailable:", unlimited_bytes);
    const std::size_t machine = kibibytes > unlimited_bytes / 1024 ? unlimited_bytes : kibibytes * 1024;
    return std::min({machine, detail::available_in_control_groups(), detail::available_in_limit(RLIMIT_AS, 0),
                     detail::available_in_limit(RLIMIT_DATA, 5)});
  }
}

/// Makes sure that `bytes` can be allocated in `MemorySpace`.
/// \param bytes size of all that is about to be allocated
/// \param purpose what it is for, as the message says it: "the CSR matrix"
/// \throws Error with both sizes where they cannot; nothing has been allocated
template <class MemorySpace>
void require_memory(std::size_t bytes, const std::string& purpose) {
  // Small needs are not worth the look at /proc.
  constexpr std::size_t negligible = std::size_t{1} << 20;
  if (bytes <= negligible) return;
  const std::size_t available = available_bytes<MemorySpace>();
  detail::require(bytes <= available, "not enough memory for ", purpose, ": ", detail::human_bytes(bytes),
                  " needed, ", detail::human_bytes(available), " available");
}

namespace detail {

/// Asks the system to back a large array on a host by huge pages, where it leaves that to the program: an array of
/// 100 MB is then written for the first time in a fraction of the time, and scattered reads miss fewer translations.
inline void prefer_huge_pages(void* data, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = std::uintptr_t(1) << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  // Only advice: what comes of it does not matter.
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)data;
  (void)bytes;
#endif
}

/// An allocation on `exec` whose entries the caller writes before they are read.
/// \throws Error where the memory is not there
template <class ViewType, class ExecutionSpace>
ViewType allocate(const ExecutionSpace& exec, const char* label, std::size_t count) {
  // Large arrays are asked for first, since a kernel may promise more than there is; to ask costs microseconds.
  constexpr std::size_t large = std::size_t{1} << 28;
  const std::size_t bytes = count * sizeof(typename ViewType::value_type);
  if (bytes >= large) require_memory<typename ViewType::memory_space>(bytes, label);
  ViewType view;
  try {
    view = ViewType(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), count);
  } catch (const std::exception&) {
    fail("not enough memory for ", label, ": ", human_bytes(bytes), " needed");
  }
  if constexpr (std::is_same_v<typename ViewType::memory_space, Kokkos::HostSpace>) {
    prefer_huge_pages(const_cast<void*>(static_cast<const void*>(view.data())), bytes);
  }
  return view;
}

}  // namespace detail
}  // namespace krylite

#endif
