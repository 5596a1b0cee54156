// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/input_texts.h"

#include "base/text_file.h"

namespace skimline::skims {

std::optional<InputTexts::Part> InputTexts::read(const std::string& path, Location place) {
  try {
    std::string text = read_text_file(path, kLargestText);
    const std::size_t begin = append_part(source_, {.path = path}, text);
    const std::size_t end = begin + text.size();
    return Part{std::move(text), {begin, end}};
  } catch (const ConfigError& error) {
    diagnostics_.add(place, error.what());
    return std::nullopt;
  }
}

Location InputTexts::take_argument(const std::string& option, const std::string& argument) {
  const std::size_t begin = append_part(source_, {.path = option, .is_argument = true}, argument);
  return {begin, begin + argument.size()};
}

std::optional<JsonValue> InputTexts::parse(const Part& part) {
  const std::size_t num_errors = diagnostics_.size();
  JsonValue root = parse_located_json(part.text, diagnostics_, part.location.begin);
  if (diagnostics_.size() != num_errors) return std::nullopt;
  return root;
}

}  // namespace skimline::skims
