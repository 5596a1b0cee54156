// SPDX-License-Identifier: BSD-3-Clause
// What streamed collections of ROOT point to.
#pragma once

#include "root/streamed_bytes.h"

#include <cstdint>

namespace skimline::io {

/// Calls `visit` with each pointer of a TObjArray, null ones included. Throws FormatError if the bytes are
/// none.
template <typename Visit>
void for_each_in_array(StreamedBytes bytes, Visit visit) {
  StreamedObject array = bytes.object();
  const std::uint32_t size = array.bytes.begin_array(array.version);
  for (std::uint32_t i = 0; i < size; ++i) visit(array.bytes.pointer());
}

/// Calls `visit` with each object of a TList that a pointer points to; there is none behind other pointers.
/// Throws FormatError if the bytes are none.
template <typename Visit>
void for_each_in_list(StreamedBytes bytes, Visit visit) {
  StreamedPointer list = bytes.pointer();
  if (list.class_name != "TList" && list.class_name != "THashList") return;
  StreamedObject object = list.bytes.object();
  const std::uint32_t size = object.bytes.begin_list(object.version);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (StreamedPointer pointer = object.bytes.pointer(); pointer.kind == StreamedPointer::Kind::kObject)
      visit(pointer);
    object.bytes.end_list_element(object.version);
  }
}

}  // namespace skimline::io
