# Installs the build into a folder of its own, builds a small project that finds
# the package there, and runs it.
function(run)
  execute_process(
    COMMAND ${ARGV}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfailed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND}
    -S ${CONSUMER_DIR}
    -B ${WORK_DIR}/build
    -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=Release
    -DEXAMPLES_DIR=${EXAMPLES_DIR}
    -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)
if(NOT output MATCHES
   "^1.00 0.00 0.00\n0.[0-9][0-9] 0.[0-9][0-9] 0.00\n0.[0-9][0-9] 0.[0-9][0-9] 0.[0-9][0-9]\n$"
)
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()

foreach(example 06_translate 07_word_alignment 08_choose)
  run(${WORK_DIR}/build/${example})
endforeach()

run(${WORK_DIR}/prefix/bin/fovea --version)
if(NOT output STREQUAL "fovea ${VERSION}\n")
  message(FATAL_ERROR "the installed command printed: ${output}")
endif()
