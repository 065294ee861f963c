# tutti_fingerprint(TARGET SYMBOL FILE...): a number that differs where the text of one of the files does, as the function
# `const char* tutti::embedded::SYMBOL()`, to be declared where it is used.
# Run as a script with OUTPUT, SYMBOL and FILES, this file writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
  include(${CMAKE_CURRENT_LIST_DIR}/checksum.cmake)
  tutti_checksum(sum ${FILES})
  file(WRITE ${OUTPUT} "namespace tutti::embedded {\nconst char* ${SYMBOL}();\n"
                       "const char* ${SYMBOL}() { return \"${sum}\"; }\n}  // namespace tutti::embedded\n")
  return()
endif()

set(TUTTI_FINGERPRINT_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(tutti_fingerprint target symbol)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} "-DFILES=${ARGN}" -P ${TUTTI_FINGERPRINT_SCRIPT}
    DEPENDS ${ARGN} ${TUTTI_FINGERPRINT_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
