# tutti_plugin_header(TARGET FILE...): algos/plugin.hpp, which plug-ins include, in ${CMAKE_BINARY_DIR}/include, and in
# TARGET, which loads them, the function that it asks for. Its name differs where the text of one of the files does: a
# plug-in made with other headers is refused by the dynamic linker, before any of its code has run.
# Run as a script with HEADER, SOURCE, VERSION and FILES, this file writes both.
if(CMAKE_SCRIPT_MODE_FILE)
  include(${CMAKE_CURRENT_LIST_DIR}/checksum.cmake)
  tutti_checksum(sum ${FILES})
  string(SUBSTRING ${sum} 0 16 sum)
  string(REPLACE "." "_" version ${VERSION})
  set(function tutti_abi_${version}_${sum})
  file(WRITE ${HEADER}
"#pragma once

#include \"algos/registry.hpp\"

/// Of the program that loads plug-ins made with these headers.
extern \"C\" void ${function}();

/// Once in each plug-in: by this it is known for one.
#define TUTTI_PLUGIN \\
  extern \"C\" [[gnu::visibility(\"default\")]] void tutti_plugin(); \\
  void tutti_plugin() { ${function}(); }
")
  file(WRITE ${SOURCE} "extern \"C\" [[gnu::visibility(\"default\")]] void ${function}();\nvoid ${function}() {}\n")
  return()
endif()

set(TUTTI_PLUGIN_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(tutti_plugin_header target)
  set(header ${CMAKE_BINARY_DIR}/include/algos/plugin.hpp)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/plugin_abi.cpp)
  add_custom_command(
    OUTPUT ${source} ${header}
    COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DSOURCE=${source} -DVERSION=${PROJECT_VERSION} "-DFILES=${ARGN}"
            -P ${TUTTI_PLUGIN_SCRIPT}
    DEPENDS ${ARGN} ${TUTTI_PLUGIN_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
