// SPDX-License-Identifier: BSD-3-Clause
// The loops over the lists of a basket.
#pragma once

#include "ttree/entry_bytes.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace skimline::io {

/// Divides offsets in bytes by the size of an item. Returns whether all could be divided without rest.
bool divide_offsets(std::span<const std::uint32_t> stored, std::uint32_t item_size, std::uint32_t* offsets);

/// Lists of big-endian numbers, each behind a header.
struct HeadedLists {
  std::span<const std::byte> data;
  EntryBytes ranges;
  std::size_t header_size = 0;
  std::size_t value_size = 0;
};

/// Puts the values of all lists, whose `offsets` count items of `per_item` values, behind each other.
/// `values` has room for 64 bytes more.
void gather_lists(const HeadedLists& lists, std::span<const std::uint32_t> offsets, std::size_t per_item,
                  std::byte* values);

}  // namespace skimline::io
