// SPDX-License-Identifier: BSD-3-Clause
// `skimline run`: the histograms and skims of a config.
#include "commands.h"
#include "log.h"
#include "parts_elsewhere.h"
#include "progress.h"
#include "report/stage_names.h"
#include "run/split_of_parts.h"
#include "run/validation.h"
#include "server_sums.h"
#include "shared_options.h"
#include "terminal_width.h"
#include "trace_writer.h"

#include "skimline/framework/error.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/output_file.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/config.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/job.h"
#include "skimline/skims/job_parts.h"
#include "skimline/skims/replaced_files.h"
#include "skimline/skims/shown_text.h"
#include "skimline/skims/temporary_folder.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>

#include <CLI/CLI.hpp>
#include <malloc.h>
#include <spdlog/spdlog.h>

namespace skimline::skims {
namespace {

constexpr const char* kRunFooter = R"help(
Examples:
  skimline run configs/examples/dimuon.json
  skimline run --set variables.year=2018 --samples "data*" analysis.json
  skimline run --dry-run analysis.json
  skimline run --report - analysis.json | jq .samples
  skimline run --trace trace.json analysis.json      for https://ui.perfetto.dev
  skimline run -j 1 analysis.json      the same outputs, byte for byte, with one thread

The config is JSON; comments and trailing commas are allowed, paths are relative to its folder:
  {
    "schema_version": 1,
    "samples": {"data": {"files": ["dimuon.root:Events"]}},
    "define": {"mll": "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"},
    "select": [{"name": "two muons", "where": "nMuon == 2"}],
    "histograms": {"mass": {"x": {"value": "mll", "bins": 120, "range": [60, 120], "unit": "GeV"}}},
    "skims": {"dimuon": {"file": "skim.root", "keep": ["Muon_*", "mll"], "compression": "auto"}},
    "output": {"histograms": "histograms.root"}
  })help";

struct RunArguments {
  std::string config;
  ConfigOptions options;
  bool is_dry_run = false;
  bool prints_report = false;  ///< instead of the tables
  std::string progress = "auto";
  bool force = false;
  int threads = 0;
  std::string store;
  std::optional<Shard> share;  ///< of the parts, to be computed for the store and nothing else
  Elsewhere elsewhere;
  bool collects = false;    ///< from servers what others have computed, all of it
  bool keeps_sums = false;  ///< there, behind that
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What the C library keeps for later counts as memory of the process, too.
void give_memory_back_early() {
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, 2);
}

void log_config(const Config& config, const std::string& path, double seconds) {
  for (const Sample& sample : config.samples)
    spdlog::debug("sample \"{}\": {} input(s)", sample.name.value, sample.inputs.size());
  spdlog::debug("read {}: {} sample(s), {} histogram(s), {} skim(s), in {:.3f} s", path,
                config.samples.size(), config.histograms.size(), config.skims.size(), seconds);
  for (const std::string& warning : config.warnings) log_marked(spdlog::level::warn, warning);
}

std::shared_ptr<const Config> read_logged(const RunArguments& arguments) {
  const Clock::time_point start = Clock::now();
  std::shared_ptr<const Config> config = read_config(arguments.config, arguments.options);
  if (config->memory_limit) give_memory_back_early();
  log_config(*config, arguments.config, seconds_since(start));
  return config;
}

void log_report(const JobReport& report, const Config& config) {
  for (std::size_t stage = 0; stage < kNumStages; ++stage)
    spdlog::debug("{}: {:.3f} s of all threads", kStageNames[stage], report.stage_seconds[stage]);
  for (const SampleReport& sample : report.samples)
    spdlog::debug("sample \"{}\": {} event(s) in {:.3f} s", sample.name, sample.num_entries, sample.seconds);
  for (const OutputFile& output : report.outputs)
    spdlog::debug("wrote {}: {}, {} bytes", output.path, output.content, output.bytes);
  if (!config.output.report_path.empty()) spdlog::debug("wrote {}: report", config.output.report_path);
}

// The timeline of a run, asked for or not, which is worth most when the run fails.
class Trace {
 public:
  explicit Trace(const Config& config) : config_(config), writer_(Clock::now()) {
    if (config.output.trace) file_ = std::make_unique<io::OutputFile>(config.output.trace->value);
  }
  void observe(JobOptions& options) {
    if (file_)
      options.observe = [this](std::string_view sample, const StageSpan& span) { writer_.add(sample, span); };
  }
  void write() {
    if (!file_) return;
    const std::string text = writer_.to_json();
    file_->write(0, std::as_bytes(std::span(text)));
    file_->complete(text.size());
    io::mark_as_output(file_->current_path(), job_of_run(config_, file_->path()));
    file_->publish();
    spdlog::debug("wrote {}: trace", file_->path());
  }
  void write_after_fault() {
    try {
      write();
    } catch (const Error& error) {
      spdlog::error("{}", error.what());
    }
  }

 private:
  const Config& config_;
  TraceWriter writer_;
  std::unique_ptr<io::OutputFile> file_;
};

JobReport run_traced(const Config& config, const JobOptions& options, Trace& trace) {
  try {
    return run_job(config, options);
  } catch (...) {
    trace.write_after_fault();
    throw;
  }
}

Outcome dry_run(const RunArguments& arguments) {
  const std::shared_ptr<const Config> read = read_config(arguments.config, arguments.options);
  const Config& config = *read;
  JobOptions options;
  options.writes_report = true;
  options.overwrites = arguments.force;
  check_replaced(config, options);
  if (!arguments.store.empty() || arguments.share || arguments.elsewhere.is_given())
    refuse_split_of_parts(config);
  Validation validation = validate(config);
  validation.warnings.clear();  // the plan has them too
  return {.text = to_text(validation) + "\n" + to_text(plan_job(config, arguments.threads)),
          .is_result = false};
}

PartOptions part_options(const RunArguments& arguments, const std::string& store) {
  PartOptions options;
  options.store = store;
  options.threads = arguments.threads;
  return options;
}

Outcome fill_servers(const RunArguments& arguments, const Session& session) {
  const std::shared_ptr<const Config> config = read_logged(arguments);
  ServerSums sums({*config, arguments.config, arguments.options}, arguments.elsewhere.reduce,
                  part_options(arguments, arguments.store), session);
  const ServerSums::Put put = sums.put(*arguments.share);
  if (put.num_left > 0)
    spdlog::warn("{} of the parts can be computed by a run as a whole only: skimline run --processes",
                 put.num_left);
  return {.text = std::to_string(put.num_put) + " of " + std::to_string(sums.parts().size()) +
                  " parts computed for " + io::hide_secrets(arguments.elsewhere.reduce) + "\n",
          .is_result = false};
}

// Parts of samples by turns, so that shares have some of every sample.
Outcome fill_store(const RunArguments& arguments, const Session& session) {
  const std::shared_ptr<const Config> config = read_logged(arguments);
  JobParts job(*config, part_options(arguments, arguments.store));
  std::uint64_t number = 0, num_computed = 0, num_left = 0;
  for (const PartFacts& part : job.parts(session.stop)) {
    if (number++ % arguments.share->count != arguments.share->number - 1 || part.is_known) continue;
    ++(job.compute(part, session.stop) ? num_computed : num_left);
  }
  if (num_left > 0)
    spdlog::warn("{} of the parts can be computed by a run as a whole only: skimline run --store", num_left);
  return {.text = std::to_string(num_computed) + " of " + std::to_string(number) + " parts computed for " +
                  io::hide_secrets(arguments.store) + "\n",
          .is_result = false};
}

// The parts of a run that others compute, if they shall, and where their results are.
class OtherProcesses {
 public:
  OtherProcesses(const Config& config, const RunArguments& arguments, JobOptions& job,
                 const Session& session) {
    if (arguments.collects) collect(config, arguments, job, session);
    if (!arguments.elsewhere.is_given()) return;
    if (job.store.empty()) job.store = temporary_.emplace().path();
    const PartOptions options = part_options(arguments, job.store);
    Elsewhere elsewhere = arguments.elsewhere;
    elsewhere.keeps = !temporary_;
    const ReadConfig read{config, arguments.config, arguments.options};
    parts_.emplace(read, elsewhere, options, session);
    for (const std::string& problem : parts_->problems())
      spdlog::warn("a part was computed again: {}", shown(problem));
    if (!parts_->reduction().empty())
      spdlog::debug("results of parts are added up by {}", shown(parts_->reduction()));
  }

  void succeed() {
    if (parts_) parts_->succeed();
    if (sums_ && !keeps_sums_) forget_sums();
  }

 private:
  void collect(const Config& config, const RunArguments& arguments, JobOptions& job, const Session& session) {
    sums_.emplace(ReadConfig{config, arguments.config, arguments.options}, arguments.elsewhere.reduce,
                  part_options(arguments, job.store), session);
    sums_->read_all();
    job.store = sums_->store();
    keeps_sums_ = arguments.keeps_sums;
  }

  // The outputs are there, and servers forget in time anyway.
  void forget_sums() {
    try {
      sums_->forget();
    } catch (const Error& fault) {
      spdlog::warn("the sums stay in the servers for a time: {}", shown(fault.what()));
    }
  }

  std::optional<TemporaryFolder> temporary_;
  std::optional<PartsElsewhere> parts_;
  std::optional<ServerSums> sums_;
  bool keeps_sums_ = false;
};

Outcome run(const RunArguments& arguments, const Session& session) {
  if (arguments.share)
    return arguments.elsewhere.reduce.empty() ? fill_store(arguments, session)
                                              : fill_servers(arguments, session);
  const std::shared_ptr<const Config> read = read_logged(arguments);
  const Config& config = *read;
  JobOptions options;
  options.writes_report = true;
  options.overwrites = arguments.force;
  check_replaced(config, options);
  Trace trace(config);
  Progress progress(progress_style(arguments.progress, session.log), "events");
  options.threads = arguments.threads;
  options.store = arguments.store;
  options.stop = session.stop;
  OtherProcesses others(config, arguments, options, session);
  options.progress = [&](const JobProgress& job) { progress.show(job); };
  const std::vector<std::string>& known = config.warnings;
  options.warn = [&](const std::string& warning) {
    if (std::find(known.begin(), known.end(), warning) == known.end())
      log_marked(spdlog::level::warn, warning);
  };
  trace.observe(options);
  const JobReport report = run_traced(config, options, trace);
  others.succeed();
  progress.finish();
  log_report(report, config);
  try {
    trace.write();
  } catch (const FileError& error) {
    throw Error(std::string(error.what()) + "; output files are complete");
  }
  return {arguments.prints_report ? to_json(report) : to_text(report, terminal_width(kWidestTable)),
          report.is_complete() ? kDone : kIncomplete, arguments.prints_report};
}

void add_report(CLI::App& command, RunArguments& arguments) {
  const auto set = [&arguments](const std::string& path) {
    arguments.prints_report = path == "-";
    arguments.options.has_report = !arguments.prints_report;
    if (!arguments.prints_report) arguments.options.report = path;
  };
  CLI::Option* report = command.add_option_function<std::string>(
      "--report", set,
      "File for the report as JSON, instead of the config's, by default <config>.report.json beside the "
      "config, or as HTML if it ends with .html; - prints the JSON instead of the tables");
  command
      .add_flag_callback(
          "--no-report", [&arguments] { arguments.options.has_report = false; }, "Write no report")
      ->excludes(report);
}

void add_elsewhere(CLI::App& command, RunArguments& arguments) {
  Elsewhere& elsewhere = arguments.elsewhere;
  CLI::Option* dask = command.add_option(
      "--dask", elsewhere.dask,
      "Address of a scheduler of Dask whose workers compute, tcp://host:8786 for instance");
  CLI::Option* processes = command.add_option("--processes", elsewhere.processes,
                                              "Number of processes that compute, each with --threads, or 1");
  processes->check(CLI::Range(1, 4096))->excludes(dask);
  command.add_option_function<std::string>(
      "--reduce", [&elsewhere](const std::string& way) { elsewhere.reduce = way; },
      "How results of other processes are added up: star, tree, shuffle or redis://host:port[,...]; by "
      "default their size decides. With --fill-store servers only");
}

void add_store(CLI::App& command, RunArguments& arguments) {
  command.add_option("--store", arguments.store,
                     "Folder of results by what they are computed from, or its URL: what is there is taken, "
                     "what is computed is kept");
  command.add_option_function<std::string>(
      "--fill-store",
      [&arguments](const std::string& text) { arguments.share = share_of("--fill-store", text); },
      "I/N: compute only share I of N of what the store lacks, or the servers of --reduce, and write nothing "
      "else");
}

bool are_servers(const std::string& way) { return way.find("://") != std::string::npos; }

// Throws CLI::ValidationError for options that do not fit together.
void check_ways(const RunArguments& arguments) {
  const std::string& way = arguments.elsewhere.reduce;
  if (!arguments.share && !way.empty() && !arguments.elsewhere.is_given())
    throw CLI::ValidationError("--reduce", "needs --dask or --processes, or servers and --fill-store");
  if (!arguments.share) return;
  if (arguments.elsewhere.is_given())
    throw CLI::ValidationError("--fill-store",
                               "is for tasks of batch systems, not for --dask and --processes");
  if (way.empty() ? arguments.store.empty() : !are_servers(way))
    throw CLI::ValidationError("--fill-store", "needs --store, or --reduce with servers, redis://host:port");
}

Action add_run_options(CLI::App& command) {
  const auto arguments = std::make_shared<RunArguments>();
  ConfigOptions& options = arguments->options;
  command.add_option("config", arguments->config, "JSON config")->required();
  add_config_options(command, options);
  add_threads(command, arguments->threads);
  add_input_checks(command, options);
  command.add_flag("--dry-run", arguments->is_dry_run,
                   "Check the config and show what would be done; write nothing");
  add_report(command, *arguments);
  add_store(command, *arguments);
  add_elsewhere(command, *arguments);
  command.parse_complete_callback([arguments] { check_ways(*arguments); });
  add_force(command, arguments->force);
  add_memory_limit(command, options);
  command.add_option_function<std::string>(
      "--trace",
      [&options](const std::string& path) {
        if (path == "-") throw CLI::ValidationError("--trace", "is written to files only");
        options.trace = path;
      },
      "File for a timeline of what the threads did, as JSON");
  for (const char* of_whole_run : {"--report", "--trace"})
    command.get_option("--fill-store")->excludes(command.get_option(of_whole_run));
  add_progress(command, arguments->progress);
  return [arguments](const Session& session) {
    return arguments->is_dry_run ? dry_run(*arguments) : run(*arguments, session);
  };
}

constexpr const char* kCollectFooter = R"help(
Examples:
  skimline run --fill-store 1/2 --reduce redis://host analysis.json       each of these in a task of its own
  skimline run --fill-store 2/2 --reduce redis://host analysis.json
  skimline collect --reduce redis://host analysis.json

Writes the outputs of a run from the sums that tasks have put into the memory of servers, and reads no events. If a
part is missing, no output is written, the exit code is 3, and all that are missing are listed. Then the servers forget
the sums.)help";

Action add_collect_options(CLI::App& command) {
  const auto arguments = std::make_shared<RunArguments>();
  arguments->collects = true;
  command.add_option("config", arguments->config, "JSON config")->required();
  command
      .add_option("--reduce", arguments->elsewhere.reduce,
                  "The servers that tasks put sums to: redis://host:port[,...]")
      ->required();
  add_config_options(command, arguments->options);
  add_threads(command, arguments->threads);
  command.add_option("--store", arguments->store, "Folder of results with the skims of the parts");
  command.add_flag("--keep", arguments->keeps_sums, "Leave the sums in the servers");
  add_report(command, *arguments);
  add_force(command, arguments->force);
  add_progress(command, arguments->progress);
  return [arguments](const Session& session) { return run(*arguments, session); };
}

}  // namespace

const Command kCollectCommand{"collect", "Write the outputs of a run whose sums are in the memory of servers",
                              kCollectFooter, true, add_collect_options};

const Command kRunCommand{"run", "Fill the histograms and write the skims of a config", kRunFooter, true,
                          add_run_options};

}  // namespace skimline::skims
