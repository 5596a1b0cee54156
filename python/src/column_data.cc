// SPDX-License-Identifier: BSD-3-Clause
#include "column_data.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace skimline::python {
namespace {

using Kind = io::FieldType::Kind;

FieldNode node_of(const io::FieldType& type, std::string values_name, std::string list_name) {
  FieldNode node{type.kind(), type.scalar(), std::move(values_name), std::move(list_name), {}};
  if (type.kind() == Kind::kVector) {
    const bool is_nested = type.item().kind() == Kind::kVector;
    node.parts.push_back(
        node_of(type.item(), node.values_name, is_nested ? node.list_name + "._0" : node.list_name));
  } else if (type.kind() == Kind::kRecord) {
    for (const io::OutputField& member : type.members()) {
      const std::string name = node.values_name + "." + member.name;
      node.parts.push_back(node_of(member.type, name, name));
    }
  }
  return node;
}

bool has_offsets(Kind kind) { return kind == Kind::kString || kind == Kind::kVector; }

std::uint64_t offset(const ColumnData& data, std::uint64_t element) {
  return static_cast<std::uint64_t>(data.offsets[element]);
}

// The items of lists, or the characters of strings.
ElementRange items_of(const ColumnData& data, ElementRange range) {
  return {offset(data, range.begin), offset(data, range.end)};
}

void check_offsets(const FieldNode& node, const ColumnData& data, std::uint64_t num_items) {
  const std::int64_t* const end = data.offsets + data.num_offsets;
  const bool fits = data.num_offsets > 0 && *data.offsets >= 0 && std::is_sorted(data.offsets, end) &&
                    static_cast<std::uint64_t>(end[-1]) <= num_items;
  if (!fits)
    throw SchemaError("column \"" + node.values_name + "\" is damaged: its lists do not lie in its values");
}

void append_lists(io::ListFiller& filler, const ColumnData& data, ElementRange range) {
  for (std::uint64_t i = range.begin; i < range.end; ++i) filler.push(offset(data, i + 1) - offset(data, i));
}

void append_strings(io::StringFiller filler, const ColumnData& data, ElementRange range) {
  const char* const characters = reinterpret_cast<const char*>(data.values);
  for (std::uint64_t i = range.begin; i < range.end; ++i)
    filler.push({characters + offset(data, i), offset(data, i + 1) - offset(data, i)});
}

// Bytes of values, counted in elements of a size.
void add_values(std::vector<std::byte>& values, const std::byte* from, ElementRange range, std::size_t size) {
  values.insert(values.end(), from + range.begin * size, from + range.end * size);
}

}  // namespace

std::vector<FieldNode> nodes_of(const std::vector<io::OutputField>& fields) {
  std::vector<FieldNode> nodes;
  for (const io::OutputField& field : fields) nodes.push_back(node_of(field.type, field.name, field.name));
  return nodes;
}

void check_data(const FieldNode& node, const ColumnData& data, std::uint64_t size) {
  if (has_offsets(node.kind))
    check_offsets(node, data, node.kind == Kind::kString ? data.num_values : data.parts.at(0).size());
  if (data.size() != size)
    throw SchemaError("column \"" + node.values_name + "\" has " + std::to_string(data.size()) +
                      (data.size() == 1 ? " element where " : " elements where ") + std::to_string(size) +
                      " were expected");
  for (std::size_t i = 0; i < node.parts.size(); ++i)
    check_data(node.parts[i], data.parts.at(i),
               node.kind == Kind::kVector ? data.parts[i].size() : data.size());
}

std::uint64_t bytes_of(const FieldNode& node, const ColumnData& data, ElementRange range) {
  if (node.kind == Kind::kScalar) return range.size() * size_of(node.scalar);
  std::uint64_t bytes = 0;
  if (has_offsets(node.kind)) {
    bytes = range.size() * sizeof(std::uint64_t);
    range = items_of(data, range);
    if (node.kind == Kind::kString) bytes += range.size();
  }
  for (std::size_t i = 0; i < node.parts.size(); ++i) bytes += bytes_of(node.parts[i], data.parts[i], range);
  return bytes;
}

void append(io::FillContext& context, const FieldNode& node, const ColumnData& data, ElementRange range) {
  switch (node.kind) {
    case Kind::kScalar:
      visit_scalar(node.scalar, [&](auto tag) {
        using Scalar = typename decltype(tag)::type;
        const auto* const values = reinterpret_cast<const Scalar*>(data.values) + range.begin;
        context.values<Scalar>(node.values_name).append({values, range.size()});
      });
      return;
    case Kind::kString:
      append_strings(context.strings(node.values_name), data, range);
      return;
    case Kind::kVector:
      append_lists(context.list(node.list_name), data, range);
      range = items_of(data, range);
      break;
    case Kind::kRecord:
      break;
  }
  for (std::size_t i = 0; i < node.parts.size(); ++i) append(context, node.parts[i], data.parts[i], range);
}

void ColumnCopy::add(const FieldNode& node, const ColumnData& data, ElementRange range) {
  if (node.kind == Kind::kScalar) {
    num_values += range.size();
    if (range.size() > 0) add_values(values, data.values, range, size_of(node.scalar));
    return;
  }
  if (has_offsets(node.kind)) {
    if (offsets.empty()) offsets.push_back(0);
    const std::int64_t shift = offsets.back() - data.offsets[range.begin];
    for (std::uint64_t i = range.begin; i < range.end; ++i) offsets.push_back(data.offsets[i + 1] + shift);
    range = items_of(data, range);
  }
  num_values += range.size();
  if (node.kind == Kind::kString && range.size() > 0) add_values(values, data.values, range, 1);
  parts.resize(node.parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].add(node.parts[i], data.parts[i], range);
}

ColumnData ColumnCopy::view() const {
  ColumnData data{values.data(), num_values, offsets.data(), offsets.size(), {}};
  for (const ColumnCopy& part : parts) data.parts.push_back(part.view());
  return data;
}

}  // namespace skimline::python
