// SPDX-License-Identifier: BSD-3-Clause
#include "run/memory_choice.h"

#include "plan/sample_mistakes.h"
#include "run/sample_preview.h"

#include "skimline/framework/error.h"

namespace skimline::skims {

MemoryChoice choice_within(const Config& config, const std::vector<MemoryDemand>& demands, int threads) {
  const ByteLimit& limit = *config.memory_limit;
  const auto choice = choose_within(static_cast<double>(limit.bytes), demands, threads);
  if (choice) return *choice;
  Diagnostics diagnostics(config.source);
  diagnostics.add(limit.location, least_memory_text(demands));
  throw MarkedError(diagnostics.format());
}

// With fewer threads, more histograms may have a copy for each of them, so that the sample is looked at anew.
MemoryChoice choice_for(const Config& config, const Sample& sample, int threads, KeptResults kept) {
  if (!config.memory_limit) return {threads, 0};
  for (;;) {
    SamplePreview preview(config, sample, threads);
    if (!preview.mistakes().mistakes.empty()) return {threads, 0};
    preview.plan();
    MemoryDemand demand = preview.demand();
    demand.num_kept = static_cast<int>(kept);
    const MemoryChoice choice = choice_within(config, {demand}, threads);
    if (choice.threads == threads) return choice;
    threads = choice.threads;
  }
}

}  // namespace skimline::skims
