// SPDX-License-Identifier: BSD-3-Clause
// The key in front of each record of a ROOT file, as it is read: nothing of it is trusted.
#pragma once

#include "storage/byte_reader.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace skimline::io {

/// Places in keys of greater versions have 64 bits.
inline constexpr std::uint16_t kLargeRecord = 1000;
/// Of a place of a directory; the bits above are what the key adds to numbers of processes.
inline constexpr int kDirectoryBits = 48;

/// A key, in front of its record or in a list.
struct StoredKey {
  std::string name, class_name, title;
  std::uint16_t cycle = 0;
  std::uint64_t offset = 0;       ///< of the record
  std::uint32_t record_size = 0;  ///< key and stored payload
  std::uint16_t key_size = 0;
  std::uint32_t object_size = 0;  ///< of the payload once decompressed
  std::uint64_t directory = 0;    ///< offset of the record of the directory it belongs to
  bool is_directory = false;      ///< by its class

  /// The same as a RootKey, whose path is the name alone.
  template <typename Key>
  Key as() const {
    return Key{name, class_name, title, cycle, offset, record_size, key_size, object_size};
  }
};

bool is_directory_class(std::string_view name);

/// Takes a key from `reader`. Throws FormatError if it is damaged.
StoredKey parse_key(ByteReader& reader);

inline constexpr const char* kAnotherKey = "its record has another key than the list of keys";

/// Whether the key in front of a record is of the object at a path, and gives the extents that a list does.
/// ROOT reads sizes and place from either.
template <typename Listed>
bool is_key_of(const StoredKey& own, const std::string& path, const std::string& class_name,
               const Listed& listed) {
  return path.ends_with(own.name) && own.class_name == class_name && own.offset == listed.offset &&
         own.record_size == listed.record_size && own.key_size == listed.key_size &&
         own.object_size == listed.object_size;
}

}  // namespace skimline::io
