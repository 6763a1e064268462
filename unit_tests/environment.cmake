# Read by ctest before it runs the tests. Two threads, so that results do not depend on the machine; threads that
# wait give way instead of spinning, which on a busy machine takes a hundred times as long.
foreach(setting IN ITEMS OMP_NUM_THREADS=2 OMP_PROC_BIND=false OMP_WAIT_POLICY=passive)
  string(REGEX MATCH "^([A-Z_]+)=(.+)$" setting ${setting})
  if(NOT DEFINED ENV{${CMAKE_MATCH_1}})
    set(ENV{${CMAKE_MATCH_1}} ${CMAKE_MATCH_2})
  endif()
endforeach()
