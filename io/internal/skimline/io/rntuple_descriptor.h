// SPDX-License-Identifier: BSD-3-Clause
// The metadata of one RNTuple in the words of the RNTuple specification 1.0: fields, columns, clusters,
// pages.
#pragma once

#include "skimline/io/page_infos.h"
#include "skimline/io/shared_list.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// On-disk types of columns, numbered as in the specification.
enum class ColumnType : std::uint16_t {
  kBit = 0x00,
  kByte = 0x01,
  kChar = 0x02,
  kInt8 = 0x03,
  kUInt8 = 0x04,
  kInt16 = 0x05,
  kUInt16 = 0x06,
  kInt32 = 0x07,
  kUInt32 = 0x08,
  kInt64 = 0x09,
  kUInt64 = 0x0A,
  kReal16 = 0x0B,
  kReal32 = 0x0C,
  kReal64 = 0x0D,
  kIndex32 = 0x0E,
  kIndex64 = 0x0F,
  kSwitch = 0x10,
  kSplitInt16 = 0x11,
  kSplitUInt16 = 0x12,
  kSplitInt32 = 0x13,
  kSplitUInt32 = 0x14,
  kSplitInt64 = 0x15,
  kSplitUInt64 = 0x16,
  kSplitReal16 = 0x17,
  kSplitReal32 = 0x18,
  kSplitReal64 = 0x19,
  kSplitIndex32 = 0x1A,
  kSplitIndex64 = 0x1B,
  kReal32Trunc = 0x1C,
  kReal32Quant = 0x1D,
};

enum class FieldRole : std::uint16_t {
  kPlain = 0,
  kCollection = 1,
  kRecord = 2,
  kVariant = 3,
  kStreamer = 4
};

struct FieldDescriptor {
  std::uint32_t field_version = 0;
  std::uint32_t type_version = 0;
  std::uint32_t parent = 0;  ///< own id for top-level fields
  FieldRole role = FieldRole::kPlain;
  std::string name;
  std::string type_name;
  std::string type_alias;
  std::string description;
  std::optional<std::uint64_t> repetition;    ///< fixed-size arrays and bitsets
  std::optional<std::uint32_t> source_field;  ///< projected fields
  std::optional<std::uint32_t> type_checksum;
  bool is_soa = false;

  friend bool operator==(const FieldDescriptor&, const FieldDescriptor&) = default;
};

struct ColumnDescriptor {
  ColumnType type = ColumnType::kReal32;
  std::uint16_t bits_on_storage = 32;
  std::uint32_t field = 0;
  std::uint16_t representation = 0;
  bool is_deferred = false;
  bool is_suppressed_deferred = false;  ///< deferred with a negative first element index
  std::uint64_t first_element = 0;      ///< of deferred columns
  double value_min = 0, value_max = 0;  ///< Real32Quant only

  friend bool operator==(const ColumnDescriptor&, const ColumnDescriptor&) = default;
};

/// A column of a projected field: another name for a physical column.
struct AliasColumn {
  std::uint32_t physical_column = 0;
  std::uint32_t field = 0;

  friend bool operator==(const AliasColumn&, const AliasColumn&) = default;
};

/// The pages of one column in one cluster, in element order.
struct ColumnRange {
  std::uint64_t first_element = 0;  ///< number of elements of the column in all earlier clusters
  bool is_suppressed = false;
  std::uint32_t compression = 0;  ///< ROOT's number, as declared; not needed to read
  PageInfos pages;

  std::uint64_t num_elements() const;
};

struct ClusterDescriptor {
  std::uint64_t first_entry = 0;
  std::uint64_t num_entries = 0;
  std::vector<ColumnRange> columns;  ///< by physical column id; shorter where columns were added later
};

struct KnownHeader;

/// Everything known about one RNTuple but the values.
struct RNTupleDescriptor {
  std::string name;
  std::string description;
  std::string writer;  ///< the program that wrote the file, free text
  std::uint16_t version_epoch = 1, version_major = 0, version_minor = 0, version_patch = 0;
  SharedList<FieldDescriptor> fields;  ///< by field id, a parent before its children
  SharedList<ColumnDescriptor> columns;
  SharedList<AliasColumn> aliases;
  std::vector<std::string> extra_type_info;  ///< ROOT's description of the types of streamed objects
  std::vector<std::string> attribute_sets;   ///< names of the RNTuples with attributes of entries
  std::vector<ClusterDescriptor> clusters;   ///< in entry order, contiguous from 0
  std::uint32_t num_cluster_groups = 0;
  std::shared_ptr<const KnownHeader> header;  ///< kept for files with an equal one

  std::uint64_t num_entries() const;
  bool is_top_level(std::uint32_t field) const { return fields[field].parent == field; }
  /// Names of the fields with those of their parents, "Muon_pt._0", by field id.
  std::vector<std::string> field_paths() const;
};

/// Bits per element, or nothing where the type does not fix them (Real32Trunc, Real32Quant) or is unknown.
std::optional<std::uint16_t> fixed_bits(ColumnType type);

/// The specification's name of a type, such as "SplitReal32"; "type 0x2a" if unknown.
std::string column_type_name(ColumnType type);

}  // namespace skimline::io
