// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/generate.h"

#include "text_table.h"

#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_sink.h"

namespace skimline::skims {
namespace {

io::RNTupleSinkOptions sink_options(const GenerateOptions& options) {
  io::RNTupleSinkOptions sink;
  sink.path = options.path;
  sink.ntuple_name = options.ntuple_name;
  sink.compression = options.compression;
  sink.stop = options.stop;
  return sink;
}

RunOptions run_options(const GenerateOptions& options) {
  RunOptions run;
  run.threads = options.threads;
  run.stop = options.stop;
  run.progress = options.progress;
  return run;
}

}  // namespace

GenerateReport generate(const GenerateOptions& options) {
  SyntheticEvents events(options.events);
  io::RNTupleSink sink(events.schema(), sink_options(options));
  PlanBuilder builder(events.schema());
  builder.write(kAllEntries, events.schema().names(), sink);
  const Plan plan = std::move(builder).build();
  const RunReport run_report = run(plan, events, run_options(options));
  sink.finish();
  return {options.path, run_report.num_entries, sink.statistics().file_bytes, run_report.seconds,
          run_report.threads};
}

std::string to_text(const GenerateReport& report) {
  return report.path + ": " + format_count(report.num_events) + " events, " +
         format_bytes(report.file_bytes) + ", in " + format_fixed(report.seconds, 2) + " s with " +
         std::to_string(report.threads) + (report.threads == 1 ? " thread\n" : " threads\n");
}

}  // namespace skimline::skims
