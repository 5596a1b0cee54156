// SPDX-License-Identifier: BSD-3-Clause
// What a file holds, as tables.

#include "base/text_table.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/number_text.h"
#include "skimline/skims/inspection_report.h"
#include "skimline/skims/shown_text.h"

namespace skimline::skims {
namespace {

std::string ratio(std::uint64_t unpacked, std::uint64_t stored) {
  return stored == 0 ? "-" : fixed_digits(static_cast<double>(unpacked) / static_cast<double>(stored), 2);
}

std::string titled(const std::string& title, const TextTable& table) {
  return table.empty() ? std::string() : "\n" + title + "\n" + table.format();
}

// How to write names that are no names for expressions as they are, with the first of them as an example.
template <typename Named>
std::string note_on_names(const std::vector<Named>& all) {
  for (const Named& each : all)
    if (const std::string written = in_expression(each.name); written != each.name)
      return "\n  In expressions, names with other characters than letters, digits, \"_\" and \".\" stand in "
             "back-quotes:\n  " +
             shown(written) + "\n";
  return {};
}

std::string field_table(const NTupleInspection& ntuple) {
  TextTable table({"name", "type", "description"});
  for (const FieldSummary& field : ntuple.fields)
    if (!field.in_expressions.empty()) table.add({field.in_expressions, field.type_name, field.description});
  return titled("fields", table) + note_on_names(ntuple.fields);
}

std::string column_table(const NTupleInspection& ntuple) {
  TextTable table(
      {"field", "encoding", ">bits", "compression", ">pages", ">elements", ">unpacked", ">stored", ">ratio"});
  ColumnSummary sum;
  for (const ColumnSummary& column : ntuple.columns) {
    table.add({column.field, column.encoding, std::to_string(column.bits), column.compression,
               format_count(column.num_pages), format_count(column.num_elements),
               format_bytes(column.bytes_unpacked), format_bytes(column.bytes_stored),
               ratio(column.bytes_unpacked, column.bytes_stored)});
    sum.num_pages += column.num_pages;
    sum.num_elements += column.num_elements;
    sum.bytes_unpacked += column.bytes_unpacked;
    sum.bytes_stored += column.bytes_stored;
  }
  table.add({"total", "", "", "", format_count(sum.num_pages), format_count(sum.num_elements),
             format_bytes(sum.bytes_unpacked), format_bytes(sum.bytes_stored),
             ratio(sum.bytes_unpacked, sum.bytes_stored)});
  return titled("columns", table);
}

std::string cluster_table(const NTupleInspection& ntuple) {
  TextTable table({">cluster", ">first entry", ">entries", ">pages", ">unpacked", ">stored"});
  for (std::size_t i = 0; i < ntuple.clusters.size(); ++i) {
    const ClusterSummary& cluster = ntuple.clusters[i];
    table.add({std::to_string(i), format_count(cluster.first_entry), format_count(cluster.num_entries),
               format_count(cluster.num_pages), format_bytes(cluster.bytes_unpacked),
               format_bytes(cluster.bytes_stored)});
  }
  return titled("clusters", table);
}

std::string unsupported_table(const NTupleInspection& ntuple) {
  TextTable table({"name", "type", "reason"});
  for (const io::UnsupportedField& field : ntuple.unsupported_fields)
    table.add({field.name, field.type_name, field.reason});
  return titled("fields that expressions cannot use", table);
}

std::string heading(const NTupleInspection& ntuple) {
  const std::string entries =
      format_count(ntuple.num_entries) + (ntuple.num_entries == 1 ? " entry" : " entries");
  std::string text =
      "\nntuple  " + shown(ntuple.name) + ": " + entries + ", " + counted(ntuple.clusters.size(), "cluster") +
      " in " + counted(ntuple.num_cluster_groups, "group") + ", " + counted(ntuple.fields.size(), "field") +
      ", " + counted(ntuple.columns.size(), "column") + "\n";
  if (!ntuple.description.empty()) text += "        " + shown(ntuple.description) + "\n";
  text += "        RNTuple " + ntuple.format_version + ", written by " + shown(ntuple.writer) + "\n";
  for (const std::string& note : ntuple.notes) text += "        " + shown(note) + "\n";
  return text;
}

std::string heading(const TreeInspection& tree) {
  const std::string entries =
      format_count(tree.num_entries) + (tree.num_entries == 1 ? " entry" : " entries");
  std::string text = "\ntree    " + shown(tree.name) + ": " + entries + ", " +
                     counted(tree.num_clusters, "cluster") + ", " + format_count(tree.num_branches) +
                     (tree.num_branches == 1 ? " branch" : " branches") + ", " +
                     counted(tree.columns.size(), "column") + "\n";
  if (!tree.title.empty() && tree.title != tree.name) text += "        " + shown(tree.title) + "\n";
  for (const std::string& note : tree.notes) text += "        " + shown(note) + "\n";
  return text;
}

std::string column_table(const TreeInspection& tree) {
  TextTable table(
      {"column", "type", "compression", ">baskets", ">unpacked", ">stored", ">ratio", "description"});
  for (const BranchSummary& column : tree.columns)
    table.add({column.name, column.type_name, column.compression, format_count(column.num_baskets),
               format_bytes(column.bytes_unpacked), format_bytes(column.bytes_stored),
               ratio(column.bytes_unpacked, column.bytes_stored), column.description});
  return titled("columns", table) + note_on_names(tree.columns);
}

std::string collection_table(const TreeInspection& tree) {
  TextTable table({"collection", "count", ">columns", "description"});
  for (const io::Collection& collection : tree.collections)
    table.add({collection.name, collection.count, std::to_string(collection.columns.size()),
               collection.description});
  return titled("collections", table);
}

std::string unsupported_table(const TreeInspection& tree) {
  TextTable table({"name", "type", "reason"});
  for (const io::UnsupportedField& field : tree.unsupported)
    table.add({field.name, field.type_name, field.reason});
  return titled("branches that cannot be read", table);
}

std::string friend_table(const TreeInspection& tree) {
  TextTable table({"friend", "file", "tree", "not read because"});
  for (const io::TreeFriend& other : tree.friends)
    table.add({other.alias, other.path, other.tree, other.problem});
  return titled("friends", table);
}

std::string alias_table(const TreeInspection& tree) {
  TextTable table({"alias", "expression", "not usable because"});
  for (const io::TreeAlias& alias : tree.aliases) table.add({alias.name, alias.expression, alias.problem});
  return titled("aliases", table);
}

// Of a TChain its files, of a list of entries what is chosen in which tree.
std::string listed_table(const ObjectSummary& object) {
  TextTable table({"file", "tree", ">entries"});
  for (const ListedTree& tree : object.listed)
    table.add({tree.file, tree.tree, tree.entries ? format_count(*tree.entries) : "not counted"});
  return titled("listed by " + object.class_name + " " + object.path, table);
}

}  // namespace

std::string to_text(const FileInspection& inspection) {
  std::string text = "file    " + shown(inspection.path) + ", " + format_bytes(inspection.size) + "\n";
  for (const NTupleInspection& ntuple : inspection.ntuples)
    text += heading(ntuple) + field_table(ntuple) + column_table(ntuple) + cluster_table(ntuple) +
            unsupported_table(ntuple);
  for (const TreeInspection& tree : inspection.trees)
    text += heading(tree) + column_table(tree) + collection_table(tree) + unsupported_table(tree) +
            friend_table(tree) + alias_table(tree);
  TextTable objects({"name", "class", "title", ">stored"});
  for (const ObjectSummary& object : inspection.objects)
    objects.add({object.path, object.class_name, object.title, format_bytes(object.bytes)});
  text += titled("other objects", objects);
  for (const ObjectSummary& object : inspection.objects)
    if (!object.listed.empty()) text += listed_table(object);
  for (const ObjectSummary& object : inspection.objects)
    if (!object.problem.empty()) text += "  " + object.problem + "\n";
  return text;
}

}  // namespace skimline::skims
