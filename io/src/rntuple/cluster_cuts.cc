// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_cuts.h"

#include "rntuple/output_schema.h"

#include "skimline/io/format_error.h"
#include "skimline/io/page_encoding.h"

#include <cstring>
#include <utility>

namespace skimline::io {

ClusterCuts::ClusterCuts(const MergeSchema& schema, const ClusterToJoin& cluster) : schema_(schema) {
  for (const ClusterColumn& column : cluster.columns) is_active_.push_back(column.is_active);
  try {
    read(cluster);
    check(cluster);
  } catch (const FormatError& error) {
    throw cluster_error(cluster.file, cluster.place, cluster.source.cluster.num_entries, error.what());
  }
}

void ClusterCuts::read(const ClusterToJoin& cluster) {
  std::vector<bool> is_wanted;
  for (std::size_t column = 0; column < schema_.num_columns(); ++column) {
    const ColumnType type = schema_.encoding(column).type;
    is_wanted.push_back(is_active_[column] && (is_index_type(type) || type == ColumnType::kSwitch));
  }
  PageCounts counts;
  const FetchedCluster fetched(schema_, cluster, is_wanted, counts);
  for (std::size_t column = 0; column < is_wanted.size(); ++column) {
    if (!is_wanted[column]) continue;
    std::vector<std::byte> elements;
    fetched.append(column, elements, counts);
    const std::uint32_t field = schema_.descriptor().columns[column].field;
    if (is_index_type(schema_.encoding(column).type)) {
      ends_[field] = items_of_ends(column, elements);
      continue;
    }
    const std::vector<std::uint32_t>& fields = schema_.alternatives_of(field);
    std::vector<Items> items = items_of_alternatives(column, fields.size(), elements);
    for (std::size_t i = 0; i < fields.size(); ++i) alternatives_[fields[i]] = std::move(items[i]);
  }
}

ClusterCuts::Items ClusterCuts::items_of_ends(std::size_t column, const std::vector<std::byte>& elements) {
  Items items{column, {0}};
  for (std::size_t at = 0; at < elements.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t end = 0;
    std::memcpy(&end, elements.data() + at, sizeof end);
    if (end < items.before.back()) throw FormatError("a collection ends before it begins");
    items.before.push_back(end);
  }
  return items;
}

std::vector<ClusterCuts::Items> ClusterCuts::items_of_alternatives(std::size_t column,
                                                                   std::size_t num_alternatives,
                                                                   const std::vector<std::byte>& elements) {
  std::vector<Items> items(num_alternatives, {column, {0}});
  for (std::size_t at = 0; at < elements.size(); at += sizeof(SwitchElement)) {
    SwitchElement element;
    std::memcpy(&element, elements.data() + at, sizeof element);
    if (element.tag > num_alternatives)
      throw FormatError("a variant has the alternative " + std::to_string(element.tag) + " of " +
                        std::to_string(num_alternatives));
    if (element.tag > 0 && element.index != items[element.tag - 1].before.back())
      throw FormatError("alternatives of a variant do not follow each other");
    for (std::size_t i = 0; i < num_alternatives; ++i)
      items[i].before.push_back(items[i].before.back() + (i + 1 == element.tag ? 1 : 0));
  }
  return items;
}

void ClusterCuts::check(const ClusterToJoin& cluster) const {
  const std::uint64_t num_entries = cluster.source.cluster.num_entries;
  for (std::size_t column = 0; column < is_active_.size(); ++column) {
    if (!is_active_[column]) continue;
    const std::uint64_t found = cluster.columns[column].num_elements;
    const std::uint64_t expected = element_before(column, num_entries);
    if (found != expected)
      throw FormatError("a column of field \"" +
                        schema_.descriptor().fields[schema_.descriptor().columns[column].field].name +
                        "\" has " + std::to_string(found) + " elements instead of " +
                        std::to_string(expected));
  }
}

EntriesOfCluster ClusterCuts::entries(std::uint64_t begin, std::uint64_t end) const {
  EntriesOfCluster entries{end - begin, {}, {}};
  const std::vector<std::uint64_t> first = elements_before(begin), last = elements_before(end);
  for (std::size_t column = 0; column < first.size(); ++column) {
    entries.elements.push_back({first[column], last[column]});
    const auto ends = ends_.find(schema_.descriptor().columns[column].field);
    const bool has_ends = ends != ends_.end() && ends->second.column == column;
    entries.ends.push_back(has_ends ? ends->second.before[first[column]] : 0);
  }
  return entries;
}

std::uint64_t ClusterCuts::bytes_before(std::uint64_t entry) const {
  const std::vector<std::uint64_t> elements = elements_before(entry);
  std::uint64_t bytes = 0;
  for (std::size_t column = 0; column < elements.size(); ++column)
    bytes += elements[column] * schema_.element_size(column);
  return bytes;
}

std::vector<std::uint64_t> ClusterCuts::elements_before(std::uint64_t entry) const {
  std::vector<std::uint64_t> elements(is_active_.size());
  for (std::size_t column = 0; column < elements.size(); ++column)
    if (is_active_[column]) elements[column] = element_before(column, entry);
  return elements;
}

// From the entries inwards, a collection is in others.
std::uint64_t ClusterCuts::element_before(std::size_t column, std::uint64_t entry) const {
  const ElementsOf& of = schema_.elements_of(column);
  if (of.are_entries()) return entry * of.count;
  const std::map<std::uint32_t, Items>& known = of.is_alternative ? alternatives_ : ends_;
  const auto items = known.find(of.field);
  if (items == known.end()) throw FormatError("a collection has no column that says how long it is");
  const std::uint64_t outer = element_before(items->second.column, entry);
  if (outer >= items->second.before.size())
    throw FormatError("a collection has fewer lengths than there are lists");
  std::uint64_t elements = 0;
  if (__builtin_mul_overflow(items->second.before[outer], of.count, &elements))
    throw FormatError("a collection has more elements than there can be");
  return elements;
}

}  // namespace skimline::io
