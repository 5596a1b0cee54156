// SPDX-License-Identifier: BSD-3-Clause
// How each column of an RNTuple that is written is compressed.
#pragma once

#include "rntuple/cluster_builder.h"
#include "rntuple/output_schema.h"

#include "skimline/io/compression.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// One setting for all columns, or one for each that its first page decides: a page that stays as the source
/// has it keeps what it has, the elements of others are a sample.
class ColumnCompressions {
 public:
  /// The schema must outlive the settings.
  ColumnCompressions(const OutputSchema& schema, std::optional<CompressionSetting> wanted);

  /// Notes a page, in the order in which those of a column follow each other. Calls must not overlap.
  void note(const RawPage& page);

  /// The setting of a column of which a page was noted before. Thread-safe.
  CompressionSetting of(std::size_t column) const;

  /// How many columns of which a page was noted got each setting, by ROOT's number. None if one is for all.
  std::map<int, std::size_t> num_chosen() const;

 private:
  struct Choice {
    bool is_noted = false;
    std::size_t column = 0;
    std::optional<std::size_t> same_as;  // an earlier column with the same sample, for which it is chosen
    std::once_flag once;
    std::vector<std::byte> sample;  // raw elements, until they are compressed
    std::uint64_t num_elements = 0;
    CompressionSetting setting;
  };

  const OutputSchema& schema_;
  std::optional<CompressionSetting> wanted_;
  mutable std::vector<Choice> choices_;                     // by physical column, if they are to be made
  std::unordered_map<std::uint64_t, std::size_t> samples_;  // columns by a hash of what they are chosen by
};

}  // namespace skimline::io
