// SPDX-License-Identifier: BSD-3-Clause
// `skimline watch`: what a run has come to whose sums are in the memory of servers.
#include "base/text_table.h"
#include "commands.h"
#include "server_sums.h"
#include "shared_options.h"
#include "standard_output.h"
#include "terminal_width.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"
#include "skimline/skims/config.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/shown_text.h"
#include "skimline/skims/text_plot.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace skimline::skims {
namespace {

constexpr const char* kWatchFooter = R"help(
Examples:
  skimline watch --reduce redis://host analysis.json
  skimline watch --reduce redis://host --include 'met*' --every 60 analysis.json
  skimline watch --reduce redis://host --once analysis.json

Shows of each sample how many parts and events are in the sums that tasks have put into the memory of servers, its
cutflow so far, and a line for each histogram; those that --include names are drawn. Goes on until all parts are there,
or Ctrl-C. With --once the exit code is 3 if some are missing.)help";

constexpr std::size_t kMostColumnsOfWatch = 132;
constexpr std::size_t kSparks = 40;

struct WatchArguments {
  std::string config, servers;
  ConfigOptions options;
  std::vector<std::string> include;
  int seconds = 5;
  bool is_once = false;
  bool as_ascii = false;
};

// How much of something is there.
struct Share {
  std::uint64_t done = 0, all = 0;
};

std::string text_of(const Share& share, const std::string& thing) {
  return format_count(share.done) + " of " + counted(share.all, thing);
}

bool is_to_be_drawn(const std::string& name, const WatchArguments& arguments) {
  return std::any_of(arguments.include.begin(), arguments.include.end(),
                     [&](const std::string& pattern) { return matches_pattern(name, pattern); });
}

std::string cutflow_text(const SumContents& sums) {
  TextTable table({"step", ">events"});
  for (const auto& [step, events] : sums.cutflow) table.add({step, format_count(events)});
  return table.empty() ? std::string() : table.format();
}

std::string spectra_text(const SumContents& sums, const WatchArguments& arguments) {
  TextTable table({"histogram", ">entries", "contents"});
  std::string drawn;
  for (const histograms::Histogram& each : sums.histograms) {
    if (!arguments.include.empty() && !is_to_be_drawn(each.name, arguments)) continue;
    table.add({each.name, format_count(each.entries), sparkline(each, kSparks, !arguments.as_ascii)});
    if (arguments.include.empty()) continue;
    drawn += "\n" + text_plot(each, {.width = terminal_width(kMostColumnsOfWatch),
                                     .has_blocks = !arguments.as_ascii});
  }
  return (table.empty() ? std::string() : table.format()) + drawn;
}

// What is there now, and whether that is all.
std::pair<std::string, bool> look(ServerSums& sums, const Config& config, const WatchArguments& arguments) {
  const std::vector<bool> there = sums.read();
  std::vector<Share> parts(config.samples.size()), events(config.samples.size());
  for (std::size_t i = 0; i < there.size(); ++i) {
    const PartFacts& part = sums.parts()[i];
    parts[part.sample].all += 1;
    events[part.sample].all += part.entries.count;
    if (!there[i]) continue;
    parts[part.sample].done += 1;
    events[part.sample].done += part.entries.count;
  }
  std::string text;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < config.samples.size(); ++i) {
    const SumContents contents = sums.job().sum_contents(i);
    for (const histograms::Histogram& each : contents.histograms) names.push_back(each.name);
    text += (text.empty() ? "" : "\n") + shown(config.samples[i].name.value) + ": " +
            text_of(parts[i], "part") + ", " + text_of(events[i], "event") + ", " +
            format_percent(events[i].done, events[i].all) + "\n" + cutflow_text(contents) +
            spectra_text(contents, arguments);
  }
  const bool is_complete = std::all_of(there.begin(), there.end(), [](bool each) { return each; });
  // Before all is there, some of them may not be.
  if (is_complete && !there.empty()) refuse_unmatched(names, arguments.include);
  return {text, is_complete};
}

void wait(int seconds, StopFlag stop) {
  constexpr std::chrono::milliseconds kStep{100};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < end) {
    stop.throw_if_set();
    std::this_thread::sleep_for(kStep);
  }
}

Outcome watch(const WatchArguments& arguments, const Session& session) {
  const std::shared_ptr<const Config> config = read_config(arguments.config, arguments.options);
  ServerSums sums({*config, arguments.config, arguments.options}, arguments.servers, {}, session);
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  for (;;) {
    const auto [text, is_complete] = look(sums, *config, arguments);
    if (arguments.is_once || is_complete) return {text, is_complete ? kDone : kIncomplete};
    constexpr const char* kClear = "\033[H\033[2J";
    const std::string reason =
        print((is_terminal ? kClear : "") + ShownText(text).str() + (is_terminal ? "" : "\n"));
    if (!reason.empty()) throw Error(unprinted(reason));
    wait(arguments.seconds, session.stop);
  }
}

Action add_watch_options(CLI::App& command) {
  const auto arguments = std::make_shared<WatchArguments>();
  command.add_option("config", arguments->config, "JSON config")->required();
  command
      .add_option("--reduce", arguments->servers,
                  "The servers that tasks put sums to: redis://host:port[,...]")
      ->required();
  command
      .add_option("--include", arguments->include,
                  "Only histograms whose name matches, and draw them; * and ? are understood")
      ->allow_extra_args(false);
  command.add_option("--every", arguments->seconds, "Seconds from one look to the next")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command.add_flag("--once", arguments->is_once, "Look once");
  command.add_flag("--ascii", arguments->as_ascii, "Only ASCII characters");
  add_config_options(command, arguments->options);
  return [arguments](const Session& session) { return watch(*arguments, session); };
}

}  // namespace

const Command kWatchCommand{"watch", "Show what is in the memory of servers of a run that goes on",
                            kWatchFooter, true, add_watch_options};

}  // namespace skimline::skims
