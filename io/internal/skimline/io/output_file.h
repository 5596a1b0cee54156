// SPDX-License-Identifier: BSD-3-Clause
// A file that is complete or absent: written under a temporary name beside its target, then renamed. A device
// is written as it is. What has a URL is written in the folder for temporary files, then sent.
#pragma once

#include "skimline/framework/stop_flag.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

class InputFile;
class RemoteOutput;
class WrittenSums;

/// Positional writes are thread-safe.
class OutputFile {
 public:
  /// Creates the temporary file, ".<name>.<process>-<number>.part", with the rights of the file that it will
  /// replace, or opens the character device of that name, such as /dev/null. Folders that are missing are
  /// made. Temporary files that processes which are no more have left in the folder are removed. A URL names
  /// a file of another machine, which is not asked before the file is published. Throws FileError naming
  /// `path`.
  explicit OutputFile(std::string path);
  /// Removes the temporary file unless it was published, and the folders that were made for it and are empty.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Where the bytes are: under the temporary name until the file is published.
  const std::string& current_path() const { return temporary_path_.empty() ? target_path_ : temporary_path_; }

  /// Throws FileError if the storage refuses, for instance because it is full.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);

  /// Writes pieces one after the other from `offset` on, in as few calls as possible.
  void write(std::uint64_t offset, const std::vector<std::span<const std::byte>>& pieces);

  /// Reads back what was written. A device keeps nothing: of it come zeros. Throws FileError.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  /// Whether the storage can share blocks of `size` bytes of another file with this one.
  bool can_share(const InputFile& source, std::uint64_t size) const;

  /// Shares `size` bytes of another file, from `begin` on, with it: both have the same blocks of the storage,
  /// until one of them is written to. Begins and size must be multiples of the storage's block. Returns
  /// whether the storage can do that; throws FileError where it can and fails.
  bool share(const InputFile& source, std::uint64_t begin, std::uint64_t offset, std::uint64_t size);

  /// Lets the system copy `size` bytes of another file, from `begin` on, without their passing through this
  /// process. Returns whether the system can do that; throws FileError where it can and fails.
  bool copy_by_system(const InputFile& source, std::uint64_t begin, std::uint64_t offset, std::uint64_t size);

  /// For what can be made again, and whose readers find out that it is not whole: it has its name before it
  /// is surely on the storage, so that only a machine that fails can lose or damage it.
  void do_not_synchronise() { is_synchronised_ = false; }

  /// From now on, adds up the checksum of bytes as they are written. No writing at the same time.
  void sum_up();

  /// Returns what file_checksum() returns for what was written, of a device "". What sum_up() has added up is
  /// not read back: the checksum is of what the storage was given, whatever it has kept. After complete(),
  /// before publish(). Throws FileError.
  std::string checksum(int threads = 1) const;

  /// Gives the file this size and synchronises it with the storage. No writing any more.
  void complete(std::uint64_t size);

  /// Gives the complete file its name, replacing what had it. A device is only closed. See
  /// publish_together().
  void publish(StopFlag stop = {});

  /// Both.
  void commit(std::uint64_t size, StopFlag stop = {});

 private:
  friend class Publication;
  void open_device();
  void create_temporary_file();
  void open_temporary_file();
  void take_over_rights();
  void send_to_storage(std::uint64_t begin, std::uint64_t size) const;
  void synchronise(std::uint64_t size);
  void check_closing();
  void close();
  [[noreturn]] void fail(const std::string& problem) const;

  std::string path_;
  std::string target_path_;     // what `path_` leads to
  std::string temporary_path_;  // empty for a device, and of a published file
  bool is_synchronised_ = true;
  int descriptor_ = -1;                   // open, and locked, until the file has its name
  std::unique_ptr<RemoteOutput> remote_;  // null for a local file
  std::unique_ptr<WrittenSums> sums_;     // null where nobody asks for them
};

/// Gives complete files their names, all or none: what they replace stays until all have theirs, and comes
/// back if one cannot have its own. Before, those of URLs are sent and compared. Throws FileError; if some
/// have URLs, all files are kept then, and it says where. Throws Interrupted soon after `stop` is set while
/// files are sent.
void publish_together(std::span<OutputFile* const> files, StopFlag stop = {});

}  // namespace skimline::io
