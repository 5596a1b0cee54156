// SPDX-License-Identifier: BSD-3-Clause
// `skimline plot`: histograms as pictures, or drawn with characters.
#include "commands.h"
#include "config/read/plots_reader.h"
#include "shared_options.h"
#include "terminal_width.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/histogram_catalogue.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/shown_text.h"
#include "skimline/skims/text_plot.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kPlotFooter = R"help(
Examples:
  skimline plot histograms.root                     plots/*.png, as "plots" of its config says
  skimline plot --format svg --format pdf --style CMS histograms.root
  skimline plot data.root mc.root --include 'met*'  several files together
  skimline plot --text histograms.root              in the terminal

Files are those of skimline, others with ROOT's histograms, and UHI JSON. What skimline wrote is drawn by its record:
samples as a stack with the band of their errors and systematic variations, data as points, the ratio below. Of other
files each histogram is drawn, those of one name together. Pictures need the Python package: pip install
'skimline[plot]'. Those that exist are replaced.)help";

constexpr const char* kNoDrawer =
    "pictures are drawn by the Python package: pip install 'skimline[plot]'; with --text this program draws "
    "in "
    "the terminal";
constexpr std::size_t kMostColumns = 132;

struct PlotArguments {
  std::vector<std::string> files, include, formats;
  std::string output = "plots", style, config;
  bool log_x = false, log_y = false, no_ratio = false, has_cutflow = false, as_text = false, as_ascii = false;
};

bool is_included(const std::string& name, const std::vector<std::string>& patterns) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return matches_pattern(name, pattern);
         });
}

// By their names in the file the names that histograms have in the config.
std::map<std::string, std::string> names_in_config(const HistogramFile& file) {
  std::map<std::string, std::string> names;
  for (const CataloguedHistogram& each : catalogue_of(file).filled) names.emplace(each.name, each.histogram);
  return names;
}

// Those that cannot be read are named in their place.
std::string drawn(const HistogramFile& file, const PlotArguments& arguments, bool& has_all) {
  const TextPlotOptions options{.width = terminal_width(kMostColumns),
                                .has_blocks = !arguments.as_ascii,
                                .log_x = arguments.log_x,
                                .log_y = arguments.log_y};
  std::map<std::string, std::string> in_config = names_in_config(file);
  std::string text;
  for (const std::string& name : file.names()) {
    if (!is_included(name, arguments.include) && !is_included(in_config[name], arguments.include)) continue;
    std::vector<std::string> unread;
    const std::optional<histograms::Histogram> histogram = file.read(name, unread);
    text += text.empty() ? "" : "\n";
    text += histogram ? text_plot(*histogram, options) : "not drawn: " + shown(unread.front()) + "\n";
    has_all &= histogram.has_value();
  }
  return text;
}

void refuse_unmatched_names(const PlotArguments& arguments) {
  if (arguments.include.empty()) return;
  std::vector<std::string> names;
  for (const std::string& path : arguments.files) {
    const HistogramFile file(io::hide_secrets(path));
    for (const auto& [in_file, in_config] : names_in_config(file)) names.push_back(in_config);
    const std::vector<std::string>& all = file.names();
    names.insert(names.end(), all.begin(), all.end());
  }
  if (!names.empty()) refuse_unmatched(names, arguments.include);
}

Outcome draw_in_terminal(const PlotArguments& arguments) {
  std::string text;
  bool has_all = true;
  for (const std::string& path : arguments.files) {
    const HistogramFile file(io::hide_secrets(path));
    const std::string plots = drawn(file, arguments, has_all);
    if (plots.empty()) continue;
    if (!text.empty()) text += "\n";
    if (arguments.files.size() > 1) text += shown(file.path()) + "\n\n";
    text += plots;
  }
  if (text.empty()) throw Error("there are no histograms");
  return {text, has_all ? kDone : kIncomplete};
}

// What the Python package takes apart.
std::string request_of(const PlotArguments& arguments) {
  const nlohmann::ordered_json request{
      {"files", arguments.files},
      {"include", arguments.include},
      {"output", arguments.output},
      {"formats", arguments.formats},
      {"style", arguments.style},
      {"plots", arguments.config.empty() ? "" : plots_of_config(arguments.config)},
      {"log_x", arguments.log_x},
      {"log_y", arguments.log_y},
      {"ratio", !arguments.no_ratio},
      {"cutflow", arguments.has_cutflow}};
  return request.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Outcome plot(const PlotArguments& arguments, const Session& session) {
  refuse_unmatched_names(arguments);
  if (arguments.as_text) return draw_in_terminal(arguments);
  if (!session.python.draw_pictures) throw Error(kNoDrawer);
  const DrawnPictures drawn = session.python.draw_pictures(request_of(arguments));
  return {drawn.text, drawn.has_all ? kDone : kIncomplete, false};
}

Action add_plot_options(CLI::App& command) {
  const auto arguments = std::make_shared<PlotArguments>();
  command.add_option("files", arguments->files, "Files of histograms: ROOT, or JSON of UHI")->required();
  command
      .add_option("--include", arguments->include,
                  "Only histograms whose name, in the file or its config, matches; * and ? are understood")
      ->allow_extra_args(false);
  command.add_option("-o,--output", arguments->output, "Folder for the pictures")->capture_default_str();
  command.add_option("--format", arguments->formats, "png, svg or pdf; may be given several times")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"png", "svg", "pdf"}));
  command.add_option("--style", arguments->style, "Look, instead of the config's: plain, CMS, ATLAS or LHCb")
      ->check(CLI::IsMember({"plain", "CMS", "ATLAS", "LHCb"}));
  command.add_option("--config", arguments->config,
                     "Config whose \"plots\" are taken, instead of those in the record");
  command.add_flag("--log-x", arguments->log_x, "Logarithmic x");
  command.add_flag("--log-y", arguments->log_y, "Logarithmic contents");
  command.add_flag("--no-ratio", arguments->no_ratio, "No ratio below");
  command.add_flag("--cutflow", arguments->has_cutflow, "Draw the cutflow of the samples too");
  CLI::Option* text =
      command.add_flag("--text", arguments->as_text, "Draw in the terminal, one histogram below the other");
  for (const char* of_pictures : {"--output", "--format", "--style", "--config", "--no-ratio", "--cutflow"})
    text->excludes(command.get_option(of_pictures));
  command.add_flag("--ascii", arguments->as_ascii, "With --text: only ASCII characters")->needs(text);
  return [arguments](const Session& session) { return plot(*arguments, session); };
}

}  // namespace

const Command kPlotCommand{"plot", "Draw histograms, as pictures or in the terminal", kPlotFooter, false,
                           add_plot_options};

}  // namespace skimline::skims
