# One function per kind of target. In DEPENDS and LINK lists a bare layer name (`base`) means that layer's target
# (`pactdb_base`); anything else is taken as a CMake target (`OpenSSL::Crypto`).

set(PACTDB_LAYERS base text model diff select render tokens providers store engine capi server cli)

function(pactdb_resolve_targets out)
  set(resolved "")
  foreach(name IN LISTS ARGN)
    if(name IN_LIST PACTDB_LAYERS)
      list(APPEND resolved pactdb_${name})
    else()
      list(APPEND resolved ${name})
    endif()
  endforeach()
  set(${out} "${resolved}" PARENT_SCOPE)
endfunction()

# With PACTDB_UNITY the sources of a target are compiled several at a time: most of what a source costs is the headers
# and templates that its neighbours also use. Names in anonymous namespaces then meet; the few sources that have one
# in common with a neighbour say so:
#
# pactdb_alone(a.cc b.cc ...)
#
# Sources of this folder that are compiled on their own even so.
function(pactdb_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# pactdb_layer(NAME SOURCES a.cc b.cc ... [DEPENDS layer-or-target ...])
#
# The library pactdb_NAME of src/NAME/. DEPENDS is public: who may include our headers may include what they
# include. A layer without sources of its own yet (headers only) is an interface library.
function(pactdb_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pactdb_layer(${name}): stray arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target pactdb_${name})
  pactdb_resolve_targets(depends ${arg_DEPENDS})
  if(NOT arg_SOURCES)
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  else()
    add_library(${target} ${PACTDB_LAYER_TYPE} ${arg_SOURCES})
    set(visibility PUBLIC)
    # A shared layer is compiled as a static one is, without a macro of its own: ccache then knows its objects.
    set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:pactdb_options>)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${PACTDB_OPTIMIZE}>)
    if(PACTDB_CLANG_TIDY)
      set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "${PACTDB_CLANG_TIDY};--quiet")
    endif()
  endif()
  add_library(pactdb::${name} ALIAS ${target})
  target_compile_features(${target} ${visibility} cxx_std_23)
  target_include_directories(${target} ${visibility}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>")
  target_link_libraries(${target} ${visibility} ${depends})
endfunction()

# pactdb_program(NAME SOURCES main.cc ... [DEPENDS layer-or-target ...])
#
# A command; it appears as bin/NAME in the build directory.
function(pactdb_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  pactdb_resolve_targets(depends ${arg_DEPENDS})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${name} PRIVATE pactdb_options ${depends})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(PACTDB_CLANG_TIDY)
    set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY "${PACTDB_CLANG_TIDY};--quiet")
  endif()
  if(PACTDB_HARDEN)
    target_link_options(${name} PRIVATE -pie)
  endif()
endfunction()

# Threaded tests are what the `tsan` preset is for; `make test` builds this target there and runs only them.
add_custom_target(pactdb_thread_tests)

# pactdb_test(LAYER foo_test.cc bar_test.cc ... [NAME suffix] [DEPENDS layer-or-target ...] [LABELS label ...]
#             [TIMEOUT seconds] [WHOLE])
#
# One GoogleTest program per call: pactdb_LAYER_test, or pactdb_LAYER_SUFFIX_test with NAME. Every TEST becomes a
# CTest test of its own, `LAYER.Suite.Claim`, so a red line names the claim and `ctest -j` spreads the load. WHOLE
# registers the program as a single test instead, for suites whose set-up costs more than their tests.
# The label `threads` puts the program into the ThreadSanitizer run, `soak` into `make soak`; both kinds should
# scale their length by the environment's PACTDB_TEST_SCALE (percent, default 100). LAYER need not be a layer (test/ folders
# use it too); when it is one, its target is linked.
function(pactdb_test layer)
  if(NOT PACTDB_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE" "NAME;TIMEOUT" "DEPENDS;LABELS")
  set(stem ${layer})
  if(arg_NAME)
    set(stem ${layer}_${arg_NAME})
  endif()
  if(layer IN_LIST PACTDB_LAYERS)
    list(PREPEND arg_DEPENDS ${layer})
  endif()
  pactdb_resolve_targets(depends ${arg_DEPENDS})
  set(target pactdb_${stem}_test)
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/test")
  target_link_libraries(${target} PRIVATE
    pactdb_options ${depends} GTest::gtest GTest::gmock GTest::gtest_main Threads::Threads)
  if(PACTDB_UNITY AND NOT PACTDB_SANITIZE AND NOT "soak" IN_LIST arg_LABELS AND NOT "threads" IN_LIST arg_LABELS)
    # Optimising such a test takes longer than the test.
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  endif()
  # Tests find data files (cases, goldens) relative to the checkout.
  target_compile_definitions(${target} PRIVATE PACTDB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(properties "")
  if(arg_TIMEOUT) # The test presets give 120 seconds to the others.
    list(APPEND properties TIMEOUT ${arg_TIMEOUT})
  endif()
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  if(arg_WHOLE)
    add_test(NAME ${stem} COMMAND ${target})
    if(properties)
      set_tests_properties(${stem} PROPERTIES ${properties})
    endif()
  else()
    include(GoogleTest)
    gtest_discover_tests(${target} TEST_PREFIX "${stem}." DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
  endif()
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(pactdb_thread_tests ${target})
  endif()
endfunction()

# pactdb_python_test(NAME script.py [arg ...])
#
# A Python program as the CTest test NAME, run at the top of the checkout; exit code 0 is success, 77 that it could check
# nothing here. One that only leaves a part out passes, with a line `skipped: ...`. Arguments may be generator
# expressions, as in "$<TARGET_FILE:pactdb> exec". Label it afterwards with set_tests_properties.
function(pactdb_python_test name)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# pactdb_fuzzer(NAME [JSON] [NO_COMPARES] [SOURCES extra.cc ...] [DEPENDS layer-or-target ...])
#
# Call it in fuzz/. Source NAME_fuzzer.cc, corpus corpora/NAME/, dictionary NAME.dict if there is one. Under the
# `fuzz` preset a libFuzzer program; otherwise the replay driver over the corpus, as the test fuzz.replay.NAME.
# JSON: inputs hold JSON, and are changed so that they still do (fuzz/json_mutator.cc).
# NO_COMPARES: inputs are decisions, so what the code compares is no hint for them (fuzz/no_compares.cc).
function(pactdb_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "JSON;NO_COMPARES" "" "SOURCES;DEPENDS")
  pactdb_resolve_targets(depends ${arg_DEPENDS})
  set(target pactdb_${name}_fuzzer)
  add_executable(${target} ${name}_fuzzer.cc ${arg_SOURCES})
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/test")
  target_link_libraries(${target} PRIVATE pactdb_options ${depends})
  set(corpus "${CMAKE_CURRENT_SOURCE_DIR}/corpora/${name}")
  if(PACTDB_LIBFUZZER)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    if(arg_JSON)
      target_link_libraries(${target} PRIVATE pactdb_fuzz_json_mutator)
    endif()
    if(arg_NO_COMPARES)
      target_link_libraries(${target} PRIVATE pactdb_fuzz_no_compares)
    endif()
    # -runs=0 executes the corpus once and stops.
    add_test(NAME fuzz.replay.${name} COMMAND ${target} -runs=0 -timeout=10 "${corpus}")
  else()
    target_link_libraries(${target} PRIVATE pactdb_fuzz_replay)
    add_test(NAME fuzz.replay.${name} COMMAND ${target} "${corpus}")
  endif()
  set_tests_properties(fuzz.replay.${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()

# pactdb_benchmark(NAME SOURCES a_benchmark.cc ... [DEPENDS layer-or-target ...] [SMOKE arg ...])
#
# A Google Benchmark program NAME. SMOKE gives the arguments of a tiny run that CTest does as bench.smoke.NAME, so
# that a benchmark cannot rot; without SMOKE the program is built and not run.
function(pactdb_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;SMOKE")
  pactdb_resolve_targets(depends ${arg_DEPENDS})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/bench"
    "${PROJECT_SOURCE_DIR}/test")
  target_link_libraries(${name} PRIVATE pactdb_options ${depends} benchmark::benchmark Threads::Threads)
  # What we are compared with is optimised as we are: RapidJSON's writer is twice as fast with -O3.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${PACTDB_OPTIMIZE}>)
  if(arg_SMOKE)
    add_test(NAME bench.smoke.${name} COMMAND ${name} ${arg_SMOKE})
    set_tests_properties(bench.smoke.${name} PROPERTIES LABELS bench TIMEOUT 300)
  endif()
endfunction()
