// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_metadata.h"

#include "rntuple/envelope.h"
#include "rntuple/known_headers.h"
#include "rntuple/page_list.h"
#include "rntuple/uncommitted_ntuple.h"
#include "root/named_objects.h"
#include "root/object_streaming.h"
#include "storage/byte_reader.h"
#include "storage/xxh3.h"

#include "skimline/io/input_file.h"
#include "skimline/io/page_encoding.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::size_t kAnchorSize = 78;
// The path of a field repeats those of its parents.
constexpr std::size_t kMaxFieldPath = 1000;
// Equal pages are stored once, so that few bytes can be many entries, but not without end.
constexpr std::uint64_t kFreeEntries = std::uint64_t{1} << 34;
constexpr std::uint64_t kMaxEntriesPerByte = 1 << 20;

// Flags of field records.
constexpr std::uint16_t kRepetitive = 0x01;
constexpr std::uint16_t kProjected = 0x02;
constexpr std::uint16_t kHasChecksum = 0x04;
constexpr std::uint16_t kSoa = 0x08;
// Flags of column records.
constexpr std::uint16_t kDeferred = 0x01;
constexpr std::uint16_t kHasRange = 0x02;

struct Anchor {
  std::uint16_t version[4] = {};
  EnvelopeLink header;
  EnvelopeLink footer;
  std::uint64_t max_key_size = 0;
};

EnvelopeLink parse_anchor_link(ByteReader& reader) {
  EnvelopeLink link;
  link.locator.offset = reader.big<std::uint64_t>();
  link.locator.size = reader.big<std::uint64_t>();
  link.raw_size = reader.big<std::uint64_t>();
  return link;
}

Anchor parse_anchor(std::span<const std::byte> bytes) {
  if (bytes.size() < kAnchorSize) throw FormatError("is too short");
  const auto checksum = ByteReader(bytes.last(8)).big<std::uint64_t>();
  if (checksum != xxh3_64(bytes.subspan(6, bytes.size() - 14))) throw FormatError("has a wrong checksum");
  ByteReader reader(bytes);
  // The byte count leaves itself and the checksum out, and the checksum the byte count and the class version.
  if (reader.big<std::uint32_t>() != (kByteCountBit | (bytes.size() - 12)))
    throw FormatError("has a wrong byte count");
  reader.take(2);
  Anchor anchor;
  for (std::uint16_t& part : anchor.version) part = reader.big<std::uint16_t>();
  if (anchor.version[0] != 1)
    throw FormatError("is of format version " + decimal(anchor.version[0]) + ", only version 1 can be read");
  anchor.header = parse_anchor_link(reader);
  anchor.footer = parse_anchor_link(reader);
  anchor.max_key_size = reader.big<std::uint64_t>();
  return anchor;
}

// ---- schema

FieldDescriptor parse_field(ByteReader record) {
  FieldDescriptor field;
  field.field_version = record.little<std::uint32_t>();
  field.type_version = record.little<std::uint32_t>();
  field.parent = record.little<std::uint32_t>();
  field.role = static_cast<FieldRole>(record.little<std::uint16_t>());
  const auto flags = record.little<std::uint16_t>();
  field.name = record.envelope_string();
  field.type_name = record.envelope_string();
  field.type_alias = record.envelope_string();
  field.description = record.envelope_string();
  if (flags & kRepetitive) field.repetition = record.little<std::uint64_t>();
  if (flags & kProjected) field.source_field = record.little<std::uint32_t>();
  if (flags & kHasChecksum) field.type_checksum = record.little<std::uint32_t>();
  field.is_soa = (flags & kSoa) != 0;
  return field;
}

ColumnDescriptor parse_column(ByteReader record) {
  ColumnDescriptor column;
  column.type = static_cast<ColumnType>(record.little<std::uint16_t>());
  column.bits_on_storage = record.little<std::uint16_t>();
  column.field = record.little<std::uint32_t>();
  const auto flags = record.little<std::uint16_t>();
  column.representation = record.little<std::uint16_t>();
  if (flags & kDeferred) {
    const auto first = record.little<std::int64_t>();
    column.is_deferred = true;
    column.is_suppressed_deferred = first < 0;
    column.first_element =
        first < 0 ? 0u - static_cast<std::uint64_t>(first) : static_cast<std::uint64_t>(first);
  }
  if (flags & kHasRange) {
    column.value_min = record.little<double>();
    column.value_max = record.little<double>();
  }
  return column;
}

AliasColumn parse_alias(ByteReader record) {
  AliasColumn alias;
  alias.physical_column = record.little<std::uint32_t>();
  alias.field = record.little<std::uint32_t>();
  return alias;
}

// Of the kinds of extra type information only streamer information, number 0, is known.
std::string parse_type_info(ByteReader record) {
  const auto kind = record.little<std::uint32_t>();
  record.little<std::uint32_t>();  // type version
  record.envelope_string();        // type name
  std::string content = record.envelope_string();
  return kind == 0 ? content : std::string();
}

template <typename Item, typename Parse>
std::size_t append_items(Frame frame, std::vector<Item>& items, Parse parse) {
  for (std::uint32_t i = 0; i < frame.num_items; ++i)
    items.push_back(parse(read_record_frame(frame.content)));
  return frame.num_items;
}

template <typename Item, typename Parse>
std::size_t append_items(ByteReader& reader, std::vector<Item>& items, Parse parse) {
  return append_items(read_list_frame(reader), items, parse);
}

// A list to which nothing comes stays shared.
template <typename Item, typename Parse>
std::size_t append_items(ByteReader& reader, SharedList<Item>& items, Parse parse) {
  const Frame frame = read_list_frame(reader);
  return frame.num_items == 0 ? 0 : append_items(frame, items.own(), parse);
}

// Returns how much there was.
std::size_t append_schema(ByteReader& reader, RNTupleDescriptor& descriptor) {
  std::size_t num_items = append_items(reader, descriptor.fields, parse_field);
  num_items += append_items(reader, descriptor.columns, parse_column);
  num_items += append_items(reader, descriptor.aliases, parse_alias);
  return num_items + append_items(reader, descriptor.extra_type_info, parse_type_info);
}

void check_fields(const SharedList<FieldDescriptor>& fields) {
  std::set<std::pair<std::uint64_t, std::string_view>> names;
  constexpr std::uint64_t kTopLevel = ~std::uint64_t{0};
  std::vector<std::size_t> path_sizes;
  for (std::uint32_t id = 0; id < fields.size(); ++id) {
    const FieldDescriptor& field = fields[id];
    const auto fail = [&](const char* problem) {
      throw FormatError("field " + decimal(id) + " \"" + field.name + "\" " + problem);
    };
    if (field.name.empty()) fail("has no name");
    if (field.parent > id) fail("comes before its parent");
    path_sizes.push_back(field.name.size() + (field.parent == id ? 0 : path_sizes[field.parent] + 1));
    if (path_sizes.back() > kMaxFieldPath)
      throw FormatError("field " + decimal(id) + " has a path of " + decimal(path_sizes.back()) + " bytes");
    if (field.source_field && *field.source_field >= fields.size())
      fail("projects a field that does not exist");
    if (!names.emplace(field.parent == id ? kTopLevel : field.parent, field.name).second)
      fail("exists twice");
  }
}

std::string column_in_text(const ColumnDescriptor& column, std::size_t id) {
  return "column " + decimal(id) + " of type " + column_type_name(column.type) + " ";
}

void check_bits(const ColumnDescriptor& column, std::size_t id) {
  const std::optional<std::uint16_t> fixed = fixed_bits(column.type);
  const bool is_reduced = column.type == ColumnType::kReal32Trunc || column.type == ColumnType::kReal32Quant;
  const bool is_bad = fixed ? column.bits_on_storage != *fixed
                            : column.bits_on_storage < 1 || (is_reduced && column.bits_on_storage > 32);
  if (is_bad)
    throw FormatError(column_in_text(column, id) + "cannot have " + decimal(column.bits_on_storage) +
                      " bits");
  const bool is_range = std::isfinite(column.value_min) && std::isfinite(column.value_max) &&
                        column.value_min < column.value_max;
  if (column.type == ColumnType::kReal32Quant && !is_range)
    throw FormatError(column_in_text(column, id) + "has no range of values");
}

void check_columns(const RNTupleDescriptor& descriptor) {
  for (std::size_t id = 0; id < descriptor.columns.size(); ++id) {
    const ColumnDescriptor& column = descriptor.columns[id];
    if (column.field >= descriptor.fields.size())
      throw FormatError(column_in_text(column, id) + "belongs to no field");
    check_bits(column, id);
  }
  for (const AliasColumn& alias : descriptor.aliases)
    if (alias.physical_column >= descriptor.columns.size() || alias.field >= descriptor.fields.size())
      throw FormatError("alias column of a column or field that does not exist");
}

void check_schema(const RNTupleDescriptor& descriptor) {
  check_fields(descriptor.fields);
  check_columns(descriptor);
}

// ---- the whole

KnownHeader parsed_header(std::vector<std::byte> stored, const EnvelopeLink& link) {
  const Envelope envelope = opened_envelope(stored, link, EnvelopeType::kHeader);
  KnownHeader header{std::move(stored), link.raw_size, envelope.checksum, {}};
  ByteReader reader = envelope.payload();
  check_feature_flags(reader);
  header.descriptor.name = reader.envelope_string();
  header.descriptor.description = reader.envelope_string();
  header.descriptor.writer = reader.envelope_string();
  append_schema(reader, header.descriptor);
  check_schema(header.descriptor);
  return header;
}

struct ListedGroup {
  std::uint64_t first_entry = 0;
  std::uint64_t num_entries = 0;
  std::uint32_t num_clusters = 0;
  EnvelopeLink page_list;
};

ListedGroup parse_group(ByteReader record) {
  ListedGroup group;
  group.first_entry = record.little<std::uint64_t>();
  group.num_entries = record.little<std::uint64_t>();
  group.num_clusters = record.little<std::uint32_t>();
  group.page_list.raw_size = record.little<std::uint64_t>();
  group.page_list.locator = read_locator(record);
  return group;
}

// The name of an attribute set: its schema version, and where its anchor is, matter to who reads it only.
std::string parse_attribute_set(ByteReader record) {
  record.little<std::uint16_t>();
  record.little<std::uint16_t>();
  record.little<std::uint32_t>();
  read_locator(record);
  return record.envelope_string();
}

// Runs one step of reading and says in which part it failed.
template <typename Step>
void in_part(const char* part, Step step) {
  try {
    step();
  } catch (const FormatError& error) {
    throw FormatError(std::string(part) + ": " + error.what());
  }
}

class MetadataReader {
 public:
  explicit MetadataReader(const InputFile& file) : file_(file), unread_bytes_(file.size()) {}

  RNTupleDescriptor read(const RootFile& file, const RootKey& key) {
    in_part("anchor", [&] { anchor_ = parse_anchor(file.read_object(key)); });
    in_part("header", [&] { read_header(); });
    in_part("footer", [&] { read_footer(); });
    in_part("page list", [&] {
      for (const ListedGroup& group : groups_) read_group(group);
      finish_clusters(descriptor_);
      check_num_entries();
    });
    return std::move(descriptor_);
  }

  // Without anchor and footer, from the page lists that belong to the header.
  RNTupleDescriptor read(const EnvelopeLink& header, std::span<const EnvelopeLink> page_lists) {
    anchor_.version[0] = 1;
    anchor_.header = header;
    in_part("header", [&] { read_header(); });
    in_part("page list", [&] {
      for (const EnvelopeLink& link : page_lists) add_page_list(link);
      finish_clusters(descriptor_);
      check_num_entries();
    });
    return std::move(descriptor_);
  }

 private:
  // Lists of other RNTuples are left out.
  void add_page_list(const EnvelopeLink& link) {
    const Envelope list = read_envelope(file_, link, EnvelopeType::kPageList);
    ByteReader reader = list.payload();
    if (reader.little<std::uint64_t>() != header_checksum_) return;
    append_page_list(reader, file_, anchor_.max_key_size, descriptor_);
    ++descriptor_.num_cluster_groups;
  }

  std::vector<std::byte> stored_envelope(const EnvelopeLink& link) {
    if (anchor_.max_key_size != 0 && link.locator.size > anchor_.max_key_size)
      throw FormatError("envelopes split over several records cannot be read");
    if (link.locator.size > unread_bytes_) throw FormatError("envelopes overlap");
    std::vector<std::byte> stored = read_stored_envelope(file_, link);
    unread_bytes_ -= link.locator.size;
    return stored;
  }

  Envelope envelope(const EnvelopeLink& link, EnvelopeType type) {
    return opened_envelope(stored_envelope(link), link, type);
  }

  void read_header() {
    std::vector<std::byte> stored = stored_envelope(anchor_.header);
    std::shared_ptr<const KnownHeader> header = find_header(stored, anchor_.header.raw_size);
    if (!header) header = share_header(parsed_header(std::move(stored), anchor_.header));
    header_checksum_ = header->checksum;
    descriptor_ = header->descriptor;
    descriptor_.header = std::move(header);
    descriptor_.version_epoch = anchor_.version[0];
    descriptor_.version_major = anchor_.version[1];
    descriptor_.version_minor = anchor_.version[2];
    descriptor_.version_patch = anchor_.version[3];
  }

  void check_header_checksum(ByteReader& reader) const {
    if (reader.little<std::uint64_t>() != header_checksum_) throw FormatError("belongs to another header");
  }

  void read_footer() {
    const Envelope footer = envelope(anchor_.footer, EnvelopeType::kFooter);
    ByteReader reader = footer.payload();
    check_feature_flags(reader);
    check_header_checksum(reader);
    ByteReader extension = read_record_frame(reader);
    if (extension.remaining() != 0 && append_schema(extension, descriptor_) != 0) check_schema(descriptor_);
    append_items(reader, groups_, parse_group);
    descriptor_.num_cluster_groups = static_cast<std::uint32_t>(groups_.size());
    // Since version 1.0.1.0 of the format.
    if (reader.remaining() != 0) append_items(reader, descriptor_.attribute_sets, parse_attribute_set);
  }

  void read_group(const ListedGroup& group) {
    if (group.num_clusters == 0) return;
    const std::size_t first = descriptor_.clusters.size();
    const Envelope list = envelope(group.page_list, EnvelopeType::kPageList);
    ByteReader reader = list.payload();
    check_header_checksum(reader);
    append_page_list(reader, file_, anchor_.max_key_size, descriptor_);
    check_group(group, std::span(descriptor_.clusters).subspan(first));
  }

  static void check_group(const ListedGroup& group, std::span<const ClusterDescriptor> clusters) {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t end = 0;
    for (const ClusterDescriptor& cluster : clusters) {
      first = std::min(first, cluster.first_entry);
      end = std::max(end, cluster.first_entry + cluster.num_entries);
    }
    if (clusters.size() != group.num_clusters || first != group.first_entry ||
        end - first != group.num_entries)
      throw FormatError("clusters are not those the footer states");
  }

  // Whoever opens the RNTuple cuts it into slices, and remembers each.
  void check_num_entries() const {
    const std::uint64_t bytes = file_.size();
    const std::uint64_t entries = descriptor_.num_entries();
    if (entries > kFreeEntries && (entries - kFreeEntries) / kMaxEntriesPerByte >= bytes)
      throw FormatError("claims " + decimal(entries) + " entries in " + decimal(bytes) + " bytes");
  }

  const InputFile& file_;
  std::uint64_t unread_bytes_;  // of the file, in no envelope so far
  Anchor anchor_;
  std::uint64_t header_checksum_ = 0;
  std::vector<ListedGroup> groups_;
  RNTupleDescriptor descriptor_;
};

std::string quoted_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  return list;
}

bool is_tree(const RootKey& key) {
  return key.class_name == "TTree" || key.class_name == "TNtuple" || key.class_name == "TNtupleD";
}

const RootKey* first_tree(const RootFile& file) {
  const auto found = std::find_if(file.keys().begin(), file.keys().end(), is_tree);
  return found == file.keys().end() ? nullptr : &*found;
}

std::string no_rntuple(const RootFile& file) {
  for (const RootKey& key : file.keys())
    if (std::string problem = pre_release_problem(key); !problem.empty()) return problem;
  if (const RootKey* tree = first_tree(file))
    return "contains no RNTuple: \"" + tree->path + "\" is a " + tree->class_name;
  return "contains no RNTuple or TTree";
}

// What is meant if there are several RNTuples and none is named: those of NanoAOD files are events, runs and
// luminosity blocks.
constexpr std::string_view kEvents = "Events";

// A file without what is asked of it is none that is damaged: the name may be mistyped.
const RootKey& named_anchor(const RootFile& file, std::string_view name) {
  const std::vector<std::string> names = ntuple_names(file);
  const RootKey* named = file.find(name);
  if (const std::string problem = named ? pre_release_problem(*named) : ""; !problem.empty())
    throw FileError(file.path(), problem, FileFault::kUnavailable);
  if (named && named->class_name == kAnchorClass) return *named;  // also an older cycle
  if (names.empty() && named && !is_tree(*named))
    throw FileError(file.path(),
                    "\"" + std::string(name) + "\" is a " + named->class_name + ", not an RNTuple" +
                        (first_tree(file) ? "" : " or TTree") + "; the file contains none",
                    FileFault::kUnavailable);
  if (names.empty()) throw FileError(file.path(), no_rntuple(file), FileFault::kUnavailable);
  const bool has_events = std::find(names.begin(), names.end(), kEvents) != names.end();
  if (name.empty() && names.size() > 1 && !has_events)
    throw FileError(file.path(), "contains several RNTuples, one must be named: " + quoted_list(names),
                    FileFault::kUnavailable);
  const std::string wanted(!name.empty() ? name : has_events ? kEvents : std::string_view(names.front()));
  const RootKey* key = file.find(wanted);
  if (key == nullptr)
    throw FileError(file.path(),
                    "contains no RNTuple \"" + wanted + "\"" + did_you_mean(wanted, names) +
                        "; it contains " + quoted_list(names),
                    FileFault::kUnavailable);
  if (key->class_name != kAnchorClass)
    throw FileError(file.path(),
                    "\"" + wanted + "\" is a " + key->class_name + ", not an RNTuple; the file contains " +
                        quoted_list(names),
                    FileFault::kUnavailable);
  return *key;
}

const RootKey& find_anchor(const RootFile& file, std::string_view name) {
  const RootKey& key = named_anchor(file, name);
  check_only_one(file, key);
  return key;
}

}  // namespace

RNTupleDescriptor read_uncommitted(const InputFile& file, const EnvelopeLink& header,
                                   std::span<const EnvelopeLink> page_lists) {
  return MetadataReader(file).read(header, page_lists);
}

std::vector<std::string> ntuple_names(const RootFile& file) {
  return paths_of_objects(file, [](std::string_view class_name) { return class_name == kAnchorClass; });
}

std::string pre_release_problem(const RootKey& key) {
  if (key.class_name != kPreReleaseClass) return {};
  return "\"" + key.path +
         "\" is a pre-release RNTuple, written by ROOT before 6.34 in a format that was not final: convert "
         "it with "
         "the ROOT that wrote it, by RDataFrame's Snapshot() into a TTree";
}

RNTupleDescriptor read_descriptor(const RootFile& file, std::string_view name) {
  const RootKey& key = find_anchor(file, name);
  try {
    return MetadataReader(file.input()).read(file, key);
  } catch (const FormatError& error) {
    throw FileError(file.path(), "RNTuple \"" + key.path + "\", " + error.what());
  }
}

}  // namespace skimline::io
