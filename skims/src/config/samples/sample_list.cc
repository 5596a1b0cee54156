// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/sample_list.h"

#include "config/json/located_json.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"
#include "config/samples/sample_reader.h"

#include "skimline/framework/error.h"
#include "skimline/io/arrow_library.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

bool is_object(const JsonValue& value) { return value.kind == JsonKind::kObject; }
bool is_list(const JsonValue& value) { return value.kind == JsonKind::kList; }
bool is_count(const JsonValue& value) {
  return value.kind == JsonKind::kInteger && value.number >= 0 && value.number <= kLargestInteger;
}
std::uint64_t count_of(const JsonValue& value) { return static_cast<std::uint64_t>(value.number); }

bool all_items(const JsonValue& value, const std::function<bool(const JsonValue&)>& test) {
  return std::all_of(value.items.begin(), value.items.end(), test);
}

// {"samples": {name: {"trees": [...], "files": [...]}}}
bool is_dataset_specification(const JsonValue& root) {
  const JsonValue* samples = root.find("samples");
  return samples && is_object(*samples) && !samples->find("files") && all_items(*samples, is_object);
}

// {process: {variation: {"files": [...]}}}
bool is_nested(const JsonValue& root) {
  const auto has_files = [](const JsonValue& value) { return is_object(value) && value.find("files"); };
  return all_items(root, [&](const JsonValue& process) {
    return is_object(process) && !process.items.empty() && all_items(process, has_files);
  });
}

// {dataset: {"files": ...}}, {dataset: [paths]}, {dataset: {path: tree}}
bool is_fileset(const JsonValue& root) {
  return all_items(root, [](const JsonValue& dataset) { return is_object(dataset) || is_list(dataset); });
}

class SampleListReader {
 public:
  explicit SampleListReader(InputTexts& texts) : texts_(texts), diagnostics_(texts.diagnostics()) {}

  std::vector<ListedSample> read(const JsonValue& root) {
    const std::size_t num_mistakes = diagnostics_.size();
    const bool has_samples = is_object(root) && !root.items.empty();
    if (has_samples && is_dataset_specification(root))
      read_specification(root);
    else if (has_samples && is_nested(root))
      read_nested(root);
    else if (has_samples && is_fileset(root))
      read_fileset(root);
    else
      fail_to_recognise(root);
    if (diagnostics_.size() == num_mistakes) check_files(root);
    return std::move(samples_);
  }

 private:
  void check_files(const JsonValue& root) {
    if (samples_.empty())
      diagnostics_.add({root.location.begin, root.location.begin + 1}, "this list has no samples");
    for (const ListedSample& sample : samples_)
      if (sample.files.empty())
        diagnostics_.add(sample.name.location, "the sample \"" + sample.name.value + "\" has no files");
  }

  void fail_to_recognise(const JsonValue& root) {
    diagnostics_.add(
        {root.location.begin, root.location.begin + 1},
        "this is no list of samples: neither a dataset specification of RDataFrame, nor a fileset of "
        "coffea, nor {\"process\": {\"variation\": {\"files\": [...]}}}");
  }

  // Keys that are mistyped would be as if they were not there. Each is told of once.
  void warn_of_unknown(const JsonValue& object, const std::string& what,
                       std::initializer_list<const char*> known) {
    const std::vector<std::string> names(known.begin(), known.end());
    for (const Text& key : object.keys)
      if (std::find(names.begin(), names.end(), key.value) == names.end() &&
          unknown_.emplace(what, key.value).second)
        texts_.warn(key.location, "the key \"" + key.value + "\" of " + what + " is left out" +
                                      did_you_mean(key.value, names));
  }

  // ---- RDataFrame

  void read_specification(const JsonValue& root) {
    for (const char* key : {"friends", "range"})
      if (const JsonValue* found = root.find(key))
        diagnostics_.add(found->location,
                         "\"" + std::string(key) + "\" of a dataset specification is not supported");
    warn_of_unknown(root, "a dataset specification", {"samples", "friends", "range"});
    const JsonValue& samples = *root.find("samples");
    for (std::size_t i = 0; i < samples.items.size(); ++i) {
      ListedSample& sample = samples_.emplace_back();
      sample.name = samples.keys[i];
      read_specified_sample(samples.items[i], sample);
    }
  }

  void read_specified_sample(const JsonValue& value, ListedSample& sample) {
    warn_of_unknown(value, "a sample", {"trees", "files", "metadata"});
    const std::vector<Text> trees = texts_of(value, sample, "trees");
    const std::vector<Text> files = texts_of(value, sample, "files");
    if (trees.size() > 1 && trees.size() != files.size())
      diagnostics_.add(value.find("trees")->location, "there are " + std::to_string(trees.size()) +
                                                          " trees for " + std::to_string(files.size()) +
                                                          " files: give one, or one for each");
    for (std::size_t i = 0; i < files.size() && !trees.empty(); ++i)
      sample.files.push_back(
          {files[i].value, trees[std::min(i, trees.size() - 1)].value, std::nullopt, files[i].location});
    if (const JsonValue* metadata = value.find("metadata")) read_metadata(*metadata, {}, sample);
  }

  std::vector<Text> texts_of(const JsonValue& value, const ListedSample& sample, const char* key) {
    const JsonValue* found = value.find(key);
    if (found) return read_texts(*found, "\"" + std::string(key) + "\"", diagnostics_);
    diagnostics_.add({value.location.begin, value.location.begin + 1},
                     "the sample \"" + sample.name.value + "\" needs the key \"" + key + "\"");
    return {};
  }

  // ---- AGC

  void read_nested(const JsonValue& root) {
    for (std::size_t i = 0; i < root.items.size(); ++i) {
      const JsonValue& process = root.items[i];
      for (std::size_t j = 0; j < process.items.size(); ++j) {
        ListedSample& sample = samples_.emplace_back();
        const std::string& variation = process.keys[j].value;
        sample.name = {root.keys[i].value + "__" + variation, process.keys[j].location};
        sample.metadata.push_back({{"process", root.keys[i].location}, root.keys[i].value});
        sample.metadata.push_back({{"variation", process.keys[j].location}, variation});
        read_files(*process.items[j].find("files"), sample);
        read_metadata(process.items[j], {"files", "process", "variation"}, sample);
      }
    }
  }

  // ---- coffea

  void read_fileset(const JsonValue& root) {
    for (std::size_t i = 0; i < root.items.size(); ++i) {
      const JsonValue& dataset = root.items[i];
      ListedSample& sample = samples_.emplace_back();
      sample.name = root.keys[i];
      const JsonValue* files = is_object(dataset) ? dataset.find("files") : nullptr;
      read_files(files ? *files : dataset, sample);
      if (!files) continue;
      warn_of_unknown(dataset, "a dataset",
                      {"files", "metadata", "treename", "form", "compressed_form", "format", "did"});
      if (const std::optional<std::string> tree = name_in(dataset, "treename"))
        for (ListedFile& file : sample.files) file.ntuple_name = tree;
      if (const JsonValue* metadata = dataset.find("metadata"); metadata && metadata->kind != JsonKind::kNull)
        read_metadata(*metadata, {}, sample);
    }
  }

  // ---- files

  // [path or {"path": ..., "nevts": ...}, ...], or {path: tree, or what is known of the file}
  void read_files(const JsonValue& files, ListedSample& sample) {
    if (!is_list(files) && !is_object(files))
      return diagnostics_.add(files.location,
                              "expected files: a list of paths, or an object with a tree for each");
    for (std::size_t i = 0; i < files.items.size(); ++i) {
      if (is_list(files))
        read_item(files.items[i], sample);
      else
        read_file(files.keys[i], files.items[i], sample);
    }
  }

  void read_item(const JsonValue& item, ListedSample& sample) {
    if (item.kind == JsonKind::kString)
      return sample.files.push_back({item.text, std::nullopt, std::nullopt, item.location});
    const JsonValue* path = is_object(item) ? item.find("path") : nullptr;
    if (!path || path->kind != JsonKind::kString)
      return diagnostics_.add(item.location, "expected a path, or an object with \"path\"");
    warn_of_unknown(item, "a file", {"path", "nevts"});
    ListedFile file{path->text, std::nullopt, std::nullopt, path->location};
    if (const JsonValue* count = item.find("nevts")) file.num_entries = entries_of(*count);
    sample.files.push_back(std::move(file));
  }

  void read_file(const Text& path, const JsonValue& value, ListedSample& sample) {
    ListedFile file{path.value, "", std::nullopt, path.location};
    if (value.kind == JsonKind::kString) {
      file.ntuple_name = value.text;
    } else if (is_object(value)) {
      read_details(value, file);
    } else if (value.kind != JsonKind::kNull) {
      return diagnostics_.add(
          value.location,
          "expected the name of a tree, or an object with \"object_path\", got " + name_of(value.kind));
    }
    sample.files.push_back(std::move(file));
  }

  void read_details(const JsonValue& value, ListedFile& file) {
    warn_of_unknown(value, "a file", {"object_path", "steps", "num_entries", "uuid", "format", "lfn", "pfn"});
    if (const std::optional<std::string> name = name_in(value, "object_path")) file.ntuple_name = name;
    if (const JsonValue* format = value.find("format");
        format && format->text == "parquet" && io::arrow_format_of(file.path) != format->text)
      diagnostics_.add(format->location, "a file of Parquet is known by its name, which ends with .parquet");
    if (const JsonValue* count = value.find("num_entries"); count && count->kind != JsonKind::kNull)
      file.num_entries = entries_of(*count);
    if (const JsonValue* steps = value.find("steps"); steps && steps->kind != JsonKind::kNull)
      check_steps(*steps, file);
  }

  // The name of a tree; nothing if there is none.
  std::optional<std::string> name_in(const JsonValue& value, const char* key) {
    const JsonValue* const name = value.find(key);
    if (!name || name->kind == JsonKind::kNull) return std::nullopt;
    if (name->kind == JsonKind::kString) return name->text;
    diagnostics_.add(name->location,
                     "\"" + std::string(key) + "\" must be a string, got " + name_of(name->kind));
    return std::nullopt;
  }

  std::optional<std::uint64_t> entries_of(const JsonValue& value) {
    if (is_count(value)) return count_of(value);
    diagnostics_.add(value.location, "expected a number of entries");
    return std::nullopt;
  }

  // Steps cut a file into parts; together they must be all of it.
  void check_steps(const JsonValue& steps, ListedFile& file) {
    std::uint64_t end = 0;
    for (const JsonValue& step : steps.items) {
      if (!is_list(step) || step.items.size() != 2 || !all_items(step, is_count))
        return diagnostics_.add(step.location, "expected a step [first, end]");
      if (count_of(step.items[0]) != end || count_of(step.items[1]) < end) return fail_at_gap(step);
      end = count_of(step.items[1]);
    }
    if (!is_list(steps) || (file.num_entries && end != *file.num_entries)) return fail_at_gap(steps);
    file.num_entries = end;
  }

  void fail_at_gap(const JsonValue& value) {
    diagnostics_.add(value.location,
                     "these steps are not the whole file, one after the other: files are read as a whole");
  }

  // ---- metadata

  void read_metadata(const JsonValue& value, std::initializer_list<std::string_view> other_keys,
                     ListedSample& sample) {
    if (!is_object(value))
      return diagnostics_.add(value.location, "\"metadata\" must be an object, got " + name_of(value.kind));
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const Text& name = value.keys[i];
      if (std::find(other_keys.begin(), other_keys.end(), name.value) != other_keys.end()) continue;
      const std::optional<ConstantValue> constant = constant_of(value.items[i]);
      if (!is_identifier(name.value))
        warn(name.location, name, "no expression can name it");
      else if (!constant)
        warn(value.items[i].location, name, "it is " + name_of(value.items[i].kind));
      else
        sample.metadata.push_back({name, *constant});
    }
  }

  void warn(Location location, const Text& name, const std::string& reason) {
    texts_.warn(location, "the value \"" + name.value + "\" is left out: " + reason);
  }

  InputTexts& texts_;
  Diagnostics& diagnostics_;
  std::vector<ListedSample> samples_;
  std::set<std::pair<std::string, std::string>> unknown_;  // keys, by what has them
};

}  // namespace

std::vector<ListedSample> read_sample_list(const JsonValue& root, InputTexts& texts) {
  return SampleListReader(texts).read(root);
}

}  // namespace skimline::skims
