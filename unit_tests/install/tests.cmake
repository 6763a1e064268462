# Uses Krylite as an outside project does: installed, and as a subdirectory. Then shows Krylite Kokkos versions
# that it must refuse or warn of.
set(install_prefix ${CMAKE_CURRENT_BINARY_DIR}/install/prefix)
set(build_flags -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
  "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}" "-DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH}")

# Configures, builds and runs unit_tests/install/consumer with the CMake options given. What is tested is that it
# builds and links: without optimisation that takes a third of the time.
string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" consumer_flags)
function(krylite_add_consumer_test name)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/install/${name})
  add_test(NAME install.${name} COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/install/consumer ${folder} --build-noclean
    --build-generator ${CMAKE_GENERATOR} --build-makeprogram ${CMAKE_MAKE_PROGRAM}
    --build-options ${build_flags} -D${consumer_flags}=-O0 ${ARGN}
    --test-command ${folder}/consumer)
  set_tests_properties(install.${name} PROPERTIES TIMEOUT 1200 PROCESSORS 2 ENVIRONMENT MAKEFLAGS=-j2)
endfunction()

add_test(NAME install.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${install_prefix})
set_tests_properties(install.install PROPERTIES FIXTURES_SETUP krylite_installed)
krylite_add_consumer_test(find_package -DKrylite_ROOT=${install_prefix})
set_tests_properties(install.find_package PROPERTIES FIXTURES_REQUIRED krylite_installed)
krylite_add_consumer_test(add_subdirectory -DKRYLITE_SOURCE_DIR=${PROJECT_SOURCE_DIR}
  -DKRYLITE_WARNINGS_AS_ERRORS=${KRYLITE_WARNINGS_AS_ERRORS}
  -DKokkos_DIR=${Kokkos_DIR} -DKokkosKernels_DIR=${KokkosKernels_DIR})

# Configures Krylite with a stand-in for Kokkos of the version given. CMake breaks the lines of its messages.
function(krylite_add_version_test name version expected)
  string(REPLACE " " "[ \n]+" expected "${expected}")
  add_test(NAME install.${name} COMMAND ${CMAKE_COMMAND} --fresh -S ${PROJECT_SOURCE_DIR}
    -B ${CMAKE_CURRENT_BINARY_DIR}/install/${name} ${build_flags} -DKRYLITE_BUILD_TESTS=OFF -DKRYLITE_BUILD_DRIVER=OFF
    -DKokkos_ROOT=${CMAKE_CURRENT_SOURCE_DIR}/install/fake_kokkos -DFAKE_KOKKOS_VERSION=${version})
  set_tests_properties(install.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${expected}")
endfunction()

krylite_add_version_test(old_kokkos_is_refused 3.3.0
  "Krylite needs Kokkos 3.4.01 or newer, but found Kokkos 3.3.0 in .*fake_kokkos.*Configuring incomplete")
krylite_add_version_test(new_kokkos_warns 99.1.0
  "Krylite was tested with Kokkos .* but found Kokkos 99.1.0 in .*fake_kokkos.*no CUDA.*Configuring done")
