// SPDX-License-Identifier: BSD-3-Clause
#include "files/tree_inspection.h"

#include "plan/tree_aliases.h"

#include "skimline/io/compression.h"
#include "skimline/io/stored_friends.h"
#include "skimline/io/tree_source.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <vector>

namespace skimline::skims {
namespace {

BranchSummary summarise(const io::BranchData& branch) {
  BranchSummary summary;
  summary.compression = io::compression_name(branch.compression);
  summary.num_baskets = branch.baskets.size();
  summary.bytes_unpacked = branch.bytes_unpacked;
  for (const io::TreeBasket& basket : branch.baskets) summary.bytes_stored += basket.size;
  summary.bytes_unpacked = std::max(summary.bytes_unpacked, summary.bytes_stored);
  return summary;
}

// Whether the name of a type is that of one number, as leaves of lists have it, too.
bool is_fundamental(const std::string& name) {
  const bool is_class = std::isupper(static_cast<unsigned char>(name[0])) != 0 && !name.ends_with("_t");
  return !is_class && name.find_first_of("<[") == std::string::npos;
}

std::string type_name(const std::string& declared, const Type& type) {
  return type.is_jagged() && !declared.empty() && is_fundamental(declared) ? name_of(type) : declared;
}

// As a run has them: they may name columns of friends.
std::vector<io::TreeAlias> aliases_of(const io::InputLocation& location, io::InputOptions options) {
  options.follows_friends = true;
  const auto source = with_stored_friends(std::make_unique<io::TreeSource>(location, options), options);
  PlanBuilder builder(source->schema());
  return define_tree_aliases(*source, source->schema(), {}, builder);
}

}  // namespace

TreeInspection inspect_tree(const io::InputLocation& location, const io::InputOptions& options) {
  const io::TreeSource source(location, options);
  const io::TreeDescriptor& tree = source.descriptor();
  TreeInspection inspection;
  inspection.name = tree.path;
  inspection.title = tree.title;
  inspection.num_entries = tree.num_entries;
  inspection.num_clusters = tree.cluster_begins.size();
  inspection.num_branches = tree.branches.size();
  for (std::size_t column = 0; column < source.schema().size(); ++column) {
    BranchSummary summary = summarise(tree.branch_data[source.branch_of(column)]);
    summary.name = source.schema()[column].name;
    summary.type_name = type_name(source.field_type_names()[column], source.schema()[column].type);
    summary.description = source.schema()[column].description;
    inspection.columns.push_back(std::move(summary));
  }
  inspection.collections = source.collections();
  inspection.unsupported = source.unsupported_fields();
  inspection.friends = examined_friends(source, options);
  inspection.aliases = aliases_of(location, options);
  inspection.notes = source.differences();
  return inspection;
}

}  // namespace skimline::skims
