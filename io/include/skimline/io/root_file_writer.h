// SPDX-License-Identifier: BSD-3-Clause
// Writes the ROOT file container: header, records, key list, StreamerInfo and free list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// One object to be listed in the file's top directory.
struct RootObject {
  std::string class_name;
  std::string name;
  std::string title;
  std::vector<std::byte> payload;  ///< the streamed object
};

/// A new ROOT file under a temporary name in the target's folder; complete and visible after commit(), else
/// gone.
///
/// The same calls give the same bytes whatever the path: the name inside the file and all dates are fixed,
/// and the UUID follows from the content.
class RootFileWriter {
 public:
  /// `classes` are those of the objects that will be added; their StreamerInfo is written. Throws FileError
  /// if the temporary file cannot be made.
  RootFileWriter(std::string path, const std::vector<std::string>& classes);
  ~RootFileWriter();
  RootFileWriter(const RootFileWriter&) = delete;
  RootFileWriter& operator=(const RootFileWriter&) = delete;

  /// Sets aside `payload_size` bytes, less than 2 GiB, in an RBlob record and returns the offset of the
  /// payload. The record's key is written at once. Calls must not overlap.
  std::uint64_t reserve_blob(std::uint64_t payload_size);

  /// Writes at an offset inside what was reserved: one piece, or several one after the other. Thread-safe.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void write_at(std::uint64_t offset, const std::vector<std::span<const std::byte>>& pieces);

  /// Writes an object's record and lists it. Names must differ.
  void add_object(const RootObject& object);

  /// Writes the directory, synchronises the file and renames it to its path; returns the file's size. The
  /// UUID is derived from the objects and from `blob_hash`, any hash of what was written into blobs.
  std::uint64_t commit(std::uint64_t blob_hash = 0);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
