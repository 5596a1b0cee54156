// SPDX-License-Identifier: BSD-3-Clause
#include "text_table.h"

#include "skimline/skims/job.h"

namespace skimline::skims {
namespace {

std::string cutflow_text(const std::vector<CutflowStep>& cutflow) {
  TextTable table({"selection", ">events", ">of previous", ">of all"});
  for (std::size_t i = 0; i < cutflow.size(); ++i)
    table.add({cutflow[i].name, format_count(cutflow[i].num_passed),
               i == 0 ? "" : format_percent(cutflow[i].num_passed, cutflow[i - 1].num_passed),
               format_percent(cutflow[i].num_passed, cutflow.front().num_passed)});
  return "cutflow\n" + table.format();
}

std::string regions_text(const SampleReport& report) {
  if (report.regions.empty()) return {};
  TextTable table({"region", "after", ">events", ">of these", ">of all"});
  for (const RegionCount& region : report.regions)
    table.add({region.name, region.after, format_count(region.num_passed),
               format_percent(region.num_passed, region.num_before),
               format_percent(region.num_passed, report.num_entries)});
  return "regions\n" + table.format() + "\n";
}

std::string rate(std::uint64_t count, double seconds) {
  return seconds > 0 ? format_count(static_cast<std::uint64_t>(static_cast<double>(count) / seconds)) : "-";
}

std::string summary_text(const JobReport& report) {
  TextTable table({"", ""});
  table.add({"events", format_count(report.num_entries) + " of " + std::to_string(report.num_files) +
                           (report.num_files == 1 ? " file" : " files")});
  table.add({"read", format_bytes(report.read.bytes_read) + " in " + format_count(report.read.read_calls) +
                         " requests"});
  table.add({"decoded", format_bytes(report.read.bytes_decoded) + " in " +
                            format_count(report.read.pages_decoded) + " pages"});
  if (const HistogramSummary& histograms = report.histograms; histograms.number != 0)
    table.add({"histograms", format_bytes(histograms.bytes) + ", added up in " +
                                 format_fixed(histograms.reduce_seconds, 3) + " s, written in " +
                                 format_fixed(histograms.write_seconds, 3) + " s"});
  table.add({"time", format_fixed(report.seconds, 3) + " s with " + std::to_string(report.threads) +
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

}  // namespace

std::string to_text(const JobReport& report) {
  std::string text = cutflow_text(report.samples.front().cutflow) + "\n" +
                     regions_text(report.samples.front()) + summary_text(report) +
                     outputs_text(report.outputs);
  for (const std::string& warning : report.warnings) text += "\n" + warning + "\n";
  return text;
}

}  // namespace skimline::skims
