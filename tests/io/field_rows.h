// SPDX-License-Identifier: BSD-3-Clause
// Given to ROOT's interpreter by root_types.py: reads any RNTuple as text, bit for bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ROOT/RColumnElementBase.hxx>
#include <ROOT/RField.hxx>
#include <ROOT/RNTupleDescriptor.hxx>
#include <ROOT/RNTupleModel.hxx>
#include <ROOT/RNTupleReader.hxx>
#include <TBufferFile.h>

namespace field_kinds {

inline void append_bytes(const void* data, std::size_t size, std::string& out) {
  static const char digits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<const unsigned char*>(data)[i];
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
}

void append_value(const ROOT::RFieldBase::RValue& value, std::string& out);

/// ROOT does not say which alternative a variant holds: its tag follows the largest alternative, as libstdc++
/// has it.
inline void append_variant(const ROOT::RFieldBase::RValue& value, std::string& out) {
  const auto alternatives = value.GetField().GetConstSubfields();
  std::size_t tag_offset = 1;
  for (auto* alternative : alternatives) {
    tag_offset = std::max({tag_offset, alternative->GetValueSize(), alternative->GetAlignment()});
  }
  const auto start = value.GetPtr<void>();
  const auto tag = static_cast<const std::uint8_t*>(start.get())[tag_offset];
  out += std::to_string(static_cast<int>(static_cast<std::int8_t>(tag))) + ":";
  if (tag >= alternatives.size()) return;
  // Binding needs a field that may change, but reads only.
  append_value(const_cast<ROOT::RFieldBase*>(alternatives[tag])->BindValue(start), out);
}

inline void append_streamed(const ROOT::RFieldBase::RValue& value, std::string& out) {
  TBufferFile buffer(TBuffer::kWrite);
  auto* described = TClass::GetClass(value.GetField().GetTypeName().c_str());
  described->Streamer(value.GetPtr<void>().get(), buffer);
  append_bytes(buffer.Buffer(), static_cast<std::size_t>(buffer.Length()), out);
}

/// The value as text that says all its bits: "float:0000803f", "[[...],[...]]", "'text'".
inline void append_value(const ROOT::RFieldBase::RValue& value, std::string& out) {
  const auto& field = value.GetField();
  if (dynamic_cast<const ROOT::RVariantField*>(&field) != nullptr) return append_variant(value, out);
  if (dynamic_cast<const ROOT::RStreamerField*>(&field) != nullptr) return append_streamed(value, out);
  if (field.GetTypeName() == "std::string") {
    out += "'" + *value.GetPtr<std::string>() + "'";
    return;
  }
  const auto children = field.GetConstSubfields();
  const bool is_record = field.GetStructure() == ROOT::ENTupleStructure::kRecord;
  if (children.empty() && !is_record) {
    append_bytes(value.GetPtr<void>().get(), field.GetValueSize(), out);
    return;
  }
  out += is_record ? "{" : "[";
  for (const auto& part : field.SplitValue(value)) {
    append_value(part, out);
    out += ",";
  }
  out += is_record ? "}" : "]";
}

/// Whether ROOT 6.40 can make a field for classes that it does not know: it aborts at names that older ROOTs
/// have spelled another way, as `A<B<C> >`.
inline bool is_readable(const ROOT::RNTupleDescriptor& descriptor, const ROOT::RFieldDescriptor& field) {
  if (field.GetTypeName().find("> >") != std::string::npos) return false;
  for (const auto& child : descriptor.GetFieldIterable(field)) {
    if (!is_readable(descriptor, child)) return false;
  }
  return true;
}

/// All entries of all top-level fields of an RNTuple.
struct Rows {
  std::vector<std::string> names;
  std::vector<std::string> unreadable;            ///< names of the fields that ROOT cannot read
  std::vector<std::vector<std::string>> columns;  ///< [field][entry]

  Rows(const std::string& ntuple, const std::string& path) {
    auto model = ROOT::RNTupleModel::CreateBare();
    {
      auto plain = ROOT::RNTupleReader::Open(ntuple, path);
      const auto& descriptor = plain->GetDescriptor();
      ROOT::RCreateFieldOptions options;
      options.SetEmulateUnknownTypes(true);
      for (const auto& described : descriptor.GetTopLevelFields()) {
        if (!is_readable(descriptor, described)) {
          unreadable.push_back(described.GetFieldName());
          continue;
        }
        model->AddField(described.CreateField(descriptor, options));
        names.push_back(described.GetFieldName());
      }
    }
    auto reader = ROOT::RNTupleReader::Open(std::move(model), ntuple, path);
    auto entry = reader->GetModel().CreateEntry();
    columns.resize(names.size());
    for (ROOT::NTupleSize_t row = 0; row < reader->GetNEntries(); ++row) {
      reader->LoadEntry(row, *entry);
      std::size_t field = 0;
      for (const auto& value : *entry) append_value(value, columns[field++].emplace_back());
    }
  }
};

/// For each field of which `carried` is not every `modulo`-th entry: the first entry that differs, and how.
inline std::vector<std::string> differences(const Rows& source, const Rows& carried, std::size_t modulo) {
  if (source.names != carried.names) return {"other fields"};
  std::vector<std::string> out;
  for (std::size_t field = 0; field < source.names.size(); ++field) {
    const auto& expected = source.columns[field];
    const auto& found = carried.columns[field];
    const auto wanted = (expected.size() + modulo - 1) / modulo;
    const auto where = "field " + source.names[field] + ": ";
    if (found.size() != wanted) {
      out.push_back(where + std::to_string(found.size()) + " entries instead of " + std::to_string(wanted));
      continue;
    }
    std::size_t row = 0;
    while (row < wanted && found[row] == expected[row * modulo]) ++row;
    if (row == wanted) continue;
    out.push_back(where + "entry " + std::to_string(row) + " (" + std::to_string(row * modulo) +
                  " of the source) is " + found[row].substr(0, 500) + " instead of " +
                  expected[row * modulo].substr(0, 500));
  }
  return out;
}

/// The fields of which `merged` does not have the entries of `part` from entry `begin` on, or has more after
/// the last part.
inline std::vector<std::string> differences_from(const Rows& merged, const Rows& part, std::size_t begin,
                                                 bool is_last) {
  std::vector<std::string> out;
  for (std::size_t field = 0; field < part.names.size(); ++field) {
    const auto& expected = part.columns[field];
    const auto& found = merged.columns[field];
    const auto end = begin + expected.size();
    const bool is_long_enough = is_last ? found.size() == end : found.size() >= end;
    if (is_long_enough && std::equal(expected.begin(), expected.end(), found.begin() + begin)) continue;
    out.push_back(part.names[field]);
  }
  return out;
}

inline void append_field(const ROOT::RNTupleDescriptor& descriptor, const ROOT::RFieldDescriptor& field,
                         std::vector<std::string>& out) {
  std::string line = descriptor.GetQualifiedFieldName(field.GetId());
  line += " type=" + field.GetTypeName() + " alias=" + field.GetTypeAlias();
  line += " description=" + field.GetFieldDescription();
  line += " structure=" + std::to_string(static_cast<int>(field.GetStructure()));
  line +=
      " versions=" + std::to_string(field.GetFieldVersion()) + "," + std::to_string(field.GetTypeVersion());
  line += " repetitions=" + std::to_string(field.GetNRepetitions());
  line += " checksum=" + (field.GetTypeChecksum() ? std::to_string(*field.GetTypeChecksum()) : "none");
  line += " soa=" + std::to_string(field.IsSoACollection());
  if (field.IsProjectedField()) {
    line += " projects=" + descriptor.GetQualifiedFieldName(field.GetProjectionSourceId());
  }
  out.push_back(line);
  for (const auto& child : descriptor.GetFieldIterable(field)) append_field(descriptor, child, out);
}

/// One line for the RNTuple and one for each field and sub-field, in their order, with all that is known of
/// them.
inline std::vector<std::string> described_fields(const std::string& ntuple, const std::string& path) {
  auto reader = ROOT::RNTupleReader::Open(ntuple, path);
  const auto& descriptor = reader->GetDescriptor();
  std::vector<std::string> out;
  for (const auto& field : descriptor.GetTopLevelFields()) append_field(descriptor, field, out);
  return out;
}

inline std::size_t cluster_count(const std::string& ntuple, const std::string& path) {
  return ROOT::RNTupleReader::Open(ntuple, path)->GetDescriptor().GetNClusters();
}

inline void append_columns(const ROOT::RNTupleDescriptor& descriptor, const ROOT::RFieldDescriptor& field,
                           std::vector<std::string>& out) {
  for (const auto& column : descriptor.GetColumnIterable(field)) {
    auto type = std::string(ROOT::Internal::RColumnElementBase::GetColumnTypeName(column.GetType()));
    if (type.rfind("Split", 0) == 0) type = type.substr(5);
    std::string line = descriptor.GetQualifiedFieldName(field.GetId()) + ": " + type;
    line += " bits=" + std::to_string(column.GetBitsOnStorage());
    line += " representation=" + std::to_string(column.GetRepresentationIndex());
    if (const auto range = column.GetValueRange()) {
      line += " range=" + std::to_string(range->fMin) + "," + std::to_string(range->fMax);
    }
    out.push_back(line);
  }
  for (const auto& child : descriptor.GetFieldIterable(field)) append_columns(descriptor, child, out);
}

/// One line for each column, with its width but not with the order of its bytes, which is the writer's
/// choice.
inline std::vector<std::string> described_columns(const std::string& ntuple, const std::string& path) {
  auto reader = ROOT::RNTupleReader::Open(ntuple, path);
  const auto& descriptor = reader->GetDescriptor();
  std::vector<std::string> out;
  for (const auto& field : descriptor.GetFieldIterable(descriptor.GetFieldZeroId()))
    append_columns(descriptor, field, out);
  return out;
}

}  // namespace field_kinds
