// SPDX-License-Identifier: BSD-3-Clause
#include "plan/sample_mistakes.h"

#include <map>
#include <optional>
#include <tuple>

namespace skimline::skims {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
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
    const std::string where = names.size() == 1 ? " in the sample " : " in the samples ";
    const std::string text = is_everywhere ? message : message + where + joined(names);
    if (found.note)
      all.add(Location{begin, end}, text, found.note->location, found.note->message);
    else
      all.add(Location{begin, end}, text);
  }
  for (const auto& [begin, found] : found_everywhere(config, samples)) all.add(found.location, found.message);
  all.throw_if_any();
}

}  // namespace skimline::skims
