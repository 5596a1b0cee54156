// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/generate.h"

#include "base/text_table.h"
#include "run/skim_sink.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/generate/agc_samples.h"
#include "skimline/generate/synthetic_events.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/field_name.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/output_file.h"
#include "skimline/io/output_formats.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/skims/replaced_files.h"
#include "skimline/skims/shown_text.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

constexpr const char* kListName = "nanoaod_inputs.json";

// Lists "X_..." or "X" with the counter "nX" belong together.
std::vector<io::Collection> collections_of(const Schema& schema) {
  std::vector<io::Collection> collections;
  for (const ColumnInfo& counter : schema.columns()) {
    if (counter.type.is_jagged() || counter.name.size() < 2 || counter.name[0] != 'n') continue;
    io::Collection collection{counter.name.substr(1), counter.name, "", {}};
    for (const ColumnInfo& list : schema.columns())
      if (list.type.is_jagged() &&
          (list.name == collection.name || list.name.starts_with(collection.name + "_")))
        collection.columns.push_back(list.name);
    if (!collection.columns.empty()) collections.push_back(std::move(collection));
  }
  return collections;
}

SkimColumns columns_of(const Schema& schema, const GenerateOptions& options) {
  SkimColumns columns;
  columns.computed = schema;
  if (output_format(options.format).shares_counts || options.events.model == generate::SyntheticModel::kAgc)
    columns.collections = collections_of(schema);
  return columns;
}

SkimSinkOptions sink_options(const GenerateOptions& options) {
  SkimSinkOptions sink;
  sink.format = options.format;
  sink.name = options.ntuple_name;
  sink.settings = options.settings;
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

std::string job_of(const GenerateOptions& options) {
  return job_called("generate",
                    {std::to_string(static_cast<int>(options.events.model)), options.events.sample,
                     std::to_string(options.events.seed), options.ntuple_name});
}

/// A file that is complete, but has not got its name.
struct GeneratedFile {
  std::unique_ptr<io::RootFileWriter> file;
  GenerateReport report;
};

void check_events_name(const std::string& name) {
  const std::string problem = io::problem_of_path(name, "an RNTuple or TTree");
  if (!problem.empty()) throw ConfigError(problem);
}

GeneratedFile fill(const GenerateOptions& options) {
  check_events_name(options.ntuple_name);
  io::check_root_file_name(options.path);
  if (!options.overwrites) check_replaced(options.path, job_of(options));
  generate::SyntheticEvents events(options.events);
  auto file = std::make_unique<io::RootFileWriter>(options.path, output_format(options.format).classes());
  const std::unique_ptr<SkimSink> sink =
      make_skim_sink(*file, columns_of(events.schema(), options), sink_options(options));
  PlanBuilder builder(events.schema());
  builder.write(kAllEntries, events.schema().names(), sink->sink());
  const Plan plan = std::move(builder).build();
  const RunReport run_report = run(plan, events, run_options(options));
  const std::uint64_t file_bytes = file->complete(sink->finish().files.front().content_hash);
  io::mark_as_output(file->file().current_path(), job_of(options));
  return {std::move(file),
          {options.path, run_report.num_entries, file_bytes, run_report.seconds, run_report.threads}};
}

/// The folder of a set of files, which is made with the first of them.
class TargetFolder {
 public:
  explicit TargetFolder(const std::string& path) : path_(path) {
    std::error_code error;
    if (fs::exists(path_, error) && !fs::is_directory(path_, error)) fail("is no folder");
    if (!fs::exists(path_, error) && path_.extension() == ".root") fail("looks like a file");
  }

  std::string path_of(const std::string& name) const { return (path_ / name).string(); }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(path_.string() + ": " + problem +
                      ", but all samples of model agc are written into a folder; --sample writes one file");
  }

  fs::path path_;
};

std::string file_name_of(const generate::AgcSample& sample) { return sample.name() + ".root"; }

std::string list_of_samples(std::uint64_t num_events) {
  Json list;
  for (const generate::AgcSample& sample : generate::agc_samples()) {
    const Json file{{"path", file_name_of(sample)}, {"nevts", num_events}};
    list[sample.process][sample.variation] = {{"nevts_total", num_events}, {"files", Json::array({file})}};
  }
  return list.dump(2) + "\n";
}

GenerateOptions options_of(const GenerateOptions& options, const generate::AgcSample& sample,
                           const TargetFolder& folder) {
  GenerateOptions of_sample = options;
  of_sample.events.sample = sample.name();
  of_sample.path = folder.path_of(file_name_of(sample));
  return of_sample;
}

void check_all_replaced(const GenerateOptions& options, const TargetFolder& folder,
                        const std::string& list_path) {
  check_replaced(list_path, job_of(options));
  for (const generate::AgcSample& sample : generate::agc_samples()) {
    const GenerateOptions of_sample = options_of(options, sample, folder);
    check_replaced(of_sample.path, job_of(of_sample));
  }
}

}  // namespace

GenerateReport generate(const GenerateOptions& options) {
  GeneratedFile generated = fill(options);
  if (!options.overwrites) check_replaced(options.path, job_of(options));
  generated.file->file().publish(options.stop);
  return generated.report;
}

GenerateSamplesReport generate_samples(const GenerateOptions& options) {
  const TargetFolder folder(options.path);
  const std::string list_path = folder.path_of(kListName);
  if (!options.overwrites) check_all_replaced(options, folder, list_path);
  io::OutputFile list(list_path);
  std::vector<GeneratedFile> generated;
  for (const generate::AgcSample& sample : generate::agc_samples()) {
    GenerateOptions of_sample = options_of(options, sample, folder);
    const std::uint64_t before = generated.size() * options.events.num_events;
    if (options.progress)
      of_sample.progress = [&options, before](std::uint64_t done) { options.progress(before + done); };
    generated.push_back(fill(of_sample));
  }
  const std::string text = list_of_samples(options.events.num_events);
  list.write(0, std::as_bytes(std::span(text)));
  list.complete(text.size());
  io::mark_as_output(list.current_path(), job_of(options));

  GenerateSamplesReport report{{}, list_path};
  std::vector<io::OutputFile*> files;
  for (const GeneratedFile& sample : generated) {
    files.push_back(&sample.file->file());
    report.files.push_back(sample.report);
  }
  files.push_back(&list);
  if (!options.overwrites) check_all_replaced(options, folder, list_path);
  io::publish_together(files, options.stop);
  return report;
}

std::string to_text(const GenerateReport& report) {
  return shown(report.path) + ": " + format_count(report.num_events) + " events, " +
         format_bytes(report.file_bytes) + ", in " + fixed_digits(report.seconds, 2) + " s with " +
         std::to_string(report.threads) + (report.threads == 1 ? " thread\n" : " threads\n");
}

std::string to_text(const GenerateSamplesReport& report) {
  std::string text;
  for (const GenerateReport& file : report.files) text += to_text(file);
  return text + shown(report.list) + ": the list of these samples\n";
}

}  // namespace skimline::skims
