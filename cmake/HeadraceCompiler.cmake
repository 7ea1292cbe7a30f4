# Compiler, linker and cache settings shared by every target.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD)
  # Error paths and start-up code in sections of their own, which other linkers do unasked: the pages that a running process
  # touches then hold little else.
  add_link_options(-fuse-ld=mold -Wl,-z,keep-text-section-prefix)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
                    -fvisibility-inlines-hidden -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 inside the standard library and Abseil.
  add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Wno-unknown-pragmas)  # GCC's ivdep
endif()

if(HEADRACE_SANITIZE)
  # A finding of the undefined-behaviour sanitizer ends the test, as one of the others does. -O1: exact stacks, faster builds.
  add_compile_options(-fsanitize=${HEADRACE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -O1)
  add_link_options(-fsanitize=${HEADRACE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizer_ignorelist.txt)
    if(HEADRACE_SANITIZE MATCHES "address")
      set(HEADRACE_FUZZ ON)  # see headrace_module
      add_custom_target(fuzzers)
    endif()
  endif()
endif()
