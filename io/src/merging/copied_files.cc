// SPDX-License-Identifier: BSD-3-Clause
#include "merging/copied_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/identities.h"

namespace skimline::io {

void CopiedFiles::check(const std::string& file, const std::string& uuid, std::uint64_t num_entries) {
  if (num_entries == 0 || !is_distinctive(uuid)) return;
  const auto [other, is_new] = files_.emplace(std::pair(uuid, num_entries), file);
  if (is_new) return;
  throw Error("\"" + other->second + "\" and \"" + file +
              "\" have the same UUID: one is a copy of the other, and their entries would be in the output "
              "twice; --allow-overlap merges them all the same");
}

}  // namespace skimline::io
