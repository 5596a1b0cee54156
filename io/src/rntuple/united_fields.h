// SPDX-License-Identifier: BSD-3-Clause
// The fields that the schemas of several RNTuples have together.
#pragma once

#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace skimline::io {

inline constexpr std::uint32_t kNoField = std::numeric_limits<std::uint32_t>::max();

/// A schema of one or more files.
struct AddedSchema {
  std::vector<std::byte> bytes;  ///< to compare
  RNTupleDescriptor descriptor;  ///< without clusters
  std::string file;              ///< the first that has it
  std::size_t num_files = 0;
};

/// One column of a representation: its type, its bits, and the range of its values.
using ColumnStorage = std::tuple<ColumnType, std::uint16_t, double, double>;
using Representation = std::vector<ColumnStorage>;

/// Those of a schema, by field.
std::vector<std::vector<Representation>> representations_of(const RNTupleDescriptor& descriptor);

/// A field of the whole.
struct UnitedField {
  FieldDescriptor descriptor;  ///< of the first file that has it; its parent is a number of the whole
  std::string path;
  std::uint32_t shown = kNoField;   ///< of a projected field: whose columns it shows
  std::uint32_t source = kNoField;  ///< of a projected field
  std::vector<Representation> representations;
  std::optional<ColumnStorage> reduced;  ///< that of its representations, if there is one
  std::size_t reduced_schema = 0;        ///< that has it first
  std::size_t first_schema = 0;
  std::set<std::size_t> schemas;  ///< that have it
  std::string difference;         ///< with another file, in words
  bool is_left_out = false;
};

/// All fields, a parent before its children, and what differs between the schemas that have them.
class UnitedFields {
 public:
  /// The schemas must outlive the object.
  explicit UnitedFields(const std::vector<AddedSchema>& added);

  std::size_t size() const { return fields_.size(); }
  UnitedField& operator[](std::uint32_t number) { return fields_[number]; }
  const UnitedField& operator[](std::uint32_t number) const { return fields_[number]; }

  bool is_top(std::uint32_t number) const { return fields_[number].descriptor.parent == number; }
  /// The number of the whole that a field of a schema has.
  std::uint32_t number_of(std::size_t schema, std::uint32_t field) const { return numbers_[schema][field]; }

 private:
  void add(std::size_t schema);
  std::uint32_t find_or_add(std::size_t schema, std::uint32_t id);
  std::map<std::uint32_t, std::uint32_t> fields_of_collections(std::size_t schema) const;
  void identify(const RNTupleDescriptor& here, std::uint32_t id, std::uint32_t number,
                std::map<std::uint32_t, std::uint32_t>& known) const;
  static bool is_in_untyped_collection(const RNTupleDescriptor& here, std::uint32_t id);
  void compare(UnitedField& field, std::size_t schema, std::uint32_t id,
               const std::vector<Representation>& representations) const;
  void differ(UnitedField& field, std::size_t schema, const std::string& here,
              const std::string& there) const;
  void add_representation(UnitedField& field, std::size_t schema, const Representation& representation) const;
  void connect(UnitedField& field, std::size_t schema, std::uint32_t source, std::uint32_t shown) const;

  const RNTupleDescriptor& descriptor(std::size_t schema) const { return added_[schema].descriptor; }

  const std::vector<AddedSchema>& added_;
  std::vector<UnitedField> fields_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> by_name_;  // by parent and name
  std::vector<std::vector<std::uint32_t>> numbers_;                         // by schema and field
};

}  // namespace skimline::io
