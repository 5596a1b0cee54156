// SPDX-License-Identifier: BSD-3-Clause
// `skimline status`: how far a job of a batch system is.
#include "base/text_table.h"
#include "batch/batch_job.h"
#include "commands.h"

#include <algorithm>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kStatusFooter = R"help(
Examples:
  skimline status job

Says of the tasks of a job that skimline submit has written which are done, running, waiting, or failed, and why. The
exit code is 0 if the last task has written the outputs, 1 if a task has failed, else 3.)help";

using Kind = TaskState::Kind;

std::string name_of(std::size_t task, std::size_t num_tasks) {
  return task + 1 == num_tasks ? "merge" : "part " + std::to_string(task + 1);
}

std::string text_of(const TaskState& task) {
  if (task.kind == Kind::kRunning) return "running on " + task.where;
  if (task.kind == Kind::kIncomplete)
    return "ended with exit code 3, as something is missing, on " + task.where;
  if (task.kind == Kind::kGone) return "gone, killed or with its machine; it ran on " + task.where;
  return "failed with exit code " + std::to_string(task.exit_code) + " on " + task.where;
}

std::string indented(const std::string& text) {
  std::string shown = "    ";
  for (const char letter : text) shown += letter == '\n' ? std::string("\n    ") : std::string(1, letter);
  return shown;
}

Outcome status(const std::string& folder) {
  const std::vector<TaskState> tasks = task_states(folder);
  const auto count = [&](Kind kind) {
    return std::count_if(tasks.begin(), tasks.end(),
                         [&](const TaskState& each) { return each.kind == kind; });
  };
  const auto num_failed = count(Kind::kFailed) + count(Kind::kGone);
  const auto num_incomplete = count(Kind::kIncomplete);
  const std::string incomplete =
      num_incomplete > 0 ? ", " + std::to_string(num_incomplete) + " incomplete" : "";
  std::string text = std::to_string(tasks.size()) + " tasks: " + std::to_string(count(Kind::kDone)) +
                     " done, " + std::to_string(count(Kind::kRunning)) + " running, " +
                     std::to_string(count(Kind::kWaiting)) + " waiting, " + std::to_string(num_failed) +
                     " failed" + incomplete + "\n";
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskState& task = tasks[i];
    if (task.kind == Kind::kWaiting || task.kind == Kind::kDone) continue;
    text += "  " + name_of(i, tasks.size()) + ": " + text_of(task) + "\n";
    if (!task.problem.empty()) text += indented(task.problem) + "\n";
  }
  return {text, num_failed > 0 ? kFailed : tasks.back().kind == Kind::kDone ? kDone : kIncomplete};
}

Action add_status_options(CLI::App& command) {
  const auto folder = std::make_shared<std::string>();
  command.add_option("folder", *folder, "Folder that skimline submit has written")->required();
  return [folder](const Session&) { return status(*folder); };
}

}  // namespace

const Command kStatusCommand{"status", "Say how far a job of a batch system is", kStatusFooter, false,
                             add_status_options};

}  // namespace skimline::skims
