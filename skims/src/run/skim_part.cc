// SPDX-License-Identifier: BSD-3-Clause
#include "run/skim_part.h"

#include "parts/skim_files.h"

#include "skimline/io/input_formats.h"
#include "skimline/io/output_formats.h"

#include <algorithm>
#include <span>

namespace skimline::skims {
namespace {

std::vector<std::string> classes_of_part(io::DataFormat format) {
  std::vector<std::string> names = output_format(format).classes();
  const std::vector<std::string> own = classes_of_skim_objects();
  names.insert(names.end(), own.begin(), own.end());
  return names;
}

bool has_checksums(io::DataFormat format) {
  const auto has_none = [&](const io::InputFormat& each) {
    return each.format == format && !each.has_checksums;
  };
  const std::span<const io::InputFormat> formats = io::input_formats();
  return std::none_of(formats.begin(), formats.end(), has_none);
}

}  // namespace

SkimsOfPart::SkimsOfPart(PlannedPart& part, const RunOptions& options) : threads_(options.threads) {
  JobPlan& plan = part.missing->job;
  for (std::size_t number = 0; number < part.missing_skims.size(); ++number) {
    const std::string& path = part.missing_skims[number];
    if (path.empty()) continue;
    const PlannedSkim& skim = plan.skims().at(number);
    Skim& made = skims_.emplace_back();
    made.path = path;
    made.file = std::make_unique<io::RootFileWriter>(path, classes_of_part(skim.config->format));
    made.sink = sink_of_skim(*made.file, skim, options.stop, options.max_slices_in_flight > 0);
    made.has_checksums = has_checksums(skim.config->format);
    made.begin = made.file->reserve_records(0);
    plan.write(skim, made.sink->sink());
  }
}

void SkimsOfPart::finish() {
  for (Skim& skim : skims_) {
    SkimSummary summary;
    run_with_threads(threads_, [&] { summary = skim.sink->finish(); });
    if (!skim.has_checksums)
      skim.file->add_object(
          object_of_skim_content(skim.file->file(), skim.begin, skim.file->reserve_records(0)));
    skim.file->add_object(object_of_skim_key(skim.path));
    const SkimFolderLock lock(skim.path);  // others may make the same
    if (!lock.has_sound_skim(threads_)) skim.file->commit(summary.files.front().content_hash);
  }
}

}  // namespace skimline::skims
