# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the other scripts, in the repository's root folder: how to build and where tests find their data.

# Another clone of the project may use what this one has compiled.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
# What ccache asks for where headers are precompiled.
export CCACHE_SLOPPINESS=pch_defines,time_macros
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$(nproc)}"
export CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL

if [[ -z "${SKIMLINE_TEST_DATA-}" && -d ../shared/data ]]; then
  SKIMLINE_TEST_DATA="$(cd ../shared/data && pwd)"
  export SKIMLINE_TEST_DATA
fi

# Given to CMake, these build the Python module too, for the Python of .venv.
# shellcheck disable=SC2034
readonly python_module=(-DSKIMLINE_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/.venv/bin/python")

step() {
  printf '\n=== %s\n' "$1"
}

# Builds and runs the unit tests in one of the sanitizer presets; further arguments go to CMake.
sanitized_unit_tests() {
  local preset="$1"
  shift
  cmake --preset "$preset" -DSKIMLINE_BUILD_TESTS=ON "$@"
  cmake --build --preset "$preset" --target unit_tests
  ctest --preset "$preset"
}
