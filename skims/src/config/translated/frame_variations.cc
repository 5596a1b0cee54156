// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_variations.h"

#include "base/text_table.h"
#include "config/json/name_checks.h"
#include "config/read/config_variables.h"
#include "config/translated/frame_names.h"
#include "config/translated/text_replacing.h"

#include "skimline/framework/error.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/root_file.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include <re2/re2.h>

namespace skimline::skims {
namespace {

using namespace frame_names;

bool is_of_identifier(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool is_of(const FrameSystematic& systematic, const FrameSample& sample) {
  if (systematic.samples) return systematic.samples->contains(sample.name);
  if (systematic.exclude_samples && systematic.exclude_samples->contains(sample.name)) return false;
  return !sample.is_data;
}

// The labels of the histogram in the first file that has it.
std::vector<std::string> listed_systematics(const std::vector<std::string>& files, const std::string& name) {
  for (const std::string& path : files) {
    try {
      const io::RootFile file(path);
      const io::RootKey* key = file.find(name);
      if (!key) continue;
      const histograms::Histogram histogram = io::read_histogram(file, *key);
      return histogram.axes.empty() ? std::vector<std::string>{} : histogram.axes.front().names();
    } catch (const Error&) {
    }
  }
  return {};
}

class ExcludedNames {
 public:
  explicit ExcludedNames(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
      expressions_.push_back(std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet));
      if (!expressions_.back()->ok())
        throw ConfigError("\"exclude_systematics\": no regular expression: " + in_quotes(pattern));
    }
  }

  bool have(const std::string& name) const {
    return std::any_of(expressions_.begin(), expressions_.end(),
                       [&](const auto& expression) { return re2::RE2::FullMatch(name, *expression); });
  }

 private:
  std::vector<std::unique_ptr<re2::RE2>> expressions_;
};

void add_listed(const FrameConfig& config, const FrameSample& sample, const SampleMetadata& metadata,
                std::vector<SampleSystematic>& systematics, FrameLeftovers& left_out) {
  const auto set = std::find_if(sample.data_sets.begin(), sample.data_sets.end(),
                                [&](const DataSet& each) { return !metadata.files(each).empty(); });
  if (set == sample.data_sets.end()) return;
  const std::vector<std::string> names = listed_systematics(metadata.files(*set), config.list_of_systematics);
  if (names.empty())
    left_out.add("automatic systematics of the samples", sample.name,
                 "no file has the histogram " + in_quotes(config.list_of_systematics) + " that lists them");
  const ExcludedNames excluded(*sample.exclude_systematics);
  std::set<std::string> known{kNominal};
  for (const SampleSystematic& each : systematics) known.insert(each.name);
  for (const std::string& name : names)
    if (!name.empty() && !excluded.have(name) && known.insert(name).second)
      systematics.push_back({name, metadata.has_sum(*set, name) ? name : sample.sum_weights, ""});
}

}  // namespace

std::set<std::string> names_in(const std::string& expression) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < expression.size();) {
    const std::size_t begin = at;
    while (at < expression.size() && is_of_identifier(expression[at])) ++at;
    if (at > begin)
      names.insert(expression.substr(begin, at - begin));
    else
      ++at;
  }
  return names;
}

std::set<std::string> all_names(const std::string& expression,
                                const std::vector<FrameDefinition>& definitions) {
  std::set<std::string> names = names_in(expression);
  for (auto each = definitions.rbegin(); each != definitions.rend(); ++each)
    if (names.contains(each->name)) names.merge(names_in(each->expression));
  return names;
}

std::vector<SampleSystematic> systematics_of(const FrameConfig& config, const FrameSample& sample,
                                             const SampleMetadata& metadata, FrameLeftovers& left_out) {
  std::vector<SampleSystematic> systematics;
  if (sample.nominal_only) return systematics;
  for (const FrameSystematic& each : config.systematics)
    if (is_of(each, sample))
      systematics.push_back({each.name, each.sum_weights.value_or(sample.sum_weights), each.weight_suffix});
  if (sample.automatic_systematics && !sample.is_data)
    add_listed(config, sample, metadata, systematics, left_out);
  return systematics;
}

FrameVariations::Made& FrameVariations::made(const SampleSystematic& systematic) {
  const auto [number, is_new] = numbers_.try_emplace(systematic.name, made_.size());
  if (is_new && !is_object_name(systematic.name))
    throw ConfigError(
        "the systematic " + in_quotes(systematic.name) +
        ": its name consists of letters, digits, \"_\", \"-\" and \".\", as it is that of a folder");
  if (is_new) made_.push_back({systematic.name, systematic.weight_suffix, {}, {}, ""});
  if (made_[number->second].weight_suffix != systematic.weight_suffix)
    throw ConfigError("the systematic " + in_quotes(systematic.name) +
                      " has a \"weight_suffix\" in some samples, and others have it automatically, without "
                      "one: a variation has one factor, so exclude it there by \"exclude_systematics\"");
  return made_[number->second];
}

std::map<std::string, std::string> FrameVariations::add(const std::string& sample,
                                                        const std::vector<SampleSystematic>& systematics,
                                                        const std::optional<std::string>& nominal_sum,
                                                        std::optional<std::set<std::string>> columns) {
  std::map<std::string, std::string> definitions;
  std::vector<std::string> varied;
  for (const std::string& name : used_)
    if (name.ends_with(kNominal) && columns && columns->contains(name)) varied.push_back(name);
  for (const SampleSystematic& systematic : systematics) {
    Made& variation = made(systematic);
    variation.samples.insert(sample);
    for (const std::string& name : varied)
      if (columns->contains(with_replaced(name, kNominal, systematic.name))) variation.columns.insert(name);
    if (!nominal_sum || systematic.sum_weights == *nominal_sum) continue;
    // By number where the name is no identifier, as others may differ in just these letters.
    const bool is_plain = std::all_of(systematic.name.begin(), systematic.name.end(), is_of_identifier);
    variation.sum =
        std::string(kSum) + "_" + (is_plain ? systematic.name : std::to_string(numbers_.at(systematic.name)));
    definitions[variation.sum] = systematic.sum_weights;
  }
  if (columns) columns_[sample] = std::move(*columns);
  return definitions;
}

bool FrameVariations::have_factors() const {
  return std::any_of(made_.begin(), made_.end(),
                     [](const Made& each) { return !each.weight_suffix.empty(); });
}

std::vector<std::string> FrameVariations::sums() const {
  std::vector<std::string> names;
  for (const Made& each : made_)
    if (!each.sum.empty()) names.push_back(each.sum);
  return names;
}

// FastFrames fills the histograms of a systematic that changes nothing, too.
OrderedJson FrameVariations::variations() const {
  OrderedJson all = OrderedJson::object();
  for (const Made& each : made_) {
    OrderedJson& json = all[each.name];
    for (const std::string& name : each.columns)
      json["columns"][name] = with_replaced(name, kNominal, each.name);
    if (!each.sum.empty()) json["columns"][kSum] = each.sum;
    if (!each.weight_suffix.empty()) json["weights"][kFactor] = plain_text(each.weight_suffix);
    if (json.empty()) json["weights"][kEventWeight] = kEventWeight;
    json["samples"] = each.samples;
    json["allow_unchanged"] = true;
  }
  return all;
}

std::map<std::string, std::string> FrameVariations::aliases_of(const std::string& sample) const {
  std::map<std::string, std::string> aliases;
  const auto columns = columns_.find(sample);
  if (columns == columns_.end()) return aliases;
  for (const Made& each : made_) {
    if (!each.samples.contains(sample)) continue;
    for (const std::string& name : each.columns)
      if (const std::string varied = with_replaced(name, kNominal, each.name);
          columns->second.contains(name) && !columns->second.contains(varied))
        aliases[varied] = name;
  }
  return aliases;
}

bool FrameVariations::changes(const Made& variation, const std::set<std::string>& names) {
  return std::any_of(variation.columns.begin(), variation.columns.end(),
                     [&](const std::string& name) { return names.contains(name); });
}

std::vector<std::string> FrameVariations::that_change(const std::set<std::string>& names) const {
  std::vector<std::string> changing;
  for (const Made& each : made_)
    if (changes(each, names)) changing.push_back(each.name);
  return changing;
}

std::vector<std::string> FrameVariations::that_weigh(const std::set<std::string>& names) const {
  std::vector<std::string> weighing;
  for (const Made& each : made_)
    if (!each.sum.empty() || !each.weight_suffix.empty() || changes(each, names))
      weighing.push_back(each.name);
  return weighing;
}

std::vector<std::string> FrameVariations::with_varied_factors(
    const std::vector<FrameDefinition>& definitions) const {
  std::vector<std::string> varied;
  for (const Made& each : made_)
    if (changes(each, all_names(each.weight_suffix, definitions))) varied.push_back(each.name);
  return varied;
}

}  // namespace skimline::skims
