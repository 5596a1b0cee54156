// SPDX-License-Identifier: BSD-3-Clause
#include "root/record_key.h"

#include "root/stored_key.h"

namespace skimline::io {
namespace {

constexpr std::uint16_t kKeyVersion = 4;
constexpr std::uint16_t kLongVersion = 1004;

}  // namespace

std::size_t root_string_size(const std::string& text) { return text.size() + (text.size() < 255 ? 1 : 5); }

std::size_t RecordKey::size() const {
  return (is_long ? 34 : 26) + root_string_size(class_name) + root_string_size(name) +
         root_string_size(title);
}

void RecordKey::write(ByteWriter& out) const {
  out.big<std::uint32_t>(static_cast<std::uint32_t>(record_size()));
  out.big<std::uint16_t>(is_long ? kLongVersion : kKeyVersion);
  out.big<std::uint32_t>(static_cast<std::uint32_t>(object_size));
  out.big<std::uint32_t>(kFixedDate);
  out.big<std::uint16_t>(static_cast<std::uint16_t>(size()));
  out.big<std::uint16_t>(1);  // cycle
  if (is_long) {
    out.big<std::uint64_t>(offset);
    out.big<std::uint64_t>(directory | static_cast<std::uint64_t>(process_offset) << kDirectoryBits);
  } else {
    out.big<std::uint32_t>(static_cast<std::uint32_t>(offset));
    out.big<std::uint32_t>(static_cast<std::uint32_t>(directory));
  }
  out.root_string(class_name);
  out.root_string(name);
  out.root_string(title);
}

RecordKey blob_key(std::uint64_t object_size) {
  RecordKey key{"RBlob", "", ""};
  key.object_size = object_size;
  key.is_long = true;
  return key;
}

}  // namespace skimline::io
