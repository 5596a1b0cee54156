// SPDX-License-Identifier: BSD-3-Clause
// Decoding of a page: any column type, number of bits and target.
//
// Input: column type, bits and number of elements (u16 each), target (u8), range of values (two doubles), the
// bytes of the page.
#include "fuzz_target.h"

#include "skimline/io/format_error.h"
#include "skimline/io/page_encoding.h"

#include <algorithm>
#include <cmath>
#include <memory>

using namespace skimline;
using namespace skimline::testing;

namespace {

// Raw elements of a page must encode to its bytes. Unused bits of the last byte are free.
void check_raw_elements(const io::PageEncoding& encoding, ByteSpan page, std::size_t num_elements) {
  is_accepted([&] {
    const auto elements = std::make_unique<std::byte[]>(num_elements * io::raw_element_size(encoding));
    io::decode_raw_page(encoding, page, num_elements, elements.get());
    const auto encoded = std::make_unique<std::byte[]>(io::encoded_size(encoding, num_elements));
    io::encode_raw_page(encoding, elements.get(), num_elements, encoded.get());
    const std::size_t compared = num_elements * encoding.bits / 8;
    require(std::equal(encoded.get(), encoded.get() + compared, page.begin()), "a page decoded wrongly");
  });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  InputReader input(input_bytes(data, size));
  io::PageEncoding encoding;
  encoding.type = static_cast<io::ColumnType>(input.number<std::uint16_t>());
  encoding.bits = input.number<std::uint16_t>();
  const std::size_t num_elements = input.number<std::uint16_t>();
  const auto target =
      static_cast<ScalarType>(input.number<std::uint8_t>() % (static_cast<int>(ScalarType::kDouble) + 1));
  encoding.value_min = input.number<double>();
  encoding.value_max = input.number<double>();
  // What the metadata reader lets through.
  if (!std::isfinite(encoding.value_min) || !std::isfinite(encoding.value_max)) return 0;
  const std::size_t bytes = num_elements * size_of(target);
  const auto elements = std::make_unique<std::byte[]>(bytes);
  const ByteSpan page = input.rest();
  check_raw_elements(encoding, page, num_elements);
  const bool is_decoded =
      is_accepted([&] { io::decode_page(encoding, page, num_elements, target, elements.get()); });
  if (!is_decoded) return 0;
  if (target == ScalarType::kBool)
    require(
        std::all_of(elements.get(), elements.get() + bytes, [](std::byte b) { return b <= std::byte{1}; }),
        "a boolean is neither 0 nor 1");
  return 0;
}
