// SPDX-License-Identifier: BSD-3-Clause
// Values of leaves whose entries are nothing but numbers, or one string.
#pragma once

#include "compression/stored_numbers.h"
#include "ttree/tree_columns.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace skimline::io {

/// Where the numbers lie in entries that all have the same size.
struct FixedPlace {
  std::uint64_t offset = 0;      ///< of the first number in the entry
  std::uint64_t entry_size = 0;  ///< bytes
};

/// The type that numbers in arrays of fixed `dimensions`, below `depth` levels of lists, have.
Type type_of(const StoredNumber& number, const std::vector<std::uint64_t>& dimensions, int depth = 0);

/// Numbers in arrays of fixed dimensions, kMaxDepth at most and none of them 0; one number if there are none.
std::shared_ptr<const BasketDecoder> fixed_decoder(const StoredNumber& number,
                                                   const std::vector<std::uint64_t>& dimensions,
                                                   FixedPlace place);

/// What stands in front of the numbers of an entry.
enum class ListHeader {
  kNone,    ///< there are as many as fit
  kFlag,    ///< a byte, 0 if there are none: an array behind a pointer
  kVector,  ///< byte count, version, number of elements
};

/// As many numbers as the entry holds, or arrays of fixed `dimensions`, of which kMaxDepth - 1 are the most.
std::shared_ptr<const BasketDecoder> list_decoder(const StoredNumber& number, ListHeader header,
                                                  const std::vector<std::uint64_t>& dimensions = {});

/// A string with its length in front, behind `header_size` other bytes; empty if the entry has no bytes.
std::shared_ptr<const BasketDecoder> string_decoder(std::uint64_t header_size = 0);

}  // namespace skimline::io
