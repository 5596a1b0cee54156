// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/open_inputs.h"

#include "inputs/chain_source.h"
#include "storage/buffer_pool.h"
#include "ttree/class_trial.h"

#include "skimline/io/opened_files.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/tree_metadata.h"
#include "skimline/io/tree_source.h"

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

struct LocatedInput {
  InputLocation location;
  DataFormat format = DataFormat::kRNTuple;
};

// Throws FileError if the file cannot be read, has nothing of that name, or has several and none is named.
LocatedInput locate(const InputLocation& location, OpenedFiles& files) {
  const OpenedFile opened = files.open(location.path);
  const RootFile& file = *opened.root;
  const std::string name = chosen_name(file, location.name);
  const RootKey* key = name.empty() ? nullptr : file.find(name);
  if (key && is_tree_class(key->class_name)) return {{location.path, name}, DataFormat::kTTree};
  if (!tree_names(file).empty() && (!key || key->class_name != "ROOT::RNTuple")) throw_missing(file, name);
  return {{location.path, name}, DataFormat::kRNTuple};
}

std::vector<std::string> paths_of(const std::vector<InputLocation>& locations) {
  std::vector<std::string> paths;
  for (const InputLocation& location : locations) paths.push_back(location.path);
  return paths;
}

// Parts of a chain share memory; those of many files are open only while they are read.
std::vector<std::unique_ptr<InputSource>> open_parts(const std::vector<LocatedInput>& inputs,
                                                     const InputOptions& options) {
  InputOptions part = options;
  part.defaults.clear();
  if (inputs.size() > options.max_open_files) part.max_open_files = 0;
  const auto pool = std::make_shared<BufferPool>(options.max_idle_bytes);
  KnownClasses known;
  std::vector<std::unique_ptr<InputSource>> parts;
  for (const LocatedInput& input : inputs) {
    if (input.format == DataFormat::kTTree) {
      parts.push_back(std::make_unique<TreeSource>(input.location, part, pool, &known));
      continue;
    }
    InputOptions ntuple = part;
    ntuple.max_idle_bytes = options.max_idle_bytes / inputs.size();
    parts.push_back(std::make_unique<RNTupleSource>(std::vector{input.location}, ntuple));
  }
  return parts;
}

}  // namespace

std::vector<std::string> data_names(const RootFile& file) {
  std::vector<std::string> names = ntuple_names(file);
  const std::vector<std::string> trees = tree_names(file);
  names.insert(names.end(), trees.begin(), trees.end());
  return names;
}

std::unique_ptr<InputSource> open_inputs(const std::vector<InputLocation>& locations, InputOptions options) {
  if (!options.files) options.files = std::make_shared<OpenedFiles>();
  options.files->open_ahead(paths_of(locations), options.max_open_files);
  std::vector<LocatedInput> inputs;
  for (const InputLocation& location : locations) inputs.push_back(locate(location, *options.files));
  const bool has_trees = std::any_of(inputs.begin(), inputs.end(), [](const LocatedInput& input) {
    return input.format == DataFormat::kTTree;
  });
  if (!has_trees) return std::make_unique<RNTupleSource>(locations, std::move(options));
  if (inputs.size() == 1 && options.defaults.empty())
    return std::make_unique<TreeSource>(inputs.front().location, std::move(options));
  return std::make_unique<ChainSource>(open_parts(inputs, options), options);
}

}  // namespace skimline::io
