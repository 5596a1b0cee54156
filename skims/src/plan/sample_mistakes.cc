// SPDX-License-Identifier: BSD-3-Clause
#include "plan/sample_mistakes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

namespace skimline::skims {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

// What to do about a column that files of other samples have.
std::string hint_at_default(const std::string& message, const std::vector<SampleMistakes>& samples) {
  constexpr std::string_view kUnknown = "unknown column \"";
  if (!message.starts_with(kUnknown) || !message.ends_with('"')) return {};
  const std::string name = message.substr(kUnknown.size(), message.size() - kUnknown.size() - 1);
  const auto is_it = [&](const NamedValue& value) { return value.name.value == name; };
  const bool is_metadata = std::any_of(samples.begin(), samples.end(), [&](const SampleMistakes& each) {
    return std::any_of(each.sample.metadata.begin(), each.sample.metadata.end(), is_it);
  });
  return is_metadata ? "" : " (\"defaults\" can say what it is where it is missing)";
}

// In front, as messages end with what to do.
std::string of_samples(const std::vector<std::string>& names, const std::string& message) {
  return (names.size() == 1 ? "in the sample " : "in the samples ") + joined(names) + ": " + message;
}

// What all samples of the config have shown, by place: what the others say of it may differ.
std::map<std::size_t, Diagnostics::Entry> found_everywhere(const Config& config,
                                                           const std::vector<SampleMistakes>& samples) {
  std::map<std::size_t, Diagnostics::Entry> found;
  if (!config.has_all_inputs || samples.size() < config.sample_names.size()) return found;
  std::map<std::size_t, std::size_t> counts;
  for (const SampleMistakes& each : samples)
    for (const Diagnostics::Entry& entry : each.mistakes.entries_if_everywhere())
      if (++counts[entry.location.begin] == samples.size()) found.emplace(entry.location.begin, entry);
  return found;
}

}  // namespace

void throw_mistakes(const Config& config, const std::vector<SampleMistakes>& samples) {
  using Mistake = std::tuple<std::size_t, std::size_t, std::string>;
  struct Found {
    std::vector<std::string> samples;
    std::optional<Diagnostics::Note> note;
  };
  std::map<Mistake, Found> samples_of;
  for (const SampleMistakes& each : samples)
    for (const Diagnostics::Entry& entry : each.mistakes.entries()) {
      auto& [names, note] = samples_of[{entry.location.begin, entry.location.end, entry.message}];
      if (names.empty()) note = entry.note;
      if (names.empty() || names.back() != each.sample.name.value) names.push_back(each.sample.name.value);
    }
  Diagnostics all(config.source);
  for (const auto& [mistake, found] : samples_of) {
    const auto& [begin, end, message] = mistake;
    const std::vector<std::string>& names = found.samples;
    const bool is_everywhere = names.size() == samples.size();
    const std::string text =
        is_everywhere ? message : of_samples(names, message + hint_at_default(message, samples));
    if (found.note)
      all.add(Location{begin, end}, text, found.note->location, found.note->message);
    else
      all.add(Location{begin, end}, text);
  }
  for (const auto& [begin, found] : found_everywhere(config, samples)) all.add(found.location, found.message);
  all.throw_if_any();
}

}  // namespace skimline::skims
