// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/job_report.h"

#include <algorithm>

namespace skimline::skims {

bool JobReport::is_complete() const {
  return std::all_of(samples.begin(), samples.end(), [](const SampleReport& sample) {
    return sample.missing.empty() && sample.skipped.empty() &&
           std::none_of(sample.left_out.begin(), sample.left_out.end(),
                        [](const LeftOutOfSkim& each) { return is_incomplete(each.columns); });
  });
}

}  // namespace skimline::skims
