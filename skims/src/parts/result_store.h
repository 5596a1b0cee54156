// SPDX-License-Identifier: BSD-3-Clause
// Results of parts in a folder or at a URL, for other runs to take.
#pragma once

#include "parts/part_results.h"

#include "skimline/histograms/histogram.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace skimline::io {
class RootFileWriter;
}

namespace skimline::skims {

/// Whether a file of a store has this name.
bool is_result_file(const std::string& path);

/// Reads all of a file of a store. Throws FileError if anything in it is damaged.
PartResults read_results(const std::string& path);

class RemoteStore;

/// Results of a part on their way into a store, which must outlive it; there is no file before it is
/// complete.
class ResultFile {
 public:
  ResultFile(ResultFile&&) noexcept;
  ~ResultFile();

  /// Adds histograms and names them by their keys. Throws FileError.
  void add(std::vector<histograms::Histogram>& histograms, const std::vector<std::string>& keys);
  /// Adds the rest. Throws FileError.
  void complete(const std::map<std::string, std::uint64_t>& counts,
                const std::vector<histograms::Histogram>& weights);

 private:
  friend class ResultStore;
  ResultFile(RemoteStore* remote, std::string part, std::string path);

  RemoteStore* remote_;  // null for a folder
  std::string part_, path_;
  std::unique_ptr<io::RootFileWriter> file_;
};

/// A folder with a file for each part and each run that has computed something of it. Files are whole or
/// absent, and sealed; equal results have equal files. Any number of processes may use it at once. One at a
/// URL has a folder of this machine for the time of this object, into which comes what is looked at.
class ResultStore {
 public:
  /// The folder is made with the first file in it. Without a name there is no store: nothing is found, or
  /// kept. What is at a URL is listed now. Throws FileError, also for a folder that cannot be made.
  explicit ResultStore(const std::string& name);
  ~ResultStore();

  /// The keys of all that there is of a part, of which histograms are not looked at. Throws as find().
  std::set<std::string> keys(const std::string& part) const;
  /// Returns what there is of a part under these keys; what is damaged is not there. Throws FileError if the
  /// folder cannot be read.
  PartResults find(const std::string& part, const std::set<std::string>& keys) const;
  /// Begins a file of results of a part that are to have these keys. Throws FileError.
  ResultFile begin(const std::string& part, const std::set<std::string>& keys) const;

  /// The path of the events of a part that a skim takes, by the key of that; makes the folder.
  std::string skim_path(const std::string& part, const std::string& key) const;
  /// Whether there are such events, sound or not.
  bool has_skim(const std::string& part, const std::string& key) const;
  /// Puts them at their path if they are at a URL only. Throws FileError.
  void fetch_skim(const std::string& part, const std::string& key) const;
  /// Keeps what was written to such a path. Throws FileError.
  void put_skim(const std::string& part, const std::string& path) const;

  /// Of this machine; empty if there is no store.
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_of(const std::string& part) const;

  std::unique_ptr<RemoteStore> remote_;  // null for a folder
  std::string folder_;
};

}  // namespace skimline::skims
