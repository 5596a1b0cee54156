// SPDX-License-Identifier: BSD-3-Clause
#include "batch/batch_job.h"

#include "batch/slurm_queue.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kShares = "shares";  // a file with their number
constexpr const char* kMerge = "merge";    // the task that puts the parts together

std::string in(const fs::path& folder, const std::string& name) {
  return shell_word((folder / name).string());
}

std::string call_of(const BatchJob& job, const std::string& command) {
  std::string call = shell_word(job.program) + " " + command;
  for (const std::string& argument : job.arguments) call += " " + shell_word(argument);
  if (!job.store.empty()) call += " --store " + shell_word(job.store);
  if (!job.servers.empty()) call += " --reduce " + shell_word(job.servers);
  return call + " --threads " + std::to_string(job.threads) + " --progress none";
}

// Notes where a task runs, and how it has ended, also if its job is cancelled: the shell waits for the
// program then.
std::string task_script(const BatchJob& job, const fs::path& folder, const std::string& task,
                        const std::string& call) {
  return "#!/bin/sh\n"
         "task=" +
         task +
         "\n"
         "state=" +
         in(folder, "state") +
         "/$task\n"
         "trap : TERM\n"
         "rm -f \"$state.exit\"\n"
         "echo \"${SLURM_JOB_ID-}\" > \"$state.job\"\n"
         "echo \"$(hostname), since $(date '+%F %T')\" > \"$state.running\"\n"
         "cd " +
         shell_word(job.folder) + " &&\n  " + call +
         "\n"
         "code=$?\n"
         "echo $code > \"$state.new\" && mv -f \"$state.new\" \"$state.exit\"\n"
         "exit $code\n";
}

std::string lines(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  return text;
}

// There may be more than a command takes. Who tidies up may have removed the folders.
std::string forget_states(const fs::path& folder) {
  const std::string state = in(folder, "state");
  return "mkdir -p " + state + " " + in(folder, "logs") + "\nfind " + state + " -type f -exec rm -f {} +";
}

// A value of an #SBATCH line, where quotes and backslashes count as in a shell.
std::string slurm_value(const std::string& text) {
  if (shell_word(text) == text) return text;
  std::string value = "\"";
  for (const char letter : text)
    value += (letter == '"' || letter == '\\' ? "\\" : "") + std::string(1, letter);
  return value + "\"";
}

// In names of files %a and the like stand for something.
std::string slurm_path(const std::string& path) {
  std::string text;
  for (const char letter : path) text += letter == '%' ? "%%" : std::string(1, letter);
  return text;
}

Files slurm_files(const BatchJob& job, const fs::path& folder) {
  const auto script = [&](const std::string& task, const std::string& log, std::vector<std::string> more) {
    const std::string output = slurm_path((folder / "logs").string()) + "/" + log;
    std::vector<std::string> text{"#!/bin/sh", "#SBATCH --job-name=" + slurm_value(job.name),
                                  "#SBATCH --cpus-per-task=" + std::to_string(job.threads),
                                  "#SBATCH --output=" + slurm_value(output)};
    text.insert(text.end(), more.begin(), more.end());
    text.insert(text.end(), job.directives.begin(), job.directives.end());
    text.push_back("exec sh " + task);
    return lines(text);
  };
  return {
      {"parts.sbatch", script(in(folder, "part.sh") + " \"$SLURM_ARRAY_TASK_ID\"", "%a.log",
                              {"#SBATCH --array=1-" + std::to_string(job.num_shares)})},
      {"merge.sbatch", script(in(folder, "merge.sh"), "merge.log", {"#SBATCH --kill-on-invalid-dep=yes"})},
      {"submit.sh", lines({"#!/bin/sh", "set -e", forget_states(folder),
                           "parts=$(sbatch --parsable " + in(folder, "parts.sbatch") + ")",
                           "sbatch --dependency=\"afterok:${parts%%;*}\" " + in(folder, "merge.sbatch")})}};
}

// In its files $(name) stands for something.
std::string condor_value(const std::string& text) {
  std::string value;
  for (const char letter : text) value += letter == '$' ? "$(DOLLAR)" : std::string(1, letter);
  return value;
}

// Blanks at the end of a line do not count, and a backslash there lets the next line be a part of it.
std::string condor_folder(const std::string& path) {
  return condor_value(path) + (path.find_last_of(" \t\\") + 1 == path.size() ? "/." : "");
}

std::string condor_name(std::string name) {
  name.resize(name.find_last_not_of(" \t\\") + 1);
  return condor_value(name);
}

// Condor's own way of quoting arguments stops at what is no plain path, so the scripts are named plainly.
Files condor_files(const BatchJob& job, const fs::path& folder) {
  const auto description = [&](const std::string& script, const std::string& log, const std::string& queue) {
    return lines({"batch_name = " + condor_name(job.name), "universe = vanilla",
                  "initialdir = " + condor_folder(folder.string()), "executable = " + script,
                  "output = logs/" + log, "error = logs/" + log, "log = logs/condor.log",
                  "request_cpus = " + std::to_string(job.threads), "should_transfer_files = NO"}) +
           lines(job.directives) + queue + "\n";
  };
  const std::string queue =
      "share = $(Process) + 1\narguments = $INT(share)\nqueue " + std::to_string(job.num_shares);
  return {{"parts.sub", description("part.sh", "$INT(share).log", queue)},
          {"merge.sub", description("merge.sh", "merge.log", "queue")},
          {"job.dag", lines({"JOB parts parts.sub", "JOB merge merge.sub", "PARENT parts CHILD merge"})},
          {"submit.sh", lines({"#!/bin/sh", "set -e", forget_states(folder),
                               "cd " + shell_word(folder.string()), "condor_submit_dag -force job.dag"})}};
}

// Names of what the files say themselves, by which tasks are found and told apart.
constexpr std::array<std::string_view, 9> kSlurmOwn{
    "array", "a", "output", "o", "error", "e", "chdir", "D", "kill-on-invalid-dep"};
constexpr std::array<std::string_view, 9> kCondorOwn{
    "arguments", "error", "executable", "initialdir", "log", "output", "batch_name", "queue", "universe"};

std::string without_blanks_around(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

[[noreturn]] void refuse_directive(const std::string& directive, const std::string& problem) {
  throw ConfigError("the directive \"" + directive + "\" " + problem);
}

template <typename Names>
void refuse_own(const std::string& directive, const std::string& name, const Names& own) {
  if (std::find(own.begin(), own.end(), name) != own.end())
    refuse_directive(directive, "sets \"" + name + "\", which the job needs as it is");
}

std::string slurm_line(const std::string& directive) {
  const std::string option = directive.starts_with('-') ? directive : "--" + directive;
  const std::size_t begin = option.find_first_not_of('-');
  // A short option may have its value right behind it.
  const bool is_short = begin == 1;
  const std::size_t end = is_short ? begin + 1 : option.find_first_of("= ", begin);
  if (begin == std::string::npos || begin > 2 || end == begin ||
      !std::isalpha(static_cast<unsigned char>(option[begin])))
    refuse_directive(directive, "is no option of sbatch, such as \"time=2:00:00\"");
  refuse_own(directive, option.substr(begin, end - std::min(begin, end)), kSlurmOwn);
  return "#SBATCH " + option;
}

std::string condor_line(const std::string& directive) {
  const std::size_t sign = directive.find('=');
  const std::string name = without_blanks_around(directive.substr(0, sign));
  const std::size_t begin = name.starts_with('+') ? 1 : 0;
  const bool is_name =
      name.size() > begin &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(begin), name.end(), [](unsigned char letter) {
        return std::isalnum(letter) || letter == '_' || letter == '.';
      });
  if (sign == std::string::npos || !is_name || directive.back() == '\\')
    refuse_directive(directive, "is no line of a submit description, such as \"request_memory = 4 GB\"");
  refuse_own(directive, io::lower_case(name), kCondorOwn);
  return directive;
}

// Nothing if it is no file. Of a longer one the end.
std::optional<std::string> end_of(const fs::path& path) {
  constexpr std::uintmax_t kMost = 16384;
  std::error_code problem;
  if (!fs::is_regular_file(path, problem)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::uintmax_t size = fs::file_size(path, problem);
  if (!file || problem) return std::nullopt;
  file.seekg(static_cast<std::streamoff>(size - std::min(size, kMost)));
  std::string text(std::istreambuf_iterator<char>(file), {});
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string last_lines(const fs::path& path) {
  constexpr std::size_t kMost = 5, kLongest = 1000;
  std::istringstream text(end_of(path).value_or(""));
  std::deque<std::string> last;
  for (std::string line; std::getline(text, line);) {
    last.push_back(line.size() > kLongest ? "..." + line.substr(line.size() - kLongest) : line);
    if (last.size() > kMost) last.pop_front();
  }
  std::string shown;
  for (const std::string& line : last) shown += (shown.empty() ? "" : "\n") + line;
  return shown;
}

// Nothing if the end of a task is not noted, or was not written for lack of room.
std::optional<int> code_in(const fs::path& path) {
  const std::string text = end_of(path).value_or("");
  int code = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), code);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return code;
}

fs::path notes_of(const fs::path& folder, const std::string& task) { return folder / "state" / task; }

TaskState::Kind kind_of(std::optional<int> code) {
  constexpr int kEndedIncomplete = 3;
  if (!code) return TaskState::Kind::kRunning;
  if (*code == kEndedIncomplete) return TaskState::Kind::kIncomplete;
  return *code == 0 ? TaskState::Kind::kDone : TaskState::Kind::kFailed;
}

TaskState state_of(const fs::path& folder, const std::string& task) {
  TaskState state;
  const fs::path notes = notes_of(folder, task);
  const auto where = end_of(notes.string() + ".running");
  if (!where) return state;
  state.where = where->substr(0, where->find('\n'));
  const std::optional<int> code = code_in(notes.string() + ".exit");
  state.kind = kind_of(code);
  if (state.kind != TaskState::Kind::kFailed && state.kind != TaskState::Kind::kIncomplete) return state;
  state.exit_code = *code;
  state.problem = last_lines(folder / "logs" / (task + ".log"));
  return state;
}

std::string name_of_task(std::size_t number, std::size_t num_tasks) {
  return number + 1 == num_tasks ? kMerge : std::to_string(number + 1);
}

// A task may have ended after its state was read, and before the system was asked.
void find_gone(const fs::path& folder, std::vector<TaskState>& states) {
  using Kind = TaskState::Kind;
  if (std::none_of(states.begin(), states.end(),
                   [](const auto& each) { return each.kind == Kind::kRunning; }))
    return;
  const std::optional<std::set<std::string>> known = jobs_in_slurm();
  if (!known) return;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string task = name_of_task(i, states.size());
    const std::string job = end_of(notes_of(folder, task).string() + ".job").value_or("");
    if (states[i].kind != Kind::kRunning || job.empty() || known->contains(job)) continue;
    states[i] = state_of(folder, task);
    if (states[i].kind != Kind::kRunning) continue;
    states[i].kind = Kind::kGone;
    states[i].problem = last_lines(folder / "logs" / (task + ".log"));
  }
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

std::string directive_line(BatchSystem system, const std::string& directive) {
  if (directive.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
    refuse_directive(shell_word(directive.substr(0, directive.find_first_of(std::string_view("\r\n\0", 3)))),
                     "has more than one line");
  const std::string line = without_blanks_around(directive);
  return system == BatchSystem::kSlurm ? slurm_line(line) : condor_line(line);
}

Files batch_files(const BatchJob& job, const fs::path& folder) {
  const std::string shares = std::to_string(job.num_shares);
  Files files = job.system == BatchSystem::kSlurm ? slurm_files(job, folder) : condor_files(job, folder);
  files.emplace_back("part.sh",
                     task_script(job, folder, "$1", call_of(job, "run") + " --fill-store $1/" + shares));
  const std::string merge = call_of(job, job.servers.empty() ? "run" : "collect");
  files.emplace_back("merge.sh", task_script(job, folder, kMerge, merge + (job.replaces ? " --force" : "")));
  files.emplace_back(kShares, shares + "\n");
  return files;
}

void forget_tasks(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator note(folder / "state", ignored), end; !ignored && note != end;
       note.increment(ignored))
    if (std::error_code kept; note->is_regular_file(kept)) fs::remove(note->path(), kept);
}

std::vector<TaskState> task_states(const fs::path& folder) {
  std::error_code problem;
  if (fs::directory_iterator(folder / "state", problem); problem == std::errc::permission_denied)
    throw FileError((folder / "state").string(), "cannot be read: " + problem.message(),
                    FileFault::kUnavailable);
  const auto shares = end_of(folder / kShares);
  const std::size_t count = shares ? std::strtoull(shares->c_str(), nullptr, 10) : 0;
  constexpr std::size_t kMost = 1000000;
  if (count < 1 || count > kMost)
    throw Error("\"" + folder.string() + "\" has no files that skimline submit has written");
  std::vector<TaskState> states;
  for (std::size_t share = 1; share <= count; ++share)
    states.push_back(state_of(folder, std::to_string(share)));
  states.push_back(state_of(folder, kMerge));
  find_gone(folder, states);
  return states;
}

}  // namespace skimline::skims
