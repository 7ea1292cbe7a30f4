# libheadrace.so from all modules, and what `cmake --install` puts where.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

function(headrace_package)
  cmake_parse_arguments(ARG "" "" "MODULES" ${ARGN})
  set(whole hr_proto)
  foreach(module ${ARG_MODULES})
    list(APPEND whole hr_${module})
  endforeach()
  list(JOIN whole "," whole_list)
  file(WRITE ${PROJECT_BINARY_DIR}/headrace_library.cpp "// The library is made of its modules' archives.\n")
  add_library(headrace SHARED ${PROJECT_BINARY_DIR}/headrace_library.cpp)
  add_library(headrace::headrace ALIAS headrace)
  # Modules link each other too; the override makes every mention of them a whole archive.
  set_property(TARGET headrace PROPERTY LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${whole_list}")
  target_link_libraries(headrace PRIVATE ${whole})
  target_link_libraries(headrace PUBLIC absl::status absl::statusor absl::strings absl::function_ref)
  # Messages are in our namespace, but no program may come to depend on them: a private header that speaks of them hides what
  # it declares, and the classes themselves are left out here.
  target_link_options(headrace PRIVATE -Wl,--exclude-libs,libhr_proto.a)
  target_link_options(headrace PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/headrace.map
                      -Wl,--as-needed -Wl,-Bsymbolic-functions)
  target_include_directories(headrace PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(headrace PUBLIC cxx_std_20)
  set_target_properties(headrace PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)

  install(TARGETS headrace EXPORT headraceTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/headrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "internal" EXCLUDE PATTERN "testing" EXCLUDE
          PATTERN "proto" EXCLUDE
          PATTERN "proto_convert.h" EXCLUDE PATTERN "event_reader.h" EXCLUDE)
  install(EXPORT headraceTargets NAMESPACE headrace:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/headrace)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/headraceConfig.cmake.in
    ${PROJECT_BINARY_DIR}/headraceConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/headrace)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/headraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/headraceConfig.cmake ${PROJECT_BINARY_DIR}/headraceConfigVersion.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/headrace)
endfunction()
