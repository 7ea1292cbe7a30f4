# Defines HEADRACE_SOURCE_DIR for the files that name it, and for no other: the command lines of all others are then the same
# in every clone, and so are their entries in the compiler cache.
function(headrace_source_dir)
  foreach(file ${ARGN})
    file(STRINGS ${file} used REGEX "HEADRACE_SOURCE_DIR" LIMIT_COUNT 1)
    if(used)
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS HEADRACE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    endif()
  endforeach()
endfunction()

# What `make asan` and `make tsan` build and run: the test programs that headrace_sanitized names.
add_custom_target(sanitizer_tests)
function(headrace_sanitized name)
  add_dependencies(sanitizer_tests ${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS sanitized ENVIRONMENT
    "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/thread_sanitizer_suppressions.txt;UBSAN_OPTIONS=print_stacktrace=1")
endfunction()

# headrace_module(NAME [DEPS ...] [PRECOMPILE HEADER... | PRECOMPILED_BY MODULE]
#                 [UNSANITIZED]): one folder = one static library hr_NAME and one test program NAME_test.
#
# Sources are picked by suffix, so that no file falls out of a hand-kept list:
#   x.cpp            product         x_cuda.cu   CUDA module only
#   x_test.cpp       test            x_fuzz.cpp  libFuzzer program x_fuzz, a part of the target fuzzers of the preset asan
#   x_cpu.cpp        CPU kernel: loops are vectorised (-O3)
#   testing/x.cpp    what tests share: a library hr_NAME_testing, linked into NAME_test (other modules' tests may link it)
#
# The tests of an UNSANITIZED module are not among those that `make asan` and `make tsan` build.
# With sanitizers the HEADERs are compiled once for the whole module, which halves the time of the build. Other builds go without:
# there each file shows that it includes what it uses, and the compiler cache does more.
function(headrace_module name)
  cmake_parse_arguments(ARG "UNSANITIZED" "PRECOMPILED_BY" "DEPS;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cpp$")
  set(shared_test_sources ${sources})
  list(FILTER shared_test_sources INCLUDE REGEX "/testing/")
  list(FILTER sources EXCLUDE REGEX "/testing/")
  set(cpu_kernels ${sources})
  list(FILTER cpu_kernels INCLUDE REGEX "_cpu\\.cpp$")
  if(cpu_kernels)
    if(NOT HEADRACE_SANITIZE)  # checks keep loops from being vectorised
      set_source_files_properties(${cpu_kernels} PROPERTIES COMPILE_OPTIONS
                                  "-fno-math-errno;-fno-trapping-math;$<$<CONFIG:Release>:-O3>")
    endif()
    # Last in the archive, and so in the program: definitions of ops, which run at every start, then lie side by side, and a
    # kernel takes memory when it is used.
    list(REMOVE_ITEM sources ${cpu_kernels})
    list(APPEND sources ${cpu_kernels})
  endif()
  if(NOT sources)  # a folder without sources yet is an empty library
    set(sources ${PROJECT_BINARY_DIR}/empty.cpp)
    if(NOT EXISTS ${sources})
      file(WRITE ${sources} "")
    endif()
  endif()
  add_library(hr_${name} STATIC ${sources})
  target_include_directories(hr_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(hr_${name} PUBLIC ${ARG_DEPS})
  if(HEADRACE_SANITIZE AND ARG_PRECOMPILE)
    target_precompile_headers(hr_${name} PRIVATE ${ARG_PRECOMPILE})
  elseif(HEADRACE_SANITIZE AND ARG_PRECOMPILED_BY)
    target_precompile_headers(hr_${name} REUSE_FROM hr_${ARG_PRECOMPILED_BY})
  endif()
  if(HEADRACE_TESTS AND shared_test_sources)
    add_library(hr_${name}_testing STATIC ${shared_test_sources})
    target_link_libraries(hr_${name}_testing PUBLIC hr_${name} GTest::gtest)
    target_compile_options(hr_${name}_testing PRIVATE -O1)
    headrace_source_dir(${shared_test_sources})
  endif()
  if(HEADRACE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE hr_${name} $<TARGET_NAME_IF_EXISTS:hr_${name}_testing>
                          GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE -O1)
    headrace_source_dir(${tests})
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
    if(NOT ARG_UNSANITIZED)
      headrace_sanitized(${name})
    endif()
  endif()
  if(HEADRACE_FUZZ)
    # What guides the fuzzers: kernels do without, as no reader of files runs one.
    set(guided ${sources})
    list(FILTER guided EXCLUDE REGEX "_cpu\\.cpp$")
    set_property(SOURCE ${guided} APPEND PROPERTY COMPILE_OPTIONS
                 -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)
    foreach(fuzzer ${fuzzers})
      get_filename_component(stem ${fuzzer} NAME_WE)
      add_executable(${stem} EXCLUDE_FROM_ALL ${fuzzer})
      target_link_libraries(${stem} PRIVATE hr_${name})
      # Readers that are headers alone are looked into as well.
      target_compile_options(${stem} PRIVATE -fsanitize=fuzzer-no-link)
      target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
      add_dependencies(fuzzers ${stem})
    endforeach()
  endif()
endfunction()
