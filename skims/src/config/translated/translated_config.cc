// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/translated_config.h"

#include "config/json/name_checks.h"
#include "config/read/config_variables.h"
#include "config/translated/branch_selection.h"
#include "config/translated/config_writing.h"
#include "config/translated/dataset_specification.h"
#include "config/translated/draw_cut.h"
#include "config/translated/fastframes_blocks.h"
#include "config/translated/fastframes_config.h"
#include "config/translated/nano_command.h"
#include "config/translated/trexfitter_blocks.h"
#include "config/translated/trexfitter_config.h"

#include "skimline/framework/error.h"
#include "skimline/io/open_inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;
constexpr const char* kEvents = "Events";
constexpr const char* kFriends = "Friends";

// What is known of the columns of the inputs, without a word if they cannot be read.
struct KnownColumns {
  std::vector<std::string> names, lists;
  NumberTypes numbers;
  std::string tree = kEvents;
};

KnownColumns columns_of(const std::string& path) {
  for (const char* tree : {kEvents, kFriends}) {
    try {
      const auto source = io::open_inputs({{path, tree}});
      KnownColumns known;
      known.tree = tree;
      known.names = source->schema().names();
      known.numbers = numbers_but_doubles(source->schema());
      for (const ColumnInfo& column : source->schema().columns())
        if (column.type.is_jagged()) known.lists.push_back(column.name);
      for (const io::UnsupportedField& field : source->unsupported_fields())
        known.names.push_back(field.name);
      return known;
    } catch (const Error&) {
    }
  }
  return {};
}

OrderedJson files_of(const SpecifiedFiles& files, const fs::path& config_path) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [path, tree] : files.files)
    list.push_back(plain_text(path_from(path, config_path)) + ":" + plain_text(tree));
  return list;
}

OrderedJson samples_of(const DatasetSpecification& specification, const fs::path& config_path) {
  OrderedJson samples = OrderedJson::object();
  for (const SpecifiedFiles& files : specification.samples) {
    OrderedJson sample{{"files", files_of(files, config_path)}};
    for (const auto& [name, value] : files.metadata) {
      OrderedJson& json = sample["metadata"][name];
      json = OrderedJson::parse(value);
      if (json.is_string()) json = plain_text(json.get<std::string>());
    }
    samples[files.name] = std::move(sample);
  }
  return samples;
}

// Entries and friends go over all samples together; of one sample that is the same.
TranslatedConfig config_of(DatasetSpecification specification, const std::string& origin,
                           const fs::path& config_path) {
  OrderedJson config = begun_config();
  config["samples"] = samples_of(specification, config_path);
  std::vector<std::string> left_out = std::move(specification.left_out);
  const bool is_single = specification.samples.size() == 1;
  for (const SpecifiedFiles& files : specification.friends) {
    if (is_single)
      config["samples"][specification.samples.front().name]["friends"][files.name] = {
          {"files", files_of(files, config_path)}};
    else
      left_out.push_back(
          "friends." + files.name +
          ": it goes over the entries of all samples; here each sample has \"friends\" of its own");
  }
  if (!specification.range.empty() && is_single)
    config["select"] = {{{"name", "range"}, {"where", specification.range}}};
  else if (!specification.range.empty())
    left_out.push_back(
        "range: it counts the entries of all samples together; here each has its own, so add \"" +
        specification.range + "\" to \"select\" with the numbers of one");
  const std::string file = config_path.stem().string() + (is_single ? "_skim.root" : "_{sample}.root");
  config["skims"] = {{"skim", {{"file", plain_text(file)}}}};
  return written(config, origin, std::move(left_out));
}

// Makes the config of a command line.
class NanoTranslation {
 public:
  NanoTranslation(NanoCommand command, fs::path config_path)
      : command_(std::move(command)),
        config_path_(std::move(config_path)),
        columns_(columns_of(command_.inputs.front().substr(0, command_.inputs.front().find(',')))),
        left_out_(std::move(command_.left_out)) {}

  TranslatedConfig config() {
    OrderedJson config = begun_config();
    config["samples"] = samples();
    if (!command_.cut.empty()) config["select"] = {{{"name", "cut"}, {"where", cut()}}};
    config["skims"] = {{"skim", skim()}};
    add_quotient(config);
    return written(config, "a command line of nano_postproc.py", std::move(left_out_));
  }

 private:
  // One for each input, since each has an output of its own.
  OrderedJson samples() {
    OrderedJson samples = OrderedJson::object();
    for (const std::string& input : command_.inputs) {
      const std::size_t comma = input.find(',');
      const std::string path = input.substr(0, comma);
      if (comma != std::string::npos)
        left_out_.push_back(input +
                            ": files behind a comma are friends, whose columns would have the names of the "
                            "input; give them as \"friends\" of the sample");
      OrderedJson sample{{"files", {plain_text(path_from(path, config_path_)) + ":" + columns_.tree}}};
      if (!command_.json.empty()) sample["lumi_mask"] = plain_text(path_from(command_.json, config_path_));
      samples[sample_name(path, samples)] = std::move(sample);
    }
    return samples;
  }

  std::string sample_name(const std::string& path, const OrderedJson& taken) {
    const std::string stem = fs::path(path).stem().string(), legal = legal_object_name(stem);
    const std::string plain = is_object_name(legal) ? legal : "sample";
    std::string name = plain;
    for (int number = 2; taken.contains(name); ++number) name = plain + "_" + std::to_string(number);
    if (name != stem)
      left_out_.push_back(path + ": its output is called \"" + name + command_.postfix +
                          ".root\", as another has its name, or a sample cannot");
    return name;
  }

  std::string cut() {
    if (columns_.names.empty())
      left_out_.push_back(
          "that all numbers are doubles in the cut, and what it says of lists: the first input cannot be "
          "read; a cut on a list passes where "
          "any element does, so write Any(...), and an index needs a check of the size");
    return plain_text(
        expression_of_cut(command_.cut, {columns_.lists.begin(), columns_.lists.end()}, columns_.numbers));
  }

  OrderedJson skim() {
    const std::string file = (fs::path(command_.folder) / ("{sample}" + command_.postfix + ".root")).string();
    OrderedJson skim{{"file", plain_text(path_from(file, config_path_))}, {"format", "ttree"}};
    if (!command_.selections.empty()) {
      BranchSelection selection;
      for (const std::string& path : command_.selections) selection.add_file(path, left_out_);
      const KeptPatterns kept = selection.patterns(columns_.names, columns_.lists, left_out_);
      if (!kept.are_all) skim["keep"] = kept.keep;
      if (!kept.drop.empty()) skim["drop"] = kept.drop;
    }
    skim["compression"] = command_.compression;
    return skim;
  }

  NanoCommand command_;
  fs::path config_path_;
  KnownColumns columns_;
  std::vector<std::string> left_out_;
};

}  // namespace

TranslatedConfig translated_config(const std::string& from, const std::string& config_path) {
  std::error_code ignored;
  if (fs::is_regular_file(from, ignored) && is_called_yaml(from))
    return config_of_frames(read_frame_config(from), from, config_path);
  if (fs::is_regular_file(from, ignored) && is_trexfitter_config(from))
    return config_of_fit(read_trexfitter_blocks(from), from, config_path);
  if (fs::exists(from, ignored)) return config_of(read_dataset_specification(from), from, config_path);
  if (!is_nano_command(from))
    throw ConfigError(
        "--from takes a dataset specification of RDataFrame, a config of FastFrames or TRExFitter, or a "
        "command "
        "line of nano_postproc.py, in quotes: "
        "--from \"nano_postproc.py out in.root -c 'nMuon > 1'\"; \"" +
        from + "\" is neither a file nor such a line");
  return NanoTranslation(parse_nano_command(from), config_path).config();
}

}  // namespace skimline::skims
