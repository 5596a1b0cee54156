// SPDX-License-Identifier: BSD-3-Clause
// `skimline generate`: files with synthetic events.
#include "commands.h"
#include "progress.h"
#include "shared_options.h"

#include "skimline/framework/error.h"
#include "skimline/generate/agc_samples.h"
#include "skimline/io/output_formats.h"
#include "skimline/skims/generate.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kGenerateFooter = R"help(
Examples:
  skimline generate dimuon --events 1000000 --seed 7 -o dimuon.root
  skimline generate dijet --events 1e8 -o dijet.root --compression lz4
  skimline generate agc --events 1e5 -o agc
  skimline generate agc --events 1e5 --sample ttbar__nominal --format ttree -o ttbar.root

Models:
  dimuon   Z and J/psi decays to two muons over a continuum, single muons, jets, missing momentum
  dijet    two leading jets with a falling mass spectrum; weights span many orders of magnitude
  adl      events for the IRIS-HEP ADL benchmark queries: all objects of CMS's NanoAOD of 2012
  agc      events for the analysis grand challenge (AGC): top pairs, single tops and W bosons with jets, in columns of
           CMS's NanoAOD of 2015. --output is a folder for all nine samples, of so many events each, and their list,
           nanoaod_inputs.json, for "samples_from" of configs; with --sample it is the file of one of them
  lhcb     candidates of B mesons that decay to three kaons, over a background: 26 flat columns as in LHCb's open data

Event n depends on the model, the sample, the seed and n only.)help";

struct GenerateArguments {
  std::string model = "dimuon";
  GenerateOptions options;
  std::string compression = "auto";
  std::string progress = "auto";
  bool force = false;
  int threads = 0;
};

// Counts are often typed as 1e8.
std::string whole_number(std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || value < 0 || value > 1e15 || value != std::floor(value))
    return "\"" + text + "\" is not a whole number from 0 to 1e15";
  text = std::to_string(static_cast<std::uint64_t>(value));
  return {};
}

void add_format(CLI::App& command, io::DataFormat& format) {
  const std::vector<const char*> known = io::root_format_names();
  const std::vector<std::string> names(known.begin(), known.end());
  std::string choice;
  for (const std::string& name : names) choice += (choice.empty() ? "" : " or ") + name;
  command
      .add_option_function<std::string>(
          "--format", [&format](const std::string& name) { format = *io::output_format_called(name); },
          choice)
      ->check(CLI::IsMember(names))
      ->default_str(names.front());
}

Outcome generate(const GenerateArguments& arguments, const Session& session) {
  Progress progress(progress_style(arguments.progress, session.log), "events");
  GenerateOptions options = arguments.options;
  options.events.model = generate::parse_synthetic_model(arguments.model);
  const bool is_agc = options.events.model == generate::SyntheticModel::kAgc;
  if (!is_agc && !options.events.sample.empty())
    throw ConfigError("--sample: model " + arguments.model + " has no samples, only agc has");
  const bool is_set = is_agc && options.events.sample.empty();
  const std::uint64_t num_events =
      options.events.num_events * (is_set ? generate::agc_sample_names().size() : 1);
  options.settings.compression = io::parse_writer_compression(arguments.compression);
  options.threads = granted_threads(arguments.threads);
  options.stop = session.stop;
  options.overwrites = arguments.force;
  options.progress = [&](std::uint64_t done) { progress.show(done, num_events); };
  const std::string text = is_set ? to_text(generate_samples(options)) : to_text(skims::generate(options));
  progress.finish();
  return {.text = text, .is_result = false};
}

Action add_generate_options(CLI::App& command) {
  const auto arguments = std::make_shared<GenerateArguments>();
  GenerateOptions& options = arguments->options;
  command.add_option("model", arguments->model, "dimuon, dijet, adl, agc or lhcb")->required();
  command.add_option("--events", options.events.num_events, "Number of events, 1e8 for instance")
      ->required()
      ->transform(CLI::Validator(whole_number, "", ""));
  command.add_option("--seed", options.events.seed, "Seed of the random numbers")
      ->check(problem_of_count)
      ->capture_default_str();
  command.add_option("-o,--output", options.path, "File to write; of agc without --sample: a folder")
      ->required();
  add_force(command, arguments->force);
  command.add_option("--sample", options.events.sample, "Of agc: the only sample, such as ttbar__nominal");
  add_format(command, options.format);
  command.add_option("--name", options.ntuple_name, "Name of the RNTuple or TTree")->capture_default_str();
  add_compression(command, arguments->compression);
  add_threads(command, arguments->threads);
  add_progress(command, arguments->progress);
  return [arguments](const Session& session) { return generate(*arguments, session); };
}

}  // namespace

const Command kGenerateCommand{"generate", "Write files with synthetic events", kGenerateFooter, true,
                               add_generate_options};

}  // namespace skimline::skims
