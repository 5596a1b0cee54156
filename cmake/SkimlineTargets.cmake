# SPDX-License-Identifier: BSD-3-Clause
# Defines what every target of the project is built with, and one function per kind of target.

add_library(skimline_build_flags INTERFACE)
target_compile_features(skimline_build_flags INTERFACE cxx_std_20)
# -ffp-contract=off: a fused multiply-add would make results depend on the machine.
# -fno-trapping-math, -fno-math-errno: let loops over sqrt and comparisons vectorise; values are unchanged.
target_compile_options(skimline_build_flags INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion
  -ffp-contract=off -fno-trapping-math -fno-math-errno
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # gcc 12 reports false positives on std::string concatenation
  # gcc looks for memory to use again from 128 MiB on, an eighth of its time; with a third more memory it need not.
  "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param=ggc-min-expand=200 --param=ggc-min-heapsize=1048576>"
  $<$<BOOL:${SKIMLINE_WARNINGS_AS_ERRORS}>:-Werror>)
if(SKIMLINE_SANITIZER)
  target_compile_options(skimline_build_flags INTERFACE
    -fsanitize=${SKIMLINE_SANITIZER} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(skimline_build_flags INTERFACE -fsanitize=${SKIMLINE_SANITIZER})
  target_compile_definitions(skimline_build_flags INTERFACE SKIMLINE_SANITIZED)
endif()
# Checks of undefined behaviour double the time to compile.
add_library(skimline_test_flags INTERFACE)
target_link_libraries(skimline_test_flags INTERFACE skimline_build_flags)
target_compile_options(skimline_test_flags INTERFACE $<$<CONFIG:Release>:-O1>)
if(SKIMLINE_QUICK_SANITIZER AND SKIMLINE_SANITIZER MATCHES undefined)
  target_compile_options(skimline_build_flags INTERFACE -fno-sanitize=null,vptr,object-size,pointer-overflow)
  target_compile_options(skimline_test_flags INTERFACE -fno-sanitize=undefined)
endif()
if(SKIMLINE_BUILD_FUZZERS)
  target_compile_options(skimline_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Compiling the files of a room as one takes half of the time; their names in anonymous namespaces must then differ.
function(skimline_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SKIMLINE_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(room ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${room}" room)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${room}")
  endforeach()
  if(SKIMLINE_UNITY_BUILD)
    # A source that another includes looks to gcc like a header, where members must not have types of one file only.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# For targets that decide and describe, and leave the loops over values to others: optimising them is a third of the time that
# they take to compile.
function(skimline_compile_quickly target)
  target_compile_options(${target} PRIVATE
    $<$<CONFIG:Release>:-O1> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # gcc 12 reports false positives on std::variant
    $<$<BOOL:${SKIMLINE_QUICK_SANITIZER}>:-Og>)
endfunction()

# Adds the library of one folder as Skimline::<folder>, built from the given sources. Its headers in include/ are for all,
# those in internal/ for the other folders of the project.
function(skimline_library folder)
  set(target skimline_${folder})
  add_library(${target} STATIC ${ARGN})
  add_library(Skimline::${folder} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${folder} CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  skimline_compile_together(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/internal>
           $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:skimline_build_flags>)
endfunction()

# Adds one GoogleTest program <folder>_tests from the given sources, whose halves are the tests <folder>.0 and <folder>.1; it
# may reach into that folder's src/.
function(skimline_unit_tests folder)
  set(target ${folder}_tests)
  add_executable(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  skimline_compile_together(${target})
  target_include_directories(${target} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/src ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(${target} PRIVATE Skimline::${folder} skimline_build_flags skimline_test_flags GTest::gtest_main)
  if(SKIMLINE_UNITY_BUILD)
    target_precompile_headers(${target} PRIVATE
      <gtest/gtest.h> <algorithm> <filesystem> <fstream> <memory> <optional> <span> <sstream> <string> <vector>)
  endif()
  add_dependencies(unit_tests ${target})
  foreach(half 0 1)
    add_test(NAME ${folder}.${half} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${folder}.${half} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half}")
  endforeach()
endfunction()

# Adds the program <folder>_<name>, built from the source <name>.cc, which tests in Python run; it may reach into that
# folder's src/. Further arguments are libraries it needs.
function(skimline_test_program folder source)
  get_filename_component(name ${source} NAME_WE)
  set(target ${folder}_${name})
  add_executable(${target} ${source})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${folder}/src ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(${target} PRIVATE Skimline::${folder} skimline_build_flags ${ARGN})
  add_dependencies(test_programs ${target})
endfunction()
