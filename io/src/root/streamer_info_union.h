// SPDX-License-Identifier: BSD-3-Clause
// The StreamerInfo of several files as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace skimline::io {

/// All descriptions of classes that files have, in the order in which they come: of each class every version
/// and checksum once.
class StreamerInfoUnion {
 public:
  StreamerInfoUnion() = default;
  StreamerInfoUnion(const StreamerInfoUnion&) = delete;
  StreamerInfoUnion& operator=(const StreamerInfoUnion&) = delete;

  /// Adds what the uncompressed payload of a record has, whose key has `key_size` bytes. What is damaged adds
  /// nothing.
  void add(std::span<const std::byte> payload, std::size_t key_size);

  /// The same of a list with its class in front, as RNTuples have it.
  void add_object(std::span<const std::byte> bytes);

  bool empty() const { return classes_.empty(); }

  /// Returns the payload of the record of all, for a key of `key_size` bytes.
  std::vector<std::byte> list(std::size_t key_size) const;

  /// The same list with its class in front.
  std::vector<std::byte> object() const;

 private:
  struct Element {
    std::string class_name;
    std::vector<std::byte> object;
  };
  struct Class {
    std::uint16_t version = 0;        // of TStreamerInfo
    std::vector<std::byte> front;     // name, checksum and version of the class
    std::uint16_t array_version = 0;  // of TObjArray
    std::vector<std::byte> array_front;
    std::vector<Element> elements;
  };
  struct Contents;
  enum class Front { kNone, kClass };

  static Contents read(std::span<const std::byte> payload, std::size_t key_size, Front front);
  void add(std::span<const std::byte> payload, std::size_t key_size, Front front);
  std::vector<std::byte> written(std::size_t key_size, Front front) const;

  std::set<std::uint64_t> seen_;  // hashes of payloads
  std::set<std::tuple<std::string, std::int32_t, std::uint32_t>> known_;
  std::vector<Class> classes_;
  std::set<std::uint64_t> known_rules_;        // hashes
  std::vector<std::vector<std::byte>> rules_;  // about older versions: objects of class TObjString
  std::vector<std::byte> rules_front_;
};

}  // namespace skimline::io
