include("${CMAKE_CURRENT_LIST_DIR}/tuttiTargets.cmake")

# tutti_add_plugin(NAME SOURCE...): libNAME.so, for `tutti --plugin libNAME.so`. It takes all it needs from the program.
function(tutti_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:tutti::tutti,INTERFACE_INCLUDE_DIRECTORIES>)
  set_target_properties(${name} PROPERTIES PREFIX lib SUFFIX .so)
endfunction()
