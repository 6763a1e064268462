#ifndef KRYLITE_UNIT_TESTS_SUPPORT_EXPECT_HPP
#define KRYLITE_UNIT_TESTS_SUPPORT_EXPECT_HPP

#include <krylite/core/error.hpp>
#include <krylite/formats/csr.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace krylite_test {

/// A host copy of a View of rank 1.
template <class View>
auto to_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// The same extents, and the same bits at every position.
template <class View>
void expect_same_bits(const View& expected, const View& found, const std::string& what) {
  ASSERT_EQ(expected.extent(0), found.extent(0)) << what;
  const auto a = to_host(expected);
  const auto b = to_host(found);
  if (a.extent(0) == 0) return;
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.extent(0) * sizeof(*a.data()))) << what;
}

template <class Csr>
void expect_same_matrix(const Csr& expected, const Csr& found, const std::string& what) {
  EXPECT_EQ(expected.num_rows, found.num_rows) << what;
  EXPECT_EQ(expected.num_cols, found.num_cols) << what;
  if (expected.num_rows > 0) expect_same_bits(expected.row_pointers, found.row_pointers, what + ": row pointers");
  expect_same_bits(expected.columns, found.columns, what + ": columns");
  expect_same_bits(expected.values, found.values, what + ": values");
}

/// `work` throws a krylite::Error whose message holds every one of `fragments`.
template <class Work, class... Fragments>
void expect_error(const Work& work, const Fragments&... fragments) {
  try {
    work();
    ADD_FAILURE() << "no krylite::Error was thrown";
  } catch (const krylite::Error& error) {
    const std::string message = error.what();
    for (const std::string& fragment : {std::string(fragments)...}) {
      EXPECT_NE(message.find(fragment), std::string::npos) << "'" << message << "' lacks '" << fragment << "'";
    }
  }
}

}  // namespace krylite_test

#endif
