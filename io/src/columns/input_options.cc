// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_options.h"

#include "skimline/io/url.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

std::string problems_of(const std::vector<DefaultError::Mistake>& mistakes) {
  std::string problems;
  for (const DefaultError::Mistake& mistake : mistakes)
    problems += (problems.empty() ? "" : "\n") + mistake.problem;
  return problems;
}

// Of the last URL: colons before are behind the scheme and in front of a port.
std::size_t begin_of_path(const std::string& text) {
  if (!is_url(text)) return 0;
  return std::min(text.find('/', text.rfind("://") + 3), text.size());
}

}  // namespace

DefaultError::DefaultError(std::vector<Mistake> mistakes)
    : SchemaError(problems_of(mistakes)), mistakes_(std::move(mistakes)) {}

InputLocation parse_location(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon < begin_of_path(text) ||
      text.find(".root", colon) != std::string::npos)
    return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string_view name_of_file(const InputOptions& options, const std::string& path) {
  if (!options.file_names) return path;
  const auto name = options.file_names->find(path);
  return name == options.file_names->end() ? path : name->second;
}

}  // namespace skimline::io
