// SPDX-License-Identifier: BSD-3-Clause
#include "batch/batch_job.h"

#include "skimline/framework/error.h"

#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kShares = "shares";  // a file with their number
constexpr const char* kMerge = "merge";    // the task that puts the parts together

std::string in(const fs::path& folder, const std::string& name) {
  return shell_word((folder / name).string());
}

// Notes where a task runs, and how it has ended.
std::string task_script(const BatchJob& job, const fs::path& folder, const std::string& task,
                        const std::string& options) {
  std::string call = shell_word(job.program) + " run";
  for (const std::string& argument : job.arguments) call += " " + shell_word(argument);
  call += " --store " + shell_word(job.store) + " --threads " + std::to_string(job.threads) +
          " --progress none" + options;
  return "#!/bin/sh\n"
         "task=" +
         task +
         "\n"
         "state=" +
         in(folder, "state") +
         "/$task\n"
         "cd " +
         shell_word(job.folder) +
         " || exit 1\n"
         "rm -f \"$state.exit\"\n"
         "echo \"$(hostname), since $(date '+%F %T')\" > \"$state.running\"\n" +
         call +
         "\n"
         "code=$?\n"
         "echo $code > \"$state.exit\"\n"
         "exit $code\n";
}

std::string lines(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  return text;
}

Files slurm_files(const BatchJob& job, const fs::path& folder) {
  const auto script = [&](const std::string& task, const std::string& log, std::vector<std::string> more) {
    std::vector<std::string> text{"#!/bin/sh", "#SBATCH --job-name=" + job.name,
                                  "#SBATCH --cpus-per-task=" + std::to_string(job.threads),
                                  "#SBATCH --output=" + (folder / "logs" / log).string()};
    text.insert(text.end(), more.begin(), more.end());
    text.push_back("exec sh " + task);
    return lines(text);
  };
  return {{"parts.sbatch", script(in(folder, "part.sh") + " \"$SLURM_ARRAY_TASK_ID\"", "%a.log",
                                  {"#SBATCH --array=1-" + std::to_string(job.num_shares)})},
          {"merge.sbatch", script(in(folder, "merge.sh"), "merge.log", {})},
          {"submit.sh",
           lines({"#!/bin/sh", "set -e", "parts=$(sbatch --parsable " + in(folder, "parts.sbatch") + ")",
                  "sbatch --dependency=\"afterok:${parts%%;*}\" " + in(folder, "merge.sbatch")})}};
}

// Condor's own way of quoting arguments stops at what is no plain path, so the scripts are named plainly.
Files condor_files(const BatchJob& job, const fs::path& folder) {
  const auto description = [&](const std::string& script, const std::string& log, const std::string& queue) {
    return lines({"batch_name = " + job.name, "universe = vanilla", "initialdir = " + folder.string(),
                  "executable = " + script, "output = logs/" + log, "error = logs/" + log,
                  "log = logs/condor.log", "request_cpus = " + std::to_string(job.threads),
                  "should_transfer_files = NO", queue});
  };
  const std::string queue =
      "share = $(Process) + 1\narguments = $INT(share)\nqueue " + std::to_string(job.num_shares);
  return {{"parts.sub", description("part.sh", "$INT(share).log", queue)},
          {"merge.sub", description("merge.sh", "merge.log", "queue")},
          {"job.dag", lines({"JOB parts parts.sub", "JOB merge merge.sub", "PARENT parts CHILD merge"})},
          {"submit.sh", lines({"#!/bin/sh", "set -e", "cd " + shell_word(folder.string()),
                               "condor_submit_dag -force job.dag"})}};
}

std::optional<std::string> content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(file), {});
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string last_lines(const fs::path& path) {
  constexpr std::size_t kMost = 5;
  std::ifstream file(path);
  std::deque<std::string> last;
  for (std::string line; std::getline(file, line);) {
    last.push_back(line);
    if (last.size() > kMost) last.pop_front();
  }
  std::string text;
  for (const std::string& line : last) text += (text.empty() ? "" : "\n") + line;
  return text;
}

TaskState state_of(const fs::path& folder, const std::string& task) {
  TaskState state;
  const fs::path notes = folder / "state" / task;
  const auto where = content(notes.string() + ".running");
  if (!where) return state;
  state.where = *where;
  const auto code = content(notes.string() + ".exit");
  state.kind = !code          ? TaskState::Kind::kRunning
               : *code == "0" ? TaskState::Kind::kDone
                              : TaskState::Kind::kFailed;
  if (state.kind != TaskState::Kind::kFailed) return state;
  state.exit_code = std::atoi(code->c_str());
  state.problem = last_lines(folder / "logs" / (task + ".log"));
  return state;
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

Files batch_files(const BatchJob& job, const fs::path& folder) {
  const std::string shares = std::to_string(job.num_shares);
  Files files = job.system == BatchSystem::kSlurm ? slurm_files(job, folder) : condor_files(job, folder);
  files.emplace_back("part.sh", task_script(job, folder, "$1", " --fill-store $1/" + shares));
  files.emplace_back("merge.sh", task_script(job, folder, kMerge, ""));
  files.emplace_back(kShares, shares + "\n");
  return files;
}

std::vector<TaskState> task_states(const fs::path& folder) {
  const auto shares = content(folder / kShares);
  const std::size_t count = shares ? std::strtoull(shares->c_str(), nullptr, 10) : 0;
  constexpr std::size_t kMost = 1000000;
  if (count < 1 || count > kMost)
    throw Error("\"" + folder.string() + "\" has no files that skimline submit has written");
  std::vector<TaskState> states;
  for (std::size_t share = 1; share <= count; ++share)
    states.push_back(state_of(folder, std::to_string(share)));
  states.push_back(state_of(folder, kMerge));
  return states;
}

}  // namespace skimline::skims
