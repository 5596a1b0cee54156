// SPDX-License-Identifier: BSD-3-Clause
// Results of parts in a folder, for other runs to take.
#pragma once

#include "parts/part_results.h"

#include <set>
#include <string>

namespace skimline::skims {

/// Whether a file of a store has this name.
bool is_result_file(const std::string& path);

/// Reads all of a file of a store. Throws FileError if anything in it is damaged.
PartResults read_results(const std::string& path);

/// A folder with a file for each part and each run that has computed something of it. Files are whole or
/// absent, and sealed; equal results have equal files. Any number of processes may use it at once.
class ResultStore {
 public:
  /// Makes the folder if there is none. Without a name there is no store: nothing is found, or kept. Throws
  /// FileError.
  explicit ResultStore(std::string folder);

  /// The keys of all that there is of a part, of which histograms are not looked at. Throws as find().
  std::set<std::string> keys(const std::string& part) const;
  /// Returns what there is of a part under these keys; what is damaged is not there. Throws FileError if the
  /// folder cannot be read.
  PartResults find(const std::string& part, const std::set<std::string>& keys) const;
  /// Throws FileError.
  void put(const std::string& part, PartResults results) const;

  /// The path of the events of a part that a skim takes, by the key of that; makes the folder.
  std::string skim_path(const std::string& part, const std::string& key) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_of(const std::string& part) const;

  std::string folder_;
};

}  // namespace skimline::skims
