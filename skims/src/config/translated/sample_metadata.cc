// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/sample_metadata.h"

#include "base/text_file.h"
#include "base/text_table.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <sstream>
#include <utility>

namespace skimline::skims {
namespace {

using Words = std::vector<std::string>;

std::optional<std::int64_t> integer_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<double> finite_number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::optional<double> number = only_number(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Calls `visit(words, place)` for each line that is neither blank nor a comment.
void for_each_line(const std::string& path,
                   const std::function<void(const Words&, const std::string&)>& visit) {
  std::istringstream lines(read_text_file(path, kLargestText));
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream text(line);
    Words words;
    for (std::string word; text >> word;) words.push_back(std::move(word));
    if (!words.empty() && !words.front().starts_with('#')) visit(words, path + ":" + std::to_string(number));
  }
}

DataSet data_set_in(const Words& words, const std::string& place, const char* expected) {
  const std::optional<std::int64_t> dsid = integer_in(words.front());
  if (!dsid || words.size() < 4) throw ConfigError(place + ": expected \"" + expected + "\"");
  return {*dsid, words[1], words[2]};
}

constexpr const char* kHeaderOfPmg = "dataset_number/I";
constexpr std::size_t kWordsOfPmg = 9;

std::optional<std::int64_t> e_tag_in(const std::string& word) {
  return word.starts_with('e') ? integer_in(std::string_view(word).substr(1)) : std::nullopt;
}

// dsid, name, cross section, filter efficiency, k-factor, uncertainties, generator, e-tag.
bool is_of_pmg(const Words& words) {
  return words.size() >= kWordsOfPmg && finite_number_in(words[2]) && finite_number_in(words[3]) &&
         finite_number_in(words[4]) && e_tag_in(words[8]);
}

// dsid, cross section, k-factor.
bool is_of_top(const Words& words) {
  return words.size() >= 3 && finite_number_in(words[1]) && finite_number_in(words[2]);
}

}  // namespace

bool DataSet::is_data() const {
  const std::string data = "data";
  return std::equal(simulation.begin(), simulation.end(), data.begin(), data.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

std::string DataSet::text() const { return std::to_string(dsid) + " " + campaign + " " + simulation; }

SampleMetadata::SampleMetadata(const std::string& files_path, const std::string& sums_path)
    : files_path_(files_path), sums_path_(sums_path) {
  std::set<std::pair<const void*, std::string>> seen;
  for_each_line(files_path, [&](const Words& words, const std::string& place) {
    std::vector<std::string>& files = files_[data_set_in(words, place, "dsid campaign simulation path")];
    if (words.size() > 4)
      throw ConfigError(place + ": expected \"dsid campaign simulation path\", found " +
                        std::to_string(words.size()) + " words");
    if (seen.emplace(&files, words[3]).second) files.push_back(words[3]);
  });
  for_each_line(sums_path, [&](const Words& words, const std::string& place) {
    const DataSet set = data_set_in(words, place, "dsid campaign simulation name sum");
    const std::optional<double> sum =
        words.size() == 5 ? finite_number_in(words[4]) : std::optional<double>();
    if (!sum) throw ConfigError(place + ": expected \"dsid campaign simulation name sum\"");
    const auto [known, is_new] = sums_[set].emplace(words[3], *sum);
    if (!is_new && known->second != *sum)
      throw ConfigError(place + ": another sum of weights " + in_quotes(words[3]) + " of " + set.text() +
                        " than above");
  });
}

void SampleMetadata::add_cross_sections(const std::string& path, const std::set<std::int64_t>& used) {
  cross_section_paths_ += (cross_section_paths_.empty() ? "" : ", ") + path;
  std::optional<bool> is_pmg;
  for_each_line(path, [&](const Words& words, const std::string& place) {
    if (words.front().starts_with(kHeaderOfPmg)) {
      is_pmg = is_pmg.value_or(true);
      return;
    }
    if (!is_pmg) is_pmg = !is_of_top(words);
    const std::optional<std::int64_t> dsid = integer_in(words.front());
    if (!dsid || !(*is_pmg ? is_of_pmg(words) : is_of_top(words)))
      throw ConfigError(place + (*is_pmg ? ": no line of a PMG file of cross sections"
                                         : ": expected \"dsid cross-section k-factor\""));
    if (!used.contains(*dsid)) return;
    const auto factor = [&](std::size_t index) { return *finite_number_in(words[index]); };
    if (*is_pmg)
      add_cross_section(*dsid, {factor(2) * factor(4) * factor(3), *e_tag_in(words[8]), place});
    else
      add_cross_section(*dsid, {factor(1) * factor(2), 0, place});
  });
}

void SampleMetadata::add_cross_section(std::int64_t dsid, CrossSection found) {
  const bool is_of_pmg = found.e_tag != 0;
  const auto [known, is_new] = (is_of_pmg ? of_pmg_ : of_top_).try_emplace(dsid, found);
  if (is_new) return;
  if (known->second.e_tag == found.e_tag)
    check_are_same(dsid, known->second, found);
  else if (known->second.e_tag < found.e_tag)
    known->second = std::move(found);
}

void SampleMetadata::check_are_same(std::int64_t dsid, const CrossSection& known, const CrossSection& found) {
  constexpr double kSame = 1e-3;  // as in FastFrames: files of one process are rounded
  if (std::abs(known.value - found.value) > kSame * std::abs(found.value))
    throw ConfigError(found.place + ": another cross section of " + std::to_string(dsid) + " than in " +
                      known.place);
}

const std::vector<std::string>& SampleMetadata::files(const DataSet& set) const {
  static const std::vector<std::string> kNone;
  const auto found = files_.find(set);
  return found == files_.end() ? kNone : found->second;
}

bool SampleMetadata::has_sum(const DataSet& set, const std::string& name) const {
  const auto found = sums_.find(set);
  return found != sums_.end() && found->second.contains(name);
}

double SampleMetadata::sum(const DataSet& set, const std::string& name) const {
  const auto found = sums_.find(set);
  if (found == sums_.end()) throw ConfigError(sums_path_ + ": no sums of weights of " + set.text());
  const auto sum = found->second.find(name);
  if (sum != found->second.end()) return sum->second;
  std::vector<std::string> names;
  for (const auto& [each, value] : found->second) names.push_back(each);
  throw ConfigError(sums_path_ + ": no sum of weights " + in_quotes(name) + " of " + set.text() +
                    did_you_mean(name, names));
}

double SampleMetadata::cross_section(const DataSet& set) const {
  const auto of_pmg = of_pmg_.find(set.dsid), of_top = of_top_.find(set.dsid);
  if (of_pmg == of_pmg_.end() && of_top == of_top_.end())
    throw ConfigError("no cross section of " + std::to_string(set.dsid) + " in " + cross_section_paths_);
  if (of_pmg == of_pmg_.end()) return of_top->second.value;
  if (of_top != of_top_.end()) check_are_same(set.dsid, of_pmg->second, of_top->second);
  return of_pmg->second.value;
}

std::string SampleMetadata::others_of(const DataSet& set) const {
  std::string others;
  for (const auto& [each, files] : files_)
    if (each.dsid == set.dsid) others += (others.empty() ? "" : ", ") + each.campaign + " " + each.simulation;
  return others.empty() ? "" : "; of " + std::to_string(set.dsid) + " there are: " + others;
}

}  // namespace skimline::skims
