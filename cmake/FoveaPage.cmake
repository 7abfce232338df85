# Builds the page of web/ into FOVEA_PAGE_FOLDER; its files are
# FOVEA_PAGE_FILES. Without FOVEA_PAGE both stand for nothing.
set(FOVEA_PAGE_FOLDER "${PROJECT_BINARY_DIR}/no-page")
set(FOVEA_PAGE_FILES "")
if(NOT FOVEA_PAGE)
  return()
endif()

find_program(FOVEA_NODE NAMES node nodejs)
find_program(FOVEA_NPM NAMES npm)
if(NOT FOVEA_NODE OR NOT FOVEA_NPM)
  message(FATAL_ERROR "The page needs Node.js 18 and npm: install nodejs and npm, or pass -DFOVEA_PAGE=OFF.")
endif()

# Tools of the page are installed once for all presets.
set(FOVEA_WEB "${PROJECT_SOURCE_DIR}/web")
set(page_tools "${FOVEA_WEB}/node_modules/.fovea-lock")
add_custom_command(
  OUTPUT "${page_tools}"
  COMMAND ${CMAKE_COMMAND} "-DWEB=${FOVEA_WEB}" "-DNPM=${FOVEA_NPM}" -P
          "${PROJECT_SOURCE_DIR}/cmake/install_page_tools.cmake"
  DEPENDS "${FOVEA_WEB}/package-lock.json"
  COMMENT "Installing the tools of the page"
  VERBATIM)

# A folder of its own: all that is in it goes into the library.
set(FOVEA_PAGE_FOLDER "${PROJECT_BINARY_DIR}/web/page")
foreach(name app.css app.js explain.html index.html)
  list(APPEND FOVEA_PAGE_FILES "${FOVEA_PAGE_FOLDER}/${name}")
endforeach()
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS "${FOVEA_WEB}/src/*")
add_custom_command(
  OUTPUT ${FOVEA_PAGE_FILES}
  COMMAND "${FOVEA_NODE}" "${FOVEA_WEB}/build.mjs" "${FOVEA_PAGE_FOLDER}"
  DEPENDS "${page_tools}" "${FOVEA_WEB}/build.mjs" ${page_sources}
  COMMENT "Bundling the page"
  VERBATIM)
