// SPDX-License-Identifier: BSD-3-Clause
// Reads the ROOT file container: header, directories and the objects listed in them.
#pragma once

#include "skimline/io/input_file.h"

#include <cstddef>
#include <cstdint>
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
};

/// An open ROOT file and its table of contents. Immutable, thread-safe.
class RootFile {
 public:
  /// Throws FileError if the file cannot be opened, is no ROOT file, is truncated, or its directories are
  /// damaged.
  explicit RootFile(std::string path);

  const InputFile& input() const { return input_; }
  const std::string& path() const { return input_.path(); }

  /// The UUID of the file, as its top directory gives it: "ba27e7b6-c93c-11f0-bbe2-0100007fbeef". Empty in
  /// files so old that they have none.
  const std::string& uuid() const { return uuid_; }

  /// The listed objects, directories left out, depth first; of several cycles the newest first.
  const std::vector<RootKey>& keys() const { return keys_; }

  /// Returns the newest object called `path`, or nullptr.
  const RootKey* find(std::string_view path) const;

  /// Reads and decompresses the object of a key. Throws FileError if it is damaged.
  std::vector<std::byte> read_object(const RootKey& key) const;

  /// The record with the StreamerInfo; its size is 0 if there is none.
  const RootKey& streamer_info() const { return streamer_info_; }

 private:
  InputFile input_;
  std::string uuid_;
  std::vector<RootKey> keys_;
  RootKey streamer_info_;
  std::vector<std::uint32_t> by_path_;  // numbers of keys, sorted by path
};

}  // namespace skimline::io
