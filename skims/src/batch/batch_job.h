// SPDX-License-Identifier: BSD-3-Clause
// A run as a job of a batch system: its parts side by side, then one task that puts them together.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// The batch systems that there are files for.
enum class BatchSystem { kSlurm, kHTCondor };

/// What a batch job does.
struct BatchJob {
  BatchSystem system = BatchSystem::kSlurm;
  std::string name;                     ///< of the job, as the system lists it
  std::string program;                  ///< what is called, a path or a name
  std::vector<std::string> arguments;   ///< behind "run": the config and what is said beside it
  std::string folder;                   ///< where tasks start: paths in the arguments are seen from there
  std::string store;                    ///< a folder; may be empty if there are servers
  std::string servers;                  ///< in whose memory results are added up; else in the store
  std::size_t num_shares = 1;           ///< of the parts, a task for each
  int threads = 1;                      ///< of each task
  std::vector<std::string> directives;  ///< lines for the system besides, as directive_line() gives them
  bool replaces = false;                ///< whether the last task may replace any file
};

/// Files by their names in a folder, which a person can read and change, and by which the job is handed in:
/// "submit.sh".
std::vector<std::pair<std::string, std::string>> batch_files(const BatchJob& job,
                                                             const std::filesystem::path& folder);

/// What a batch system is told of each task besides, as a line of its file: for Slurm an option of sbatch,
/// with or without its dashes, for HTCondor "name = value". Throws ConfigError for what is none, and for what
/// the files say themselves.
std::string directive_line(BatchSystem system, const std::string& directive);

/// A text as one word of a shell.
std::string shell_word(const std::string& text);

/// What has become of one task: what its script has noted in the folder.
struct TaskState {
  /// Incomplete is what has ended with exit code 3. Gone is what has noted no end, and is no longer known to
  /// the system: killed with its script.
  enum class Kind { kWaiting, kRunning, kDone, kIncomplete, kFailed, kGone };
  Kind kind = Kind::kWaiting;
  std::string where;    ///< it ran, and since when
  int exit_code = 0;    ///< if it has failed
  std::string problem;  ///< the last lines of its log then, or if it is incomplete or gone
};

/// Removes what the tasks of an earlier job in this folder have noted.
void forget_tasks(const std::filesystem::path& folder);

/// The states of the tasks of a folder with batch_files(), in their order; that which puts the parts together
/// is the last. Slurm is asked for those that seem to run, if it is there. Throws Error if there are none, or
/// if they may not be read.
std::vector<TaskState> task_states(const std::filesystem::path& folder);

}  // namespace skimline::skims
