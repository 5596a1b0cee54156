// SPDX-License-Identifier: BSD-3-Clause
#include "remote/block_cache.h"

#include "remote/http_access.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kCacheBlock = 16 * 1024;
constexpr double kUsualGigabytes = 20;
constexpr std::uint64_t kBetweenCounts = 256 * 1024 * 1024;  // bytes written
constexpr const char* kDataEnd = ".blocks";
constexpr const char* kSumsEnd = ".sums";

double most_bytes() {
  const double gigabytes = std::atof(environment("SKIMLINE_CACHE_SIZE").c_str());
  return (gigabytes > 0 ? gigabytes : kUsualGigabytes) * 1e9;
}

struct CachedState {
  fs::path path;
  fs::file_time_type used;
  double bytes = 0;
};

// What a file with holes takes.
double bytes_on_disk(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? 512.0 * static_cast<double>(status.st_blocks) : 0;
}

// Who has a file open goes on reading it.
void remove_oldest(const fs::path& folder) {
  std::vector<CachedState> states;
  double bytes = 0;
  std::error_code fault;
  for (fs::directory_iterator each(folder, fault), end; !fault && each != end; each.increment(fault)) {
    if (each->path().extension() != kDataEnd) continue;
    states.push_back({each->path(), fs::last_write_time(each->path(), fault), bytes_on_disk(each->path())});
    bytes += states.back().bytes;
  }
  std::sort(states.begin(), states.end(),
            [](const CachedState& a, const CachedState& b) { return a.used < b.used; });
  for (const CachedState& state : states) {
    if (bytes <= most_bytes()) return;
    // Without its sums no block counts.
    fs::remove(fs::path(state.path).replace_extension(kSumsEnd), fault);
    fs::remove(state.path, fault);
    bytes -= state.bytes;
  }
}

class CacheDescriptor {
 public:
  explicit CacheDescriptor(const fs::path& path)
      : number_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)) {}
  ~CacheDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  CacheDescriptor(const CacheDescriptor&) = delete;
  CacheDescriptor& operator=(const CacheDescriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  bool read(std::uint64_t offset, std::span<std::byte> bytes) const {
    return ::pread(number_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(bytes.size());
  }
  bool write(std::uint64_t offset, std::span<const std::byte> bytes) const {
    return ::pwrite(number_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(bytes.size());
  }

 private:
  int number_;
};

std::string hex_of(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

class CachedFile : public RemoteFile {
 public:
  CachedFile(std::unique_ptr<const RemoteFile> file, const fs::path& folder, const std::string& key)
      : file_(std::move(file)),
        folder_(folder),
        data_(folder / (key + kDataEnd)),
        sums_(folder / (key + kSumsEnd)) {
    // Its time says when it was used.
    if (is_open()) ::futimens(data_.number(), nullptr);
  }

  bool is_open() const { return data_.is_open() && sums_.is_open(); }
  std::unique_ptr<const RemoteFile> take() { return std::move(file_); }

  std::uint64_t size() const override { return file_->size(); }
  const std::string& version() const override { return file_->version(); }
  bool is_unchanged() const override { return file_->is_unchanged(); }
  ReadingCost cost() const override { return file_->cost(); }

  std::uint64_t read(std::span<const RangeRead> reads, StopFlag stop) const override {
    std::set<std::uint64_t> missing;
    std::vector<const RangeRead*> incomplete;
    for (const RangeRead& read : reads)
      if (!copy_blocks(read, missing)) incomplete.push_back(&read);
    if (incomplete.empty()) return 0;
    std::vector<FileBytes> fetched = blocks_together(missing);
    std::vector<RangeRead> wanted;
    for (FileBytes& each : fetched) wanted.push_back({each.offset, each.bytes});
    const std::uint64_t requests = file_->read(wanted, stop);
    for (const FileBytes& each : fetched) {
      keep(each);
      for (const RangeRead* read : incomplete) copy_common(each, *read);
    }
    return requests;
  }

 private:
  std::uint64_t size_of(std::uint64_t block) const {
    return std::min(kCacheBlock, size() - block * kCacheBlock);
  }

  // The sum of a block that is kept is never 0.
  static std::uint64_t sum_of(std::uint64_t block, std::span<const std::byte> bytes) {
    const std::uint64_t sum = XXH3_64bits_withSeed(bytes.data(), bytes.size(), block);
    return sum == 0 ? 1 : sum;
  }

  bool read_block(std::uint64_t block, std::vector<std::byte>& bytes) const {
    std::uint64_t sum = 0;
    if (!sums_.read(block * sizeof sum, std::as_writable_bytes(std::span(&sum, 1))) || sum == 0) return false;
    bytes.resize(static_cast<std::size_t>(size_of(block)));
    return data_.read(block * kCacheBlock, bytes) && sum_of(block, bytes) == sum;
  }

  // Returns whether all blocks of a read were there; notes those that were not.
  bool copy_blocks(const RangeRead& read, std::set<std::uint64_t>& missing) const {
    bool is_complete = true;
    FileBytes kept;
    const std::uint64_t end = (read.offset + read.bytes.size() + kCacheBlock - 1) / kCacheBlock;
    for (std::uint64_t block = read.offset / kCacheBlock; block < end; ++block) {
      if (missing.count(block) != 0 || !read_block(block, kept.bytes)) {
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
      runs.back().bytes.resize(runs.back().bytes.size() + static_cast<std::size_t>(size_of(block)));
    }
    return runs;
  }

  // The block first: a sum without its block is found out, as is a block that another process has half
  // written.
  void keep(const FileBytes& run) const {
    for (std::size_t at = 0; at < run.bytes.size(); at += kCacheBlock) {
      const std::uint64_t block = (run.offset + at) / kCacheBlock;
      const std::span<const std::byte> bytes =
          std::span(run.bytes).subspan(at, static_cast<std::size_t>(size_of(block)));
      const std::uint64_t sum = sum_of(block, bytes);
      if (!data_.write(block * kCacheBlock, bytes)) return;
      if (!sums_.write(block * sizeof sum, std::as_bytes(std::span(&sum, 1)))) return;
    }
    static std::atomic<std::uint64_t> written{0};
    const std::uint64_t before = written.fetch_add(run.bytes.size());
    const bool counts =
        before == 0 || before / kBetweenCounts != (before + run.bytes.size()) / kBetweenCounts;
    if (counts) remove_oldest(folder_);
  }

  std::unique_ptr<const RemoteFile> file_;
  fs::path folder_;
  CacheDescriptor data_, sums_;
};

}  // namespace

std::unique_ptr<const RemoteFile> cached(std::unique_ptr<const RemoteFile> file, const std::string& name) {
  const fs::path folder = environment("SKIMLINE_CACHE");
  if (folder.empty() || file->version().empty() || file->size() == 0) return file;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  // States of a file have blocks of their own.
  const std::string state = name + "\n" + file->version() + "\n" + std::to_string(file->size());
  auto wrapped =
      std::make_unique<CachedFile>(std::move(file), folder, hex_of(XXH3_128bits(state.data(), state.size())));
  if (!wrapped->is_open()) return wrapped->take();
  return wrapped;
}

}  // namespace skimline::io
