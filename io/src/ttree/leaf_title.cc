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

std::string_view before_slash(std::string_view text) { return text.substr(0, text.find('/')); }

// Whether a title is "n/I", "x[n]/F" or "a/F:b/I".
bool is_leaf_list(const TreeDescriptor& tree, const TreeBranch& branch) {
  std::string_view title = branch.title;
  for (std::size_t i = 0; i < branch.leaves.size(); ++i) {
    const TreeLeaf& leaf = tree.leaves[branch.leaves[i]];
    const std::size_t colon = title.find(':');
    const std::string_view part = before_slash(title.substr(0, colon));
    if (part != before_slash(leaf.title) && part != leaf.name) return false;
    const bool is_last = i + 1 == branch.leaves.size();
    if (is_last != (colon == std::string_view::npos)) return false;
    title.remove_prefix(is_last ? 0 : colon + 1);
  }
  return !branch.leaves.empty();
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

std::string description_of(const TreeDescriptor& tree, const TreeBranch& branch) {
  const bool is_name = branch.title == branch.name || branch.title == branch.path;
  return is_name || is_leaf_list(tree, branch) ? "" : branch.title;
}

}  // namespace skimline::io
