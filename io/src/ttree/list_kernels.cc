// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/list_kernels.h"

#include "skimline/framework/instruction_set.h"
#include "skimline/io/format_error.h"

#include <bit>
#include <string>

namespace skimline::io {
namespace {

// Values that are converted together: those behind the end of a list are overwritten by the next one.
constexpr std::size_t kBlockBytes = 32;

struct ShiftOffsets {
  [[gnu::always_inline]] static inline void run(const std::span<const std::uint32_t>& stored, const int& bits,
                                                std::uint32_t* const& offsets, std::uint32_t* const& rest) {
    const std::uint32_t* const from = stored.data();
    const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
    const int shift = bits;
    std::uint32_t lost = 0;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      lost |= from[i] & mask;
      offsets[i] = from[i] >> shift;
    }
    *rest = lost;
  }
};

template <typename U>
[[gnu::always_inline]] inline U load_reversed(const std::byte* stored) {
  U value;
  std::memcpy(&value, stored, sizeof(U));
  if constexpr (sizeof(U) == 2)
    value = static_cast<U>(__builtin_bswap16(value));
  else if constexpr (sizeof(U) == 4)
    value = __builtin_bswap32(value);
  else if constexpr (sizeof(U) == 8)
    value = __builtin_bswap64(value);
  return value;
}

template <typename U>
struct GatherLists {
  static constexpr std::size_t kBlock = kBlockBytes / sizeof(U);

  [[gnu::always_inline]] static inline void run(const HeadedLists& lists,
                                                const std::span<const std::uint32_t>& offsets,
                                                const std::size_t& per_item, std::byte* const& memory) {
    auto* values = reinterpret_cast<U*>(memory);
    const std::byte* const data = lists.data.data();
    const std::byte* const data_end = data + lists.data.size();
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      const std::byte* from = data + lists.ranges.begin(i) + lists.header_size;
      std::size_t left = (offsets[i + 1] - offsets[i]) * per_item;
      U* to = values;
      values += left;
      while (left > 0 && static_cast<std::size_t>(data_end - from) >= kBlockBytes) {
        U block[kBlock];
        for (std::size_t k = 0; k < kBlock; ++k) block[k] = load_reversed<U>(from + k * sizeof(U));
        std::memcpy(to, block, kBlockBytes);
        from += kBlockBytes;
        to += kBlock;
        left -= left < kBlock ? left : kBlock;
      }
      for (std::size_t k = 0; k < left; ++k) to[k] = load_reversed<U>(from + k * sizeof(U));
    }
  }
};

}  // namespace

void throw_wrong_size(std::size_t entry) {
  throw FormatError("entry " + std::to_string(entry) + " of the basket has not the bytes of its values");
}

void check_equal_entries(const BasketEntries& entries, std::uint64_t size) {
  if (entries.data.size() / size != entries.num_entries || entries.data.size() % size != 0)
    throw FormatError("a basket of " + std::to_string(entries.num_entries) + " entries of " +
                      std::to_string(size) + " bytes has " + std::to_string(entries.data.size()) + " bytes");
  for (std::size_t i = 0; i < entries.offsets.size(); ++i)
    if (entries.offsets[i] != i * size) throw_wrong_size(i == 0 ? 0 : i - 1);
}

bool divide_offsets(std::span<const std::uint32_t> stored, std::uint32_t item_size, std::uint32_t* offsets) {
  std::uint32_t rest = 0;
  if (std::has_single_bit(item_size)) {
    run_kernel<ShiftOffsets>(stored, std::countr_zero(item_size), offsets, &rest);
  } else {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      offsets[i] = stored[i] / item_size;
      rest |= stored[i] % item_size;
    }
  }
  return rest == 0;
}

void gather_lists(const HeadedLists& lists, std::span<const std::uint32_t> offsets, std::size_t per_item,
                  std::byte* values) {
  switch (lists.value_size) {
    case 1:
      return run_kernel<GatherLists<std::uint8_t>>(lists, offsets, per_item, values);
    case 2:
      return run_kernel<GatherLists<std::uint16_t>>(lists, offsets, per_item, values);
    case 4:
      return run_kernel<GatherLists<std::uint32_t>>(lists, offsets, per_item, values);
    default:
      return run_kernel<GatherLists<std::uint64_t>>(lists, offsets, per_item, values);
  }
}

}  // namespace skimline::io
