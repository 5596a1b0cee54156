// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/object_filter.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"

namespace skimline::io {

ObjectFilter::Patterns ObjectFilter::patterns_of(const std::vector<std::string>& texts) {
  Patterns patterns;
  for (const std::string& text : texts) {
    auto pattern = std::make_unique<Pattern>();
    pattern->text = &text;
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

ObjectFilter::ObjectFilter(const std::vector<std::string>& include, const std::vector<std::string>& exclude,
                           std::string record_directory)
    : include_(patterns_of(include)),
      exclude_(patterns_of(exclude)),
      record_directory_(std::move(record_directory)) {}

// Tries all that begin with `front`, so that each is known to match.
bool ObjectFilter::matches(const Patterns& patterns, std::string_view path, std::string_view front) {
  bool is_match = false;
  for (const auto& pattern : patterns) {
    if (!pattern->text->starts_with(front) || !matches_pattern(path, *pattern->text)) continue;
    if (!pattern->is_matched) pattern->is_matched = true;
    is_match = true;
  }
  return is_match;
}

bool ObjectFilter::is_record(std::string_view path) const {
  return !record_directory_.empty() && path.size() > record_directory_.size() &&
         path.starts_with(record_directory_) && path[record_directory_.size()] == '/';
}

bool ObjectFilter::is_wanted(std::string_view path) const {
  const bool is_included = matches(include_, path) || include_.empty();
  if (is_record(path)) return !matches(exclude_, path, record_directory_);
  return !matches(exclude_, path) && is_included;
}

void ObjectFilter::check_all_matched() const {
  for (const Patterns* patterns : {&include_, &exclude_})
    for (const auto& pattern : *patterns)
      if (!pattern->is_matched) throw ConfigError("no object matches \"" + *pattern->text + "\"");
}

}  // namespace skimline::io
