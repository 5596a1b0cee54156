// SPDX-License-Identifier: BSD-3-Clause
// Builds a file around a streamed TTree, independently of the writer, so that whatever bytes are inside are
// reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::testing {

/// The key in front of a StreamerInfo, as ROOT writes it.
inline constexpr std::uint16_t kStreamerInfoKeySize = 64;
/// The largest one that wrap() takes; the smallest is that of the names.
inline constexpr std::uint16_t kLargestTreeKeySize = 1000;
inline constexpr std::uint16_t kSmallestTreeKeySize = 40;

struct WrappedTree {
  std::uint16_t key_size = 64;               ///< which references in the tree count
  std::span<const std::byte> streamer_info;  ///< none if empty
  std::span<const std::byte> object;
};

namespace tree_file {

inline constexpr std::size_t kDirectory = 100, kKeyList = 160, kFirstRecord = 256;
inline constexpr std::uint16_t kListKeySize = 29;

struct Key {
  std::size_t size;
  std::size_t object_size;
  std::size_t offset;
  std::string_view class_name, name;
};

class FileBytes {
 public:
  template <typename T>
  void big(std::uint64_t value) {
    for (std::size_t i = sizeof(T); i-- > 0;) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void text(std::string_view text) { raw(std::as_bytes(std::span(text))); }
  void root_string(std::string_view string) {
    big<std::uint8_t>(string.size());
    text(string);
  }
  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void key(const Key& key) {
    big<std::uint32_t>(key.size + key.object_size);
    big<std::uint16_t>(4);
    big<std::uint32_t>(key.object_size);
    big<std::uint32_t>(0);  // date
    big<std::uint16_t>(key.size);
    big<std::uint16_t>(1);  // cycle
    big<std::uint32_t>(key.offset);
    big<std::uint32_t>(kDirectory);
    root_string(key.class_name);
    root_string(key.name);
    root_string("");
  }
  void pad_to(std::size_t size) { bytes_.resize(size); }
  std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tree_file

/// Returns a file with the tree "t", uncompressed.
inline std::vector<std::byte> wrap(const WrappedTree& tree) {
  using namespace tree_file;
  const std::size_t info_size = tree.streamer_info.size();
  const Key info{kStreamerInfoKeySize, info_size, kFirstRecord, "TList", "StreamerInfo"};
  const std::size_t tree_offset = info_size == 0 ? kFirstRecord : kFirstRecord + info.size + info_size;
  const Key key{tree.key_size, tree.object.size(), tree_offset, "TTree", "t"};
  const std::size_t end = tree_offset + tree.key_size + tree.object.size();
  FileBytes file;
  file.text("root");
  for (const std::size_t field : {std::size_t{64000}, kDirectory, end}) file.big<std::uint32_t>(field);
  file.pad_to(37);
  file.big<std::uint32_t>(info_size == 0 ? 0 : kFirstRecord);
  file.big<std::uint32_t>(info_size == 0 ? 0 : info.size + info_size);
  file.pad_to(kDirectory);
  file.big<std::uint16_t>(5);
  file.big<std::uint64_t>(0);  // dates
  file.big<std::uint32_t>(kFirstRecord - kKeyList);
  file.big<std::uint32_t>(0);
  file.big<std::uint64_t>(0);  // directory, parent
  file.big<std::uint32_t>(kKeyList);
  file.pad_to(kKeyList);
  file.key({kListKeySize, kFirstRecord - kKeyList - kListKeySize, kKeyList, "", ""});
  file.big<std::uint32_t>(1);
  file.key(key);
  file.pad_to(kFirstRecord);
  if (info_size > 0) {
    file.key(info);
    file.pad_to(kFirstRecord + info.size);
    file.raw(tree.streamer_info);
  }
  file.key(key);
  file.pad_to(tree_offset + tree.key_size);
  file.raw(tree.object);
  return std::move(file).take();
}

}  // namespace skimline::testing
