// SPDX-License-Identifier: BSD-3-Clause
// The headers and bases that streamed ROOT objects share.
#pragma once

#include "storage/byte_writer.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace skimline::io {

/// Bit that marks a word as a byte count.
constexpr std::uint32_t kByteCountBit = 0x40000000;

/// In front of an object behind a pointer: the name of its class follows.
constexpr std::uint32_t kNewClassTag = 0xFFFFFFFF;
/// Bit of the word there: the others say where the class was named.
constexpr std::uint32_t kClassReferenceBit = 0x80000000;
/// References count from here before the position of an object or of the tag of a class, so that none is 0.
constexpr std::size_t kReferenceOffset = 2;

/// Bit of an object's flags: others refer to it, and its process follows.
constexpr std::uint32_t kIsReferenced = 0x10;

/// Writes a byte count and what `write_body` writes, which it counts.
template <typename Body>
void write_counted(ByteWriter& out, Body&& write_body) {
  const std::size_t start = out.size();
  out.big<std::uint32_t>(0);
  write_body();
  out.set_big<std::uint32_t>(start, kByteCountBit | static_cast<std::uint32_t>(out.size() - start - 4));
}

/// Writes an object: byte count, class version, members.
template <typename Members>
void write_object(ByteWriter& out, std::uint16_t version, Members&& write_members) {
  write_counted(out, [&] {
    out.big<std::uint16_t>(version);
    write_members();
  });
}

/// Writes the base TObject, which has no byte count.
inline void write_tobject(ByteWriter& out, std::uint32_t bits) {
  out.big<std::uint16_t>(1);
  out.big<std::uint32_t>(0);  // unique id
  out.big<std::uint32_t>(bits);
}

/// Writes the base TNamed.
inline void write_named(ByteWriter& out, std::string_view name, std::string_view title, std::uint32_t bits) {
  write_object(out, 1, [&] {
    write_tobject(out, bits);
    out.root_string(name);
    out.root_string(title);
  });
}

/// Writes a TArrayD: its length and numbers, no version.
inline void write_array(ByteWriter& out, std::span<const double> values) {
  out.big<std::int32_t>(static_cast<std::int32_t>(values.size()));
  out.big_array<double>(values, [](double value) { return value; });
}

}  // namespace skimline::io
