// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/own_file.h"

#include <system_error>

#include <dlfcn.h>

namespace skimline {

namespace fs = std::filesystem;

fs::path own_file() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_file), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code ignored;
  // Of a program this is the name it was called by.
  const fs::path called = info.dli_fname;
  const fs::path file = called.has_parent_path() ? called : fs::read_symlink("/proc/self/exe", ignored);
  return fs::canonical(file, ignored);
}

}  // namespace skimline
