# Flags. `pactdb_options` is an interface target that every target of ours links privately, so a program that
# uses us as a subproject gets none of it.
#
# Clang 19 with libstdc++ 12 needs no help for <expected>: since version 19 it announces __cpp_concepts 202002L,
# which is what that header asks for. Clang 18 and older do not, and std::expected is then missing.

add_library(pactdb_options INTERFACE)
target_compile_features(pactdb_options INTERFACE cxx_std_23)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
  find_program(PACTDB_CCACHE ccache)
  if(PACTDB_CCACHE)
    # Paths under the checkout count as relative, so that a second checkout finds what the first compiled.
    set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${PACTDB_CCACHE}")
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  endif()
endif()
if(PACTDB_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
endif()
# The layers are static libraries that end up in shared ones (the C ABI, the language packages).
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# -Wconversion is on: a silent narrowing of an offset or a cycle number is a wrong answer. -Wsign-conversion is
# not: every index into a container would need a cast and the casts would hide the real ones.
target_compile_options(pactdb_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wcast-qual -Wformat=2 -Wundef
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi>
  # Options structs are written with designated initialisers; leaving a field at its default is the point.
  -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12's flow analysis reports libstdc++ itself in optimised and sanitised builds (GCC bugs 105651, 105329,
  # 107852). The unoptimised `dev` build and Clang keep these meaningful.
  target_compile_options(pactdb_options INTERFACE
    -Wduplicated-cond -Wlogical-op
    -Wno-restrict -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread
    -Wno-error=maybe-uninitialized -Wno-error=free-nonheap-object)
endif()
if(PACTDB_WERROR)
  target_compile_options(pactdb_options INTERFACE -Werror)
endif()

# Paths in messages, debug information and __FILE__ start at the checkout, wherever that is.
target_compile_options(pactdb_options INTERFACE
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" "-ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/")
target_link_options(pactdb_options INTERFACE -Wl,--build-id=sha1)

if(PACTDB_SANITIZE)
  target_compile_options(pactdb_options INTERFACE
    "-fsanitize=${PACTDB_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pactdb_options INTERFACE "-fsanitize=${PACTDB_SANITIZE}")
endif()
if(PACTDB_COVERAGE)
  target_compile_options(pactdb_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(pactdb_options INTERFACE -fprofile-instr-generate)
endif()
if(PACTDB_LIBFUZZER)
  target_compile_options(pactdb_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The bounds of the standard library's containers, wherever speed is not the point. What is shipped has them too.
target_compile_definitions(pactdb_options INTERFACE $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)
if(PACTDB_HARDEN)
  target_compile_options(pactdb_options INTERFACE
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS
    -fstack-protector-strong -fstack-clash-protection
    $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-fcf-protection=full>)
  target_link_options(pactdb_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()

# Ninja does not know that objects depend on the rules clang-tidy reads; a changed command line makes it look again.
if(PACTDB_CLANG_TIDY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/.clang-tidy")
  file(SHA256 "${PROJECT_SOURCE_DIR}/.clang-tidy" tidy_rules)
  target_compile_definitions(pactdb_options INTERFACE PACTDB_TIDY_RULES="${tidy_rules}")
endif()
