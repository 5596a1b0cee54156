// SPDX-License-Identifier: BSD-3-Clause
#include "parts/skim_files.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/input_file.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/root_file.h"
#include "skimline/io/text_digest.h"
#include "skimline/io/text_object.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::skims {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKey = "key";
constexpr const char* kContent = "content";
constexpr std::uint64_t kReadAtOnce = 1 << 20;
constexpr mode_t kRights = S_IRWXU | S_IRWXG | S_IRWXO;

// Copies of files at a URL have that of their part in front.
std::string key_in_name(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  name.resize(name.size() - std::string_view(kSkimSuffix).size());
  return name.substr(name.rfind('.') + 1);
}

void check_key(const io::RootFile& file) {
  const io::RootKey* key = file.find(kKey);
  if (!key || io::read_text_object(file, *key) != key_in_name(file.path()))
    throw FileError(file.path(), "has the events of another skim");
}

// Where the bytes are, and their digest.
template <typename Read>
std::string content_text(std::uint64_t begin, std::uint64_t end, Read read) {
  std::string text, digest;
  for (std::uint64_t at = begin; at < end; at += kReadAtOnce) {
    text = digest;
    text.resize(digest.size() + std::min(kReadAtOnce, end - at));
    read(at, std::as_writable_bytes(std::span(text)).subspan(digest.size()));
    digest = io::text_digest(text);
  }
  return std::to_string(begin) + " " + std::to_string(end) + " " + digest;
}

std::uint64_t number_at(std::string_view text, std::size_t place) {
  std::uint64_t number = 0;
  std::from_chars(text.data() + place, text.data() + text.size(), number);
  return number;
}

void check_content(const io::RootFile& file) {
  const io::RootKey* key = file.find(kContent);
  if (!key) throw FileError(file.path(), "has no digest of its content");
  const std::string noted = io::read_text_object(file, *key);
  const std::size_t space = noted.find(' ') + 1;
  const std::uint64_t begin = number_at(noted, 0), end = number_at(noted, space);
  const io::InputFile bytes(file.path());
  if (end > bytes.size()) throw FileError(file.path(), "is shorter than it was written");
  const auto read = [&](std::uint64_t from, std::span<std::byte> to) { bytes.read(from, to); };
  if (content_text(begin, end, read) != noted)
    throw FileError(file.path(), "has other bytes than were written");
}

bool is_sound(const std::string& path, int threads) {
  try {
    run_with_threads(threads, [&] { check_skim_file(path); });
    return true;
  } catch (const FileError&) {
    return false;
  }
}

}  // namespace

bool is_skim_file(const std::string& path) {
  return path.ends_with(kSkimSuffix) && !fs::path(path).filename().string().starts_with('.');
}

io::RootObject object_of_skim_key(const std::string& path) {
  return io::text_object(kKey, key_in_name(path));
}

io::RootObject object_of_skim_content(const io::OutputFile& file, std::uint64_t begin, std::uint64_t end) {
  const auto read = [&](std::uint64_t from, std::span<std::byte> bytes) { file.read(from, bytes); };
  if (begin == end) return io::text_object(kContent, content_text(0, 0, read));  // the file may end earlier
  return io::text_object(kContent, content_text(begin, end, read));
}

std::vector<std::string> classes_of_skim_objects() { return {io::kTextClass}; }

void check_skim_file(const std::string& path) {
  const io::RootFile file(path);
  check_key(file);
  bool has_events = false;
  for (const io::InputFormat& format : io::input_formats())
    for (const std::string& name : format.names_in(file)) {
      const io::EventsVerification found = format.verify(file, name, {}, {});
      if (!found.faults.empty()) throw FileError(path, found.faults.front().problem);
      if (!format.has_checksums) check_content(file);
      has_events = true;
    }
  if (!has_events) throw FileError(path, "has no events");
}

// The time of the last change of the content stays: others may be reading the file, and it is by that time
// that they see whether it is still the same.
void note_use(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) static_cast<void>(::chmod(path.c_str(), status.st_mode & kRights));
}

std::int64_t last_use(const std::string& path) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_ctim.tv_sec} * kNanoseconds + status.st_ctim.tv_nsec;
}

bool is_sound_skim(const std::string& path, int threads) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  note_use(path);
  return is_sound(path, threads) || SkimFolderLock(path).has_sound_skim(threads);
}

SkimFolderLock::SkimFolderLock(const std::string& path)
    : path_(path),
      descriptor_(::open(fs::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

SkimFolderLock::~SkimFolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool SkimFolderLock::has_sound_skim(int threads) const {
  std::error_code ignored;
  if (!fs::is_regular_file(path_, ignored)) return false;
  if (is_sound(path_, threads)) return true;
  fs::remove(path_, ignored);
  return false;
}

}  // namespace skimline::skims
