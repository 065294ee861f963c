# What `cmake --install` installs: the program, one shared library of all that a program can use, its headers, and the
# files by which find_package(tutti) and pkg-config find it.
include(CMakePackageConfigHelpers)

# What a program needs that runs collectives, and no more: no simulator, no database.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
add_library(tutti_runtime_shared SHARED)
target_link_libraries(tutti_runtime_shared PRIVATE Threads::Threads PkgConfig::HWLOC)
if(TUTTI_VERBS)
  pkg_check_modules(VERBS REQUIRED IMPORTED_TARGET libibverbs librdmacm)
  target_link_libraries(tutti_runtime_shared PRIVATE PkgConfig::VERBS)
endif()
foreach(part base algos json tables runtime)
  target_sources(tutti_runtime_shared PRIVATE $<TARGET_OBJECTS:tutti_${part}>)
endforeach()

# Shared, and of all their objects, so that no linker can drop the algorithms, engines and exporters that register
# themselves, and so that those who use it need none of the libraries inside.
find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(yaml-cpp REQUIRED)
add_library(tutti_shared SHARED)
target_link_libraries(tutti_shared PUBLIC tutti_runtime_shared PRIVATE fmt::fmt yaml-cpp SQLite::SQLite3 Threads::Threads PkgConfig::HWLOC)
foreach(part topologies models proof sim fast calibration sites selection exporters)
  target_sources(tutti_shared PRIVATE $<TARGET_OBJECTS:tutti_${part}>)
endforeach()
if(TUTTI_SIMGRID)
  target_sources(tutti_shared PRIVATE $<TARGET_OBJECTS:tutti_simgrid>)
  install(TARGETS tutti_simgrid_module DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# Linked as they are installed: a path that CMake changes at installation ends in an empty entry till then, which stands
# for the current folder. So it names where libraries lie in an installation and in the folder of the build.
set_target_properties(tutti_shared PROPERTIES OUTPUT_NAME tutti EXPORT_NAME tutti)
set_target_properties(tutti_runtime_shared PROPERTIES OUTPUT_NAME tutti_runtime EXPORT_NAME runtime)
foreach(library tutti_shared tutti_runtime_shared)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX INSTALL_RPATH "$ORIGIN;$ORIGIN/sim/simgrid" BUILD_WITH_INSTALL_RPATH ON
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(${library} INTERFACE cxx_std_20)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tutti>)
endforeach()

install(TARGETS tutti_shared tutti_runtime_shared EXPORT tutti)
file(RELATIVE_PATH libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(tutti PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries};$ORIGIN/sim/simgrid" BUILD_WITH_INSTALL_RPATH ON)
install(TARGETS tutti)
# From what the program says of itself.
install(CODE "
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  function(written words file)
    get_filename_component(folder \"\${file}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"${CMAKE_BINARY_DIR}/tutti\" \${words} OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${file}\")
  endfunction()
  written(manual \"\${root}/${CMAKE_INSTALL_MANDIR}/man1/tutti.1\")
  execute_process(COMMAND \"${CMAKE_BINARY_DIR}/tutti\" manual --verbs OUTPUT_VARIABLE verbs COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE \"\\n\" \";\" verbs \"\${verbs}\")
  foreach(verb \${verbs})
    written(\"manual;\${verb}\" \"\${root}/${CMAKE_INSTALL_MANDIR}/man1/tutti-\${verb}.1\")
  endforeach()
  written(completion \"\${root}/${CMAKE_INSTALL_DATADIR}/bash-completion/completions/tutti\")
  written(\"completion;zsh\" \"\${root}/${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_tutti\")
  written(\"completion;fish\" \"\${root}/${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/tutti.fish\")")
# The verbs that are written in Python.
install(DIRECTORY lab validation plots DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti FILES_MATCHING PATTERN "*.py" PATTERN "*.c")

# What programs may include, and what these headers include in turn; all else may change from one version to the next.
set(public_headers
  base/error.hpp base/sizes.hpp
  algos/registry.hpp algos/groups.hpp algos/payload.hpp
  models/machine.hpp models/machine_files.hpp models/placement.hpp
  sim/engine.hpp sim/proof/verify.hpp
  calibration/calibrate.hpp calibration/readers.hpp
  tables/table.hpp
  selection/tune.hpp selection/baselines.hpp selection/library.hpp selection/export.hpp selection/pricing.hpp
  sites/sources.hpp sites/site_machine.hpp
  runtime/team.hpp runtime/one_sided.hpp)
file(GLOB patterns RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/algos/patterns/*.hpp)
list(APPEND public_headers ${patterns})  # to write algorithms with
set(installed_headers)
while(public_headers)
  list(POP_FRONT public_headers header)
  if(header IN_LIST installed_headers)
    continue()
  endif()
  list(APPEND installed_headers ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${header})
  file(STRINGS ${CMAKE_SOURCE_DIR}/${header} includes REGEX "^#include \"")
  foreach(line ${includes})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included ${line})
    list(APPEND public_headers ${included})
  endforeach()
endwhile()
foreach(header ${installed_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tutti/${folder})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
install(EXPORT tutti NAMESPACE tutti:: FILE tuttiTargets.cmake DESTINATION ${package})
install(FILES ${CMAKE_SOURCE_DIR}/cmake/tuttiConfig.cmake DESTINATION ${package})
install(FILES ${CMAKE_BINARY_DIR}/include/algos/plugin.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tutti/algos)
write_basic_package_version_file(tuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tuttiConfigVersion.cmake DESTINATION ${package})

file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name tutti tutti-runtime)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
