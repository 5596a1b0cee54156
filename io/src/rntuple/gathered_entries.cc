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

void GatheredEntries::reset(std::size_t num_levels, std::size_t num_columns) {
  num_entries = 0;
  is_whole_slice = ends_source_cluster = false;
  levels.resize(num_levels);
  for (std::size_t i = 0; i < num_levels; ++i) {
    levels[i].count = levels[i].bytes = 0;
    levels[i].ends_of = i;
    levels[i].ends.clear();
  }
  columns.resize(num_columns);
  for (GatheredColumn& column : columns) {
    column.elements.clear();
    column.pieces.clear();
  }
}

}  // namespace skimline::io
