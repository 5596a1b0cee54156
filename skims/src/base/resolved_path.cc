// SPDX-License-Identifier: BSD-3-Clause
#include "base/resolved_path.h"

#include "skimline/io/url.h"

#include <algorithm>
#include <system_error>

namespace skimline::skims {

namespace fs = std::filesystem;

fs::path plain_path(const fs::path& path, const fs::path& folder) {
  fs::path plain = path.root_path();
  bool passes_link = false;
  for (const fs::path& part : path.relative_path()) {
    if (part.empty() || part == ".") continue;
    const bool has_folder = plain.has_filename() && plain.filename() != "..";
    if (part != "..") {
      plain /= part;
    } else if (std::error_code ignored; has_folder && !fs::is_symlink(folder / plain, ignored)) {
      plain = plain.parent_path();
    } else if (plain.has_relative_path() || !plain.has_root_directory()) {
      passes_link |= has_folder;
      plain /= part;
    }
  }
  return passes_link ? plain : path.lexically_normal();
}

fs::path path_from_folder(const fs::path& path, const fs::path& folder) {
  std::error_code ignored;
  const fs::path whole = plain_path(fs::absolute(path, ignored));
  fs::path from = plain_path(fs::absolute(folder.empty() ? "." : folder, ignored));
  if (!from.has_filename()) from = from.parent_path();
  const auto [left, rest] = std::mismatch(from.begin(), from.end(), whole.begin(), whole.end());
  fs::path relative, at;
  for (auto part = from.begin(); part != left; ++part) at /= *part;
  for (auto part = left; part != from.end(); ++part) {
    at /= *part;
    if (*part == ".." || fs::is_symlink(at, ignored))
      return whole.lexically_relative(fs::weakly_canonical(from, ignored));
    relative /= "..";
  }
  for (auto part = rest; part != whole.end(); ++part) relative /= *part;
  return relative;
}

fs::path resolved(const fs::path& folder, const std::string& path) {
  if (io::is_url(path)) return path;
  return plain_path(folder / path);
}

bool is_of_system(const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  return normal.starts_with("/dev/") || normal.starts_with("/proc/");
}

std::filesystem::path folder_of(const std::string& path) {
  return is_of_system(path) ? std::filesystem::path() : std::filesystem::path(path).parent_path();
}

}  // namespace skimline::skims
