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

// "Muon" of the counts "nMuon", of "Muon.pt" in a list of records, or of "Muon_pt" and "Muon_eta".
std::string name_of_collection(const Collection& collection, const std::string& list) {
  if (collection.count.size() > 1 && collection.count.front() == 'n') return collection.count.substr(1);
  if (!list.empty()) return list;
  const std::string& first = collection.columns.front();
  if (collection.columns.size() == 1) return first;
  std::string begin = first;
  for (const std::string& column : collection.columns) begin = common_begin(begin, column);
  const std::size_t end = begin.find_last_of("._");
  begin.resize(end == std::string::npos ? 0 : end);
  return begin.empty() ? first : begin;
}

}  // namespace

EndsColumn ends_of(const FieldColumn& column) {
  if (column.is_count() && column.levels.empty()) return {column.ends, true, {}};
  if (column.levels.empty()) return {};
  return {column.levels.front().index, false, column.levels.front().field};
}

std::vector<Collection> columns_with_equal_ends(const Schema& schema,
                                                const std::vector<std::vector<EndsColumn>>& by_file) {
  std::map<std::vector<std::size_t>, std::size_t> numbers;  // of collections, by streams
  std::vector<Collection> collections;
  std::vector<std::string> lists;  // of records, by collection
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
    if (is_new) {
      collections.emplace_back();
      lists.emplace_back();
    }
    const std::string& name = schema[column].name;
    const std::string& list = by_file.front()[column].list;
    if (!list.empty() && name.starts_with(list + ".")) lists[number->second] = list;
    Collection& collection = collections[number->second];
    if (is_count && collection.count.empty())
      collection.count = name;
    else if (!is_count)
      collection.columns.push_back(name);
  }
  for (std::size_t i = 0; i < collections.size(); ++i) {
    Collection& collection = collections[i];
    if (collection.columns.empty()) continue;
    collection.name = name_of_collection(collection, lists[i]);
    const auto count = schema.find(collection.count);
    if (!collection.count.empty() && count) collection.description = schema[*count].description;
  }
  std::erase_if(collections, [](const Collection& collection) { return collection.columns.empty(); });
  return collections;
}

}  // namespace skimline::io
