// SPDX-License-Identifier: BSD-3-Clause
// The files of the cache: blocks with their checksums, and states that files were in.
#pragma once

#include "remote/open_request.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// A file of the cache: of this user, and no link.
class CacheFile {
 public:
  explicit CacheFile(const std::filesystem::path& path);
  ~CacheFile();
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  bool is_open() const { return number_ >= 0; }
  /// Notes that it was used now.
  void touch() const;
  bool read(std::uint64_t offset, std::span<std::byte> bytes) const;
  bool write(std::uint64_t offset, std::span<const std::byte> bytes) const;

 private:
  int number_ = -1;
};

/// The blocks of one file in one state, and their checksums. Thread-safe.
class BlockFile {
 public:
  static constexpr std::uint64_t kBlock = 16 * 1024;

  BlockFile(const std::filesystem::path& folder, const std::string& key, std::uint64_t size);

  bool is_open() const { return data_.is_open() && sums_.is_open(); }
  std::uint64_t size_of(std::uint64_t block) const;
  /// Returns whether the block is there, and undamaged.
  bool read(std::uint64_t block, std::vector<std::byte>& bytes) const;
  void write(std::uint64_t block, std::span<const std::byte> bytes) const;

 private:
  std::uint64_t sum_of(std::uint64_t block, std::span<const std::byte> bytes) const;

  std::uint64_t size_, seed_;
  CacheFile data_, sums_;
};

/// The state that a file was in when its server was asked last.
struct KnownState {
  RemoteState state;
  double age_seconds = 0;  ///< since then
};

std::optional<KnownState> read_state(const std::filesystem::path& folder, const std::string& name);
/// Complete or not at all.
void write_state(const std::filesystem::path& folder, const std::string& name, const RemoteState& state);
void forget_state(const std::filesystem::path& folder, const std::string& name);

/// Removes what was not used for longest until the rest takes no more bytes than this.
void remove_oldest(const std::filesystem::path& folder, double most_bytes);

}  // namespace skimline::io
