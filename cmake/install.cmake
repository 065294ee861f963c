# What `cmake --install` installs: the program, one shared library of all that a program can use, its headers, and the
# files by which find_package(tutti) and pkg-config find it.
include(CMakePackageConfigHelpers)

# Shared, and of all their objects, so that no linker can drop the algorithms, engines and exporters that register
# themselves, and so that those who use it need none of the libraries inside.
find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
add_library(tutti_shared SHARED)
target_link_libraries(tutti_shared PRIVATE fmt::fmt SQLite::SQLite3 Threads::Threads PkgConfig::HWLOC)
foreach(part algos topologies json models proof sim fast calibration tables selection)
  target_sources(tutti_shared PRIVATE $<TARGET_OBJECTS:tutti_${part}>)
endforeach()
if(TUTTI_SIMGRID)
  target_sources(tutti_shared PRIVATE $<TARGET_OBJECTS:tutti_simgrid> $<TARGET_OBJECTS:tutti_simgrid_platform>)
  target_link_libraries(tutti_shared PRIVATE ${SIMGRID_LIBRARY})
endif()
set_target_properties(tutti_shared PROPERTIES OUTPUT_NAME tutti EXPORT_NAME tutti LINKER_LANGUAGE CXX
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_compile_features(tutti_shared INTERFACE cxx_std_20)
target_include_directories(tutti_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tutti>)

install(TARGETS tutti_shared EXPORT tutti)
install(TARGETS tutti)
# The verbs that are written in Python.
install(DIRECTORY lab DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti FILES_MATCHING PATTERN "*.py")
foreach(folder algos topologies json models sim calibration tables selection)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tutti
          FILES_MATCHING PATTERN "*.hpp" PATTERN "simgrid" EXCLUDE)
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
install(EXPORT tutti NAMESPACE tutti:: FILE tuttiConfig.cmake DESTINATION ${package})
write_basic_package_version_file(tuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tuttiConfigVersion.cmake DESTINATION ${package})

file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/tutti.pc.in tutti.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tutti.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
