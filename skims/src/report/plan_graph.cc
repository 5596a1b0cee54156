// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/plan_graph.h"

#include "report/stage_names.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace skimline::skims {
namespace {

const char* name_of(Stage stage) { return kStageNames.at(static_cast<std::size_t>(stage)); }

class GraphBuilder {
 public:
  TaskGraph build(const PlanReport& plan) {
    for (const SamplePlan& sample : plan.samples) add_sample(sample);
    const std::size_t publish = add({"", "publish", "file", num_files_, false}, std::nullopt);
    for (const std::size_t last : lasts_) graph_.dependencies.push_back({last, publish, false});
    return std::move(graph_);
  }

 private:
  std::size_t add(TaskGroup group, std::optional<std::size_t> before, bool is_one_to_one = true) {
    graph_.groups.push_back(std::move(group));
    const std::size_t number = graph_.groups.size() - 1;
    if (before) graph_.dependencies.push_back({*before, number, is_one_to_one});
    return number;
  }

  void add_sample(const SamplePlan& plan) {
    const auto slices = static_cast<std::size_t>(plan.num_slices);
    const std::size_t open = add({plan.sample, "open", "file", plan.files.size(), false}, std::nullopt);
    const std::size_t fetch = add({plan.sample, "fetch", "slice", slices, false}, open, false);
    const std::size_t evaluate = add({plan.sample, name_of(Stage::kEvaluate), "slice", slices, false}, fetch);
    // A sample begins when all slices of the one before are handed out.
    if (last_evaluate_) graph_.dependencies.push_back({*last_evaluate_, evaluate, false});
    last_evaluate_ = evaluate;
    std::size_t last = evaluate;
    for (const Stage stage : {Stage::kStitch, Stage::kSeal, Stage::kCommit, Stage::kWrite})
      if (!plan.skims.empty()) last = add_stage(plan, stage, last);
    num_files_ += plan.skims.size();
    if (!plan.histograms.empty()) {
      const std::size_t reduce =
          add({plan.sample, "reduce", "histogram", plan.histograms.size(), false}, evaluate, false);
      if (last_reduce_) graph_.dependencies.push_back({*last_reduce_, reduce, false});
      if (!last_reduce_) ++num_files_;
      last_reduce_ = reduce;
      lasts_.push_back(reduce);
    }
    lasts_.push_back(last);
  }

  std::size_t add_stage(const SamplePlan& plan, Stage stage, std::size_t before) {
    const bool is_in_order = stage == Stage::kStitch || stage == Stage::kCommit;
    return add({plan.sample, name_of(stage), "slice", static_cast<std::size_t>(plan.num_slices), is_in_order},
               before);
  }

  TaskGraph graph_;
  std::vector<std::size_t> lasts_;
  std::optional<std::size_t> last_evaluate_, last_reduce_;
  std::size_t num_files_ = 0;
};

std::string size_text(const TaskGroup& group) {
  std::string text = std::to_string(group.count) + " " + group.what + (group.count == 1 ? "" : "s");
  return group.is_in_order ? text + ", in order" : text;
}

// Names of samples have letters, digits and a few signs only, none of which has a meaning here.
std::string node(std::size_t number) { return "t" + std::to_string(number); }

std::string as_dot(const TaskGraph& graph) {
  std::string text = "digraph run {\n  rankdir=LR; node [shape=box];\n";
  for (std::size_t i = 0; i < graph.groups.size(); ++i) {
    const TaskGroup& group = graph.groups[i];
    const std::string lines = group.name + (group.sample.empty() ? "" : " " + group.sample);
    text += "  " + node(i) + " [label=\"" + lines + ": " + size_text(group) + "\"];\n";
  }
  for (const TaskDependency& each : graph.dependencies)
    text += "  " + node(each.before) + " -> " + node(each.after) +
            (each.is_one_to_one ? ";\n" : " [style=bold];\n");
  return text + "}\n";
}

std::string as_mermaid(const TaskGraph& graph) {
  std::string text = "flowchart LR\n";
  for (std::size_t i = 0; i < graph.groups.size(); ++i) {
    const TaskGroup& group = graph.groups[i];
    text += "  " + node(i) + "[\"" + group.name + " " + group.sample + "<br/>" + size_text(group) + "\"]\n";
  }
  for (const TaskDependency& each : graph.dependencies)
    text += "  " + node(each.before) + (each.is_one_to_one ? " --> " : " ==> ") + node(each.after) + "\n";
  return text;
}

std::string as_lines(const TaskGraph& graph) {
  std::string text, sample;
  for (std::size_t i = 0; i < graph.groups.size(); ++i) {
    const TaskGroup& group = graph.groups[i];
    if (i == 0 || group.sample != sample)
      text += group.sample.empty() ? "all samples\n" : "sample " + group.sample + "\n";
    sample = group.sample;
    std::string after;
    for (const TaskDependency& each : graph.dependencies) {
      if (each.after != i) continue;
      const TaskGroup& before = graph.groups[each.before];
      const bool is_other = before.sample != group.sample;
      after += after.empty() ? "after " : ", ";
      after += (each.is_one_to_one ? "its own " : "all ") + before.name;
      if (is_other && !group.sample.empty()) after += " of " + before.sample;
      if (is_other && group.name == name_of(Stage::kEvaluate)) after += " have begun";
    }
    std::string name = group.name;
    name.resize(std::max<std::size_t>(name.size(), 10), ' ');
    std::string size = size_text(group);
    if (!after.empty()) size.resize(std::max<std::size_t>(size.size(), 22), ' ');
    text += "  " + name + size + (after.empty() ? "" : "  " + after) + "\n";
  }
  return text;
}

}  // namespace

TaskGraph task_graph(const PlanReport& plan) { return GraphBuilder().build(plan); }

std::string to_text(const TaskGraph& graph, std::string_view format) {
  if (format == "dot") return as_dot(graph);
  if (format == "mermaid") return as_mermaid(graph);
  if (format == "text") return as_lines(graph);
  throw ConfigError("graphs are \"text\", \"dot\" or \"mermaid\", not \"" + std::string(format) + "\"");
}

}  // namespace skimline::skims
