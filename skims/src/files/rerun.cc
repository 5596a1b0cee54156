// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/rerun.h"

#include "base/resolved_path.h"
#include "base/text_table.h"
#include "config/read/shard_paths.h"
#include "record/shards_of_run.h"

#include "skimline/framework/error.h"
#include "skimline/framework/several_problems.h"
#include "skimline/framework/version.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/input_file.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/output_folders.h"
#include "skimline/io/url.h"
#include "skimline/skims/config.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/diff.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/job.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Bytes that are compared at a time.
constexpr std::uint64_t kChunk = 1 << 20;

// A file notes the way from it to its config: "run ../analysis.json".
fs::path folder_of_config(const RerunOptions& options) {
  if (!options.config_folder.empty()) return options.config_folder;
  fs::path folder = fs::absolute(options.file).parent_path();
  const std::optional<std::string> job = io::job_of(options.file);
  constexpr std::string_view kRun = "run ";
  if (!job || !job->starts_with(kRun)) return folder;
  const fs::path config = folder / job->substr(kRun.size());
  std::error_code ignored;
  return fs::is_regular_file(config, ignored) ? plain_path(config).parent_path() : folder;
}

RunRecord record_of(const HistogramFile& file) {
  std::optional<RunRecord> record = file.record();
  if (!record) throw ConfigError(file.path() + ": has no record of a run");
  if (record->configs.size() != 1 || record->num_files_without > 0)
    throw ConfigError(file.path() + ": was merged of outputs of " +
                      counted(record->configs.size() + (record->num_files_without > 0 ? 1 : 0), "run") +
                      ", which cannot be one run again");
  return *record;
}

// Why an input is not what it was, or nothing.
std::string problem_of(const InputRecord& input, const fs::path& folder) {
  const std::string path = io::is_url(input.file) ? input.file : resolved(folder, input.file).string();
  try {
    const std::unique_ptr<io::InputSource> source = io::open_inputs({{path, input.ntuple}});
    const io::InputFacts& now = source->files().front();
    if (now.num_entries != input.num_entries)
      return path + ": has changed: it had " + counted(input.num_entries, "entry", "entries") + " and has " +
             format_count(now.num_entries);
    if (now.uuid != input.uuid)
      return path + ": has changed: its UUID was " + input.uuid + " and is " + now.uuid;
    if (now.version != input.version)
      return path + ": has changed: it was of " + input.version + " and is of " + now.version;
    return {};
  } catch (const FileError& error) {
    return error.what();
  }
}

void check_inputs(const RunRecord& record, const fs::path& folder) {
  std::vector<std::string> problems;
  for (const SampleRecord& sample : record.samples)
    for (const InputRecord& input : sample.inputs)
      if (const std::string problem = problem_of(input, folder); !problem.empty())
        problems.push_back("sample " + in_quotes(sample.name) + ": " + problem);
  if (!problems.empty()) throw SeveralProblems<Error>("the inputs are not what they were:", problems);
}

std::uint64_t num_processed(const SampleRecord& sample) {
  std::uint64_t number = 0;
  for (const InputRecord& input : sample.inputs)
    for (const EntryRange& range : input.processed) number += range.count;
  return number;
}

std::uint64_t num_entries(const SampleRecord& sample) {
  std::uint64_t number = 0;
  for (const InputRecord& input : sample.inputs) number += input.num_entries;
  return number;
}

[[noreturn]] void refuse_part(const RunRecord& record) {
  throw ConfigError("the record of sample " + in_quotes(record.samples.front().name) +
                    " is that of some parts of a run, which cannot be one run again");
}

// Only the first file says which entries were processed.
void check_files(const SampleRecord& sample) {
  for (const auto& [whole, files] : sample.files)
    if (!files.second.contains(1))
      throw ConfigError("the record of sample " + in_quotes(sample.name) + " is that of file " +
                        std::to_string(*files.second.begin()) + " of " + std::to_string(files.first) +
                        " of a skim: name the first one");
}

// What the command line of the run must have said beside the config.
ConfigOptions options_of(const RunRecord& record) {
  ConfigOptions options;
  options.has_report = false;
  std::uint64_t largest_whole = 0;
  bool may_be_limited = false;
  for (const SampleRecord& sample : record.samples) {
    options.samples.push_back(sample.name);
    check_files(sample);
    if (!sample.shards.empty()) {
      const auto& [whole, shards] = *sample.shards.begin();
      const auto& [count, numbers] = shards;
      if (sample.shards.size() != 1 || numbers.size() != 1) refuse_part(record);
      options.shard = Shard{*numbers.begin(), count};
      if (is_of_unknown_whole(*sample.shards.begin())) continue;
      largest_whole = std::max(largest_whole, whole.first);
      // The whole has the entries of files that were left out, of which the record does not say how many.
      may_be_limited |= whole.first < num_entries(sample) || !sample.skipped.empty();
    } else if (const std::uint64_t number = num_processed(sample); number < num_entries(sample)) {
      options.limit_events = std::max(options.limit_events.value_or(0), number);
    }
  }
  if (may_be_limited) options.limit_events = largest_whole;
  return options;
}

// What a skim's file may be called by its format.
std::string ending_of(const Json& skim) {
  for (const io::ArrowEnding& each : io::arrow_endings())
    if (each.format == skim.value("format", "")) return std::string(each.ending);
  return ".root";
}

// Without the number that the first file of a skim has in its name.
std::string name_before_split(const std::string& name, bool is_split) {
  constexpr std::string_view kFirst = "_0001";
  const fs::path path(name);
  const std::string stem = path.stem().string();
  if (!is_split || !stem.ends_with(kFirst)) return name;
  return stem.substr(0, stem.size() - kFirst.size()) + path.extension().string();
}

// Paths are not in the record, as outputs do not depend on them.
std::string config_text(const RunRecord& record, const RerunOptions& options,
                        const std::optional<Shard>& shard, const HistogramFile& file) {
  Json json = Json::parse(record.configs.front());
  const fs::path folder = fs::absolute(options.output);
  const std::string name = fs::path(options.file).filename().string();
  const auto before_shard = [&](const std::string& of_shard) {
    return shard ? name_before_shard(of_shard, *shard) : of_shard;
  };
  const bool is_of_histograms = is_uhi_json(options.file) || !file.names().empty();
  Json& output = json["output"];
  if (!output.is_object()) output = Json::object();
  if (json.contains("histograms") && !json["histograms"].empty()) {
    const std::string path = (folder / (is_of_histograms ? before_shard(name) : "histograms.root")).string();
    if (output.contains("histograms") && output["histograms"].is_object())
      output["histograms"]["file"] = path;
    else
      output["histograms"] = path;
  }
  if (!json.contains("skims") || !json["skims"].is_object()) return json.dump();
  const bool has_one_sample =
      json.contains("samples") && json["samples"].size() == 1 && record.samples.size() == 1;
  const bool has_name = json["skims"].size() == 1 && has_one_sample && !is_of_histograms;
  for (auto& [skim, value] : json["skims"].items())
    value["file"] = (folder / (has_name ? before_shard(name_before_split(name, value.contains("split")))
                                        : skim + ".{sample}" + ending_of(value)))
                        .string();
  return json.dump();
}

// A sample whose config names other files than were read, or other trees of them.
struct OtherInputs {
  const SampleRecord* sample;
  std::vector<std::string> named;  // by the config, in its order
  std::vector<std::string> more;   // of these, those that were not read
};

std::string with_tree(const std::string& file, const std::string& tree) {
  return tree.empty() ? file : file + ":" + tree;
}

// What a config may call the inputs that a record has. Files that were left out were so with all their trees.
class ReadInputs {
 public:
  explicit ReadInputs(const SampleRecord& recorded) {
    for (const InputRecord& input : recorded.inputs) {
      trees_.insert(with_tree(input.file, input.ntuple));
      files_.insert(input.file);
    }
    for (const SkippedInput& input : recorded.skipped) skipped_.insert(input.file);
  }

  bool has(const Input& input) const {
    const std::string& tree = input.location.name;
    return skipped_.contains(input.name) ||
           (tree.empty() ? files_.contains(input.name) : trees_.contains(with_tree(input.name, tree)));
  }

  std::size_t number() const { return trees_.size() + skipped_.size(); }

 private:
  std::set<std::string> trees_, files_, skipped_;
};

std::vector<OtherInputs> other_inputs(const Config& config, const RunRecord& record) {
  std::vector<OtherInputs> others;
  for (const SampleRecord& recorded : record.samples) {
    const auto sample = std::find_if(config.samples.begin(), config.samples.end(),
                                     [&](const Sample& each) { return each.name.value == recorded.name; });
    if (sample == config.samples.end()) continue;
    const ReadInputs read(recorded);
    OtherInputs other{&recorded, {}, {}};
    for (const Input& input : sample->inputs) {
      other.named.push_back(with_tree(input.name, input.location.name));
      if (!read.has(input)) other.more.push_back(other.named.back());
    }
    if (!other.more.empty() || sample->inputs.size() < read.number()) others.push_back(std::move(other));
  }
  return others;
}

// As `--input` gives them: what is relative in the record must be so here, to get the same name.
std::string input_argument(const std::string& sample, const std::string& file, const fs::path& folder) {
  if (io::is_url(file) || fs::path(file).is_absolute()) return sample + "=" + file;
  return sample + "=" + path_from_folder(folder / file, {}).string();
}

// In the order in which the config names them, those that it does not name in that of the record.
void add_inputs(const SampleRecord& sample, const std::vector<std::string>& named, const fs::path& folder,
                std::vector<std::string>& inputs) {
  std::vector<std::pair<std::size_t, std::string>> placed;
  const auto add = [&](const std::string& file, const std::string& tree) {
    const auto place = std::find_if(named.begin(), named.end(), [&](const std::string& name) {
      return name == file || name == with_tree(file, tree);
    });
    placed.emplace_back(place - named.begin(), with_tree(input_argument(sample.name, file, folder), tree));
  };
  for (const InputRecord& input : sample.inputs) add(input.file, input.ntuple);
  for (const SkippedInput& input : sample.skipped) add(input.file, "");
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [place, argument] : placed) inputs.push_back(std::move(argument));
}

// The config of a run whose inputs were named by `--input`, or cut by `--limit-files`, or which finds others
// now.
class ConfigOfRecord {
 public:
  ConfigOfRecord(const RunRecord& record, const RerunOptions& options, const HistogramFile& file)
      : record_(record),
        folder_(folder_of_config(options)),
        path_((folder_ / ("record of " + fs::path(options.file).filename().string())).string()),
        options_(options_of(record)),
        text_(config_text(record, options, options_.shard, file)) {}

  void parse(PreparedRerun& prepared) {
    try {
      prepared.config = parse_config(path_, text_, options_);
    } catch (const ConfigError&) {
      // Files that are not there any more, or never were.
      for (const SampleRecord& sample : record_.samples) add_inputs(sample, {}, folder_, options_.inputs);
      prepared.config = parse_config(path_, text_, options_);
      return;
    }
    const std::vector<OtherInputs> others = other_inputs(*prepared.config, record_);
    if (others.empty()) return;
    for (const OtherInputs& other : others) {
      add_inputs(*other.sample, other.named, folder_, options_.inputs);
      if (other.more.empty()) continue;
      const bool is_one = other.more.size() == 1;
      prepared.warnings.push_back("sample " + in_quotes(other.sample->name) + ": " + first_few(other.more) +
                                  (is_one ? " was not read then and is" : " were not read then and are") +
                                  " not now, though the config names " + (is_one ? "it" : "them"));
    }
    prepared.config = parse_config(path_, text_, options_);
  }

 private:
  const RunRecord& record_;
  const fs::path folder_;
  const std::string path_;
  ConfigOptions options_;
  const std::string text_;
};

// It is made with the first output, and goes again if the run fails.
void check_output_folder(const RerunOptions& options) {
  const std::string problem = io::problem_of_folders((fs::path(options.output) / "file").string());
  if (!problem.empty()) throw FileError(options.output, problem);
  std::error_code error;
  if (fs::equivalent(fs::absolute(options.file).parent_path(), options.output, error))
    throw ConfigError("the output folder " + in_quotes(options.output) +
                      " is that of the file: name another one");
}

// The first byte that differs, or nothing. A shorter file differs at its end.
std::optional<std::uint64_t> first_difference(const std::string& left, const std::string& right) {
  const io::InputFile first(left), second(right);
  std::vector<std::byte> a(kChunk), b(kChunk);
  const std::uint64_t common = std::min(first.size(), second.size());
  for (std::uint64_t begin = 0; begin < common; begin += kChunk) {
    const std::size_t size = std::min<std::uint64_t>(kChunk, common - begin);
    first.read(begin, std::span(a).first(size));
    second.read(begin, std::span(b).first(size));
    const auto end = a.begin() + static_cast<std::ptrdiff_t>(size);
    const auto place = std::mismatch(a.begin(), end, b.begin()).first;
    if (place != end) return begin + static_cast<std::uint64_t>(place - a.begin());
  }
  return first.size() == second.size() ? std::nullopt : std::optional(common);
}

std::optional<DiffReport> diff_of(const std::string& original, const std::string& again) {
  try {
    DiffOptions options;
    options.left = original;
    options.right = again;
    return diff(options);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

bool is_like(const DiffReport& diff) {
  return diff.num_compared > 0 || std::any_of(diff.events.begin(), diff.events.end(), [](const auto& each) {
           return each.only_left.empty() && each.only_right.empty() && each.num_columns > 0;
         });
}

// The output that is, or should be, the same file.
void find_counterpart(RerunReport& report) {
  for (const OutputFile& output : report.job.outputs)
    if (!first_difference(report.original, output.path)) {
      report.again = output.path;
      report.has_same_bytes = true;
      return;
    }
  for (const OutputFile& output : report.job.outputs) {
    const std::optional<DiffReport> found = diff_of(report.original, output.path);
    if (!found || !is_like(*found)) continue;
    // Of skims with the same columns, the one whose record has the same cuts and events.
    const bool is_sure = found->record.empty();
    if (!is_sure && !report.again.empty()) continue;
    report.again = output.path;
    report.first_byte = *first_difference(report.original, output.path);
    report.differences = to_text(*found);
    if (is_sure) return;
  }
}

}  // namespace

PreparedRerun prepare_rerun(const RerunOptions& options) {
  const HistogramFile file(options.file);
  PreparedRerun prepared{.record = record_of(file), .config = nullptr, .warnings = {}};
  const fs::path folder = folder_of_config(options);
  check_inputs(prepared.record, folder);
  check_output_folder(options);
  ConfigOfRecord(prepared.record, options, file).parse(prepared);
  return prepared;
}

RerunReport rerun(const RerunOptions& options, const PreparedRerun& prepared, const JobOptions& job) {
  RerunReport report;
  report.job = run_job(*prepared.config, job);
  report.original = options.file;
  report.version_then = prepared.record.version;
  find_counterpart(report);
  return report;
}

std::string to_text(const RerunReport& report) {
  std::string text;
  for (const OutputFile& output : report.job.outputs) text += "wrote " + shown(output.path) + "\n";
  const std::string what = shown(report.original) + ": ";
  if (report.again.empty()) return text + what + "nothing like it came of the run\n";
  if (report.has_same_bytes) return text + what + "the same bytes as " + shown(report.again) + "\n";
  text += what + "other bytes than " + shown(report.again) + ", from byte " +
          std::to_string(report.first_byte) + " on\n";
  if (report.version_then != kVersion)
    text += "it was written by version " + shown(report.version_then) + ", this is " + std::string(kVersion) +
            "\n";
  return text + report.differences;
}

}  // namespace skimline::skims
