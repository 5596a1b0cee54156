// SPDX-License-Identifier: BSD-3-Clause
#include "remote/block_cache.h"

#include "remote/cache_folder.h"
#include "remote/http_access.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/io/distinct_name.h"
#include "skimline/io/text_digest.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kCacheBlock = BlockFile::kBlock;
constexpr double kUsualGigabytes = 20, kGigabytesOfMetadata = 1;
constexpr std::uint64_t kBetweenCounts = 256 * 1024 * 1024;      // bytes written
constexpr std::uint64_t kMostMetadataOfFile = 64 * 1024 * 1024;  // of who reads on without any data

double most_bytes(bool keeps_data) {
  const double gigabytes = leading_number(environment("SKIMLINE_CACHE_SIZE"));
  const double most = gigabytes > 0 ? gigabytes : kUsualGigabytes;
  return (keeps_data ? most : std::min(most, kGigabytesOfMetadata)) * 1e9;
}

// Empty if nobody says where; a variable that is "off" says nowhere.
fs::path metadata_folder() {
  if (environment("SKIMLINE_METADATA_CACHE") == "off") return {};
  fs::path folder = environment("XDG_CACHE_HOME");
  if (!folder.is_absolute()) {
    folder = environment("HOME");
    if (!folder.is_absolute()) return {};
    folder /= ".cache";
  }
  return folder / "skimline";
}

// What others put into a folder of theirs would be believed to come from servers.
bool is_own_folder(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

bool make_folder(const fs::path& folder, bool is_named) {
  std::error_code fault;
  fs::create_directories(folder.parent_path(), fault);
  if (::mkdir(folder.c_str(), is_named ? S_IRWXU | S_IRWXG | S_IRWXO : S_IRWXU) == 0) return true;
  return is_named ? fs::is_directory(folder, fault) : is_own_folder(folder);
}

double trusted_seconds() { return leading_number(environment("SKIMLINE_CACHE_TRUST")); }

class CachedFile : public RemoteFile {
 public:
  CachedFile(std::unique_ptr<const RemoteFile> file, const fs::path& folder, const std::string& name,
             bool keeps_data)
      : file_(std::move(file)),
        folder_(folder),
        name_(name),
        keeps_data_(keeps_data),
        // States of a file have blocks of their own.
        blocks_(folder, text_digest(name + "\n" + file_->version() + "\n" + std::to_string(file_->size())),
                file_->size()) {}

  bool is_open() const { return blocks_.is_open(); }
  std::unique_ptr<const RemoteFile> take() { return std::move(file_); }

  std::uint64_t size() const override { return file_->size(); }
  const std::string& version() const override { return file_->version(); }
  bool is_settled() const override { return file_->is_settled(); }
  bool is_unchanged(StopFlag stop) const override { return file_->is_unchanged(stop); }
  ReadingCost cost() const override { return file_->cost(); }
  void end_metadata() const override { is_data_ = true; }

  std::uint64_t read(std::span<const RangeRead> reads, StopFlag stop) const override {
    if (!keeps()) return read_from_server(reads, stop);
    std::set<std::uint64_t> missing;
    std::vector<const RangeRead*> incomplete;
    for (const RangeRead& read : reads)
      if (!copy_blocks(read, missing)) incomplete.push_back(&read);
    if (incomplete.empty()) return 0;
    std::vector<FileBytes> fetched = blocks_together(missing);
    std::vector<RangeRead> wanted;
    for (FileBytes& each : fetched) wanted.push_back({each.offset, each.bytes});
    const std::uint64_t requests = read_from_server(wanted, stop);
    for (const FileBytes& each : fetched) {
      keep(each);
      for (const RangeRead* read : incomplete) copy_common(each, *read);
    }
    return requests;
  }

  // The blocks that are complete in a part of the file.
  void keep(const FileBytes& part) const {
    const std::uint64_t first = (part.offset + kCacheBlock - 1) / kCacheBlock,
                        end = part.offset + part.bytes.size();
    for (std::uint64_t block = first; block * kCacheBlock < end; ++block) {
      if (block * kCacheBlock + blocks_.size_of(block) > end) break;
      blocks_.write(block, std::span(part.bytes)
                               .subspan(static_cast<std::size_t>(block * kCacheBlock - part.offset),
                                        static_cast<std::size_t>(blocks_.size_of(block))));
    }
    kept_bytes_ += part.bytes.size();
    count(part.bytes.size());
  }

  // The blocks that both ends of so many bytes have wholly, if all are here.
  std::vector<FileBytes> ends(std::uint64_t end_bytes) const {
    const std::uint64_t num_blocks = (size() + kCacheBlock - 1) / kCacheBlock,
                        in_end = end_bytes / kCacheBlock;
    std::set<std::uint64_t> wanted;
    for (std::uint64_t block = 0; block < std::min(in_end, num_blocks); ++block) wanted.insert(block);
    const std::uint64_t tail = size() - std::min(size(), end_bytes);
    for (std::uint64_t block = (tail + kCacheBlock - 1) / kCacheBlock; block < num_blocks; ++block)
      wanted.insert(block);
    std::vector<FileBytes> runs = blocks_together(wanted);
    for (FileBytes& run : runs) {
      std::set<std::uint64_t> missing;
      if (!copy_blocks({run.offset, run.bytes}, missing)) return {};
    }
    return runs;
  }

 private:
  bool keeps() const { return keeps_data_ || (!is_data_ && kept_bytes_ < kMostMetadataOfFile); }

  // A state that is trusted, and wrong, is not trusted again.
  std::uint64_t read_from_server(std::span<const RangeRead> reads, StopFlag stop) const {
    try {
      return file_->read(reads, stop);
    } catch (const FileError&) {
      forget_state(folder_, name_);
      throw;
    }
  }

  // Returns whether all blocks of a read were there; notes those that were not.
  bool copy_blocks(const RangeRead& read, std::set<std::uint64_t>& missing) const {
    bool is_complete = true;
    FileBytes kept;
    const std::uint64_t end = (read.offset + read.bytes.size() + kCacheBlock - 1) / kCacheBlock;
    for (std::uint64_t block = read.offset / kCacheBlock; block < end; ++block) {
      if (missing.count(block) != 0 || !blocks_.read(block, kept.bytes)) {
        missing.insert(block);
        is_complete = false;
        continue;
      }
      kept.offset = block * kCacheBlock;
      copy_common(kept, read);
    }
    return is_complete;
  }

  static void copy_common(const FileBytes& from, const RangeRead& to) {
    const std::uint64_t begin = std::max(from.offset, to.offset);
    const std::uint64_t end = std::min(from.offset + from.bytes.size(), to.offset + to.bytes.size());
    if (begin < end)
      std::memcpy(to.bytes.data() + (begin - to.offset), from.bytes.data() + (begin - from.offset),
                  static_cast<std::size_t>(end - begin));
  }

  // Memory for runs of blocks.
  std::vector<FileBytes> blocks_together(const std::set<std::uint64_t>& blocks) const {
    std::vector<FileBytes> runs;
    for (const std::uint64_t block : blocks) {
      const std::uint64_t offset = block * kCacheBlock;
      if (runs.empty() || runs.back().offset + runs.back().bytes.size() != offset)
        runs.push_back({offset, {}});
      runs.back().bytes.resize(runs.back().bytes.size() + static_cast<std::size_t>(blocks_.size_of(block)));
    }
    return runs;
  }

  void count(std::uint64_t bytes) const {
    static std::atomic<std::uint64_t> written{0};
    const std::uint64_t before = written.fetch_add(bytes);
    if (before == 0 || before / kBetweenCounts != (before + bytes) / kBetweenCounts)
      remove_oldest(folder_, most_bytes(keeps_data_));
  }

  std::unique_ptr<const RemoteFile> file_;
  const fs::path folder_;
  const std::string name_;
  const bool keeps_data_;
  const BlockFile blocks_;
  mutable std::atomic<bool> is_data_{false};
  mutable std::atomic<std::uint64_t> kept_bytes_{0};
};

}  // namespace

BlockCache::BlockCache(const CacheUse& use)
    : folder_(environment("SKIMLINE_CACHE").empty() ? use.folder : environment("SKIMLINE_CACHE")),
      keeps_data_(!folder_.empty()) {
  if (!keeps_data_ && use.keeps_metadata) folder_ = metadata_folder();
  if (!folder_.empty() && !make_folder(folder_, keeps_data_)) folder_.clear();
}

std::optional<OpenedRemote> BlockCache::resume(const OpenRequest& request, const std::string& place,
                                               Resume resumed) const {
  if (folder_.empty() || has_secrets(place)) return std::nullopt;
  const std::optional<KnownState> known = read_state(folder_, place);
  if (!known) return std::nullopt;
  auto file = std::make_unique<CachedFile>(resumed(request.name, known->state), folder_, place, keeps_data_);
  OpenedRemote opened;
  if (file->is_open()) opened.ends = file->ends(request.end_bytes);
  if (opened.ends.empty()) return std::nullopt;
  if (known->age_seconds < 0 || known->age_seconds >= trusted_seconds()) {
    if (!file->is_unchanged(request.stop)) return std::nullopt;
    opened.requests = 1;
    write_state(folder_, place, known->state);
  }
  opened.file = std::move(file);
  return opened;
}

void BlockCache::keep(OpenedRemote& opened, const std::string& place) const {
  if (folder_.empty() || opened.file->size() == 0) return;
  if (opened.file->version().empty() || !opened.file->is_settled()) return;
  auto file = std::make_unique<CachedFile>(std::move(opened.file), folder_, distinct_name(place, opened.ends),
                                           keeps_data_);
  if (!file->is_open()) {
    opened.file = file->take();
    return;
  }
  for (const FileBytes& end : opened.ends) file->keep(end);
  if (!has_secrets(place)) write_state(folder_, place, {file->size(), file->version()});
  opened.file = std::move(file);
}

}  // namespace skimline::io
