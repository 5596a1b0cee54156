// SPDX-License-Identifier: BSD-3-Clause
// The files of a job, each opened once whoever asks for it.
#pragma once

#include "skimline/io/input_file.h"
#include "skimline/io/root_file.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// A file as it was handed out.
struct OpenedFile {
  std::shared_ptr<const RootFile> root;
  ReadCounts opening;     ///< what opening it has cost, whoever did it
  ReadCounts handed_out;  ///< what had been read of it by then

  /// What opening it and all reading since has cost.
  ReadCounts reads() const { return opening + (root->input().reads() - handed_out); }
};

/// Opens files ahead and at once, as each takes a few round trips to the storage, and hands them out.
/// Thread-safe.
class OpenedFiles {
 public:
  /// Returns the file as it was opened before, or opens it: for the first time, or because it has changed
  /// since. Throws what the constructor of RootFile throws.
  OpenedFile open(const std::string& path);

  /// Files that are probably alike: those of a sample.
  using Group = std::vector<std::string>;
  /// Opens files that are not open yet, several at once. What cannot be opened is left to open() to say; what
  /// was waited for in vain, is not waited for once more by then. File descriptors are given back if there
  /// are more than `max_open` files. Where a group has many, as much of their ends is read as `look` has
  /// needed of the first; it reads the metadata that all of them have.
  void open_ahead(const std::vector<Group>& groups, std::size_t max_open,
                  const std::function<void(const RootFile&)>& look = {});

  /// Reads the ends of files again whose metadata are about to be read once more, several at once, if the
  /// storage is slow to answer. What cannot be read is left to whoever needs it to say.
  void keep_ends(const Group& paths);

  /// Whether the storage is slow to answer.
  bool is_slow() const { return num_openers_ > 0; }

  /// How many threads are worth it for reading metadata of many files: more than there are cores if the
  /// storage is slow to answer, the more the slower it is.
  std::size_t num_openers() const;

  /// What reading of these files looks at while it waits.
  const std::shared_ptr<ReadStop>& stop() const { return stop_; }

 private:
  // How much of the ends is read, of a file of that size.
  struct Ends {
    EndSizes sizes;
    std::uint64_t of_size = 0;
  };
  OpenedFile open(const std::string& path, const Ends& ends);
  // A file to be opened, as one of a group.
  struct Wanted {
    std::string path;
    std::size_t group = 0;
  };
  void open_all(const std::vector<Wanted>& wanted, const std::vector<Ends>& ends, bool releases);
  void try_to_open(const std::string& path, const Ends& ends, bool releases);
  Ends needed_ends(const std::string& path, const std::function<void(const RootFile&)>& look);
  std::vector<Group> not_tried(const std::vector<Group>& groups);
  void throw_if_failed(const std::string& path);
  OpenedFile opened(const std::string& path, const Ends& ends) const;
  void note_first(const std::string& path, double seconds);

  std::shared_ptr<ReadStop> stop_ = std::make_shared<ReadStop>();
  std::atomic<std::size_t> num_openers_{0};  // 0 where the storage is fast
  mutable std::mutex mutex_;
  std::uint64_t kept_bytes_ = 0;  // of all files, at most
  std::unordered_map<std::string, OpenedFile> files_;
  std::unordered_map<std::string, std::exception_ptr> failed_;  // whose storage was waited for in vain
};

/// From `files`, unless it is null.
OpenedFile open_file(OpenedFiles* files, const std::string& path);

}  // namespace skimline::io
