// SPDX-License-Identifier: BSD-3-Clause
// Reads the ROOT file container: header, directories and the objects listed in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// One listed object of a ROOT file.
struct RootKey {
  std::string path;  ///< directories and name, "dir/Events"
  std::string class_name;
  std::string title;
  std::uint16_t cycle = 0;
  std::uint64_t offset = 0;       ///< of the record
  std::uint32_t record_size = 0;  ///< key and stored payload
  std::uint16_t key_size = 0;
  std::uint32_t object_size = 0;  ///< of the payload once decompressed
  std::size_t name_begin = 0;     ///< of the name in the path: it may have slashes too
};

class FileSeal;
class InputFile;

/// Whether what Skimline wrote and what has another checksum now is damage or, if so asked, a change.
enum class ChangedRecords { kRefused, kAllowed };

/// Bytes of a file.
struct ByteExtent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// An open ROOT file and its table of contents. Immutable, thread-safe.
class RootFile {
 public:
  /// Throws FileError if the file cannot be opened, is no ROOT file, is truncated, its directories are
  /// damaged, or its UUID is not the same in both places that have it.
  explicit RootFile(std::string path, ChangedRecords changed = ChangedRecords::kRefused);
  RootFile(std::unique_ptr<const InputFile> input, ChangedRecords changed);
  /// Takes the keys of a file whose directories cannot be read, and that of its StreamerInfo, if it has one.
  RootFile(std::unique_ptr<const InputFile> input, std::vector<RootKey> keys, RootKey streamer_info);
  ~RootFile();

  /// The file itself, which tells what was read of it.
  const InputFile& input() const { return *input_; }
  const std::string& path() const;
  /// As its top directory gives it, "ba27e7b6-c93c-11f0-bbe2-0100007fbeef"; empty in files too old for one.
  const std::string& uuid() const { return uuid_; }

  /// The listed objects, directories left out, depth first; of several cycles the newest first.
  const std::vector<RootKey>& keys() const { return keys_; }

  /// Returns the newest object called `path`, or the one of a cycle, "dir/Events;2", or nullptr. Throws
  /// FileError if there is an object of that name and none of that cycle.
  const RootKey* find(std::string_view path) const;
  /// Whether an object of another directory has the path of a key too, as "b" in "a" has that of "a/b".
  bool has_namesake(const RootKey& key) const;

  /// Reads the record of a key, which it begins with, and compares it with its checksum, if the file has one.
  /// Throws FormatError if it is damaged, FileError if it cannot be read. Thread-safe.
  std::vector<std::byte> read_record(const RootKey& key) const;

  /// Reads and decompresses the object of a key. Says in `is_verified`, unless it is null, whether checksums
  /// of the compression prove it. Throws FileError if it is damaged.
  std::vector<std::byte> read_object(const RootKey& key, bool* is_verified = nullptr) const;

  /// Where the header, the directories, the key lists and the StreamerInfo lie, in the order of reading.
  const std::vector<ByteExtent>& structure() const { return structure_; }
  /// Whether who wrote the file ended without closing it: what came after its last save is not listed.
  bool was_never_closed() const { return was_never_closed_; }

  /// The record with the StreamerInfo; its size is 0 if there is none.
  const RootKey& streamer_info() const { return streamer_info_; }
  /// What read_object() compares with; nullptr if others wrote the file or to it, or changes are allowed.
  const FileSeal* seal() const { return seal_.get(); }
  ChangedRecords changed() const { return changed_; }

 private:
  std::unique_ptr<const InputFile> input_;
  ChangedRecords changed_;
  std::unique_ptr<const FileSeal> seal_;
  std::string uuid_;
  std::vector<RootKey> keys_;
  RootKey streamer_info_;
  bool was_never_closed_ = false;
  std::vector<ByteExtent> structure_;
  std::vector<std::uint32_t> by_path_;  // numbers of keys, sorted by path
};

}  // namespace skimline::io
