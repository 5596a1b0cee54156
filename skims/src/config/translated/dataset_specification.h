// SPDX-License-Identifier: BSD-3-Clause
// Dataset specifications of RDataFrame, as FromSpec() reads them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// A sample or a friend: files, each as "path:tree" with the path as it is written.
struct SpecifiedFiles {
  std::string name;
  std::vector<std::pair<std::string, std::string>> files;  ///< path and tree
  std::map<std::string, std::string> metadata;             ///< values as JSON
};

struct DatasetSpecification {
  std::vector<SpecifiedFiles> samples, friends;  ///< in alphabetical order, in which FromSpec() takes them
  std::string range;                             ///< a condition on the entries of all samples; empty for all
  std::vector<std::string> left_out;             ///< what is not known, a sentence for each
};

/// Reads a file. Throws ConfigError if it is none, or damaged.
DatasetSpecification read_dataset_specification(const std::string& path);

}  // namespace skimline::skims
