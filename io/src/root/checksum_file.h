// SPDX-License-Identifier: BSD-3-Clause
// Checksums of files that have none of their own, in a file beside them.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/root_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// The XXH3-64 of records of one file: baskets, pages without a checksum, and metadata. Immutable,
/// thread-safe.
class ChecksumFile {
 public:
  /// Reads the checksums of a file, and compares those of its header, directories and key lists. Returns
  /// nullptr if there are none. Throws FileError if they are damaged, or those of a file of another UUID or
  /// size; its kind is kUnavailable then, as nothing is known of the file itself.
  static std::shared_ptr<const ChecksumFile> find(const RootFile& file, const std::string& folder);

  /// Where the checksums of the file at `path` are: "data.root.checksums" beside it, or in `folder` unless
  /// that is empty.
  static std::string path_for(const std::string& path, const std::string& folder);

  const std::string& path() const { return path_; }
  std::size_t num_records() const { return records_.size(); }

  /// Compares what is stored from `offset` on. Throws FormatError if it is not listed, or is something else.
  void verify(std::uint64_t offset, std::span<const std::byte> stored) const;

  /// Writes the checksums of these places of a file, and returns of how many. They are complete or absent.
  /// Throws FileError if there is a file of that name already, unless it is the same, Interrupted soon after
  /// `stop` is set.
  static std::size_t write(const RootFile& file, std::vector<ByteExtent> places, const std::string& folder,
                           StopFlag stop = {});

  struct Record {
    std::uint64_t offset = 0, size = 0, hash = 0;
  };

 private:
  ChecksumFile(std::string path, std::vector<Record> records)
      : path_(std::move(path)), records_(std::move(records)) {}

  std::string path_;
  std::vector<Record> records_;  // by offset
};

}  // namespace skimline::io
