// SPDX-License-Identifier: BSD-3-Clause
#include "report/html_report.h"

#include "base/measured_table.h"
#include "base/text_table.h"
#include "record/cutflow_tables.h"
#include "report/html_config.h"
#include "report/html_figures.h"
#include "report/html_style.h"
#include "report/html_text.h"
#include "report/job_tables.h"
#include "report/stage_names.h"
#include "report/yield_tables.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>

namespace skimline::skims {
namespace {

constexpr std::size_t kMostInputs = 200;  // more of them are only counted

struct Section {
  std::string id, heading, content;
};

std::string cell_text(const std::optional<Measured>& cell, int usual_decimals) {
  if (!cell) return "–";
  const int decimals = decimals_of(*cell, usual_decimals);
  std::string text = format_grouped(cell->value, decimals);
  if (cell->error) text += " ± " + format_grouped(*cell->error, decimals);
  if (cell->up)
    text += " <span class=\"soft\">+" + format_grouped(*cell->up, decimals) + " −" +
            format_grouped(*cell->down, decimals) + "</span>";
  if (cell->share && std::isfinite(*cell->share))
    text += " <span class=\"soft\">" + fixed_digits(100 * *cell->share, 2) + " %</span>";
  return text;
}

std::string html_of(const MeasuredTable& table) {
  if (table.rows.empty()) return {};
  std::vector<std::string> head{table.row_heading};
  for (const MeasuredColumn& column : table.columns) head.push_back(column.name);
  HtmlTable made(table.title, head);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<std::string> cells;
    for (const MeasuredColumn& column : table.columns)
      cells.push_back(cell_text(column.cells[row], decimals_of(column)));
    made.add(table.rows[row], cells);
  }
  return made.str();
}

std::string as_texts(const HtmlTable& table) {
  return table.empty() ? "" : "<div class=\"texts\">" + table.str() + "</div>\n";
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text = "<ul>\n";
  for (const std::string& item : items) text += "<li>" + html(item) + "</li>\n";
  return text + "</ul>\n";
}

std::string number(double value, int decimals) { return fixed_digits(value, decimals); }

Section yields_section(const JobReport& report) {
  if (!report.yields) return {};
  std::string notes = notes_of(*report.yields);
  return {"yields", "Yields",
          html_of(yield_table(*report.yields)) + "<p class=\"soft\">" + html_lines(notes) + "</p>\n"};
}

Section cutflow_section(const JobReport& report) {
  std::string text;
  for (const MeasuredTable& table : cutflow_tables(cutflows_of(report))) text += html_of(table);
  text += html_of(regions_table(report.samples)) + html_of(n_minus_1_table(report.samples));
  return {"cutflow", "Cutflow", text};
}

std::string shift_text(double varied, double nominal) {
  const double shift = varied - nominal;
  const Measured cell{.value = shift, .error = {}, .up = {}, .down = {}, .share = {}};
  std::string text = (shift < 0 ? "−" : "+") + format_grouped(std::abs(shift), decimals_of(cell, 2));
  if (nominal != 0)
    text += " <span class=\"soft\">" + std::string(shift / nominal < 0 ? "−" : "+") +
            number(100 * std::abs(shift / nominal), 2) + " %</span>";
  return text;
}

// How much each variation changes the yields of one region, sample by sample.
std::string impact_table(const Yields& yields, const std::string& region) {
  std::vector<const YieldsOfSample*> samples;
  std::vector<std::vector<std::string>> variations;
  for (const YieldsOfSample& sample : yields.samples) {
    const auto found = sample.regions.find(region);
    if (found == sample.regions.end() || found->second.variations.empty()) continue;
    samples.push_back(&sample);
    variations.emplace_back();
    for (const VariedYield& each : found->second.variations) variations.back().push_back(each.variation);
  }
  if (samples.empty()) return {};
  std::vector<std::string> head{"variation"};
  for (const YieldsOfSample* sample : samples) head.push_back(sample->name);
  HtmlTable table("Change of the yield, " + (region.empty() ? "all that is selected" : "region " + region),
                  head);
  for (const std::string& variation : united_rows(variations)) {
    std::vector<std::string> cells;
    for (const YieldsOfSample* sample : samples) {
      const Yield& yield = sample->regions.at(region);
      cells.emplace_back("–");
      for (const VariedYield& each : yield.variations)
        if (each.variation == variation) cells.back() = shift_text(each.value, yield.value);
    }
    table.add(variation, cells);
  }
  return table.str();
}

Section impact_section(const JobReport& report) {
  std::string text;
  if (report.yields)
    for (const std::string& region : report.yields->regions) text += impact_table(*report.yields, region);
  return {"systematics", "Systematic variations", text};
}

std::vector<std::string> problems_of(const JobReport& report) {
  std::vector<std::string> problems;
  for (const SampleReport& sample : report.samples) {
    for (const SkippedInput& skipped : sample.skipped)
      problems.push_back(sample.name + ": left out: " + skipped.problem);
    for (const std::string& missing : sample.missing)
      problems.push_back(sample.name + ": missing: " + missing);
    for (const LeftOutOfSkim& each : sample.left_out)
      problems.push_back(sample.name + ": the skim " + each.skim + " lacks " +
                         counted(each.columns.size(), "column") + " of the input");
    for (const std::string& difference : sample.differences)
      problems.push_back(sample.name + ": " + difference);
  }
  return problems;
}

std::string inputs_table(const JobReport& report) {
  HtmlTable table("Files", {"file", "sample", "object", "entries", "processed"});
  std::size_t number = 0;
  for (const SampleRecord& sample : report.record.samples)
    for (const InputRecord& input : sample.inputs) {
      if (++number > kMostInputs) continue;
      std::uint64_t processed = 0;
      for (const EntryRange& range : input.processed) processed += range.count;
      table.add(input.file, {html(sample.name), html(input.ntuple), format_count(input.num_entries),
                             format_count(processed)});
    }
  return as_texts(table) +
         (number > kMostInputs ? "<p>and " + counted(number - kMostInputs, "more file") + "</p>\n" : "");
}

Section inputs_section(const JobReport& report) {
  HtmlTable samples("Samples",
                    {"sample", "events", "promised", "files", "cross section / pb", "normalisation"});
  for (const SampleReport& sample : report.samples) {
    std::string cross_section = "–", normalisation = "–";
    for (const SampleRecord& record : report.record.samples)
      if (record.name == sample.name) {
        if (record.cross_section_pb) cross_section = format_number(*record.cross_section_pb);
        if (record.normalisation) normalisation = format_number(*record.normalisation);
      }
    samples.add(sample.name, {format_count(sample.num_entries), format_count(sample.promised_entries),
                              format_count(sample.num_files), cross_section, normalisation});
  }
  const std::vector<std::string> problems = problems_of(report);
  return {"inputs", "Inputs",
          samples.str() + "<h3>Missing, left out or different</h3>\n" +
              (problems.empty() ? "<p>Nothing.</p>\n" : list_of(problems)) + inputs_table(report)};
}

Section outputs_section(const JobReport& report) {
  HtmlTable table("Outputs", {"file", "content", "size", "checksum"});
  for (const OutputFile& output : report.outputs)
    table.add(output.path, {html(output.content), format_bytes(output.bytes), html(output.checksum)});
  return {"outputs", "Outputs", as_texts(table)};
}

Section warnings_section(const JobReport& report) {
  std::string text;
  for (const std::string& warning : report.warnings) text += "<pre>" + html_lines(warning) + "</pre>\n";
  return {"warnings", "Warnings", text};
}

std::string stages_table(const JobReport& report) {
  HtmlTable table("Stages, summed over the threads", {"stage", "seconds", "part"});
  double total = 0;
  for (const double seconds : report.stage_seconds) total += seconds;
  for (std::size_t stage = 0; stage < kNumStages; ++stage) {
    const double seconds = report.stage_seconds[stage];
    table.add(kStageNames[stage],
              {number(seconds, 3), total > 0 ? number(100 * seconds / total, 1) + " %" : "–"});
  }
  return table.str();
}

Section resources_section(const JobReport& report) {
  HtmlTable table("Of the whole run", {"what", "amount"});
  const double per_second = report.seconds > 0 ? static_cast<double>(report.num_entries) / report.seconds : 0;
  const double used = report.seconds * report.threads;
  table.add("time", {number(report.seconds, 3) + " s"});
  table.add("threads", {std::to_string(report.threads)});
  table.add("threads at work", {used > 0 ? number(100 * report.processor_seconds / used, 1) + " %" : "–"});
  table.add("speed", {format_grouped(per_second, 0) + " events/s"});
  table.add("read",
            {format_bytes(report.read.bytes_read) + " in " + counted(report.read.read_calls, "request")});
  table.add("decoded",
            {format_bytes(report.read.bytes_decoded) + " in " + counted(report.read.pages_decoded, "page")});
  table.add("verified by checksums", {format_bytes(report.read.bytes_verified)});
  table.add("without checksums", {format_bytes(report.read.bytes_unverified)});
  table.add("waited for storage", {number(report.read.seconds_waited, 3) + " s of all threads"});
  if (report.histograms.number > 0)
    table.add("histograms",
              {format_count(report.histograms.number) + ", " + format_bytes(report.histograms.bytes)});
  if (report.store)
    table.add("store", {format_count(report.store->num_taken) + " results taken, " +
                        format_count(report.store->num_computed) + " computed"});
  table.add("most memory", {format_bytes(report.peak_memory)});
  HtmlTable samples("By sample", {"sample", "events", "seconds"});
  for (const SampleReport& sample : report.samples)
    samples.add(sample.name, {format_count(sample.num_entries), number(sample.seconds, 3)});
  return {"resources", "Resources", table.str() + stages_table(report) + samples.str()};
}

Section config_section(const JobReport& report) {
  std::string text;
  for (const std::string& config : report.record.configs)
    text += "<pre tabindex=\"0\">" + html_of_json(config) + "</pre>\n";
  return {"config", "Config", text};
}

std::string utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string header_of(const JobReport& report, const std::string& job) {
  const std::string state = report.is_complete()
                                ? "<span class=\"good\">complete</span>"
                                : "<span class=\"bad\">incomplete</span>, see <a href=\"#inputs\">inputs</a>";
  std::string warnings;
  if (!report.warnings.empty())
    warnings = ", <a href=\"#warnings\">" + counted(report.warnings.size(), "warning") + "</a>";
  return "<header>\n<h1>" + html(job) + "</h1>\n<p>" + state + warnings + ": " +
         counted(report.num_entries, "event") + " of " + counted(report.num_files, "file") + " in " +
         counted(report.samples.size(), "sample") + "</p>\n<p class=\"soft\">skimline " +
         html(report.record.version) + ", <time>" + utc(report.started) + "</time></p>\n</header>\n";
}

std::string navigation(const std::vector<Section>& sections) {
  std::string text = "<nav aria-label=\"Sections\">\n<ul>\n";
  for (const Section& section : sections)
    text += "<li><a href=\"#" + section.id + "\">" + section.heading + "</a></li>\n";
  return text + "</ul>\n</nav>\n";
}

std::string html_of(const Section& section) {
  return "<section id=\"" + section.id + "\" aria-labelledby=\"" + section.id + "-heading\">\n<h2 id=\"" +
         section.id + "-heading\">" + section.heading + "</h2>\n" + section.content + "</section>\n";
}

Section figures_section(const JobReport& report, const HistogramFile* histograms) {
  if (!histograms) return {};
  const HistogramCatalogue catalogue = catalogue_of(*histograms, report.record);
  const bool are_normalised =
      report.yields && std::any_of(report.yields->samples.begin(), report.yields->samples.end(),
                                   [](const YieldsOfSample& sample) { return sample.is_normalised; });
  return {"figures", "Figures", html_of(Figures(*histograms, catalogue, are_normalised))};
}

}  // namespace

std::string to_html(const JobReport& report, const HistogramFile* histograms, const std::string& job) {
  std::vector<Section> sections{yields_section(report),   cutflow_section(report),
                                impact_section(report),   figures_section(report, histograms),
                                warnings_section(report), inputs_section(report),
                                outputs_section(report),  resources_section(report),
                                config_section(report)};
  std::erase_if(sections, [](const Section& section) { return section.content.empty(); });
  std::string body;
  for (const Section& section : sections) body += html_of(section);
  return std::string(kHtmlReportBegin) +
         "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>" +
         html(job) + "</title>\n<style>" + kHtmlStyle +
         "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n" +
         header_of(report, job) + navigation(sections) + "<main id=\"content\">\n" + body +
         "</main>\n</body>\n</html>\n";
}

}  // namespace skimline::skims
