// SPDX-License-Identifier: BSD-3-Clause
#include "base/resolved_path.h"

#include "skimline/io/url.h"

namespace skimline::skims {

std::filesystem::path resolved(const std::filesystem::path& folder, const std::string& path) {
  if (io::is_url(path)) return path;
  return (folder / path).lexically_normal();
}

bool is_of_system(const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  return normal.starts_with("/dev/") || normal.starts_with("/proc/");
}

std::filesystem::path folder_of(const std::string& path) {
  return is_of_system(path) ? std::filesystem::path() : std::filesystem::path(path).parent_path();
}

}  // namespace skimline::skims
