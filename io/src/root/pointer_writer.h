// SPDX-License-Identifier: BSD-3-Clause
// Objects behind pointers: ROOT names their class once and then refers to the place of that name.
#pragma once

#include "root/object_streaming.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace skimline::io {

class PointerWriter {
 public:
  /// Places are counted from the record's key, of `key_size` bytes, in front of what `out` holds.
  PointerWriter(ByteWriter& out, std::size_t key_size) : out_(out), key_size_(key_size) {}

  /// Writes the class of an object, by name at first, and what `write_body` writes. Returns what
  /// write_reference() takes.
  template <typename Body>
  std::uint32_t write(const char* class_name, Body&& write_body) {
    const std::uint32_t reference = reference_to_here();
    write_counted(out_, [&] {
      write_tag(class_name);
      write_body();
    });
    return reference;
  }

  /// The same for an object that begins with its version.
  template <typename Members>
  std::uint32_t write(const char* class_name, std::uint16_t version, Members&& write_members) {
    return write(class_name, [&] { write_object(out_, version, write_members); });
  }

  /// Writes a pointer to an object that was written before.
  void write_reference(std::uint32_t reference) { out_.big<std::uint32_t>(reference); }

  void write_null() { out_.big<std::uint32_t>(0); }

 private:
  std::uint32_t reference_to_here() const {
    return static_cast<std::uint32_t>(key_size_ + out_.size() + kReferenceOffset);
  }

  void write_tag(const char* class_name) {
    const std::uint32_t reference = reference_to_here();
    const auto [entry, is_new] = references_.try_emplace(class_name, reference);
    if (!is_new) return out_.big<std::uint32_t>(kClassReferenceBit | entry->second);
    out_.big<std::uint32_t>(kNewClassTag);
    out_.raw(std::as_bytes(std::span(entry->first)));
    out_.zeros(1);
  }

  ByteWriter& out_;
  std::size_t key_size_;
  std::map<std::string, std::uint32_t> references_;
};

}  // namespace skimline::io
