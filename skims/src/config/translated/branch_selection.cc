// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/branch_selection.h"

#include "base/text_file.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace skimline::skims {
namespace {

// As TTree::SetBranchStatus: "*" for any text, "?" for one character.
bool fits(std::string_view name, std::string_view pattern) {
  std::size_t at = 0, in_pattern = 0, star = std::string_view::npos, behind = 0;
  while (at < name.size()) {
    if (in_pattern < pattern.size() && (pattern[in_pattern] == '?' || pattern[in_pattern] == name[at])) {
      ++at;
      ++in_pattern;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      behind = at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++behind;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

// Of a regular expression that is a pattern, too; nothing of others.
std::optional<std::string> pattern_of_regex(std::string_view regex) {
  std::string pattern;
  for (std::size_t i = 0; i < regex.size(); ++i) {
    const bool is_any = regex[i] == '.';
    if (is_any && regex.substr(i + 1).starts_with('*')) {
      pattern += '*';
      ++i;
    } else if (is_any) {
      pattern += '?';
    } else if (std::isalnum(static_cast<unsigned char>(regex[i])) != 0 || regex[i] == '_') {
      pattern += regex[i];
    } else {
      return {};
    }
  }
  return pattern;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool fits_any(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return fits(name, pattern); });
}

}  // namespace

void BranchSelection::add_file(const std::string& path, std::vector<std::string>& left_out) {
  File& file = files_.emplace_back(File{path, {}});
  std::istringstream text(read_text_file(path));
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kind, pattern, more;
    if (!(words >> kind)) continue;
    const std::string place = path + ":" + std::to_string(number);
    const bool is_regex = kind == "keepmatch" || kind == "dropmatch";
    if ((!is_regex && kind != "keep" && kind != "drop") || !(words >> pattern) || (words >> more)) {
      left_out.push_back(place + ": \"" + line + "\" is no line of keep, drop, keepmatch or dropmatch");
      continue;
    }
    const auto used = is_regex ? pattern_of_regex(pattern) : std::optional(pattern);
    if (used)
      file.lines.push_back({kind.starts_with("keep"), *used, place});
    else
      left_out.push_back(place + ": \"" + line +
                         "\" is a regular expression that no pattern says; name the " +
                         "columns with * and ?");
  }
}

bool BranchSelection::is_kept(const File& file, const std::string& name) {
  bool is_kept = true;
  for (const Line& line : file.lines)
    if (fits(name, line.pattern)) is_kept = line.keeps;
  return is_kept;
}

bool BranchSelection::is_kept(const std::string& name) const {
  return std::all_of(files_.begin(), files_.end(), [&](const File& file) { return is_kept(file, name); });
}

KeptPatterns BranchSelection::patterns(const std::vector<std::string>& names,
                                       const std::vector<std::string>& lists,
                                       std::vector<std::string>& left_out) const {
  if (names.empty()) return symbolic(left_out);
  for (const File& file : files_)
    for (const Line& line : file.lines)
      if (std::none_of(names.begin(), names.end(),
                       [&](const std::string& name) { return fits(name, line.pattern); }))
        left_out.push_back(line.place + ": no column is called \"" + line.pattern + "\"");
  std::set<std::string> kept;
  for (const std::string& name : names)
    if (is_kept(name)) kept.insert(name);
  for (const std::string& list : lists)
    if (const std::string number = "n" + list.substr(0, list.find('_'));
        kept.contains(list) && has(names, number))
      kept.insert(number);
  std::vector<std::string> ignored;
  KeptPatterns short_form = symbolic(ignored);
  const auto is_of_none = [&](const std::string& pattern) {
    return std::none_of(names.begin(), names.end(), [&](const auto& name) { return fits(name, pattern); });
  };
  std::erase_if(short_form.keep, is_of_none);
  std::erase_if(short_form.drop, is_of_none);
  if (!short_form.are_all)
    for (const std::string& name : kept)
      if (name.starts_with('n') && !fits_any(short_form.keep, name)) short_form.keep.push_back(name);
  const bool is_same = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const bool is_in =
        (short_form.are_all || fits_any(short_form.keep, name)) && !fits_any(short_form.drop, name);
    return is_in == kept.contains(name);
  });
  if (is_same) return short_form;
  KeptPatterns exact{false, {}, {}};
  for (const std::string& name : names)
    if (kept.contains(name)) exact.keep.push_back(name);
  return exact;
}

// What comes behind the last "drop *" counts. A pattern that is kept again after it was dropped has no place.
KeptPatterns BranchSelection::symbolic(std::vector<std::string>& left_out) const {
  KeptPatterns patterns;
  for (const File& file : files_) {
    KeptPatterns own;
    for (const Line& line : file.lines) {
      if (line.pattern == "*") {
        own = {line.keeps, {}, {}};
        continue;
      }
      if (line.keeps && !own.drop.empty())
        left_out.push_back(line.place +
                           ": what is kept again after it was dropped; the first input cannot be read, so "
                           "that columns are not known by name");
      if (!line.keeps)
        own.drop.push_back(line.pattern);
      else if (!own.are_all)
        own.keep.push_back(line.pattern);
    }
    if (!own.are_all && !patterns.are_all)
      left_out.push_back(file.path +
                         ": it takes from what another file has kept; the first input cannot be "
                         "read, so that columns are not known by name");
    if (!own.are_all) patterns.are_all = false;
    patterns.keep.insert(patterns.keep.end(), own.keep.begin(), own.keep.end());
    patterns.drop.insert(patterns.drop.end(), own.drop.begin(), own.drop.end());
  }
  return patterns;
}

}  // namespace skimline::skims
