// SPDX-License-Identifier: BSD-3-Clause
#include "remote/xrootd_library.h"

#include "remote/http_access.h"

#include "skimline/framework/error.h"
#include "skimline/framework/own_file.h"

#include <filesystem>
#include <mutex>
#include <vector>

#include <dlfcn.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "libskimline_xrootd.so";
constexpr const char* kEntryName = "skimline_xrootd_functions";
constexpr const char* kAdvice =
    ": XRootD is read by a plug-in that needs XrdCl; the packages are libxrootd-client-dev to build it and "
    "libxrdcl3 to use it on Debian and Ubuntu, xrootd-client-devel on Fedora and RHEL, xrootd for conda";

std::vector<std::string> places() {
  if (std::string named = environment("SKIMLINE_XROOTD_PLUGIN"); !named.empty()) return {named};
  const fs::path folder = own_file().parent_path();
  std::vector<std::string> all;
  for (const char* below : {"", "../lib/skimline", "../lib64/skimline"})
    all.push_back((folder / below / kFileName).lexically_normal().string());
#ifdef SKIMLINE_LIBRARY_FOLDER
  all.push_back((fs::path(SKIMLINE_LIBRARY_FOLDER) / kFileName).string());
#endif
  return all;
}

struct Loaded {
  const SkimlineXrootdFunctions* functions = nullptr;
  std::string problem;
};

Loaded load() {
  std::error_code ignored;
  for (const std::string& place : places()) {
    if (!fs::exists(place, ignored)) continue;
    void* const library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return {nullptr, std::string("the plug-in cannot be loaded: ") + ::dlerror()};
    const auto entry = reinterpret_cast<SkimlineXrootdEntry>(::dlsym(library, kEntryName));
    if (entry == nullptr || entry()->version != kSkimlineXrootdVersion)
      return {nullptr, "\"" + place + "\" is the plug-in of another version of skimline"};
    return {entry(), {}};
  }
  return {nullptr, "the plug-in " + std::string(kFileName) + " is not there"};
}

}  // namespace

const SkimlineXrootdFunctions& xrootd_functions(const std::string& name) {
  static std::mutex mutex;
  static Loaded loaded;
  const std::lock_guard lock(mutex);
  if (loaded.functions == nullptr) loaded = load();
  if (loaded.functions == nullptr)
    throw FileError(name, "cannot be opened: " + loaded.problem + kAdvice, FileFault::kUnavailable);
  return *loaded.functions;
}

}  // namespace skimline::io
