# Finds Kokkos and Kokkos Kernels, checks the version, says which backends there are, and repairs what known
# configurations get wrong. Used by Krylite's own build and by its installed package, so that both see
#   Kokkos::kokkos                the programming model
#   Kokkos::kokkoskernels         its sparse kernels
# Both may exist already: found by an embedding project, or added by it as subdirectories.

set(krylite_kokkos_oldest 3.4.01)
set(krylite_kokkos_newest_tested 4.6.99)

# Ends this file with a sentence: an error in Krylite's own build, "not found" in find_package(Krylite).
macro(krylite_kokkos_unusable)
  if(CMAKE_FIND_PACKAGE_NAME STREQUAL "Krylite")
    set(Krylite_FOUND FALSE)
    string(CONCAT Krylite_NOT_FOUND_MESSAGE ${ARGN})
    return()
  endif()
  message(FATAL_ERROR ${ARGN})
endmacro()

# Targets that are found here must be visible to a project that embeds Krylite by add_subdirectory.
set(krylite_saved_targets_global ${CMAKE_FIND_PACKAGE_TARGETS_GLOBAL})
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

set(krylite_kokkos_is_found TRUE)
if(TARGET Kokkos::kokkos)
  get_target_property(krylite_kokkos_is_found Kokkos::kokkos IMPORTED)
endif()
if(krylite_kokkos_is_found)
  # Also where the target exists: another scope may hold the variables. No version is asked for, since 3.4.01
  # does not accept a range, and 4 and 5 do not accept 3.4.
  find_package(Kokkos CONFIG QUIET HINTS ${krylite_kokkos_hint})
  if(NOT Kokkos_FOUND)
    krylite_kokkos_unusable("Krylite needs Kokkos ${krylite_kokkos_oldest} or newer and found none. Pass "
      "-DKokkos_ROOT=PREFIX, or run scripts/setup, which builds one. ${Kokkos_NOT_FOUND_MESSAGE}")
  endif()
  set(krylite_kokkos_version ${Kokkos_VERSION})
  set(krylite_kokkos_devices ${Kokkos_DEVICES})
  set(krylite_kokkos_place ${Kokkos_DIR})
else()
  get_directory_property(krylite_kokkos_version DIRECTORY "${Kokkos_SOURCE_DIR}" DEFINITION Kokkos_VERSION)
  set(krylite_kokkos_devices)
  foreach(device IN ITEMS SERIAL OPENMP THREADS CUDA HIP SYCL)
    if(Kokkos_ENABLE_${device})
      list(APPEND krylite_kokkos_devices ${device})
    endif()
  endforeach()
  set(krylite_kokkos_place ${Kokkos_SOURCE_DIR})
endif()

if(krylite_kokkos_version VERSION_LESS krylite_kokkos_oldest)
  krylite_kokkos_unusable("Krylite needs Kokkos ${krylite_kokkos_oldest} or newer, but found Kokkos "
    "${krylite_kokkos_version} in ${krylite_kokkos_place}.")
elseif(krylite_kokkos_version VERSION_GREATER krylite_kokkos_newest_tested)
  message(WARNING "Krylite was tested with Kokkos ${krylite_kokkos_oldest} to ${krylite_kokkos_newest_tested}, "
    "but found Kokkos ${krylite_kokkos_version} in ${krylite_kokkos_place}. It may work.")
endif()
if(krylite_kokkos_version VERSION_GREATER_EQUAL 4.5 AND krylite_kokkos_version VERSION_LESS 4.7
   AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.2
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12.5)
  # https://github.com/kokkos/kokkos/pull/8223
  message(WARNING "GCC ${CMAKE_CXX_COMPILER_VERSION} translates the Views of Kokkos ${krylite_kokkos_version} "
    "wrongly, so that programs crash when they are optimised. Use another compiler, or a Kokkos before 4.5 or "
    "from 4.7.")
endif()

if(NOT TARGET Kokkos::kokkoskernels AND NOT TARGET trilinos_kokkoskernels)
  # The one in Kokkos' own prefix comes first.
  find_package(KokkosKernels CONFIG QUIET PATHS "${Kokkos_DIR}/.." ${krylite_kokkoskernels_hint} NO_DEFAULT_PATH)
  find_package(KokkosKernels CONFIG QUIET)
  if(NOT KokkosKernels_FOUND)
    krylite_kokkos_unusable("Krylite needs Kokkos Kernels and found none beside Kokkos in "
      "${krylite_kokkos_place}. Pass -DKokkosKernels_ROOT=PREFIX. ${KokkosKernels_NOT_FOUND_MESSAGE}")
  endif()
endif()
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ${krylite_saved_targets_global})

# Debian's Kokkos Kernels has another name.
if(NOT TARGET Kokkos::kokkoskernels)
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED GLOBAL)
  target_link_libraries(Kokkos::kokkoskernels INTERFACE trilinos_kokkoskernels)
endif()

# Debian's Kokkos::kokkos names an include folder that does not exist instead of the right one.
if(krylite_kokkos_is_found)
  get_target_property(krylite_kokkos_includes Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS krylite_kokkos_includes)
    if(IS_ABSOLUTE "${folder}" AND NOT EXISTS "${folder}")
      set_property(TARGET Kokkos::kokkos PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${Kokkos_INCLUDE_DIRS}")
    endif()
  endforeach()
endif()

if(NOT Krylite_FIND_QUIETLY)
  set(krylite_kokkos_lacks)
  if(NOT "OPENMP" IN_LIST krylite_kokkos_devices)
    string(APPEND krylite_kokkos_lacks ", no OPENMP")
    if("${krylite_kokkos_devices}" STREQUAL "SERIAL")
      string(APPEND krylite_kokkos_lacks " (the command will run on one core)")
    endif()
  endif()
  if(NOT "CUDA" IN_LIST krylite_kokkos_devices)
    string(APPEND krylite_kokkos_lacks ", no CUDA")
  endif()
  string(REPLACE ";" " " krylite_kokkos_has "${krylite_kokkos_devices}")
  string(REGEX REPLACE "^," ";" krylite_kokkos_lacks "${krylite_kokkos_lacks}")
  message(STATUS "Krylite: Kokkos ${krylite_kokkos_version} has ${krylite_kokkos_has}${krylite_kokkos_lacks}")
endif()
