# headrace_module(NAME [DEPS ...]): one folder = one static library hr_NAME and one test program NAME_test.
#
# Sources are picked by suffix, so that no file falls out of a hand-kept list:
#   x.cpp            product         x_cuda.cu   CUDA module only
#   x_test.cpp       test            x_fuzz.cpp  libFuzzer target
function(headrace_module name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/testing/")
  add_library(hr_${name} STATIC ${sources})
  target_include_directories(hr_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(hr_${name} PUBLIC ${ARG_DEPS})
  if(HEADRACE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE hr_${name} GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE -O1)
    target_compile_definitions(${name}_test PRIVATE HEADRACE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
  endif()
endfunction()
