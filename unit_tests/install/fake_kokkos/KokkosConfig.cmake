# Stands in for an installed Kokkos of the version FAKE_KOKKOS_VERSION, to be configured with but not built.
set(Kokkos_VERSION ${FAKE_KOKKOS_VERSION})
set(Kokkos_DEVICES SERIAL)
if(NOT TARGET Kokkos::kokkos)
  add_library(Kokkos::kokkos INTERFACE IMPORTED)
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
endif()
