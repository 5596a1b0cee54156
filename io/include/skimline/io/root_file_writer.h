// SPDX-License-Identifier: BSD-3-Clause
// Writes the ROOT file container: header, directories, records, StreamerInfo and free list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// One object to be listed in a directory of the file.
struct RootObject {
  std::string class_name;
  std::string name;  ///< with the directories it lies in, "dir/sub/name"; those are made when first named
  std::string title;
  std::vector<std::byte> payload;  ///< the streamed object, or its compressed block
  std::uint64_t object_size = 0;   ///< of the streamed object if the payload is compressed, else 0
  bool has_long_key = false;       ///< the streamed object has references, which count a long key in front
  std::vector<std::byte> blob{};   ///< if not empty, of an unlisted RBlob record directly behind the object's
  std::vector<std::string> inner_classes{};  ///< of objects inside that its members do not tell
  std::uint16_t process_offset = 0;  ///< what its key, a long one then, adds to numbers of processes in it
};

/// Returns the size of the key in front of an object, if it is a long one.
std::size_t long_key_size(const RootObject& object);

/// Room for pages, in a record of its own.
struct ReservedCluster {
  std::uint64_t offset = 0;  ///< of the first page
  std::uint64_t record_offset = 0;
  std::uint64_t record_size = 0;
};

class OutputFile;

/// A new ROOT file under a temporary name in the target's folder; complete and visible after publish() or
/// commit(), else gone. A character device, such as /dev/null, is written as it is.
///
/// Directories, lists and small objects lie in front, the data behind them from a multiple of 4096 on; what
/// does not fit in front comes last. The same calls in the same order give the same bytes whatever the path:
/// the name inside the file and all dates are fixed, and UUIDs follow from the content. Thread-safe but for
/// the last steps.
class RootFileWriter {
 public:
  /// commit() writes the StreamerInfo of the objects' classes. Throws FileError if no file can be made.
  explicit RootFileWriter(std::string path);
  /// `classes` are those of the objects that will be added; their StreamerInfo is written in front of all.
  RootFileWriter(std::string path, const std::vector<std::string>& classes);
  /// The same with the StreamerInfo of another file, as it is streamed behind a key of 64 bytes.
  RootFileWriter(std::string path, std::span<const std::byte> streamer_info);
  ~RootFileWriter();
  RootFileWriter(const RootFileWriter&) = delete;
  RootFileWriter& operator=(const RootFileWriter&) = delete;

  /// Sets aside `payload_size` bytes, less than 2 GiB, in an RBlob record and returns the offset of the
  /// payload. The record's key is written at once.
  std::uint64_t reserve_blob(std::uint64_t payload_size);

  /// Sets aside `payload_size` bytes, at least 8 KiB less than 2 GiB, that begin `into_block` bytes, less
  /// than 4096, behind a multiple of 4096. Only computes: each reserved cluster must be given to
  /// write_cluster() once.
  ReservedCluster reserve_cluster(std::uint64_t payload_size, std::uint64_t into_block = 0);

  /// Writes the record's key and, from `offset` on, the pieces, which may be less than was reserved.
  void write_cluster(const ReservedCluster& cluster, const std::vector<std::span<const std::byte>>& pieces);

  /// Sets aside `size` bytes for records that no directory lists and returns the offset of the first. Only
  /// computes: whoever asks writes all of them, keys included, with write_at().
  std::uint64_t reserve_records(std::uint64_t size);

  /// Writes at an offset inside what was reserved: one piece, or several one after the other.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void write_at(std::uint64_t offset, const std::vector<std::span<const std::byte>>& pieces);

  /// Writes an object's record, with its blob behind it, and lists it. Throws FileError if its name is that
  /// of another object or of a directory, has an empty part, or is too long.
  void add_object(const RootObject& object);

  /// Writes directories and lists and synchronises the file; returns its size. UUIDs are derived from the
  /// objects and from `blob_hash`, any hash of what was written into blobs.
  std::uint64_t complete(std::uint64_t blob_hash = 0);

  /// Gives the complete file its path.
  void publish();

  /// The file, to be published together with others.
  OutputFile& file();

  /// Both.
  std::uint64_t commit(std::uint64_t blob_hash = 0);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
