// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/equal_ends.h"

#include <algorithm>
#include <map>
#include <string>

namespace skimline::io {
namespace {

std::string common_begin(const std::string& a, const std::string& b) {
  return {a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first};
}

// "Muon" of "Muon.pt" and "Muon.eta", or of the counts "nMuon".
std::string name_of_collection(const Collection& collection) {
  if (collection.count.size() > 1 && collection.count.front() == 'n') return collection.count.substr(1);
  const std::string& first = collection.columns.front();
  if (collection.columns.size() == 1) {
    const std::size_t dot = first.rfind('.');
    return dot == std::string::npos || dot == 0 ? first : first.substr(0, dot);
  }
  std::string begin = first;
  for (const std::string& column : collection.columns) begin = common_begin(begin, column);
  const std::size_t end = begin.find_last_of("._");
  begin.resize(end == std::string::npos ? 0 : end);
  return begin.empty() ? first : begin;
}

}  // namespace

EndsColumn ends_of(const FieldColumn& column) {
  if (column.is_count() && column.levels.empty()) return {column.ends, true};
  if (column.levels.empty()) return {};
  return {column.levels.front().index, false};
}

std::vector<Collection> columns_with_equal_ends(const Schema& schema,
                                                const std::vector<std::vector<EndsColumn>>& by_file) {
  std::map<std::vector<std::size_t>, std::size_t> numbers;  // of collections, by streams
  std::vector<Collection> collections;
  for (std::size_t column = 0; column < schema.size(); ++column) {
    std::vector<std::size_t> streams;
    bool is_count = true;
    for (const std::vector<EndsColumn>& ends : by_file) {
      if (!ends[column].stream) break;
      streams.push_back(*ends[column].stream);
      is_count = is_count && ends[column].is_count;
    }
    if (streams.size() != by_file.size()) continue;
    const auto [number, is_new] = numbers.try_emplace(streams, collections.size());
    if (is_new) collections.emplace_back();
    Collection& collection = collections[number->second];
    if (is_count && collection.count.empty())
      collection.count = schema[column].name;
    else if (!is_count)
      collection.columns.push_back(schema[column].name);
  }
  std::erase_if(collections, [](const Collection& collection) { return collection.columns.empty(); });
  for (Collection& collection : collections) {
    collection.name = name_of_collection(collection);
    const auto count = schema.find(collection.count);
    if (!collection.count.empty() && count) collection.description = schema[*count].description;
  }
  return collections;
}

}  // namespace skimline::io
