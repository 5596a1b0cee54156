// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/column_compressions.h"

#include "compression/compression_choice.h"
#include "rntuple/page_sealer.h"
#include "storage/xxh3.h"

#include <algorithm>
#include <utility>

namespace skimline::io {

ColumnCompressions::ColumnCompressions(const OutputSchema& schema, std::optional<CompressionSetting> wanted)
    : schema_(schema), wanted_(wanted), choices_(wanted ? 0 : schema.columns().size()) {}

void ColumnCompressions::note(const RawPage& page) {
  if (wanted_ || std::exchange(choices_[page.column].is_noted, true)) return;
  Choice& choice = choices_[page.column];
  choice.column = page.column;
  if (const SourcePage* source = page.source()) {
    choice.setting = choice_numbered(source->compression()).value();
    return;
  }
  const OutputColumn& column = schema_.columns()[page.column];
  choice.num_elements = std::min<std::uint64_t>(page.num_elements, sample_elements(column.element_size));
  choice.sample.resize(choice.num_elements * column.element_size);
  copy_elements(column, page, choice.num_elements, choice.sample.data());
  // Lists of equal sizes have equal ends. Two samples of one hash would only share a choice.
  const auto encoding = static_cast<std::uint64_t>(column.encoding.type) << 16 | column.encoding.bits;
  const std::uint64_t hash = xxh3_64(choice.sample, encoding);
  const auto [same, is_new] = samples_.emplace(hash, page.column);
  if (is_new) return;
  choice.same_as = same->second;
  choice.sample = {};
}

CompressionSetting ColumnCompressions::of(std::size_t column) const {
  if (wanted_) return *wanted_;
  Choice& choice = choices_[choices_[column].same_as.value_or(column)];
  std::call_once(choice.once, [&] {
    if (choice.num_elements == 0) return;
    const PageEncoding& encoding = schema_.columns()[choice.column].encoding;
    std::vector<std::byte> encoded(encoded_size(encoding, choice.num_elements));
    encode_raw_page(encoding, choice.sample.data(), choice.num_elements, encoded.data());
    choice.setting = choose_compression(encoded);
    choice.sample = {};
  });
  return choice.setting;
}

std::map<int, std::size_t> ColumnCompressions::num_chosen() const {
  std::map<int, std::size_t> numbers;
  for (std::size_t column = 0; column < choices_.size(); ++column)
    if (choices_[column].is_noted) ++numbers[of(column).root_number()];
  return numbers;
}

}  // namespace skimline::io
