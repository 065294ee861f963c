# tutti_embed(TARGET SYMBOL FILE...): the files' texts by name without extension, as the function
# `const std::map<std::string, std::string>& tutti::embedded::SYMBOL()`, to be declared where it is used.
# Run as a script with OUTPUT, SYMBOL and FILES, this file writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(code "#include <map>\n#include <string>\n\nnamespace tutti::embedded {\n\n")
  string(APPEND code "const std::map<std::string, std::string>& ${SYMBOL}();\n")
  string(APPEND code "const std::map<std::string, std::string>& ${SYMBOL}() {\n")
  string(APPEND code "  static const std::map<std::string, std::string> texts{\n")
  foreach(file ${FILES})
    get_filename_component(name ${file} NAME_WLE)
    file(READ ${file} text)
    string(APPEND code "{\"${name}\", R\"!!(${text})!!\"},\n")
  endforeach()
  string(APPEND code "  };\n  return texts;\n}\n\n}  // namespace tutti::embedded\n")
  file(WRITE ${OUTPUT} "${code}")
  return()
endif()

set(TUTTI_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(tutti_embed target symbol)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} "-DFILES=${ARGN}" -P ${TUTTI_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${TUTTI_EMBED_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
