# cmake -D URL=... -D TO=FILE -P cmake/Download.cmake: a download for machines that have nothing but what builds us.
file(DOWNLOAD "${URL}" "${TO}" STATUS status)
list(GET status 0 code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${URL}: ${status}")
endif()
