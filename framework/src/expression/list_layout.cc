// SPDX-License-Identifier: BSD-3-Clause
#include "expression/list_layout.h"

#include <string>

namespace skimline {

void ListLayout::refuse(std::size_t entry, std::uint64_t size) {
  if (size > kMaxListSize)
    throw EntryFault{entry, "a list of more than " + std::to_string(kMaxListSize) + " elements"};
  throw EntryFault{entry, "lists of more than " + std::to_string(kMaxElements) + " elements together", true};
}

}  // namespace skimline
