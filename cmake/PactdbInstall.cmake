# The library as others use it: one shared library with the C++ and the C interface, its headers, a CMake package and
# a pkg-config file. What it is made of stays inside: a program that links it needs no header and no package of ours.
if(NOT PROJECT_IS_TOP_LEVEL OR NOT TARGET pactdb_capi)
  return()
endif()
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The objects of every layer, and the libraries that layers link besides each other.
set(objects "")
set(libraries "")
foreach(layer IN LISTS PACTDB_LAYERS)
  if(NOT TARGET pactdb_${layer})
    continue()
  endif()
  list(APPEND objects $<TARGET_OBJECTS:pactdb_${layer}>)
  get_target_property(linked pactdb_${layer} LINK_LIBRARIES)
  list(FILTER linked EXCLUDE REGEX "pactdb_")
  list(APPEND libraries ${linked})
endforeach()
list(REMOVE_DUPLICATES libraries)
add_library(pactdb_library SHARED ${objects})
target_link_libraries(pactdb_library PRIVATE ${libraries})
set_target_properties(pactdb_library PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(pactdb_library INTERFACE cxx_std_23)
target_include_directories(pactdb_library INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
set_target_properties(pactdb_library PROPERTIES
  OUTPUT_NAME pactdb
  EXPORT_NAME pactdb
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

install(TARGETS pactdb_library EXPORT pactdbTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET pactdb)
  install(TARGETS pactdb RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/pactdb" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pactdb")
install(EXPORT pactdbTargets NAMESPACE pactdb:: DESTINATION "${package_dir}" FILE pactdbConfig.cmake)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/pactdbConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/pactdbConfigVersion.cmake" DESTINATION "${package_dir}")

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pactdb.pc" CONTENT [[
prefix=@CMAKE_INSTALL_PREFIX@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: pactdb
Description: Versioned database for the context of LLM agents
Version: @PROJECT_VERSION@
Libs: -L${libdir} -lpactdb
Cflags: -I${includedir}
]] @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/pactdb.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
