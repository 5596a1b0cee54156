// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/leaf_title.h"

#include <charconv>
#include <optional>

namespace skimline::io {
namespace {

std::optional<std::uint64_t> as_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::vector<std::uint64_t> leaf_dimensions(std::string_view title, std::uint64_t length) {
  std::vector<std::uint64_t> dimensions;
  std::uint64_t product = 1;
  for (std::size_t begin = title.find('['); begin != std::string_view::npos;
       begin = title.find('[', begin + 1)) {
    const std::size_t end = title.find(']', begin);
    if (end == std::string_view::npos) break;
    const auto number = as_number(title.substr(begin + 1, end - begin - 1));
    if (!number || *number == 0) continue;  // the counter, or the range of a float
    if (*number > length / product) return {length};
    product *= *number;
    dimensions.push_back(*number);
  }
  if (product == length) return dimensions;
  return {length};
}

}  // namespace skimline::io
