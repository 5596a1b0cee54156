// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/job.h"

#include "expression_places.h"
#include "histogram_specs.h"
#include "job_outputs.h"
#include "job_plan.h"
#include "job_source.h"

#include "skimline/framework/runner.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace skimline::skims {
namespace {

RunOptions run_options(const JobOptions& options, std::uint64_t num_entries) {
  RunOptions run{.threads = options.threads, .stop = options.stop, .progress = {}};
  if (options.progress)
    run.progress = [&options, num_entries](std::uint64_t done) {
      options.progress({.entries_done = done, .num_entries = num_entries});
    };
  return run;
}

std::vector<CutflowStep> cutflow_of(const Config& config, const JobPlan& job, const RunReport& run) {
  std::vector<CutflowStep> cutflow{{kAllEvents, run.num_entries, 0, 0}};
  for (std::size_t i = 0; i < config.select.size(); ++i)
    cutflow.push_back({config.select[i].name.value, run.entries_kept[job.cuts()[i].index], 0, 0});
  return cutflow;
}

std::string point_name(const Config& config, std::optional<std::size_t> num_cuts) {
  const std::size_t count = num_cuts.value_or(config.select.size());
  return count == 0 ? kAllEvents : config.select[count - 1].name.value;
}

std::vector<RegionCount> regions_of(const Config& config, const JobPlan& job, const RunReport& run) {
  std::vector<RegionCount> counts;
  for (std::size_t i = 0; i < config.regions.size(); ++i) {
    const Region& region = config.regions[i];
    counts.push_back({region.name.value, point_name(config, region.num_cuts),
                      run.entries_kept[job.point_before(region).index],
                      run.entries_kept[job.regions()[i].index]});
  }
  return counts;
}

// "entry 12 of data.root", for the entry numbers of all files in sequence.
std::string place_of(std::uint64_t entry, const Sample& sample, const io::RNTupleSource& source) {
  for (std::size_t i = 0; i < source.descriptors().size(); ++i) {
    const std::uint64_t num_entries = source.descriptors()[i].num_entries();
    if (entry < num_entries)
      return "entry " + std::to_string(entry) + " of " + sample.inputs[i].location.path;
    entry -= num_entries;
  }
  return "an unknown entry";
}

RunReport run_over(const Config& config, const Plan& plan, io::RNTupleSource& source,
                   const JobOptions& options) {
  try {
    return run(plan, source, run_options(options, source.num_entries()));
  } catch (const EvaluationError& error) {
    throw Error(place_in(config, error.expression()) + ": " + error.what() + " (" +
                place_of(error.entry(), config.samples.front(), source) + ")");
  }
}

}  // namespace

bool JobReport::is_complete() const {
  return std::all_of(samples.begin(), samples.end(), [](const SampleReport& sample) {
    return sample.missing.empty() && sample.skipped.empty();
  });
}

JobReport run_job(const Config& config, const JobOptions& options) {
  const Sample& sample = config.samples.front();
  io::RNTupleSource source = open_source(config);
  histograms::HistogramSet histograms(set_options(config, options.threads));
  JobPlan job(config, source, histograms);
  JobOutputs outputs(config, job, histograms);
  std::vector<std::string> warnings = warnings_of_defaults(config, source);
  for (std::string& warning : job.warnings()) warnings.push_back(std::move(warning));
  const Plan plan = job.build();
  const auto start = std::chrono::steady_clock::now();
  const RunReport run = run_over(config, plan, source, options);

  JobReport report;
  report.outputs = outputs.complete(run.threads);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  SampleReport& done = report.samples.emplace_back();
  done.name = sample.name.value;
  done.cutflow = cutflow_of(config, job, run);
  done.regions = regions_of(config, job, run);
  done.num_files = sample.inputs.size();
  done.num_entries = run.num_entries;
  done.promised_entries = run.num_entries;
  report.num_files = sample.inputs.size();
  report.num_entries = run.num_entries;
  report.read = source.statistics();  // with what completing the outputs took
  report.histograms = outputs.histogram_summary();
  report.threads = run.threads;
  report.warnings = std::move(warnings);
  for (std::string& warning : outputs.histogram_warnings()) report.warnings.push_back(std::move(warning));
  return report;
}

}  // namespace skimline::skims
