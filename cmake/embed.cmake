# tutti_embed(TARGET SYMBOL FILE): the file's text as `const char* const SYMBOL` in namespace tutti::embedded.
function(tutti_embed target symbol file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${output} -DSYMBOL=${symbol} -P ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake)
  target_sources(${target} PRIVATE ${output})
endfunction()
