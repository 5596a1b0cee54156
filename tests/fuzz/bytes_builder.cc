// SPDX-License-Identifier: BSD-3-Clause
#include "bytes_builder.h"

#include <algorithm>

namespace skimline::testing {

BytesBuilder& BytesBuilder::raw(ByteSpan bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

BytesBuilder& BytesBuilder::root_string(std::string_view string) {
  return big(static_cast<std::uint8_t>(string.size())).text(string);
}

BytesBuilder& BytesBuilder::envelope_string(std::string_view string) {
  return little(static_cast<std::uint32_t>(string.size())).text(string);
}

BytesBuilder& BytesBuilder::record_frame(ByteSpan content) {
  return little(static_cast<std::int64_t>(content.size() + 8)).raw(content);
}

BytesBuilder& BytesBuilder::list_frame(std::uint32_t num_items, ByteSpan content) {
  return little(-static_cast<std::int64_t>(content.size() + 12)).little(num_items).raw(content);
}

BytesBuilder& BytesBuilder::pad_to(std::uint64_t size) {
  bytes_.resize(std::max<std::size_t>(bytes_.size(), size));
  return *this;
}

}  // namespace skimline::testing
