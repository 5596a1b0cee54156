// SPDX-License-Identifier: BSD-3-Clause
#include "remote/cache_folder.h"

#include "skimline/io/text_digest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataEnd = ".blocks";
constexpr const char* kSumsEnd = ".sums";
constexpr const char* kStateEnd = ".state";
constexpr const char* kStateBegin = "skimline-state 1\n";

fs::path state_path(const fs::path& folder, const std::string& name) {
  return folder / (text_digest(name) + kStateEnd);
}

std::string checksum_text(const std::string& text) {
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return hex.data();
}

std::string text_of(const std::string& name, const RemoteState& state) {
  return kStateBegin + name + "\n" + state.version + "\n" + std::to_string(state.size) + "\n";
}

struct KeptFile {
  fs::path path;
  fs::file_time_type used;
  double bytes = 0;
};

// What a file with holes takes.
double bytes_on_disk(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? 512.0 * static_cast<double>(status.st_blocks) : 0;
}

std::vector<KeptFile> files_of(const fs::path& folder) {
  std::vector<KeptFile> files;
  std::error_code fault;
  for (fs::directory_iterator each(folder, fault), end; !fault && each != end; each.increment(fault)) {
    const fs::path& path = each->path();
    if (path.extension() == kDataEnd || path.extension() == kStateEnd)
      files.push_back({path, fs::last_write_time(path, fault), bytes_on_disk(path)});
  }
  return files;
}

}  // namespace

CacheFile::CacheFile(const fs::path& path)
    : number_(
          ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR)) {
  struct stat status {};
  const bool is_own = number_ >= 0 && ::fstat(number_, &status) == 0 && S_ISREG(status.st_mode) &&
                      status.st_uid == ::geteuid();
  if (number_ < 0 || is_own) return;
  ::close(number_);
  number_ = -1;
}

CacheFile::~CacheFile() {
  if (number_ >= 0) ::close(number_);
}

void CacheFile::touch() const { ::futimens(number_, nullptr); }

bool CacheFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  return ::pread(number_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(bytes.size());
}

bool CacheFile::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  return ::pwrite(number_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(bytes.size());
}

BlockFile::BlockFile(const fs::path& folder, const std::string& key, std::uint64_t size)
    : size_(size),
      seed_(XXH3_64bits(key.data(), key.size())),
      data_(folder / (key + kDataEnd)),
      sums_(folder / (key + kSumsEnd)) {
  if (is_open()) data_.touch();
}

std::uint64_t BlockFile::size_of(std::uint64_t block) const {
  return std::min(kBlock, size_ - block * kBlock);
}

// That of a block that is kept is never 0.
std::uint64_t BlockFile::sum_of(std::uint64_t block, std::span<const std::byte> bytes) const {
  const std::uint64_t sum = XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed_ + block);
  return sum == 0 ? 1 : sum;
}

bool BlockFile::read(std::uint64_t block, std::vector<std::byte>& bytes) const {
  std::uint64_t sum = 0;
  if (!sums_.read(block * sizeof sum, std::as_writable_bytes(std::span(&sum, 1))) || sum == 0) return false;
  bytes.resize(static_cast<std::size_t>(size_of(block)));
  return data_.read(block * kBlock, bytes) && sum_of(block, bytes) == sum;
}

// The block first: a sum without its block is found out, as is a block that another process has half written.
void BlockFile::write(std::uint64_t block, std::span<const std::byte> bytes) const {
  const std::uint64_t sum = sum_of(block, bytes);
  if (data_.write(block * kBlock, bytes)) sums_.write(block * sizeof sum, std::as_bytes(std::span(&sum, 1)));
}

std::optional<KnownState> read_state(const fs::path& folder, const std::string& name) {
  struct stat status {};
  const fs::path path = state_path(folder, name);
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  std::string begin, of, size, sum;
  KnownState known;
  std::getline(stream, begin);
  std::getline(stream, of);
  std::getline(stream, known.state.version);
  std::getline(stream, size);
  std::getline(stream, sum);
  std::from_chars(size.data(), size.data() + size.size(), known.state.size);
  if (!stream || of != name || known.state.version.empty() || known.state.size == 0 ||
      sum != checksum_text(text_of(name, known.state)))
    return std::nullopt;
  known.age_seconds = std::difftime(std::time(nullptr), status.st_mtime);
  return known;
}

void write_state(const fs::path& folder, const std::string& name, const RemoteState& state) {
  const std::string text = text_of(name, state);
  const fs::path path = state_path(folder, name);
  std::string draft = (folder / ".state-XXXXXX").string();
  const int number = ::mkstemp(draft.data());
  if (number < 0) return;
  const std::string all = text + checksum_text(text) + "\n";
  const bool is_written = ::write(number, all.data(), all.size()) == static_cast<ssize_t>(all.size());
  ::close(number);
  if (!is_written || std::rename(draft.c_str(), path.c_str()) != 0) ::unlink(draft.c_str());
}

void forget_state(const fs::path& folder, const std::string& name) {
  ::unlink(state_path(folder, name).c_str());
}

// Who has a file open goes on reading it.
void remove_oldest(const fs::path& folder, double most_bytes) {
  std::vector<KeptFile> files = files_of(folder);
  double bytes = 0;
  for (const KeptFile& file : files) bytes += file.bytes;
  std::sort(files.begin(), files.end(), [](const KeptFile& a, const KeptFile& b) { return a.used < b.used; });
  std::error_code fault;
  for (const KeptFile& file : files) {
    if (bytes <= most_bytes) return;
    // Without its sums no block counts.
    if (file.path.extension() == kDataEnd) fs::remove(fs::path(file.path).replace_extension(kSumsEnd), fault);
    fs::remove(file.path, fault);
    bytes -= file.bytes;
  }
}

}  // namespace skimline::io
