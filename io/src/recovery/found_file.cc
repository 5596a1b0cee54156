// SPDX-License-Identifier: BSD-3-Clause
#include "recovery/found_file.h"

#include "root/record_key.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

constexpr std::size_t kDeepestDirectory = 64;
constexpr std::size_t kLongestPath = 1000;

// Paths of directories by the offsets of their records.
class DirectoryPaths {
 public:
  explicit DirectoryPaths(const FoundRecords& records) {
    for (const StoredKey& stored : records.directories) directories_.emplace(stored.offset, &stored);
  }

  // With the slash behind it; empty for the top directory.
  std::string path(std::uint64_t offset, std::size_t depth = 0) const {
    if (offset == kTopDirectory || offset == kOldTopDirectory) return {};
    const auto found = directories_.find(offset);
    std::string lost = "directory_at_" + decimal(offset) + "/";
    if (found == directories_.end() || depth > kDeepestDirectory) return lost;
    std::string path = this->path(found->second->directory, depth + 1) + found->second->name + "/";
    return path.size() > kLongestPath || found->second->name.empty() ? lost : path;
  }

 private:
  static constexpr std::uint64_t kOldTopDirectory = 64;
  std::unordered_map<std::uint64_t, const StoredKey*> directories_;
};

}  // namespace

FoundFile find_file(const std::string& path, const StopFlag& stop) {
  FoundFile found;
  auto input = std::make_unique<const InputFile>(path);
  found.records = find_records(*input, stop);
  const DirectoryPaths directories(found.records);
  std::vector<RootKey> keys;
  // Of keys with one path and cycle the one that was written last counts.
  for (auto stored = found.records.objects.rbegin(); stored != found.records.objects.rend(); ++stored) {
    RootKey key = stored->as<RootKey>();
    key.path = directories.path(stored->directory) + key.path;
    keys.push_back(std::move(key));
  }
  found.file = std::make_unique<const RootFile>(std::move(input), std::move(keys),
                                                found.records.streamer_info.as<RootKey>());
  return found;
}

}  // namespace skimline::io
