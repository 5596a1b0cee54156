// SPDX-License-Identifier: BSD-3-Clause
// The files of a job, each opened once whoever asks for it.
#pragma once

#include "skimline/io/input_file.h"
#include "skimline/io/root_file.h"

#include <any>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
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

/// How metadata are read of files that are opened ahead.
struct MetadataAhead {
  /// Looks at all that the metadata of a file are: of the first of many that are alike.
  std::function<void(const RootFile&)> look;
  /// Reads what OpenedFiles::take_metadata() hands on, while further files are opened. What it throws is left
  /// to whoever reads the metadata then; storage that was waited for in vain counts as one that cannot be
  /// opened. Called by no more threads at once than there are cores where all that it needs is in memory.
  std::function<std::any(const RootFile&)> read;
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
  /// are more than `max_open` files. Where a group has many, as much of their ends is read as looking at the
  /// metadata of the first has needed.
  void open_ahead(const std::vector<Group>& groups, std::size_t max_open, const MetadataAhead& metadata = {});

  /// What was read ahead of the metadata of a file as it was handed out; empty if nothing, or somebody has
  /// taken it.
  std::any take_metadata(const RootFile& file);
  /// How many threads are worth it for reading the metadata of these files, or what take_metadata() has of
  /// them.
  std::size_t num_readers(const Group& paths) const;

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
    bool have_metadata = false;  // all of them, so that reading those is computing alone
  };
  // A file that is open, and what was read ahead of its metadata.
  struct Kept {
    OpenedFile file;
    double seconds = 0;  // that opening took, without reading
    std::any metadata;
  };
  // How files are opened ahead.
  struct Opening {
    Opening(std::size_t num_groups, bool releases_files);
    std::vector<Ends> ends;  // by group
    bool releases;
    std::function<std::any(const RootFile&)> read;  // metadata; may be empty
    std::counting_semaphore<> cores;                // on which no metadata are read
  };
  // A file to be opened, as one of a group.
  struct Wanted {
    std::string path;
    std::size_t group = 0;
  };
  void open_all(const std::vector<Wanted>& wanted, Opening& opening);
  void try_to_open(const Wanted& wanted, Opening& opening, bool at_once);
  static std::any metadata_of(const RootFile& file, Opening& opening, bool is_computing);
  Ends needed_ends(const std::string& path, const MetadataAhead& metadata);
  std::vector<Group> not_tried(const std::vector<Group>& groups);
  void throw_if_failed(const std::string& path);
  Kept opened(const std::string& path, const Ends& ends, bool at_once) const;
  std::optional<OpenedFile> find_opened(const std::string& path);
  void keep(const std::string& path, Kept file);
  void note_first(const std::string& path);

  std::shared_ptr<ReadStop> stop_ = std::make_shared<ReadStop>();
  std::atomic<std::size_t> num_openers_{0};  // 0 where the storage is fast
  mutable std::mutex mutex_;
  std::uint64_t kept_bytes_ = 0;  // of all files, at most
  std::unordered_map<std::string, Kept> files_;
  std::unordered_map<std::string, std::exception_ptr> failed_;  // whose storage was waited for in vain
};

/// From `files`, unless it is null.
OpenedFile open_file(OpenedFiles* files, const std::string& path);

}  // namespace skimline::io
