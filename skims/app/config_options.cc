// SPDX-License-Identifier: BSD-3-Clause
#include "config_options.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>

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

Shard shard_of(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = whole(std::string_view(text).substr(0, slash));
  const auto count = whole(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!number || !count || *number < 1 || *number > *count)
    throw CLI::ValidationError("--shard", "\"" + text + "\" is not one of N shards, 1/N to N/N");
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

}  // namespace

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
      "--shard", [&options](const std::string& text) { options.shard = shard_of(text); },
      "I/N: only part I of N equal parts of what the limits leave; outputs are called x.shardIofN.root then");
}

}  // namespace skimline::skims
