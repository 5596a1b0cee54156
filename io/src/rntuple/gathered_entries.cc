// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/gathered_entries.h"

#include "skimline/io/format_error.h"

namespace skimline::io {

std::span<const std::byte> SourcePage::stored() const {
  const std::span<const std::byte> bytes = claim_.target->stored();
  bool is_verified = false;
  try {
    is_verified = fetcher_.is_proven(info(), bytes);
  } catch (const FormatError& problem) {
    throw fetcher_.page_error(pages_->cluster(), claim_, problem.what());
  }
  fetcher_.note_verified(pages_->cluster(), claim_, is_verified);
  if (claim_.target->pass()) {
    ++fetcher_.counts.pages_passed;
    fetcher_.counts.bytes_passed += bytes.size();
  }
  return bytes;
}

const std::byte* SourcePage::elements() const {
  if (claim_.target->try_start_decoding()) fetcher_.decode(pages_->cluster(), claim_);
  claim_.target->wait_until_decoded();
  return claim_.target->elements();
}

GatheredMemory::GatheredMemory(std::size_t num_levels, std::size_t num_columns, std::size_t max_idle_bytes) {
  const std::size_t most = max_idle_bytes / (num_levels + num_columns);
  for (std::size_t i = 0; i < num_levels; ++i)
    ends.push_back(std::make_shared<VectorPool<CollectionEnds>>(most));
  for (std::size_t i = 0; i < num_columns; ++i)
    elements.push_back(std::make_shared<VectorPool<ElementBytes>>(most));
}

GatheredEntries::GatheredEntries(const GatheredMemory& memory)
    : levels(memory.ends.size()), columns(memory.elements.size()) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].ends_of = i;
    levels[i].ends = memory.ends[i]->take();
  }
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].elements = memory.elements[i]->take();
}

}  // namespace skimline::io
