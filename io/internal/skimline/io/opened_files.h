// SPDX-License-Identifier: BSD-3-Clause
// The files of a job, each opened once whoever asks for it.
#pragma once

#include "skimline/io/input_file.h"
#include "skimline/io/root_file.h"

#include <atomic>
#include <cstddef>
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

  /// Opens files that are not open yet, several at once. What cannot be opened is left to open() to say. File
  /// descriptors are given back if there are more than `max_open` files.
  void open_ahead(const std::vector<std::string>& paths, std::size_t max_open);

  /// How many threads are worth it for reading metadata of many files: more than there are cores if the
  /// storage is slow to answer.
  std::size_t num_openers() const;

  /// What reading of these files looks at while it waits.
  const std::shared_ptr<ReadStop>& stop() const { return stop_; }

 private:
  std::vector<std::string> not_open(const std::vector<std::string>& paths) const;

  std::shared_ptr<ReadStop> stop_ = std::make_shared<ReadStop>();
  std::atomic<bool> is_slow_{false};
  mutable std::mutex mutex_;
  std::unordered_map<std::string, OpenedFile> files_;
};

/// From `files`, unless it is null.
OpenedFile open_file(OpenedFiles* files, const std::string& path);

}  // namespace skimline::io
