// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/job_mark.h"

#include <array>

#include <sys/stat.h>
#include <sys/xattr.h>

namespace skimline::io {
namespace {

constexpr const char* kAttribute = "user.skimline.job";

// "123456 run analysis.json": what was written over in place has another size.
std::optional<std::string> size_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::to_string(status.st_size) + " ";
}

}  // namespace

void mark_as_output(const std::string& path, const std::string& job) {
  const std::optional<std::string> size = size_of(path);
  if (!size) return;
  const std::string text = *size + job;
  [[maybe_unused]] const int ignored = ::setxattr(path.c_str(), kAttribute, text.data(), text.size(), 0);
}

std::optional<std::string> job_of(const std::string& path) {
  std::array<char, 8192> text{};
  const std::optional<std::string> size = size_of(path);
  const ssize_t length = size ? ::getxattr(path.c_str(), kAttribute, text.data(), text.size()) : -1;
  if (length < 0) return std::nullopt;
  const std::string found(text.data(), static_cast<std::size_t>(length));
  if (!found.starts_with(*size)) return std::nullopt;
  return found.substr(size->size());
}

}  // namespace skimline::io
