# Installs what bundles the page, unless it is there: npm ci in WEB.
set(lock "${WEB}/package-lock.json")
set(installed "${WEB}/node_modules/.fovea-lock")
if(EXISTS "${installed}")
  file(SHA256 "${lock}" wanted)
  file(SHA256 "${installed}" found)
  if(wanted STREQUAL found)
    file(TOUCH "${installed}")
    return()
  endif()
endif()
# Nothing of these packages needs to run when it is installed.
execute_process(
  COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
  WORKING_DIRECTORY "${WEB}"
  OUTPUT_QUIET
  ERROR_VARIABLE error
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  string(REGEX REPLACE "\n.*" "" error "${error}")
  message(FATAL_ERROR "npm ci failed in web/ (${error}): connect to the network once, or pass -DFOVEA_PAGE=OFF.")
endif()
file(COPY_FILE "${lock}" "${installed}")
