// SPDX-License-Identifier: BSD-3-Clause
#include "inputs/located_inputs.h"

#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"
#include "skimline/io/tree_metadata.h"

#include <algorithm>

namespace skimline::io {
namespace {

constexpr const char* kEvents = "Events";

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

// Only trees, or trees beside RNTuples, are looked at here: what is wrong otherwise is said by the reader of
// RNTuples.
std::string chosen_name(const RootFile& file, const std::string& name) {
  if (!name.empty()) return name;
  const std::vector<std::string> names = data_names(file);
  if (names.size() == 1) return names.front();
  if (std::find(names.begin(), names.end(), kEvents) != names.end()) return kEvents;
  if (tree_names(file).empty()) return {};
  throw FileError(file.path(),
                  "contains several RNTuples or TTrees, one must be named: " + quoted_list(names),
                  FileFault::kUnavailable);
}

[[noreturn]] void throw_missing(const RootFile& file, const std::string& name) {
  const RootKey* key = file.find(name);
  const std::vector<std::string> names = data_names(file);
  if (const std::string problem = key ? pre_release_problem(*key) : ""; !problem.empty())
    throw FileError(file.path(), problem, FileFault::kUnavailable);
  throw FileError(file.path(),
                  (key ? "\"" + name + "\" is a " + key->class_name + ", no RNTuple or TTree"
                       : "contains no RNTuple or TTree \"" + name + "\"" + did_you_mean(name, names)) +
                      "; it contains " + quoted_list(names),
                  FileFault::kUnavailable);
}

}  // namespace

std::vector<std::string> data_names(const RootFile& file) {
  std::vector<std::string> names = ntuple_names(file);
  const std::vector<std::string> trees = tree_names(file);
  names.insert(names.end(), trees.begin(), trees.end());
  return names;
}

LocatedInput locate(const InputLocation& location) {
  const RootFile file(location.path);
  const std::string name = chosen_name(file, location.name);
  const RootKey* key = name.empty() ? nullptr : file.find(name);
  if (key && is_tree_class(key->class_name)) return {{location.path, name}, DataFormat::kTTree};
  if (!tree_names(file).empty() && (!key || key->class_name != "ROOT::RNTuple")) throw_missing(file, name);
  return {{location.path, name}, DataFormat::kRNTuple};
}

}  // namespace skimline::io
