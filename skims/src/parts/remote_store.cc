// SPDX-License-Identifier: BSD-3-Clause
#include "parts/remote_store.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/open_remote.h"
#include "skimline/io/output_file.h"
#include "skimline/io/remote_patterns.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kCopiedAtOnce = std::uint64_t{8} << 20;
// A file that another run replaces while it is read has the same bytes before and after.
constexpr int kMostTries = 3;

std::string name_at_server(const std::string& part, const std::string& name) { return part + "." + name; }

void copy(const io::InputFile& from, const std::string& path) {
  io::OutputFile to(path);
  std::vector<std::byte> bytes;
  for (std::uint64_t offset = 0; offset < from.size(); offset += bytes.size()) {
    bytes.resize(std::min(kCopiedAtOnce, from.size() - offset));
    from.read(offset, bytes);
    to.write(offset, bytes);
  }
  to.commit(from.size());
}

// The URL of what is in a folder, whose own may have a query behind it.
std::string in_folder(const std::string& url, const std::string& name) {
  const std::size_t query = std::min(url.find('?'), url.size());
  const std::string folder = url.substr(0, query);
  return folder + (folder.ends_with('/') ? "" : "/") + name + url.substr(query);
}

}  // namespace

RemoteStore::RemoteStore(std::string url) : url_(io::hide_secrets(url)) {
  for (const std::string& found : io::find_remote_files(url_of(""))) {
    const std::string path = found.substr(0, found.find('?'));
    names_.insert(path.substr(path.rfind('/') + 1));
  }
}

std::string RemoteStore::url_of(const std::string& name) const { return in_folder(url_, name); }

bool RemoteStore::has(const std::string& part, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return names_.contains(name_at_server(part, name));
}

// The name of a part has no dot.
std::vector<RemoteStore::File> RemoteStore::files() const {
  const std::lock_guard lock(mutex_);
  std::vector<File> all;
  for (const std::string& name : names_) {
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos) all.push_back({name.substr(0, dot), name.substr(dot + 1)});
  }
  return all;
}

std::optional<std::uint64_t> RemoteStore::size_of(const File& file) const {
  return io::remote_size(url_of(name_at_server(file.part, file.name)));
}

void RemoteStore::fetch(const std::string& part, const std::string& name, const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::string there = name_at_server(part, name);
  if (!names_.contains(there) || !fetched_.insert(there).second) return;
  for (int tries = 1;; ++tries) {
    try {
      return copy(io::InputFile(url_of(there)), path);
    } catch (const io::NoSuchRemoteFile&) {
      names_.erase(there);
      return;
    } catch (const FileError&) {
      if (tries == kMostTries) throw;
    }
  }
}

void RemoteStore::fetch_all(const std::string& part, const std::string& ending, const std::string& folder) {
  std::vector<std::string> wanted;
  {
    const std::lock_guard lock(mutex_);
    const std::string front = name_at_server(part, "");
    for (auto name = names_.lower_bound(front); name != names_.end() && name->starts_with(front); ++name)
      if (name->ends_with(ending)) wanted.push_back(name->substr(front.size()));
  }
  for (const std::string& name : wanted) fetch(part, name, folder + "/" + name);
}

void RemoteStore::send(const std::string& part, const std::string& path) {
  const std::string there = name_at_server(part, fs::path(path).filename().string());
  const io::InputFile from(path);
  io::OutputFile to(url_of(there));
  if (!to.copy_by_system(from, 0, 0, from.size())) {
    std::vector<std::byte> bytes(from.size());
    from.read(0, bytes);
    to.write(0, bytes);
  }
  to.commit(from.size());
  const std::lock_guard lock(mutex_);
  names_.insert(there);
  fetched_.insert(there);  // it lies here
}

}  // namespace skimline::skims
