#include <gtest/gtest.h>
#include <krylite/core/kokkos_compat.hpp>

#include <cstdlib>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Tests are listed while they are built, where there may be no GPU to start Kokkos on.
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  krylite::initialize_kokkos();
  std::atexit(Kokkos::finalize);  // runs after the destructors of static matrices that the tests make
  return RUN_ALL_TESTS();
}
