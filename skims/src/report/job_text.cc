// SPDX-License-Identifier: BSD-3-Clause
// The report of a run as tables.
#include "base/measured_table.h"
#include "base/text_table.h"
#include "report/job_tables.h"
#include "report/yield_tables.h"

#include "skimline/framework/number_text.h"
#include "skimline/skims/job_report.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>

namespace skimline::skims {
namespace {

std::string n_minus_1_text(const SampleReport& sample) {
  if (sample.n_minus_1.empty()) return {};
  TextTable table({"all but", ">events", ">kept by it"});
  const std::uint64_t all = sample.cutflow.back().num_passed;
  for (const CutflowStep& step : sample.n_minus_1)
    table.add({step.name, format_count(step.num_passed), format_percent(all, step.num_passed)});
  return "n - 1\n" + table.format() + "\n";
}

std::string lumi_text(const SampleReport& sample) {
  if (!sample.lumi) return {};
  return "luminosity mask: " + format_count(sample.lumi->accepted) + " events accepted, " +
         format_count(sample.lumi->rejected) + " rejected\n\n";
}

std::string problems_text(const SampleReport& sample) {
  std::string text;
  for (const SkippedInput& skipped : sample.skipped) text += "left out: " + shown(skipped.problem) + "\n";
  for (const std::string& missing : sample.missing) text += "missing: " + shown(missing) + "\n";
  return text.empty() ? text : text + "\n";
}

std::string regions_text(const SampleReport& sample) {
  if (sample.regions.empty()) return {};
  TextTable table({"region", "after", ">events", ">of these", ">of all"});
  for (const RegionCount& region : sample.regions)
    table.add({region.step.name, region.after, format_count(region.step.num_passed),
               format_percent(region.step.num_passed, region.num_before),
               format_percent(region.step.num_passed, sample.num_entries)});
  return "regions\n" + table.format() + "\n";
}

// What is left in variations that select other events; all others are as nominal.
std::string variations_text(const SampleReport& sample) {
  std::vector<std::string> header{"variation", ">selected"};
  for (const RegionCount& region : sample.regions) header.push_back(">" + region.step.name);
  TextTable table(header);
  const auto counts_of = [](const std::vector<CutflowStep>& cutflow,
                            const std::vector<RegionCount>& regions) {
    std::vector<std::string> counts{format_count(cutflow.back().num_passed)};
    for (const RegionCount& region : regions) counts.push_back(format_count(region.step.num_passed));
    return counts;
  };
  const std::vector<std::string> nominal = counts_of(sample.cutflow, sample.regions);
  for (const VariationCount& variation : sample.variations) {
    std::vector<std::string> row = counts_of(variation.cutflow, variation.regions);
    if (row == nominal) continue;
    row.insert(row.begin(), variation.name);
    table.add(row);
  }
  return table.empty() ? "" : "variations\n" + table.format() + "\n";
}

std::string rate(std::uint64_t count, double seconds) {
  return seconds > 0 ? format_count(static_cast<std::uint64_t>(static_cast<double>(count) / seconds)) : "-";
}

std::string verified_text(const ReadStatistics& read) {
  std::string text = format_bytes(read.bytes_verified) + " by checksums";
  if (read.bytes_unverified > 0) text += ", " + format_bytes(read.bytes_unverified) + " have none";
  return text;
}

std::string summary_text(const JobReport& report) {
  TextTable table({"", ""});
  table.add({"events", format_count(report.num_entries) + " of " + std::to_string(report.num_files) +
                           (report.num_files == 1 ? " file" : " files")});
  table.add(
      {"read", format_bytes(report.read.bytes_read) + " in " + counted(report.read.read_calls, "request")});
  table.add({"decoded",
             format_bytes(report.read.bytes_decoded) + " in " + counted(report.read.pages_decoded, "page")});
  table.add({"verified", verified_text(report.read)});
  if (report.store)
    table.add({"store", format_count(report.store->num_taken) + " results taken, " +
                            format_count(report.store->num_computed) + " computed"});
  if (const HistogramSummary& histograms = report.histograms; histograms.number != 0)
    table.add({"histograms", format_bytes(histograms.bytes) + ", added up in " +
                                 fixed_digits(histograms.reduce_seconds, 3) + " s, written in " +
                                 fixed_digits(histograms.write_seconds, 3) + " s"});
  table.add({"time", fixed_digits(report.seconds, 3) + " s with " + std::to_string(report.threads) +
                         (report.threads == 1 ? " thread" : " threads")});
  table.add({"speed", rate(report.num_entries, report.seconds) + " events/s"});
  const std::string text = table.format();
  return "summary" + text.substr(text.find('\n'));
}

std::string outputs_text(const std::vector<OutputFile>& outputs) {
  if (outputs.empty()) return {};
  TextTable table({"file", ">size", "content"});
  for (const OutputFile& output : outputs)
    table.add({output.path, format_bytes(output.bytes), output.content});
  return "\noutputs\n" + table.format();
}

std::string sample_text(const SampleReport& sample) {
  return variations_text(sample) + lumi_text(sample) + problems_text(sample);
}

std::string table_text(const MeasuredTable& table, std::size_t width) {
  return table.rows.empty() ? "" : to_text(table, width) + "\n";
}

// Of one sample the numbers stand beside each other.
std::string tables_text(const JobReport& report, std::size_t width) {
  const std::string cutflow = cutflow_text(cutflows_of(report), width) + "\n";
  if (report.samples.size() == 1)
    return cutflow + n_minus_1_text(report.samples.front()) + regions_text(report.samples.front());
  return cutflow + table_text(n_minus_1_table(report.samples), width) +
         table_text(regions_table(report.samples), width);
}

}  // namespace

std::string to_text(const JobReport& report, std::size_t width) {
  std::string text = report.samples.empty() ? "" : tables_text(report, width);
  for (const SampleReport& sample : report.samples) {
    const std::string own = sample_text(sample);
    if (report.samples.size() > 1 && !own.empty()) text += "sample " + shown(sample.name) + "\n\n";
    text += own;
  }
  if (report.yields && is_worth_showing(*report.yields))
    text += format_tables({yield_table(*report.yields)}, TableFormat::kText, width) +
            notes_of(*report.yields) + "\n";
  return text + summary_text(report) + outputs_text(report.outputs);
}

}  // namespace skimline::skims
