// SPDX-License-Identifier: BSD-3-Clause
// A file of histograms, in whichever format: ROOT, or JSON that follows UHI's schema.
#pragma once

#include "skimline/histograms/histogram.h"
#include "skimline/io/root_file.h"
#include "skimline/skims/run_record.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// A file that ends with ".json" is UHI JSON and read at once; of others, each histogram when it is asked
/// for. Thread-safe.
class HistogramFile {
 public:
  /// Throws FileError if the file cannot be opened, or is damaged.
  explicit HistogramFile(const std::string& path, io::ChangedRecords changed = io::ChangedRecords::kRefused);
  /// A file whose format its path does not tell.
  HistogramFile(const std::string& path, bool is_json,
                io::ChangedRecords changed = io::ChangedRecords::kRefused);

  const std::string& path() const { return path_; }
  /// The file, unless it is JSON.
  const io::RootFile* root() const { return root_.get(); }
  /// Paths of the histograms, "dir/name", in the order of the file, without the cutflows of its record; of
  /// several cycles the newest.
  const std::vector<std::string>& names() const { return names_; }
  /// Whether there is one of this name, cutflows included.
  bool contains(const std::string& name) const { return places_.contains(name); }
  /// The name may have a cycle, "name;2". Throws FileError if the file has no histogram of this name, saying
  /// the nearest, and if it is damaged.
  histograms::Histogram read(const std::string& name) const;
  /// The same, or nothing of an io::UnreadHistogram, of which `unread` gets the reason.
  std::optional<histograms::Histogram> read(const std::string& name, std::vector<std::string>& unread) const;

  /// The record of the run that made the file, or nothing if it has none. Throws FileError if it is damaged.
  std::optional<RunRecord> record() const;

 private:
  void open_root(io::ChangedRecords changed);
  void open_json();
  std::optional<RunRecord> record_of_json() const;
  [[noreturn]] void refuse(const std::string& name) const;

  std::string path_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> places_;      // of all by name, in root_->keys() or histograms_
  std::unique_ptr<const io::RootFile> root_;       // unless it is JSON
  std::vector<histograms::Histogram> histograms_;  // of JSON
  std::vector<std::string> record_texts_;          // of JSON
};

/// Whether the path is taken for one of UHI JSON.
bool is_uhi_json(const std::string& path);

}  // namespace skimline::skims
