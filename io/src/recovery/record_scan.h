// SPDX-License-Identifier: BSD-3-Clause
// The records of a ROOT file, found without its header, directories and lists of keys.
#pragma once

#include "root/stored_key.h"

#include "skimline/framework/stop_flag.h"
#include "skimline/io/input_file.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

/// The record of a basket, by what its key says.
struct FoundBasket {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
  std::uint16_t number = 0;  ///< the last 16 bits of its number in the branch
};

/// Whose baskets they are: the name of the tree, and that of the branch. ROOT does not say in their keys in
/// which directory the tree lies.
using BasketOwner = std::pair<std::string, std::string>;

/// What a file has, in the order of the file.
struct FoundRecords {
  std::vector<StoredKey> directories;
  std::vector<StoredKey> blobs;    ///< of RNTuples: metadata and pages
  std::vector<StoredKey> objects;  ///< all others that directories list
  std::map<BasketOwner, std::vector<FoundBasket>> baskets;
  StoredKey streamer_info;          ///< the last one; its size is 0 if there is none
  std::uint64_t bytes_skipped = 0;  ///< in front of, between and behind records, where no key is
};

/// Goes from record to record. Where no key is whole, looks for the next one: a key says where it lies. What
/// was freed is not looked into. Throws FileError if the storage fails, and Interrupted.
FoundRecords find_records(const InputFile& file, const StopFlag& stop);

}  // namespace skimline::io
