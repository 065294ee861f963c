# tutti_library(NAME KIND folder... LINKS target... [SIZE size] [ALONE name...]): one library per folder of the house (docs/design.md).
# Every .cpp of the folder belongs to it, so that adding a file touches nothing else. SIZE, ALONE: as in tutti_batches.
function(tutti_library name kind)
  cmake_parse_arguments(ARG "" "SIZE" "LINKS;DIRECTORIES;ALONE" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(directory ${ARG_DIRECTORIES})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${directory}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(NOT sources)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}: no source files for tutti_${name}")
  endif()
  tutti_batches(sources SOURCES ${sources} SIZE ${ARG_SIZE} ALONE ${ARG_ALONE})
  add_library(tutti_${name} ${kind} ${sources})
  target_link_libraries(tutti_${name} PUBLIC tutti_options ${ARG_LINKS})
endfunction()

# tutti_lightly(TARGET...): compiled for a release with -Og, in half the time, for they read, write and say, while what takes a program its
# time is in other libraries.
function(tutti_lightly)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  endforeach()
endfunction()

# tutti_mimalloc(TARGET...): allocates with it, where it is; simulations of many ranks and proofs take less time. Each target has cli/allocation.cpp
# among its sources. Sanitizers have an allocator of their own.
find_package(mimalloc QUIET)
function(tutti_mimalloc)
  if(NOT mimalloc_FOUND OR CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    return()
  endif()
  foreach(target ${ARGN})
    target_link_libraries(${target} PRIVATE mimalloc)
    target_compile_definitions(${target} PRIVATE TUTTI_MIMALLOC)
  endforeach()
endfunction()

add_library(tutti_options INTERFACE)
target_include_directories(tutti_options INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
target_compile_options(tutti_options INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wshadow=local -Wconversion -Wno-sign-conversion -Wno-restrict -Werror
  -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>)
