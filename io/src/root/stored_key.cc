// SPDX-License-Identifier: BSD-3-Clause
#include "root/stored_key.h"

namespace skimline::io {
namespace {

constexpr int kProcessBits = 64 - kDirectoryBits;

}  // namespace

bool is_directory_class(std::string_view name) { return name == "TDirectory" || name == "TDirectoryFile"; }

StoredKey parse_key(ByteReader& reader) {
  StoredKey key;
  const std::size_t before = reader.remaining();
  const auto record_size = reader.big<std::int32_t>();
  const auto version = reader.big<std::uint16_t>();
  key.object_size = reader.big<std::uint32_t>();
  reader.take(4);  // date
  key.key_size = reader.big<std::uint16_t>();
  key.cycle = reader.big<std::uint16_t>();
  const bool is_long = version > kLargeRecord;
  key.offset = is_long ? reader.big<std::uint64_t>() : reader.big<std::uint32_t>();
  key.directory =
      is_long ? reader.big<std::uint64_t>() << kProcessBits >> kProcessBits : reader.big<std::uint32_t>();
  key.class_name = reader.root_string();
  key.name = reader.root_string();
  key.title = reader.root_string();
  if (record_size < 0 || static_cast<std::uint32_t>(record_size) < key.key_size)
    throw FormatError("key \"" + key.name + "\" has an impossible size");
  key.is_directory = is_directory_class(key.class_name);
  // Old writers counted the name of the base class in keys of directories.
  if (before - reader.remaining() > key.key_size && key.key_size != 0 && !key.is_directory)
    throw FormatError("key \"" + key.name + "\" is longer than it says");
  key.record_size = static_cast<std::uint32_t>(record_size);
  return key;
}

}  // namespace skimline::io
