# The conformance cases, driven through the command of this build: one CTest test per area, conformance.AREA. They
# run under the sanitizers too, since the command is built with them there.
if(NOT TARGET pactdb)
  return()
endif()
file(GLOB case_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/conformance/*/*.jsonl")
set(areas "")
foreach(file IN LISTS case_files)
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET folder FILENAME area)
  list(APPEND areas ${area})
endforeach()
list(REMOVE_DUPLICATES areas)
foreach(area IN LISTS areas)
  pactdb_python_test(conformance.${area}
    conformance/run.py --engine "$<TARGET_FILE:pactdb> exec" ${area})
  set_tests_properties(conformance.${area} PROPERTIES LABELS conformance TIMEOUT 600)
endforeach()
