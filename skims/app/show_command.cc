// SPDX-License-Identifier: BSD-3-Clause
// `skimline show`: how files were made.
#include "commands.h"
#include "record/cutflow_tables.h"
#include "report/yield_tables.h"
#include "shared_options.h"
#include "terminal_width.h"

#include "skimline/framework/error.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/show.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kShowFooter = R"help(
Examples:
  skimline show histograms.root
  skimline show --yields histograms.root        events of each sample with all weights and errors
  skimline show --yields --format latex histograms.root
  skimline show --format csv histograms.root    the cutflow, with all digits
  skimline show --config skim.root              with the config it was made by
  skimline show --json skims/*.root | jq '.files[] | {file, samples: [.record.samples[].sum_weights]}'

Shows of each file that skimline wrote: the samples with their normalisation, the inputs, which of their entries were
processed, and the cutflow. With --yields the events that steps and regions come to instead.)help";

const std::map<std::string, TableFormat> kFormats{{"text", TableFormat::kText},
                                                  {"markdown", TableFormat::kMarkdown},
                                                  {"latex", TableFormat::kLatex},
                                                  {"csv", TableFormat::kCsv}};

struct ShowArguments {
  std::vector<std::string> files;
  std::string format = "text";
  bool has_configs = false;
  bool has_yields = false;
  bool as_json = false;

  bool has_tables_only() const { return has_yields || format != "text"; }
};

RunRecord record_of(const HistogramFile& file) {
  std::optional<RunRecord> record = file.record();
  if (!record)
    throw Error(file.path() +
                ": has no record of a run: skimline did not write it, or another tool has left it out");
  return std::move(*record);
}

std::string tables_of(const HistogramFile& file, const ShowArguments& arguments) {
  const RunRecord record = record_of(file);
  const TableFormat format = kFormats.at(arguments.format);
  const std::size_t width = terminal_width(kWidestTable);
  if (!arguments.has_yields) return format_tables(cutflow_tables(cutflows_of(record)), format, width);
  const Yields yields = yields_of(record, &file);
  return format_tables({yield_table(yields)}, format, width) +
         (format == TableFormat::kText ? notes_of(yields) : "");
}

// One CSV has one line with the names of its columns.
Outcome show_tables(const ShowArguments& arguments) {
  if (arguments.files.size() > 1 && arguments.format == "csv")
    throw ConfigError("--format csv is for one file");
  std::string text;
  for (const std::string& path : arguments.files) {
    const HistogramFile file(io::hide_secrets(path));
    if (arguments.files.size() > 1) text += (text.empty() ? "" : "\n") + shown(file.path()) + "\n\n";
    text += tables_of(file, arguments);
  }
  return {text};
}

Outcome show_yields_as_json(const ShowArguments& arguments) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& path : arguments.files) {
    const HistogramFile file(io::hide_secrets(path));
    files.push_back({{"file", file.path()}, {"yields", json_of(yields_of(record_of(file), &file))}});
  }
  const nlohmann::ordered_json json{{"files", std::move(files)}};
  return {json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"};
}

Outcome show(const ShowArguments& arguments) {
  if (arguments.as_json && arguments.has_yields) return show_yields_as_json(arguments);
  if (!arguments.as_json && arguments.has_tables_only()) return show_tables(arguments);
  const ShowReport report = read_records(arguments.files);
  if (!arguments.as_json && !report.has_records()) throw Error(problems_of(report));
  return {arguments.as_json ? to_json(report)
                            : to_text(report, arguments.has_configs, terminal_width(kWidestTable)),
          report.is_complete() ? kDone : kFailed};
}

Action add_show_options(CLI::App& command) {
  const auto arguments = std::make_shared<ShowArguments>();
  command.add_option("files", arguments->files, "Files that skimline wrote")->required();
  CLI::Option* configs = command.add_flag("--config", arguments->has_configs, "Show the configs too");
  CLI::Option* yields = command.add_flag(
      "--yields", arguments->has_yields,
      "Show the events that samples come to in steps and regions, with all weights and errors");
  add_cache(command);
  CLI::Option* json = command.add_flag("--json", arguments->as_json, "Print JSON instead of text");
  CLI::Option* format =
      command
          .add_option("--format", arguments->format,
                      "Print only the tables of the cutflow, or of the yields: text, markdown, latex or csv")
          ->capture_default_str()
          ->check(CLI::IsMember({"text", "markdown", "latex", "csv"}));
  format->excludes(json);
  configs->excludes(yields)->excludes(format);
  return [arguments](const Session&) { return show(*arguments); };
}

}  // namespace

const Command kShowCommand{"show", "Show what output files say about how they were made", kShowFooter, false,
                           add_show_options};

}  // namespace skimline::skims
