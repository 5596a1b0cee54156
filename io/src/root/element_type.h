// SPDX-License-Identifier: BSD-3-Clause
// Which kind of member a TStreamerElement describes.
#pragma once

#include <cstdint>

namespace skimline::io {

/// Codes of TStreamerElement::fType: ROOT's TVirtualStreamerInfo::EReadWrite.
enum ElementType : std::int32_t {
  kBase = 0,
  kChar = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kFloat = 5,
  kCounter = 6,  // an int that others have as the number of their elements
  kCharStar = 7,
  kDouble = 8,
  kDouble32 = 9,
  kUnsignedChar = 11,
  kUnsignedShort = 12,
  kUnsignedInt = 13,
  kUnsignedLong = 14,
  kBits = 15,
  kLong64 = 16,
  kUnsignedLong64 = 17,
  kBool = 18,
  kFloat16 = 19,
  kFixedArray = 20,    // added to the code of the elements
  kPointerArray = 40,  // likewise; another member counts them
  kBehindNumbers = 60,
  kObject = 61,
  kAny = 62,
  kOwnedPointer = 63,
  kPointer = 64,
  kString = 65,
  kObjectBase = 66,
  kNamedBase = 67,
  kAnyOwnedPointer = 68,
  kAnyPointer = 69,
  kCollection = 300,
  kStdString = 365,
  kStreamer = 500,
  kCountedObjects = 501
};

}  // namespace skimline::io
