// SPDX-License-Identifier: BSD-3-Clause
// Finds the columns in streamed values, and their numbers and strings in each entry.
#pragma once

#include "ttree/streamed_value.h"
#include "ttree/tree_columns.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// A number or string inside a value.
struct StreamedPart {
  std::vector<std::uint32_t> path;  ///< numbers of members, from the whole value on
  std::string name;                 ///< ".pt"; empty for the value itself
  std::string type_name;
  Type type;
  std::string problem;  ///< why it is no column
  /// What the list of objects is called that it is a member of, the outermost in an entry: ".muons".
  std::optional<std::string> list = std::nullopt;
};

/// All parts of a value, those that cannot be columns included.
std::vector<StreamedPart> parts_of(const StreamedValue& value);

/// Gives the values of a part. Entries are `value`, one each.
std::shared_ptr<const BasketDecoder> streamed_decoder(std::shared_ptr<const StreamedValue> value,
                                                      const StreamedPart& part);

}  // namespace skimline::io
