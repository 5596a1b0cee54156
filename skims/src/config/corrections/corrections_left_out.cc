// SPDX-License-Identifier: BSD-3-Clause
// What corrections are in builds without correctionlib.
#include "config/corrections/corrections.h"

namespace skimline::skims {

std::shared_ptr<const CorrectionFile> read_correction_file(const std::string& path) {
  throw ConfigError(path + ": this skimline was built without correctionlib, which evaluates corrections: " +
                    "run scripts/setup and build it again");
}

}  // namespace skimline::skims
