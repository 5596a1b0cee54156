// SPDX-License-Identifier: BSD-3-Clause
// Which of many paths name one file.
#pragma once

#include "skimline/io/url.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <unordered_map>

namespace skimline::skims {

/// Paths without links, "." and "..", and URLs spelled in one way: of thousands of files in one folder its
/// path is looked at once.
class CanonicalPaths {
 public:
  std::string of(const std::string& path) {
    if (io::is_url(path)) return io::canonical_url(path);
    namespace fs = std::filesystem;
    const fs::path given = path;
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(given, ignored);
    if (status.type() != fs::file_type::regular) return fs::weakly_canonical(given, ignored).string();
    const std::string parent = given.has_parent_path() ? given.parent_path().string() : ".";
    const auto [folder, is_new] = folders_.try_emplace(parent);
    if (is_new) folder->second = fs::canonical(parent, ignored);
    return (folder->second / given.filename()).string();
  }

 private:
  std::unordered_map<std::string, std::filesystem::path> folders_;  // by their paths as given
};

}  // namespace skimline::skims
