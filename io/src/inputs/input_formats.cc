// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_formats.h"

#include "inputs/chain_parts.h"
#include "ttree/branch_baskets.h"

#include "skimline/framework/error.h"
#include "skimline/io/ntuple_verification.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/stored_friends.h"
#include "skimline/io/tree_metadata.h"
#include "skimline/io/tree_source.h"
#include "skimline/io/tree_verification.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

bool is_ntuple_class(std::string_view class_name) { return class_name == "ROOT::RNTuple"; }

std::any ntuple_metadata(const RootFile& file, const std::string& name) {
  return NTupleMetadata{name, read_descriptor(file, name)};
}

std::unique_ptr<InputSource> open_ntuples(const std::vector<InputLocation>& locations,
                                          const InputOptions& options) {
  return std::make_unique<RNTupleSource>(locations, options);
}

// Chains of RNTuples and others are rare: their metadata are read one after the other.
ReadPart read_ntuple_part(const InputLocation& location, const InputOptions& options, ChainParts&) {
  return [location, options](ChainParts& parts) {
    InputOptions own = options;
    own.max_idle_bytes = options.max_idle_bytes / parts.number;
    own.defaults.clear();
    return std::make_unique<RNTupleSource>(std::vector{location}, std::move(own), parts.ahead);
  };
}

void add_pages(const RootFile& file, const std::string& name, std::vector<ByteExtent>& places) {
  for (const ClusterDescriptor& cluster : read_descriptor(file, name).clusters)
    for (const ColumnRange& column : cluster.columns)
      for (const PageInfo& page : column.pages)
        if (!page.has_checksum && page.locator.size > 0)
          places.push_back({page.locator.offset, page.locator.size});
}

// Several trees, and defaults, are the matter of a chain.
std::unique_ptr<InputSource> open_trees(const std::vector<InputLocation>& locations,
                                        const InputOptions& options) {
  if (locations.size() != 1 || !options.defaults.empty()) return nullptr;
  return with_stored_friends(std::make_unique<TreeSource>(locations.front(), options), options);
}

ReadPart read_tree_part(const InputLocation& location, const InputOptions& options, ChainParts& common) {
  auto read = std::make_shared<ReadTree>();
  read->file = open_file(options.files.get(), location.path);
  read->tree = read_tree(*read->file.root, location.name);
  forget_object(read->tree);
  common.trees.kinds->find(read->tree);
  return [location, options, read = std::move(read)](ChainParts& parts) {
    InputOptions of_friends = options;
    of_friends.max_idle_bytes = options.max_idle_bytes / parts.number;
    return with_stored_friends(std::make_unique<TreeSource>(location, options, &parts.trees, read),
                               of_friends);
  };
}

void add_baskets(const RootFile& file, const std::string& name, std::vector<ByteExtent>& places) {
  const RootKey& key = *file.find(name);
  places.push_back({key.offset, key.record_size});
  for (const BranchData& branch : read_tree(file, name).branch_data)
    for (const TreeBasket& basket : branch.baskets)
      if (!basket.is_embedded) places.push_back({basket.offset, basket.size});
}

constexpr InputFormat kInputFormats[] = {
    {DataFormat::kRNTuple, is_ntuple_class, ntuple_names, ntuple_metadata, open_ntuples, read_ntuple_part,
     verify_ntuple, "page", true, add_pages},
    {DataFormat::kTTree, is_tree_class, tree_names, nullptr, open_trees, read_tree_part, verify_tree,
     "basket", false, add_baskets},
};

}  // namespace

std::span<const InputFormat> input_formats() { return kInputFormats; }

const InputFormat& input_format(DataFormat format) {
  for (const InputFormat& each : kInputFormats)
    if (each.format == format) return each;
  throw InternalError(std::string("no inputs in the format ") + name_of(format));
}

const InputFormat* format_of(const RootKey& key) {
  const auto* const found =
      std::find_if(std::begin(kInputFormats), std::end(kInputFormats),
                   [&](const InputFormat& format) { return format.is_class(key.class_name); });
  return found == std::end(kInputFormats) ? nullptr : found;
}

std::string names_of_input_formats(bool plural) {
  std::string text;
  for (const InputFormat& format : kInputFormats)
    text += (text.empty() ? "" : " or ") + std::string(name_of(format.format)) + (plural ? "s" : "");
  return text;
}

}  // namespace skimline::io
