// SPDX-License-Identifier: BSD-3-Clause
#include "run/skim_part.h"

#include "parts/skim_files.h"

#include "skimline/io/output_formats.h"

namespace skimline::skims {

SkimsOfPart::SkimsOfPart(PlannedPart& part, const RunOptions& options) : threads_(options.threads) {
  JobPlan& plan = part.missing->job;
  for (std::size_t number = 0; number < part.missing_skims.size(); ++number) {
    const std::string& path = part.missing_skims[number];
    if (path.empty()) continue;
    const PlannedSkim& skim = plan.skims().at(number);
    Skim& made = skims_.emplace_back();
    made.path = path;
    made.file = std::make_unique<io::RootFileWriter>(path, output_format(skim.config->format).classes());
    made.sink = sink_of_skim(*made.file, skim, options.stop, options.max_slices_in_flight > 0);
    plan.write(skim, made.sink->sink());
  }
}

void SkimsOfPart::finish() {
  for (Skim& skim : skims_) {
    SkimSummary summary;
    run_with_threads(threads_, [&] { summary = skim.sink->finish(); });
    const SkimFolderLock lock(skim.path);  // others may make the same
    if (!lock.has_sound_skim(threads_)) skim.file->commit(summary.files.front().content_hash);
  }
}

}  // namespace skimline::skims
