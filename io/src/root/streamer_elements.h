// SPDX-License-Identifier: BSD-3-Clause
// What the StreamerInfo record says about members of classes.
#pragma once

#include <cstdint>
#include <span>

namespace skimline::io {

/// Codes of TStreamerElement::fType.
enum ElementType : std::int32_t {
  kBase = 0,
  kChar = 1,
  kShort = 2,
  kInt = 3,
  kFloat = 5,
  kCounter = 6,
  kDouble = 8,
  kUnsignedChar = 11,
  kUnsignedShort = 12,
  kUnsignedInt = 13,
  kUnsignedLong = 14,
  kBits = 15,
  kLong64 = 16,
  kBool = 18,
  kCharPointer = 41,
  kIntPointer = 43,
  kDoublePointer = 48,
  kLong64Pointer = 56,
  kObject = 61,
  kAny = 62,
  kOwnedPointer = 63,
  kPointer = 64,
  kString = 65,
  kObjectBase = 66,
  kNamedBase = 67,
  kAnyPointer = 69
};

/// A member or, with the type name "BASE", a base class; sizes are those in memory, of base classes 0.
struct StreamerElement {
  const char* name;
  const char* comment;
  ElementType type;
  std::int32_t size;
  const char* type_name;
};

struct StreamerClass {
  const char* name;
  std::int32_t version;
  std::uint32_t checksum;
  std::span<const StreamerElement> elements;
};

}  // namespace skimline::io
