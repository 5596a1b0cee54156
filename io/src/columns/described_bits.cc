// SPDX-License-Identifier: BSD-3-Clause
#include "columns/described_bits.h"

#include "skimline/framework/bit_fields.h"

namespace skimline::io {

void DescribedBits::add(const std::string& column, std::string_view description, const std::string& file) {
  const auto found = known_.find(column);
  if (found == known_.end()) {
    if (!bit_fields(description).empty()) known_.emplace(column, Known{std::string(description), file});
    return;
  }
  Known& known = found->second;
  if (known.differs) return;
  const auto difference = bit_difference(known.description, description);
  if (!difference) return;
  known.differs = true;
  differences_.push_back(text_of(*difference, column, known.file, file));
}

}  // namespace skimline::io
