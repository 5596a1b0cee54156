// SPDX-License-Identifier: BSD-3-Clause
#include "plan/unusable_fields.h"

#include "skimline/framework/column_name.h"

#include <algorithm>

namespace skimline::skims {

std::string culprit_of(const ExpressionError& error) {
  const std::string text = error.text().substr(std::min(error.offset(), error.text().size()), error.length());
  return quoted_name(text).value_or(text);
}

ExpressionError with_reason(const ExpressionError& error, const std::vector<io::UnsupportedField>& fields) {
  const std::string culprit = culprit_of(error);
  const auto find = [&](auto is_it) { return std::find_if(fields.begin(), fields.end(), is_it); };
  auto field = find([&](const io::UnsupportedField& each) { return culprit == each.name; });
  // What cannot be read as a whole has no members in the list.
  if (field == fields.end())
    field = find([&](const io::UnsupportedField& each) { return culprit.starts_with(each.name + "."); });
  if (field == fields.end()) return error;
  return ExpressionError(error.text(), error.offset(), error.length(),
                         "the field \"" + field->name + "\" cannot be used in expressions: " + field->reason);
}

}  // namespace skimline::skims
