// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_identity.h"

#include "storage/temporary_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"

#include <filesystem>

#include <sys/stat.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

// As many as the system follows.
constexpr int kMostLinks = 40;

}  // namespace

std::string target_of(const std::string& path) {
  std::error_code ignored;
  fs::path target = path;
  for (int num_links = 0; fs::is_symlink(target, ignored); ++num_links) {
    if (num_links == kMostLinks)
      throw FileError(path, "cannot be written: its links go round in circles", FileFault::kUnwritable);
    target = folder_of(target) / fs::read_symlink(target, ignored);
  }
  return target.string();
}

// In a folder that is still to be made, perhaps behind links or with "..".
FilesInUse::Key FilesInUse::entry_to_be_made(const std::filesystem::path& target) {
  std::error_code error;
  const fs::path whole = fs::absolute(target, error);
  const fs::path path = fs::weakly_canonical(whole, error);
  struct stat folder {};
  if (!error && ::stat(folder_of(path).c_str(), &folder) == 0)
    return {folder.st_dev, folder.st_ino, path.filename().string()};
  return {0, 0, (error ? whole.lexically_normal() : path).string()};
}

FilesInUse::Keys FilesInUse::keys_of(const std::string& path) {
  Keys keys;
  if (is_url(path)) {
    keys.entry = {0, 0, canonical_url(path)};
    return keys;
  }
  const fs::path target = target_of(path);
  struct stat folder {
  }, file{};
  if (::stat(folder_of(target).c_str(), &folder) == 0) {
    keys.entry = {folder.st_dev, folder.st_ino, target.filename().string()};
  } else {
    keys.entry = entry_to_be_made(target);
  }
  // Without hard links one file has one entry, whatever the case of its name and wherever it is mounted.
  if (::stat(target.c_str(), &file) == 0 && file.st_nlink == 1)
    keys.file = Key{file.st_dev, file.st_ino, std::string()};
  return keys;
}

std::optional<std::string> FilesInUse::find(const std::string& path) const {
  const Keys keys = keys_of(path);
  auto found = uses_.find(keys.entry);
  if (found == uses_.end() && keys.file) found = uses_.find(*keys.file);
  if (found == uses_.end()) return std::nullopt;
  return found->second;
}

void FilesInUse::add(const std::string& path, const std::string& what) {
  if (const std::size_t end = path.find('|'); is_url(path) && end != std::string::npos) {
    add(path.substr(0, end), what);
    return add(path.substr(end + 1), what);
  }
  const Keys keys = keys_of(path);
  uses_.emplace(keys.entry, what);
  if (keys.file) uses_.emplace(*keys.file, what);
}

}  // namespace skimline::io
