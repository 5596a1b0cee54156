// SPDX-License-Identifier: BSD-3-Clause
#include "run/split_of_parts.h"

#include "skimline/skims/config.h"
#include "skimline/skims/diagnostics.h"

namespace skimline::skims {

void refuse_split_of_parts(const Config& config) {
  Diagnostics diagnostics(config.source);
  for (const SkimConfig& skim : config.skims)
    if (skim.split)
      diagnostics.add(skim.split->location,
                      "a skim that is put together of parts, with a store or by other processes, cannot be "
                      "split");
  diagnostics.throw_if_any();
}

}  // namespace skimline::skims
