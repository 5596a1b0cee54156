// SPDX-License-Identifier: BSD-3-Clause
// What a file holds, as JSON.
#include "skimline/skims/inspection_report.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const FieldSummary& field) {
  return {{"name", field.name},
          {"type", field.type_name},
          {"role", field.role},
          {"description", field.description}};
}

Json json_of(const ColumnSummary& column) {
  return {{"field", column.field},
          {"encoding", column.encoding},
          {"bits", column.bits},
          {"compression", column.compression},
          {"pages", column.num_pages},
          {"elements", column.num_elements},
          {"bytes_unpacked", column.bytes_unpacked},
          {"bytes_stored", column.bytes_stored}};
}

Json json_of(const ClusterSummary& cluster) {
  return {{"first_entry", cluster.first_entry},
          {"entries", cluster.num_entries},
          {"pages", cluster.num_pages},
          {"bytes_unpacked", cluster.bytes_unpacked},
          {"bytes_stored", cluster.bytes_stored}};
}

Json json_of(const io::UnsupportedField& field) {
  return {{"name", field.name}, {"type", field.type_name}, {"reason", field.reason}};
}

Json json_of(const ListedTree& tree) {
  return {{"file", tree.file}, {"tree", tree.tree}, {"entries", tree.entries ? Json(*tree.entries) : Json()}};
}

Json json_of(const ObjectSummary& object) {
  Json listed = Json::array();
  for (const ListedTree& tree : object.listed) listed.push_back(json_of(tree));
  return {{"name", object.path},   {"class", object.class_name}, {"title", object.title},
          {"bytes", object.bytes}, {"problem", object.problem},  {"listed", std::move(listed)}};
}

Json json_of(const BranchSummary& column) {
  return {{"name", column.name},
          {"type", column.type_name},
          {"compression", column.compression},
          {"baskets", column.num_baskets},
          {"bytes_unpacked", column.bytes_unpacked},
          {"bytes_stored", column.bytes_stored},
          {"description", column.description}};
}

Json json_of(const io::Collection& collection) {
  return {{"name", collection.name},
          {"count", collection.count},
          {"description", collection.description},
          {"columns", collection.columns}};
}

Json json_of(const io::TreeFriend& other) {
  return {{"name", other.alias}, {"file", other.path}, {"tree", other.tree}, {"problem", other.problem}};
}

Json json_of(const io::TreeAlias& alias) {
  return {{"name", alias.name}, {"expression", alias.expression}, {"problem", alias.problem}};
}

Json json_of(const NTupleInspection& ntuple);
Json json_of(const TreeInspection& tree);

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

Json json_of(const NTupleInspection& ntuple) {
  return {{"name", ntuple.name},
          {"description", ntuple.description},
          {"writer", ntuple.writer},
          {"format_version", ntuple.format_version},
          {"entries", ntuple.num_entries},
          {"cluster_groups", ntuple.num_cluster_groups},
          {"fields", list_of(ntuple.fields)},
          {"columns", list_of(ntuple.columns)},
          {"clusters", list_of(ntuple.clusters)},
          {"unsupported_fields", list_of(ntuple.unsupported_fields)},
          {"notes", ntuple.notes}};
}

Json json_of(const TreeInspection& tree) {
  return {{"name", tree.name},
          {"title", tree.title},
          {"entries", tree.num_entries},
          {"clusters", tree.num_clusters},
          {"branches", tree.num_branches},
          {"columns", list_of(tree.columns)},
          {"collections", list_of(tree.collections)},
          {"unsupported", list_of(tree.unsupported)},
          {"friends", list_of(tree.friends)},
          {"aliases", list_of(tree.aliases)},
          {"notes", tree.notes}};
}

}  // namespace

std::string to_json(const FileInspection& inspection) {
  const Json json{{"path", inspection.path},
                  {"size", inspection.size},
                  {"ntuples", list_of(inspection.ntuples)},
                  {"trees", list_of(inspection.trees)},
                  {"objects", list_of(inspection.objects)}};
  // Names come from the file: bytes that are no UTF-8 must not stop the report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
