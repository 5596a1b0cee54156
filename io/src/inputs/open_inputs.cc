// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/open_inputs.h"

#include "inputs/chain_parts.h"
#include "inputs/chain_source.h"
#include "storage/at_once.h"

#include "skimline/io/file_chain.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/rntuple_metadata.h"

#include <algorithm>
#include <exception>

namespace skimline::io {
namespace {

constexpr const char* kEvents = "Events";

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

bool has_other_formats(const RootFile& file) {
  const auto others = input_formats().subspan(1);
  return std::any_of(others.begin(), others.end(),
                     [&](const InputFormat& format) { return !format.names_in(file).empty(); });
}

// Only files that have other formats are looked at here: what is wrong otherwise is said by the first
// format's reader.
std::string chosen_name(const RootFile& file, const std::string& name) {
  if (!name.empty()) return name;
  const std::vector<std::string> names = data_names(file);
  if (names.size() == 1) return names.front();
  if (std::find(names.begin(), names.end(), kEvents) != names.end()) return kEvents;
  if (!has_other_formats(file)) return {};
  throw FileError(
      file.path(),
      "contains several " + names_of_input_formats(true) + ", one must be named: " + quoted_list(names),
      FileFault::kUnavailable);
}

[[noreturn]] void throw_missing(const RootFile& file, const std::string& name) {
  const RootKey* key = file.find(name);
  const std::vector<std::string> names = data_names(file);
  if (const std::string problem = key ? pre_release_problem(*key) : ""; !problem.empty())
    throw FileError(file.path(), problem, FileFault::kUnavailable);
  throw FileError(
      file.path(),
      (key ? "\"" + name + "\" is a " + key->class_name + ", no " + names_of_input_formats()
           : "contains no " + names_of_input_formats() + " \"" + name + "\"" + did_you_mean(name, names)) +
          "; it contains " + quoted_list(names),
      FileFault::kUnavailable);
}

// A chain that got here was not replaced by its files.
void refuse_chain(const RootFile& file, const std::string& name) {
  const RootKey* key = name.empty() ? nullptr : file.find(name);
  if (key ? !is_chain_class(key->class_name) : !name.empty() || chain_names(file).empty()) return;
  throw FileError(
      file.path(),
      (key ? "\"" + name + "\" is a TChain" : "contains a TChain and no events") +
          ", which lists files: it stands for them as an input of a sample, as a file of at most " +
          std::to_string(kMaxChainFileBytes >> 20) + " MiB on this machine, and not here",
      FileFault::kUnavailable);
}

// What is wrong with files: thrown at once, or with that of all others if they are looked for.
class FileFaults {
 public:
  explicit FileFaults(const InputOptions& options) : finds_all_(options.finds_all_bad_files) {}

  template <typename Work>
  void gather(const Work& work) {
    try {
      work();
    } catch (const FileError&) {
      if (!finds_all_) throw;
      faults_.push_back(std::current_exception());
    }
  }

  void throw_gathered() const { throw_faults(faults_, finds_all_); }

 private:
  bool finds_all_;
  std::vector<std::exception_ptr> faults_;
};

struct LocatedInput {
  InputLocation location;
  const InputFormat* format = nullptr;
};

// Throws FileError if the file cannot be read, has nothing of that name, or has several and none is named.
LocatedInput locate(const InputLocation& location, OpenedFiles& files) {
  const OpenedFile opened = files.open(location.path);
  const RootFile& file = *opened.root;
  const std::string name = chosen_name(file, location.name);
  const RootKey* key = name.empty() ? nullptr : file.find(name);
  const InputFormat* format = key ? format_of(*key) : nullptr;
  if (!format) refuse_chain(file, name);
  if (!format && has_other_formats(file)) throw_missing(file, name);
  return {{location.path, name}, format ? format : &input_formats().front()};
}

std::vector<LocatedInput> locate_all(const std::vector<InputLocation>& locations,
                                     const InputOptions& options) {
  std::vector<LocatedInput> inputs;
  FileFaults faults(options);
  for (const InputLocation& location : locations)
    faults.gather([&] { inputs.push_back(locate(location, *options.files)); });
  faults.throw_gathered();
  return inputs;
}

std::vector<InputLocation> locations_of(const std::vector<LocatedInput>& inputs) {
  std::vector<InputLocation> locations;
  for (const LocatedInput& input : inputs) locations.push_back(input.location);
  return locations;
}

std::vector<std::string> paths_of(const std::vector<InputLocation>& locations) {
  std::vector<std::string> paths;
  for (const InputLocation& location : locations) paths.push_back(location.path);
  return paths;
}

// Reads the metadata of all that a file has.
void look_at_metadata(const RootFile& file) {
  std::vector<ByteExtent> ignored;
  for (const InputFormat& format : input_formats())
    for (const std::string& name : format.names_in(file)) format.add_unchecked(file, name, ignored);
}

// What the reader of the events takes that are meant if none are named.
std::any metadata_ahead(const RootFile& file) {
  const std::string name = chosen_name(file, {});
  const RootKey* key = name.empty() ? nullptr : file.find(name);
  const InputFormat* format = key ? format_of(*key) : nullptr;
  return format && format->metadata ? format->metadata(file, name) : std::any();
}

// So many trees are read together: all of thousands would need too much memory.
constexpr std::size_t kPartsAtOnce = 128;

// What is wrong with a part is thrown when its turn comes, behind what is wrong with those before it.
ReadPart read_part(const LocatedInput& input, const InputOptions& options, ChainParts& parts) {
  try {
    return input.format->read_part(input.location, options, parts);
  } catch (const Error&) {
    return [fault = std::current_exception()](ChainParts&) -> std::unique_ptr<InputSource> {
      std::rethrow_exception(fault);
    };
  }
}

// Parts of a chain share memory; those of many files are open only while they are read.
std::vector<std::unique_ptr<InputSource>> open_parts(const std::vector<LocatedInput>& inputs,
                                                     const InputOptions& options) {
  InputOptions part = options;
  if (inputs.size() > options.max_open_files) part.max_open_files = 0;
  const auto ahead = std::make_shared<ReadAhead>(options.read_ahead_bytes);
  ChainParts common{inputs.size(), ahead, {std::make_shared<BufferPool>(options.max_idle_bytes), ahead}};
  std::vector<std::unique_ptr<InputSource>> parts;
  FileFaults faults(options);
  for (std::size_t first = 0; first < inputs.size(); first += kPartsAtOnce) {
    const auto next = std::span(inputs).subspan(first, std::min(kPartsAtOnce, inputs.size() - first));
    std::vector<ReadPart> read(next.size());
    for_each_at_once(next.size(), options.files->num_openers(),
                     [&](std::size_t number) { read[number] = read_part(next[number], part, common); });
    for (const ReadPart& each : read) faults.gather([&] { parts.push_back(each(common)); });
  }
  faults.throw_gathered();
  return parts;
}

}  // namespace

std::vector<std::string> data_names(const RootFile& file) {
  std::vector<std::string> names;
  for (const InputFormat& format : input_formats()) {
    const std::vector<std::string> own = format.names_in(file);
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
}

void open_ahead(const std::vector<std::vector<InputLocation>>& samples, const InputOptions& options) {
  std::vector<OpenedFiles::Group> groups;
  for (const std::vector<InputLocation>& sample : samples) groups.push_back(paths_of(sample));
  options.files->open_ahead(groups, options.max_open_files, {look_at_metadata, metadata_ahead});
}

std::unique_ptr<InputSource> open_inputs(const std::vector<InputLocation>& locations, InputOptions options) {
  if (!options.files) options.files = std::make_shared<OpenedFiles>();
  open_ahead({locations}, options);
  const std::vector<LocatedInput> inputs = locate_all(locations, options);
  const InputFormat& first = inputs.empty() ? input_formats().front() : *inputs.front().format;
  const bool are_alike = std::all_of(inputs.begin(), inputs.end(),
                                     [&](const LocatedInput& input) { return input.format == &first; });
  if (are_alike)
    if (auto source = first.open(locations_of(inputs), options)) return source;
  return std::make_unique<ChainSource>(open_parts(inputs, options), options);
}

}  // namespace skimline::io
