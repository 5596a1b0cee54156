# SPDX-License-Identifier: BSD-3-Clause
# Writes OUTPUT, a source file that knows the commit of the checkout SOURCE, if it says something else than before:
#   cmake -DSOURCE=<folder> -DOUTPUT=<file> -P cmake/write_commit.cmake
set(commit "unknown")
if(EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git describe --always --dirty --abbrev=40 --exclude=*
                  WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE found RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit "${found}")
  endif()
endif()
set(text "// Made by cmake/write_commit.cmake.
#include \"skimline/skims/commit.h\"

namespace skimline::skims {

std::string_view commit() { return \"${commit}\"; }

}  // namespace skimline::skims
")
set(before "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
