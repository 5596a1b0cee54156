// SPDX-License-Identifier: BSD-3-Clause
// The tasks that a run of a plan consists of, and which wait for which.
#pragma once

#include "skimline/skims/plan_report.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Tasks of one kind of a sample, or of the whole run.
struct TaskGroup {
  std::string sample;  ///< empty of the whole run
  std::string name;    ///< "evaluate": as traces and reports have it, if it is a stage
  std::string what;    ///< what one task is for: "slice"
  std::size_t count = 0;
  bool is_in_order = false;  ///< one at a time, in the order of entries
};

/// Groups of tasks by their numbers.
struct TaskDependency {
  std::size_t before = 0, after = 0;
  /// Whether a task needs its own one of the group before; else the first task needs all of these.
  bool is_one_to_one = true;
};

struct TaskGraph {
  std::vector<TaskGroup> groups;  ///< each behind those it depends on
  std::vector<TaskDependency> dependencies;
};

/// Returns the tasks of a run.
TaskGraph task_graph(const PlanReport& plan);

/// Returns the graph as "text", for Graphviz as "dot", or for Markdown as "mermaid".
std::string to_text(const TaskGraph& graph, std::string_view format);

}  // namespace skimline::skims
