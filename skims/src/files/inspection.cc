// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/inspection.h"

#include "base/expansion.h"
#include "files/tree_inspection.h"

#include "skimline/io/columns_left_out.h"
#include "skimline/io/compression.h"
#include "skimline/io/entry_list.h"
#include "skimline/io/file_chain.h"
#include "skimline/io/input_file.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/rntuple_source.h"

#include <algorithm>
#include <array>
#include <set>

namespace skimline::skims {
namespace {

std::string name_of(io::FieldRole role) {
  constexpr std::array kNames{"plain", "collection", "record", "variant", "streamer"};
  return kNames.at(static_cast<std::size_t>(role));
}

bool is_unnamed_collection(const std::string& name) {
  return name.starts_with("_collection") && name.find_first_not_of("0123456789", 11) == std::string::npos;
}

// Elements are called "_0", as are the first members of pairs and tuples, and known by their list.
bool is_element(const io::RNTupleDescriptor& descriptor, std::uint32_t id) {
  const io::FieldDescriptor& field = descriptor.fields[id];
  return !descriptor.is_top_level(id) && field.name == "_0" &&
         descriptor.fields[field.parent].role != io::FieldRole::kRecord;
}

// What is in collections without a name is known by what is projected from it.
std::string name_in_expressions(const io::RNTupleDescriptor& descriptor, std::uint32_t id) {
  if (is_element(descriptor, id)) return {};
  std::string name;
  while (true) {
    const io::FieldDescriptor& field = descriptor.fields[id];
    if (descriptor.is_top_level(id)) return is_unnamed_collection(field.name) ? "" : field.name + name;
    if (!is_element(descriptor, id)) name.insert(0, "." + field.name);
    id = field.parent;
  }
}

std::uint64_t unpacked_bytes(std::uint64_t num_elements, std::uint64_t bits) {
  return (num_elements * bits + 7) / 8;
}

// Bytes that a page adds to those counted already: pages that several columns share are stored once.
std::uint64_t newly_stored(const io::PageInfo& page, std::set<std::uint64_t>& counted) {
  return counted.insert(page.locator.offset).second ? page.locator.size : 0;
}

ColumnSummary summarise_column(const io::RNTupleDescriptor& descriptor, std::size_t id,
                               std::set<std::uint64_t>& counted) {
  const io::ColumnDescriptor& column = descriptor.columns[id];
  ColumnSummary summary{.field = {},
                        .encoding = io::column_type_name(column.type),
                        .bits = column.bits_on_storage,
                        .compression = {}};
  std::set<std::string> compressions;
  for (const io::ClusterDescriptor& cluster : descriptor.clusters) {
    if (id >= cluster.columns.size() || cluster.columns[id].pages.empty()) continue;
    const io::ColumnRange& range = cluster.columns[id];
    compressions.insert(io::compression_name(static_cast<int>(range.compression)));
    summary.num_pages += range.pages.size();
    for (const io::PageInfo& page : range.pages) {
      summary.num_elements += page.num_elements;
      summary.bytes_unpacked += unpacked_bytes(page.num_elements, column.bits_on_storage);
      summary.bytes_stored += newly_stored(page, counted);
    }
  }
  for (const std::string& name : compressions)
    summary.compression += (summary.compression.empty() ? "" : ", ") + name;
  return summary;
}

ClusterSummary summarise_cluster(const io::RNTupleDescriptor& descriptor,
                                 const io::ClusterDescriptor& cluster) {
  ClusterSummary summary{.first_entry = cluster.first_entry, .num_entries = cluster.num_entries};
  std::set<std::uint64_t> counted;
  for (std::size_t id = 0; id < cluster.columns.size(); ++id) {
    for (const io::PageInfo& page : cluster.columns[id].pages) {
      ++summary.num_pages;
      summary.bytes_unpacked += unpacked_bytes(page.num_elements, descriptor.columns[id].bits_on_storage);
      summary.bytes_stored += newly_stored(page, counted);
    }
  }
  return summary;
}

std::string version_of(const io::RNTupleDescriptor& descriptor) {
  return std::to_string(descriptor.version_epoch) + "." + std::to_string(descriptor.version_major) + "." +
         std::to_string(descriptor.version_minor) + "." + std::to_string(descriptor.version_patch);
}

std::vector<std::string> notes_on(const io::InputFacts& facts) {
  const std::optional<std::string> expansion = expansion_of(facts);
  if (!expansion) return {};
  return {"stands for far more values than files of experiments do: " + *expansion};
}

NTupleInspection inspect_ntuple(const io::RootFile& file, const std::string& name,
                                const io::InputOptions& options) {
  const io::RNTupleDescriptor descriptor = io::read_descriptor(file, name);
  const std::vector<std::string> names = descriptor.field_paths();
  NTupleInspection inspection;
  inspection.name = name;
  // What was left out is told with the fields that expressions cannot use.
  if (io::columns_left_out(descriptor.description).empty()) inspection.description = descriptor.description;
  inspection.writer = descriptor.writer;
  inspection.format_version = version_of(descriptor);
  inspection.num_entries = descriptor.num_entries();
  inspection.num_cluster_groups = descriptor.num_cluster_groups;
  for (std::uint32_t id = 0; id < names.size(); ++id)
    inspection.fields.push_back({names[id], descriptor.fields[id].type_name,
                                 descriptor.fields[id].description, name_of(descriptor.fields[id].role),
                                 name_in_expressions(descriptor, id)});
  std::set<std::uint64_t> counted;
  for (std::size_t id = 0; id < descriptor.columns.size(); ++id) {
    inspection.columns.push_back(summarise_column(descriptor, id, counted));
    inspection.columns.back().field = names[descriptor.columns[id].field];
  }
  for (const io::ClusterDescriptor& cluster : descriptor.clusters)
    inspection.clusters.push_back(summarise_cluster(descriptor, cluster));
  const io::RNTupleSource source({{file.path(), name}}, options);
  inspection.unsupported_fields = source.unsupported_fields();
  inspection.notes = notes_on(source.files().front());
  return inspection;
}

// Where there are RNTuples only, their reader says what is wrong.
void check_name(const io::RootFile& file, const std::string& name, const std::vector<std::string>& names) {
  if (file.find(name) || names == io::ntuple_names(file)) return;
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "\"" : ", \"") + each + "\"";
  throw FileError(file.path(),
                  "contains no " + io::names_of_input_formats() + " \"" + name + "\"" +
                      did_you_mean(name, names) + "; it contains " + list,
                  FileFault::kUnavailable);
}

void inspect_events(const io::RootFile& file, const std::string& name, const io::InputOptions& options,
                    FileInspection& inspection) {
  const io::RootKey* key = file.find(name);
  const io::InputFormat* format = key ? io::format_of(*key) : nullptr;
  if (format && format->format == io::DataFormat::kTTree)
    inspection.trees.push_back(inspect_tree({file.path(), name}, options));
  else
    inspection.ntuples.push_back(inspect_ntuple(file, name, options));
}

std::vector<ListedTree> listed_by(const io::RootFile& file, const io::RootKey& key) {
  std::vector<ListedTree> listed;
  if (io::is_chain_class(key.class_name)) {
    for (const io::ChainedFile& each : io::read_chain(file, key.path).files)
      listed.push_back({each.location.path, each.location.name, each.num_entries});
  } else {
    for (const io::EntriesOfTree& each : io::read_entry_list(file, key.path).trees)
      listed.push_back({each.file, each.tree, each.entries.count()});
  }
  return listed;
}

// What lists trees is one that is read, as the newest of its name.
bool is_listing(const io::RootFile& file, const io::RootKey& key) {
  return file.find(key.path) == &key &&
         (io::is_chain_class(key.class_name) || io::is_entry_list_class(key.class_name));
}

ObjectSummary summarise_object(const io::RootFile& file, const io::RootKey& key) {
  ObjectSummary object{key.path, key.class_name, key.title, key.record_size, io::pre_release_problem(key),
                       {}};
  try {
    if (is_listing(file, key)) object.listed = listed_by(file, key);
  } catch (const FileError& error) {
    object.problem = error.what();
  }
  return object;
}

}  // namespace

FileInspection inspect_file(const std::string& location) {
  const io::InputLocation place = io::parse_location(location);
  io::InputOptions options;
  options.files = std::make_shared<io::OpenedFiles>();
  const io::OpenedFile opened = options.files->open(place.path);
  const io::RootFile& file = *opened.root;
  FileInspection inspection;
  inspection.path = file.path();
  inspection.size = file.input().size();
  std::vector<std::string> names = io::data_names(file);
  if (const io::RootKey* key = place.name.empty() ? nullptr : file.find(place.name);
      key && is_listing(file, *key)) {
    inspection.objects.push_back(summarise_object(file, *key));
    return inspection;
  }
  if (!place.name.empty()) {
    check_name(file, place.name, names);
    names = {place.name};
  }
  for (const std::string& name : names) inspect_events(file, name, options, inspection);
  for (const io::RootKey& key : file.keys())
    if (!io::format_of(key)) inspection.objects.push_back(summarise_object(file, key));
  return inspection;
}

}  // namespace skimline::skims
