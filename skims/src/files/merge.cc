// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/merge.h"

#include "base/text_table.h"
#include "config/json/byte_size_reader.h"
#include "record/record_text.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/threads.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/file_merge.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/open_remote.h"
#include "skimline/io/output_folders.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/merged_record.h"
#include "skimline/skims/replaced_files.h"
#include "skimline/skims/run_record.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

void append_list(const std::string& path, std::vector<std::string>& paths) {
  std::ifstream list(path);
  if (!list) throw FileError(path, "cannot be opened");
  const std::size_t before = paths.size();
  for (std::string line; std::getline(list, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) paths.push_back(io::hide_secrets(line));
  }
  if (list.bad() || !list.eof()) throw FileError(path, "cannot be read");
  if (paths.size() == before) throw ConfigError("the list \"" + path + "\" names no file");
}

void check_folder_of(const std::string& path) {
  if (io::is_url(path)) return io::check_output_url(path);
  if (const std::string problem = io::problem_of_folders(path); !problem.empty()) throw ConfigError(problem);
}

// Other texts than records may only be copied.
std::string common_text(const io::TextsOfInputs& inputs) {
  for (const io::TextsOfInputs::Text& other : inputs.texts)
    if (other.text != inputs.texts.front().text)
      throw Error("the text \"" + inputs.path + "\" is not the same in " + inputs.texts.front().file +
                  " and " + other.file + "; --exclude leaves it out");
  return inputs.texts.front().text;
}

// What the records of the inputs say of the runs that made them.
class PartsOfRuns {
 public:
  explicit PartsOfRuns(const MergeRequest& request) : request_(request) {}

  void set_up(io::MergeOptions& options) {
    options.record_directory = kRecordDirectory;
    options.allows_copies = request_.allow_overlap;
    options.combine_texts = [this](const io::TextsOfInputs& inputs) { return combine(inputs); };
    options.order = [this](const std::vector<std::string>& files) { return order(files); };
  }

  const std::vector<std::string>& missing() const { return missing_; }
  const std::vector<std::string>& left_out() const { return left_out_; }
  const std::vector<std::string>& differing_configs() const { return differing_configs_; }

 private:
  std::string combine(const io::TextsOfInputs& inputs) {
    if (inputs.path != kRecordPath) return common_text(inputs);
    records_ = inputs;
    const RunRecord merged = merged_record(inputs, {.is_allowed = request_.allow_overlap});
    missing_ = missing_parts(merged);
    left_out_ = inputs_left_out(merged);
    differing_configs_ = skims::differing_configs(inputs);
    return record_text(merged);
  }

  // Histograms can be added up in any tree of merges; of skims all must be there.
  std::vector<std::size_t> order(const std::vector<std::string>& files) {
    if (!missing_.empty() && !request_.allows_missing) {
      std::string text;
      for (const std::string& missing : missing_) text += (text.empty() ? "" : "; ") + missing;
      throw Error(text + "; --incomplete merges the others, with exit code 3");
    }
    const auto order = request_.keeps_order ? std::nullopt : input_order(files, records_);
    if (order) return *order;
    std::vector<std::size_t> same(files.size());
    std::iota(same.begin(), same.end(), std::size_t{0});
    return same;
  }

  const MergeRequest& request_;
  io::TextsOfInputs records_;
  std::vector<std::string> missing_, left_out_, differing_configs_;
};

std::string what_was_merged(const io::MergeSummary& summary) {
  const std::string histograms = counted(summary.num_histograms, "histogram", "histograms");
  const auto num_trees = static_cast<std::uint64_t>(
      std::count_if(summary.ntuples.begin(), summary.ntuples.end(),
                    [](const io::MergedNTuple& merged) { return merged.is_tree; }));
  std::string text;
  const auto add = [&](std::uint64_t count, const char* one, const char* many) {
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(count, one, many);
  };
  add(summary.ntuples.size() - num_trees, "RNTuple", "RNTuples");
  add(num_trees, "TTree", "TTrees");
  add(summary.num_histograms, "histogram", "histograms");
  return text.empty() ? histograms : text;
}

struct MethodName {
  io::MergeMethod method;
  const char* name;
  const char* done;  // to clusters
};
constexpr MethodName kMethodNames[] = {
    {io::MergeMethod::kClone, "clone", "shared"},
    {io::MergeMethod::kKernel, "kernel", "copied by the system"},
    {io::MergeMethod::kCopy, "copy", "copied"},
    {io::MergeMethod::kRewrite, "rewrite", "rewritten"},
};

struct MissingFieldsName {
  io::MissingFields missing;
  const char* name;
};
constexpr MissingFieldsName kMissingFieldsNames[] = {
    {io::MissingFields::kRefuse, "error"},
    {io::MissingFields::kDrop, "drop"},
    {io::MissingFields::kDefault, "default"},
};

constexpr std::uint64_t kLargestClusterSize = 1 << 30;

template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

// The row of a table that has a name.
template <typename Table>
const auto& chosen(const Table& table, const std::string& name, const char* what) {
  for (const auto& row : table)
    if (row.name == name) return row;
  const std::vector<std::string> names = names_of(table);
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "\"" : ", \"") + each + "\"";
  throw ConfigError("\"" + name + "\" is no " + what + did_you_mean(name, names) + "; there are " + list);
}

std::string methods_text(const io::MergedNTuple& merged, const char* one, const char* many) {
  std::string text;
  for (const MethodName& each : kMethodNames)
    if (const auto found = merged.methods.find(each.method); found != merged.methods.end())
      text += std::string(text.empty() ? "" : ", ") + each.name + ": " +
              counted(found->second.clusters, one, many) + " with " + format_bytes(found->second.bytes) +
              " " + each.done;
  return "\n    method   " + (text.empty() ? "no " + std::string(many) : text) + "\n";
}

std::string checks_text(const io::MergedNTuple& ntuple) {
  const std::uint64_t read = ntuple.pages_verified + ntuple.pages_without_checksum;
  if (read == 0) return "checksums carried along for the next reader, not compared";
  std::string text = counted(ntuple.pages_verified, "page", "pages") + " verified";
  if (ntuple.pages_without_checksum > 0)
    text += ", " + format_count(ntuple.pages_without_checksum) + " without checksum";
  return text;
}

std::string tree_text(const io::MergedNTuple& tree) {
  std::string text = methods_text(tree, "basket", "baskets");
  const std::uint64_t read = tree.pages_verified + tree.pages_without_checksum;
  if (tree.num_pages == 0) return text;
  if (read == 0) return text + "    checked  nothing\n";
  return text + "    checked  " + counted(read, "basket", "baskets") + " decompressed" +
         (tree.pages_without_checksum > 0
              ? ", " + format_count(tree.pages_without_checksum) + " of them without checksum\n"
              : "\n");
}

std::string other_bits_text(const io::MergedNTuple& ntuple) {
  std::string text;
  for (const std::string& difference : ntuple.other_bits) text += "    bits     " + shown(difference) + "\n";
  return text;
}

std::string ntuple_text(const io::MergedNTuple& ntuple, std::uint64_t num_files) {
  std::string text = "  " + shown(ntuple.path) + ": " + counted(ntuple.num_entries, "entry", "entries") +
                     " in " + counted(ntuple.num_clusters, "cluster", "clusters");
  if (ntuple.num_files < num_files) text += ", of " + format_count(ntuple.num_files) + " of the files";
  if (ntuple.is_tree) return text + tree_text(ntuple) + other_bits_text(ntuple);
  text += methods_text(ntuple, "cluster", "clusters");
  if (ntuple.num_joined > 0)
    text += "    joined   " + counted(ntuple.num_joined, "small cluster", "small clusters") + "\n";
  if (ntuple.num_clusters > 0) text += "    checked  " + checks_text(ntuple) + "\n";
  for (const std::string& field : ntuple.left_out) text += "    left out " + shown(field) + "\n";
  return text + other_bits_text(ntuple);
}

nlohmann::ordered_json tree_json(const io::MergedNTuple& tree) {
  nlohmann::ordered_json json{{"path", tree.path},
                              {"files", tree.num_files},
                              {"entries", tree.num_entries},
                              {"clusters", tree.num_clusters},
                              {"baskets", tree.num_pages},
                              {"baskets_verified", tree.pages_verified},
                              {"baskets_without_checksum", tree.pages_without_checksum},
                              {"other_bits", tree.other_bits},
                              {"methods", nlohmann::ordered_json::object()}};
  for (const MethodName& each : kMethodNames)
    if (const auto found = tree.methods.find(each.method); found != tree.methods.end())
      json["methods"][each.name] = {{"baskets", found->second.clusters}, {"bytes", found->second.bytes}};
  return json;
}

nlohmann::ordered_json ntuple_json(const io::MergedNTuple& ntuple) {
  nlohmann::ordered_json json{{"path", ntuple.path},
                              {"files", ntuple.num_files},
                              {"entries", ntuple.num_entries},
                              {"clusters", ntuple.num_clusters},
                              {"pages", ntuple.num_pages},
                              {"joined", ntuple.num_joined},
                              {"pages_verified", ntuple.pages_verified},
                              {"pages_without_checksum", ntuple.pages_without_checksum},
                              {"left_out", ntuple.left_out},
                              {"other_bits", ntuple.other_bits},
                              {"methods", nlohmann::ordered_json::object()}};
  for (const MethodName& each : kMethodNames)
    if (const auto found = ntuple.methods.find(each.method); found != ntuple.methods.end())
      json["methods"][each.name] = {{"clusters", found->second.clusters}, {"bytes", found->second.bytes}};
  return json;
}

}  // namespace

std::vector<std::string> expand_lists(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  for (const std::string& argument : arguments) {
    if (argument.starts_with('@'))
      append_list(argument.substr(1), paths);
    else
      paths.push_back(argument);
  }
  return paths;
}

MergeReport merge(MergeRequest request) {
  io::MergeOptions& options = request.options;
  io::check_root_file_name(options.output);
  check_folder_of(options.output);
  io::FilesInUse read;
  for (const std::string& input : options.inputs) read.add(input, "an input");
  if (read.find(options.output)) throw ConfigError("the output \"" + options.output + "\" is also an input");
  const std::string job = job_called("merge", options.inputs);
  options.before_naming = [&] {
    if (!request.overwrites) check_replaced(options.output, job);
  };
  options.before_naming();
  PartsOfRuns parts(request);
  parts.set_up(options);
  MergeReport report{
      .output = options.output, .missing = {}, .left_out = {}, .differing_configs = {}, .summary = {}};
  report.threads = available_threads(request.threads > 0 ? request.threads : default_threads());
  const auto start = std::chrono::steady_clock::now();
  run_with_threads(report.threads, [&] { report.summary = io::merge_files(options); });
  io::mark_as_output(options.output, job);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.missing = parts.missing();
  report.left_out = parts.left_out();
  report.differing_configs = parts.differing_configs();
  return report;
}

std::vector<std::string> merge_methods() { return names_of(kMethodNames); }

std::vector<std::string> missing_fields_choices() { return names_of(kMissingFieldsNames); }

void set_ntuple_options(io::MergeOptions& options, const std::string& method,
                        const std::string& missing_fields, const std::string& cluster_size) {
  if (!method.empty()) options.method = chosen(kMethodNames, method, "method").method;
  options.missing_fields = chosen(kMissingFieldsNames, missing_fields, "missing_fields").missing;
  if (cluster_size.empty()) return;
  options.cluster_bytes = byte_size_of(cluster_size);
  if (!options.cluster_bytes || *options.cluster_bytes > kLargestClusterSize)
    throw ConfigError("\"" + cluster_size +
                      "\" is no size of clusters: a number of bytes up to 1 GiB, such as \"64 MiB\"");
}

std::string to_text(const MergeReport& report) {
  const io::MergeSummary& summary = report.summary;
  const double speed = static_cast<double>(summary.bytes_added) / std::max(report.seconds, 1e-9);
  std::string text = what_was_merged(summary) + " of " + counted(summary.num_files, "file", "files") +
                     " in " + fixed_digits(report.seconds, 2) + " s, " +
                     counted(report.threads, "thread", "threads") + "\n";
  for (const io::MergedNTuple& ntuple : summary.ntuples) text += ntuple_text(ntuple, summary.num_files);
  if (summary.num_histograms > 0) {
    text += "  read       " + format_bytes(summary.bytes_read) + ", " + format_bytes(summary.bytes_added) +
            " decompressed, " + format_bytes(static_cast<std::uint64_t>(speed)) + "/s\n";
    text += "  exact      " + format_count(summary.num_exact) + "\n";
  }
  if (summary.num_changed > 0)
    text += "  changed    " + format_count(summary.num_changed) + " by another program, no longer exact\n";
  if (summary.num_partial > 0)
    text += "  partial    " + format_count(summary.num_partial) + ", which some files lack\n";
  text += "  written    " + shown(report.output) + ", " + format_bytes(summary.bytes_written) +
          (summary.num_histograms > 0 ? ", " + io::compression_name(summary.compression.root_number()) : "") +
          "\n";
  if (summary.num_records > 0 && summary.num_records < summary.num_files)
    text += "  record     missing in " + format_count(summary.num_files - summary.num_records) + " of " +
            counted(summary.num_files, "file", "files") + ": that of the output does not tell all\n";
  for (const std::string& difference : report.differing_configs)
    text += "  configs    " + shown(difference) + "\n";
  for (const std::string& missing : report.missing) text += "  missing    " + shown(missing) + "\n";
  for (const std::string& input : report.left_out) text += "  left out   " + shown(input) + "\n";
  for (const std::string& problem : summary.skipped) text += "  left out   " + shown(problem) + "\n";
  return text;
}

std::string to_json(const MergeReport& report) {
  const io::MergeSummary& summary = report.summary;
  nlohmann::ordered_json ntuples = nlohmann::ordered_json::array(), trees = ntuples;
  for (const io::MergedNTuple& merged : summary.ntuples)
    merged.is_tree ? trees.push_back(tree_json(merged)) : ntuples.push_back(ntuple_json(merged));
  const nlohmann::ordered_json json{{"output", report.output},
                                    {"ntuples", ntuples},
                                    {"trees", trees},
                                    {"missing", report.missing},
                                    {"left_out", report.left_out},
                                    {"differing_configs", report.differing_configs},
                                    {"histograms", summary.num_histograms},
                                    {"exact", summary.num_exact},
                                    {"partial", summary.num_partial},
                                    {"changed", summary.num_changed},
                                    {"files", summary.num_files},
                                    {"records", summary.num_records},
                                    {"skipped", summary.skipped},
                                    {"bytes_read", summary.bytes_read},
                                    {"bytes_decompressed", summary.bytes_added},
                                    {"bytes_written", summary.bytes_written},
                                    {"compression", io::compression_name(summary.compression.root_number())},
                                    {"threads", report.threads},
                                    {"seconds", report.seconds}};
  // Paths need not be UTF-8, which must not stop the report.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
