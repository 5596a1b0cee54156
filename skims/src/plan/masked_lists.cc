// SPDX-License-Identifier: BSD-3-Clause
#include "plan/masked_lists.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace skimline::skims {
namespace {

bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; });
  return text;
}

// Up to the last underscore or dot that all have in common.
std::string common_name(const std::vector<std::string>& names) {
  std::string begin = names.front();
  for (const std::string& name : names)
    begin.erase(std::mismatch(begin.begin(), begin.end(), name.begin(), name.end()).first, begin.end());
  const std::size_t end = begin.find_last_of("._");
  return begin.substr(0, end == std::string::npos ? 0 : end);
}

}  // namespace

std::optional<MaskedName> masked_name(const std::string& expression) {
  const std::string text = without_blanks(expression);
  const std::size_t begin = text.find('[');
  if (begin == std::string::npos || text.back() != ']') return std::nullopt;
  if (begin == 0 || !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), is_of_name))
    return std::nullopt;
  // The bracket must be closed by the last letter. Texts may hold brackets: then nothing is said.
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'' || text[i] == '`') return std::nullopt;
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0 && i + 1 != text.size()) return std::nullopt;
  }
  return MaskedName{text.substr(0, begin), text.substr(begin + 1, text.size() - begin - 2)};
}

std::vector<io::Collection> collections_of(const std::vector<MaskedList>& lists,
                                           const std::function<bool(const std::string&)>& is_taken) {
  std::map<std::string, std::size_t> numbers;  // by mask
  std::vector<io::Collection> collections;
  for (const MaskedList& list : lists) {
    const auto [number, is_new] = numbers.try_emplace(list.mask, collections.size());
    if (is_new) collections.emplace_back();
    collections[number->second].columns.push_back(list.name);
  }
  for (io::Collection& collection : collections) {
    const std::string name = common_name(collection.columns);
    collection.name = name.empty() || is_taken("n" + name) ? collection.columns.front() : name;
  }
  return collections;
}

}  // namespace skimline::skims
