# Finds SuiteSparse's AMD, which the minimum degree ordering uses. Gives the target
#   SuiteSparse::AMD
# and AMD_FOUND. Used by Krylite's own build and, where Krylite is a static library, by its installed package.
# -DCMAKE_DISABLE_FIND_PACKAGE_AMD=ON builds without it, -DAMD_ROOT=PREFIX says where it is.
find_path(AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse)
find_library(AMD_LIBRARY amd)
find_library(AMD_CONFIG_LIBRARY suitesparseconfig)
mark_as_advanced(AMD_INCLUDE_DIR AMD_LIBRARY AMD_CONFIG_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(AMD REQUIRED_VARS AMD_LIBRARY AMD_INCLUDE_DIR)

if(AMD_FOUND AND NOT TARGET SuiteSparse::AMD)
  add_library(SuiteSparse::AMD UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::AMD PROPERTIES IMPORTED_LOCATION "${AMD_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${AMD_INCLUDE_DIR}")
  # Where AMD is a static library, it does not bring this one along.
  if(AMD_CONFIG_LIBRARY)
    set_property(TARGET SuiteSparse::AMD PROPERTY INTERFACE_LINK_LIBRARIES "${AMD_CONFIG_LIBRARY}")
  endif()
endif()
