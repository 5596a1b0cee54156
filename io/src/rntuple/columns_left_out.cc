// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/columns_left_out.h"

#include <algorithm>
#include <string>

namespace skimline::io {
namespace {

constexpr std::string_view kFirstLine = "Columns that cannot be read:\n";

// What is in front of the mark, which goes with it.
std::string take_until(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  std::string taken(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

}  // namespace

std::vector<UnsupportedField> columns_left_out(std::string_view description) {
  std::vector<UnsupportedField> columns;
  if (!description.starts_with(kFirstLine)) return columns;
  description.remove_prefix(kFirstLine.size());
  while (!description.empty()) {
    const std::string line = take_until(description, '\n');
    std::string_view left = line;
    UnsupportedField& column = columns.emplace_back();
    column.name = take_until(left, '\t');
    column.type_name = take_until(left, '\t');
    column.reason = left;
  }
  return columns;
}

}  // namespace skimline::io
