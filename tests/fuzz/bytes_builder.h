// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fuzz_target.h"

#include <string_view>

namespace skimline::testing {

/// Appends numbers and strings, on a little-endian machine.
class BytesBuilder {
 public:
  template <typename T>
  BytesBuilder& little(T value) {
    return raw(std::as_bytes(std::span(&value, 1)));
  }
  template <typename T>
  BytesBuilder& big(T value) {
    const ByteSpan bytes = std::as_bytes(std::span(&value, 1));
    return raw(Bytes(bytes.rbegin(), bytes.rend()));
  }
  BytesBuilder& raw(ByteSpan bytes);
  BytesBuilder& text(std::string_view text) { return raw(std::as_bytes(std::span(text))); }
  BytesBuilder& root_string(std::string_view string);
  BytesBuilder& envelope_string(std::string_view string);
  BytesBuilder& record_frame(ByteSpan content);
  BytesBuilder& list_frame(std::uint32_t num_items, ByteSpan content);
  /// Appends zeros up to a size.
  BytesBuilder& pad_to(std::uint64_t size);
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace skimline::testing
