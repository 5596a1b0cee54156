// SPDX-License-Identifier: BSD-3-Clause
#include "shared_options.h"

#include "log.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/schema.h"
#include "skimline/framework/threads.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

namespace skimline::skims {
namespace {

constexpr double kLargestCount = 1e15;

// Counts are often typed as 1e6.
std::uint64_t count_of(const char* option, const std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || !(value >= 1 && value <= kLargestCount) ||
      value != std::floor(value))
    throw CLI::ValidationError(option, "\"" + text + "\" is not a whole number from 1 to 1e15");
  return static_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string problem_of_count(const std::string& text) {
  if (text.find('-') != std::string::npos) return text + " is not 0 or more";
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc::result_out_of_range ? text + " is too large" : std::string();
}

Shard share_of(const char* option, const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = whole(std::string_view(text).substr(0, slash));
  const auto count = whole(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!number || !count || *number < 1 || *number > *count)
    throw CLI::ValidationError(option, "\"" + text + "\" is not one of N shards, 1/N to N/N");
  return {*number, *count};
}

// CLI11 would take what is in brackets apart.
void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list,
              const std::string& description) {
  command
      .add_option_function<std::string>(
          name, [&list](const std::string& text) { list.push_back(text); }, description)
      ->trigger_on_parse();
}

void add_force(CLI::App& command, bool& force) {
  command.add_flag("-f,--force", force,
                   "Replace files that exist; without it, only outputs of the same job are replaced");
}

// No thread is there yet.
void add_cache(CLI::App& command) {
  command.add_option_function<std::string>(
      "--cache", [](const std::string& folder) { ::setenv("SKIMLINE_CACHE", folder.c_str(), 1); },
      "Folder that keeps what is read of files behind URLs, for further runs");
}

void add_progress(CLI::App& command, std::string& progress) {
  command
      .add_option("--progress", progress,
                  "auto: a line on a terminal, else one every 30 s; json: objects on standard error; none")
      ->check(CLI::IsMember({"auto", "json", "none"}))
      ->capture_default_str();
}

void add_compression(CLI::App& command, std::string& compression) {
  command
      .add_option("--compression", compression,
                  "auto: for each column what is worth its time; " + std::string(kCompressions))
      ->capture_default_str();
}

void add_threads(CLI::App& command, int& threads, const char* description) {
  command.add_option("-j,--threads", threads, description)->check(CLI::Range(0, 4096));
}

int granted_threads(int wanted) {
  if (wanted <= 0) wanted = default_threads();
  const int granted = available_threads(wanted);
  if (granted < wanted) log_marked(spdlog::level::warn, warning_of_threads(wanted, granted));
  return granted;
}

void add_config_options(CLI::App& command, ConfigOptions& options) {
  add_list(command, "--set", options.sets,
           "PATH=VALUE: change the config, such as select.0.where=\"nMuon > 2\"; may be given several times");
  add_list(command, "--input", options.inputs,
           "[SAMPLE=]FILE: read this instead of the files of a sample; may be given several times");
  add_list(command, "--samples", options.samples,
           "Only samples whose name matches; * and ? are understood; may be given several times");
  command.add_option_function<std::string>(
      "--limit-files",
      [&options](const std::string& text) { options.limit_files = count_of("--limit-files", text); },
      "Only so many files of each sample, the first ones");
  command.add_option_function<std::string>(
      "--limit-events",
      [&options](const std::string& text) { options.limit_events = count_of("--limit-events", text); },
      "Only so many events of each sample, the first ones; 1e6 is understood");
  command.add_option_function<std::string>(
      "--shard", [&options](const std::string& text) { options.shard = share_of("--shard", text); },
      "I/N: only part I of N equal parts of what the limits leave; outputs are called x.shardIofN.root then");
  add_cache(command);
}

void add_input_checks(CLI::App& command, ConfigOptions& options) {
  const auto set = [&](const char* option, const char* setting, const char* description) {
    command.add_flag_callback(
        option, [&options, setting] { options.sets.push_back(setting); }, description);
  };
  set("--allow-duplicates", "allow_duplicates=true",
      "Count events of files that are copies of each other as often as they are given");
  set("--require-checksums", "require_checksums=true",
      "Fail when pages or baskets are read that have no checksum");
}

void add_memory_limit(CLI::App& command, ConfigOptions& options) {
  const auto set = [&options](const std::string& size) {
    options.sets.push_back("memory_limit=\"" + size + "\"");
  };
  command.add_option_function<std::string>(
      "--memory-limit", set, "Most memory that the run may take, such as 4GiB, instead of the config's");
}

void refuse_unmatched(const std::vector<std::string>& names, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches_pattern(name, pattern); }))
      throw ConfigError("--include: no histogram matches \"" + pattern + "\"" + did_you_mean(pattern, names));
}

}  // namespace skimline::skims
