// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mean_list_sizes.h"

#include <algorithm>

namespace skimline::skims {

ValuesPerEntry mean_list_sizes(const io::InputSource& source) {
  double num_entries = 0;
  for (const io::InputFacts& file : source.files()) num_entries += static_cast<double>(file.num_entries);
  return [&source, num_entries](std::size_t column) {
    const ColumnInfo& info = source.schema()[column];
    const double values =
        source.field_size(info.name).in_memory / static_cast<double>(size_of(info.type.scalar));
    return values / std::max(1.0, num_entries);
  };
}

}  // namespace skimline::skims
