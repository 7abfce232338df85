# fovea_embed(TARGET FOLDER FUNCTION [FILE...]): the target gets the files of a
# folder, and the function fovea::FUNCTION() that lists them; see
# tools/embed_assets. Files that the build makes are named.
function(fovea_embed target folder function)
  set(tool "${PROJECT_SOURCE_DIR}/tools/embed_assets")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${function}.cc")
  set(files ${ARGN})
  if(NOT files)
    file(GLOB files CONFIGURE_DEPENDS "${folder}/*")
  endif()
  add_custom_command(
    OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} "-DFOLDER=${folder}" "-DFUNCTION=${function}"
            "-DOUT=${out}" -P "${tool}"
    DEPENDS "${tool}" ${files}
    VERBATIM)
  target_sources(${target} PRIVATE "${out}")
  set_source_files_properties("${out}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                                                  OBJECT_DEPENDS "${files}")
endfunction()
