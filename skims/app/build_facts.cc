// SPDX-License-Identifier: BSD-3-Clause
#include "build_facts.h"

#include "skimline/framework/version.h"
#include "skimline/io/library_versions.h"
#include "skimline/skims/commit.h"

#include <vector>

#include <CLI/CLI.hpp>
#include <oneapi/tbb/version.h>
#include <spdlog/version.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace skimline::skims {
namespace {

std::string spdlog_version() {
  return "spdlog " + std::to_string(SPDLOG_VER_MAJOR) + "." + std::to_string(SPDLOG_VER_MINOR) + "." +
         std::to_string(SPDLOG_VER_PATCH);
}

}  // namespace

std::string compiler() {
#ifdef __clang__
  return "clang++ " __clang_version__ ", " SKIMLINE_BUILD_TYPE;
#else
  return "g++ " __VERSION__ ", " SKIMLINE_BUILD_TYPE;
#endif
}

std::string target_system() {
#ifdef __GLIBC__
  return "glibc " + std::string(::gnu_get_libc_version()) + ", " SKIMLINE_PROCESSOR;
#else
  return SKIMLINE_PROCESSOR;
#endif
}

std::string libraries() {
  std::vector<std::string> all = io::compression_libraries();
  all.push_back(std::string("oneTBB ") + TBB_runtime_version());
  all.push_back(spdlog_version());
  all.push_back("CLI11 " CLI11_VERSION);
  all.push_back(SKIMLINE_CORRECTIONLIB[0] == '\0' ? "no correctionlib"
                                                  : "correctionlib " SKIMLINE_CORRECTIONLIB);
  std::string text;
  for (const std::string& library : all) text += (text.empty() ? "" : ", ") + library;
  return text;
}

std::string long_version() {
  return "skimline " + std::string(kVersion) + "\ncommit     " + std::string(commit()) + "\ncompiler   " +
         compiler() + "\nsystem     " + target_system() + "\nlibraries  " + libraries();
}

}  // namespace skimline::skims
