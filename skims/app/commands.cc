// SPDX-License-Identifier: BSD-3-Clause
#include "commands.h"

#include "convert_command.h"
#include "init_command.h"
#include "merge_command.h"
#include "progress.h"
#include "run_command.h"
#include "schema_command.h"
#include "show_command.h"
#include "validate_command.h"

#include "skimline/framework/error.h"
#include "skimline/framework/version.h"
#include "skimline/generate/agc_samples.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/inspection.h"
#include "skimline/skims/job.h"
#include "skimline/skims/verify.h"

namespace skimline::skims {
namespace {

Outcome plan(const CommandLine& line) {
  const PlanReport report = plan_job(read_config(line.config, line.options), line.threads);
  return {line.as_json ? to_json(report) : to_text(report)};
}

Outcome inspect(const CommandLine& line) {
  const FileInspection inspection = inspect_file(line.location);
  return {line.as_json ? to_json(inspection) : to_text(inspection)};
}

Outcome verify(const CommandLine& line, const std::atomic<bool>& stop) {
  const VerifyReport report = skims::verify({.paths = line.paths,
                                             .threads = line.threads,
                                             .writes_checksums = line.writes_checksums,
                                             .checksum_folder = line.checksum_folder,
                                             .stop = &stop});
  return {to_text(report), report.is_sound() ? kDone : kFailed};
}

Outcome generate(const CommandLine& line, const std::atomic<bool>& stop) {
  Progress progress(progress_style(line.progress, line.log.is_quiet), "events");
  GenerateOptions options = line.generate;
  options.events.model = generate::parse_synthetic_model(line.model);
  const bool is_agc = options.events.model == generate::SyntheticModel::kAgc;
  if (!is_agc && !options.events.sample.empty())
    throw ConfigError("--sample: model " + line.model + " has no samples, only agc has");
  const bool is_set = is_agc && options.events.sample.empty();
  const std::uint64_t num_events =
      options.events.num_events * (is_set ? generate::agc_sample_names().size() : 1);
  options.compression = io::parse_compression(line.compression);
  options.threads = line.threads;
  options.stop = &stop;
  options.overwrites = line.force;
  options.progress = [&](std::uint64_t done) { progress.show(done, num_events); };
  const std::string text = is_set ? to_text(generate_samples(options)) : to_text(skims::generate(options));
  progress.finish();
  return {text};
}

}  // namespace

Outcome execute(const CommandLine& line, const std::atomic<bool>& stop) {
  switch (line.command) {
    case Command::kRun:
      return run(line, stop);
    case Command::kPlan:
      return plan(line);
    case Command::kInspect:
      return inspect(line);
    case Command::kVerify:
      return verify(line, stop);
    case Command::kConvert:
      return convert(line, stop);
    case Command::kMerge:
      return merge(line, stop);
    case Command::kShow:
      return show(line);
    case Command::kValidate:
      return validate(line);
    case Command::kSchema:
      return schema();
    case Command::kInit:
      return init(line);
    case Command::kMan:
      return {man_page(describe_command_line(), std::string(kVersion))};
    case Command::kCompletion:
      return {completion_script(describe_command_line(), line.shell)};
    case Command::kGenerate:
      break;
  }
  return generate(line, stop);
}

}  // namespace skimline::skims
