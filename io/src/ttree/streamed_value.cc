// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/streamed_value.h"

#include "columns/type_name.h"

#include <algorithm>
#include <string_view>

namespace skimline::io {

bool is_doubtful(const StreamedValue& value) {
  if (value.is_doubtful) return true;
  switch (value.kind) {
    case StreamedValue::Kind::kObject:
      if (value.has_header) return true;
      break;
    case StreamedValue::Kind::kPointer:
    case StreamedValue::Kind::kOpaque:
    case StreamedValue::Kind::kHeadedOpaque:
      return true;
    default:
      break;
  }
  return std::any_of(value.parts.begin(), value.parts.end(), is_doubtful);
}

bool has_arrays_of_enumerations(const StreamedValue& value) {
  const bool is_array = value.kind == StreamedValue::Kind::kNumbers && !value.dimensions.empty();
  const std::string_view type = std::string_view(value.type_name).substr(0, value.type_name.find('['));
  if (is_array && value.number.scalar == ScalarType::kInt32 && !number_called(type)) return true;
  return std::any_of(value.parts.begin(), value.parts.end(), has_arrays_of_enumerations);
}

bool has_pointers(const StreamedValue& value) {
  return value.kind == StreamedValue::Kind::kPointed ||
         std::any_of(value.parts.begin(), value.parts.end(), has_pointers);
}

bool has_known_ends(const StreamedValue& value) {
  return value.kind != StreamedValue::Kind::kUnknown &&
         std::all_of(value.parts.begin(), value.parts.end(), has_known_ends);
}

bool is_pair(const StreamedValue& value) {
  return value.kind == StreamedValue::Kind::kObject && value.version < 0;
}

bool has_undescribed_items(const StreamedValue& list) {
  return std::any_of(list.parts.begin(), list.parts.end(), [&](const StreamedValue& item) {
    const bool is_in_array = list.kind == StreamedValue::Kind::kHeadedArray && item.is_headed();
    const bool has_items = item.kind == StreamedValue::Kind::kList || is_pair(item) || is_in_array;
    return item.kind == StreamedValue::Kind::kOpaque || (has_items && has_undescribed_items(item));
  });
}

std::string classes_of(const StreamedValue& value) {
  std::string classes;
  if (value.kind == StreamedValue::Kind::kObject)
    classes = value.type_name + " " + std::to_string(value.version) + " " + std::to_string(value.checksum);
  classes += '(';
  for (const StreamedValue& part : value.parts) classes += classes_of(part);
  return classes + ')';
}

}  // namespace skimline::io
