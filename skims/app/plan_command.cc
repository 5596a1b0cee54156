// SPDX-License-Identifier: BSD-3-Clause
// `skimline plan`: what a run would do.
#include "commands.h"
#include "shared_options.h"

#include "skimline/skims/config_reader.h"
#include "skimline/skims/job.h"
#include "skimline/skims/plan_graph.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kPlanFooter = R"help(
Examples:
  skimline plan analysis.json
  skimline plan --graph dot analysis.json | dot -Tsvg -o tasks.svg
  skimline plan --json analysis.json | jq '.events[] | select(.columns != []) | {where, columns}'

Shows what a run would do, without reading events or writing files: the input, which events are selected in which
order, what is read, computed, filled and kept for which of them, and the memory that it may take. With --graph: the
tasks that it consists of, and which wait for which.)help";

struct PlanArguments {
  std::string config;
  ConfigOptions options;
  bool as_json = false;
  std::string graph;
  int threads = 0;
};

Outcome plan(const PlanArguments& arguments) {
  const PlanReport report = plan_job(*read_config(arguments.config, arguments.options), arguments.threads);
  if (!arguments.graph.empty()) return {to_text(task_graph(report), arguments.graph)};
  return {arguments.as_json ? to_json(report) : to_text(report)};
}

Action add_plan_options(CLI::App& command) {
  const auto arguments = std::make_shared<PlanArguments>();
  command.add_option("config", arguments->config, "JSON config")->required();
  add_config_options(command, arguments->options);
  add_input_checks(command, arguments->options);
  CLI::Option* json = command.add_flag("--json", arguments->as_json, "Print JSON instead of text");
  command
      .add_option("--graph", arguments->graph, "Print the tasks and what they wait for: text, dot or mermaid")
      ->check(CLI::IsMember({"text", "dot", "mermaid"}))
      ->excludes(json);
  add_threads(command, arguments->threads, "Threads to estimate memory for; 0 means one per core");
  add_memory_limit(command, arguments->options);
  return [arguments](const Session&) { return plan(*arguments); };
}

}  // namespace

const Command kPlanCommand{"plan", "Show what a run of a config would do, without running it", kPlanFooter,
                           false, add_plan_options};

}  // namespace skimline::skims
