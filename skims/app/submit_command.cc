// SPDX-License-Identifier: BSD-3-Clause
// `skimline submit`: a run as a job of a batch system.
#include "base/text_table.h"
#include "batch/batch_job.h"
#include "commands.h"
#include "package_request.h"
#include "shared_options.h"

#include "skimline/framework/error.h"
#include "skimline/framework/own_file.h"
#include "skimline/io/output_file.h"
#include "skimline/io/output_folders.h"
#include "skimline/io/unfinished_outputs.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/diagnostics.h"
#include "skimline/skims/job.h"
#include "skimline/skims/job_parts.h"
#include "skimline/skims/replaced_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSubmitFooter = R"help(
Examples:
  skimline submit --slurm --parts 50 -o job analysis.json && sh job/submit.sh
  skimline submit --htcondor --directive '+JobFlavour = "workday"' --go -o job analysis.json
  skimline status job

Checks the config against all its files, and writes a folder with scripts that a person can read and change: an
array of tasks that compute the parts of the run into a store, and one task behind them that writes the outputs. What
is in the store already is not computed: to go on after a fault, hand the same job in again. With --reduce results go
into the memory of servers instead, for machines that share no folder; skims want the store all the same.)help";

struct SubmitArguments {
  std::string config, folder, store, servers;
  std::vector<std::string> directives;
  ConfigOptions options;
  BatchSystem system = BatchSystem::kSlurm;
  std::size_t num_shares = 0;
  int threads = 1;
  bool goes = false;
  bool force = false;
};

// A path that no command takes for an option.
std::string with_plain_front(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

// The options of the config as they were given.
std::vector<std::string> words_of(const std::string& config, const ConfigOptions& options) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  for (const std::string& each : options.sets) add("--set", each);
  for (const std::string& each : options.inputs) add("--input", each);
  for (const std::string& each : options.samples) add("--samples", each);
  if (options.limit_files) add("--limit-files", std::to_string(*options.limit_files));
  if (options.limit_events) add("--limit-events", std::to_string(*options.limit_events));
  if (options.shard)
    add("--shard", std::to_string(options.shard->number) + "/" + std::to_string(options.shard->count));
  if (const char* cache = std::getenv("SKIMLINE_CACHE")) add("--cache", cache);  // given by --cache, or set
  words.push_back(with_plain_front(config));
  for (const std::string& word : words)
    if (io::has_secrets(word))
      throw ConfigError("\"" + word + "\" has a password, which would be in the scripts");
  return words;
}

// Tasks need not have the search path of whoever submits them.
std::string found_in_path(const std::string& name) {
  const char* const folders = std::getenv("PATH");
  std::istringstream all(folders ? folders : "");
  for (std::string folder; std::getline(all, folder, ':');) {
    const fs::path path = fs::path(folder) / name;
    std::error_code ignored;
    if (path.is_absolute() && fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0)
      return path.string();
  }
  return name;
}

// In Python's package another program calls this one; in the tarball a script does, which chooses the C
// library.
std::string this_program() {
  const fs::path file = own_file();
  if (file.filename() != "skimline") return found_in_path("skimline");
  if (file.parent_path().filename() != "libexec") return file.string();
  return (file.parent_path().parent_path() / "bin" / "skimline").string();
}

// The folder of a job and those in it. What is made of them goes again unless the job is written.
class JobFolders {
 public:
  explicit JobFolders(fs::path folder) : folder_(std::move(folder)) {}
  JobFolders(const JobFolders&) = delete;
  JobFolders& operator=(const JobFolders&) = delete;
  ~JobFolders() {
    for (const fs::path& each : made_) io::remove_made_folders(each);
  }

  // Returns the path of a folder in that of the job.
  std::string make(const char* name) {
    const fs::path inner = folder_ / name;
    io::note_output_in(folder_);  // an interrupt from now on has something to tidy up
    if (const int error = io::make_folders(inner))
      throw FileError(inner.string(), "cannot be made: " + std::generic_category().message(error),
                      FileFault::kUnwritable);
    made_.push_back(inner);
    return inner.string();
  }

  void keep() {
    for (const fs::path& each : made_) io::keep_folders(each);
    made_.clear();
  }

 private:
  fs::path folder_;
  std::vector<fs::path> made_;
};

void make_executable(const fs::path& path) {
  std::error_code error;
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec, fs::perm_options::add, error);
  if (error)
    throw FileError(path.string(), "cannot be made executable: " + error.message(), FileFault::kUnwritable);
}

// All files, or none.
void write_all(const BatchJob& job, const fs::path& folder) {
  std::vector<std::unique_ptr<io::OutputFile>> files;
  std::vector<io::OutputFile*> all;
  for (const auto& [name, text] : batch_files(job, folder)) {
    all.push_back(files.emplace_back(std::make_unique<io::OutputFile>((folder / name).string())).get());
    all.back()->write(0, std::as_bytes(std::span(text)));
    all.back()->complete(text.size());
    if (name.ends_with(".sh")) make_executable(all.back()->current_path());
  }
  io::publish_together(all);
}

bool has_job(const fs::path& folder) {
  std::error_code error;
  const bool has = fs::exists(folder / "submit.sh", error);
  if (error) throw FileError(folder.string(), "cannot be made: " + error.message(), FileFault::kUnwritable);
  return has;
}

// As the last task asks it, when all is computed. Throws MarkedError for files that it would leave as they
// are.
bool must_replace(const Config& config, bool may_replace) try {
  JobOptions options;
  options.writes_report = true;
  check_replaced(config, options);
  return false;
} catch (const MarkedError&) {
  if (!may_replace) throw;
  return true;
}

// The parts of a run, and the store that it needs: none if all goes to servers.
std::pair<std::vector<PartFacts>, std::string> parts_of(const SubmitArguments& arguments,
                                                        const std::shared_ptr<const Config>& config,
                                                        JobFolders& folders, StopFlag stop) {
  std::string store = arguments.store.empty() ? "" : absolute_store(arguments.store);
  if (store.empty() && (arguments.servers.empty() ||
                        JobParts(*config, {.store = "", .threads = arguments.threads}).make_skims()))
    store = folders.make("store");
  return {JobParts(*config, {.store = store, .threads = arguments.threads}).parts(stop), store};
}

// Batch systems read their files line by line.
void refuse_line_ends(const std::string& path) {
  if (path.find_first_of("\r\n") != std::string::npos)
    throw ConfigError("\"" + path + "\" has a line end in it, which no script of a batch system can have");
}

// Tasks read it, again and again.
void refuse_pipe(const std::string& config) {
  std::error_code ignored;
  if (fs::exists(config, ignored) && !fs::is_regular_file(config, ignored) &&
      !fs::is_directory(config, ignored))
    throw ConfigError("\"" + config + "\" is no file, from which the tasks of a job could read the config");
}

// Links stay, as other machines may reach a folder by them only; but ".." is what a link leads to lies in.
fs::path without_parents(const fs::path& path) {
  std::error_code error;
  const bool has_parents = std::find(path.begin(), path.end(), "..") != path.end();
  const fs::path real = has_parents ? fs::weakly_canonical(path, error) : path;
  return (error ? path : real).lexically_normal();
}

fs::path folder_of_job(const SubmitArguments& arguments) {
  std::error_code error;
  fs::path folder = without_parents(fs::absolute(arguments.folder, error));
  if (error) throw FileError(arguments.folder, "cannot be made: " + error.message(), FileFault::kUnwritable);
  refuse_line_ends(folder.string());
  if (arguments.system == BatchSystem::kSlurm && folder.string().find('\\') != std::string::npos)
    throw ConfigError("\"" + folder.string() +
                      "\" has a backslash, with which Slurm does not name the logs of tasks as it is told");
  if (has_job(folder) && !arguments.force)
    throw ConfigError("\"" + arguments.folder + "\" has a job already; --force writes it anew");
  return folder;
}

std::string working_folder() {
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  if (error)
    throw Error("the working folder, in which tasks would start, cannot be found: " + error.message());
  return folder.string();
}

Outcome submit(const SubmitArguments& arguments, StopFlag stop) {
  refuse_line_ends(arguments.config);
  refuse_pipe(arguments.config);
  std::vector<std::string> directives;
  for (const std::string& each : arguments.directives)
    directives.push_back(directive_line(arguments.system, each));
  const fs::path folder = folder_of_job(arguments);
  const std::string start = working_folder();
  JobFolders folders(folder);
  for (const char* each : {"logs", "state"}) folders.make(each);
  const std::shared_ptr<const Config> config = read_config(arguments.config, arguments.options);
  const bool replaces = must_replace(*config, arguments.force);
  const auto [parts, store] = parts_of(arguments, config, folders, stop);
  const auto missing =
      std::count_if(parts.begin(), parts.end(), [](const auto& each) { return !each.is_known; });
  constexpr std::size_t kMostTasks = 1000;  // what batch systems take of one array as they come
  const std::size_t natural = std::clamp<std::size_t>(parts.size(), 1, kMostTasks);
  BatchJob job;
  job.system = arguments.system;
  job.name = fs::path(arguments.config).stem().string();
  job.program = this_program();
  job.arguments = words_of(arguments.config, arguments.options);
  job.folder = start;
  job.store = store;
  job.servers = arguments.servers;
  job.num_shares = arguments.num_shares == 0 ? natural : arguments.num_shares;
  job.threads = arguments.threads;
  job.directives = directives;
  job.replaces = replaces;
  write_all(job, folder);
  forget_tasks(folder);
  folders.keep();
  const std::string script = "sh " + shell_word((folder / "submit.sh").string());
  if (!arguments.goes)
    return {.text = counted(parts.size(), "part", "parts") + ", " + std::to_string(missing) +
                    " of them to be computed, in " + counted(job.num_shares, "task", "tasks") +
                    "; hand them in by\n  " + script + "\n",
            .is_result = false};
  if (const int status = std::system(script.c_str()); status != 0)
    throw Error(script + " has failed with exit code " +
                std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : status));
  return {.text = "handed in; skimline status " + shell_word(with_plain_front(arguments.folder)) +
                  " says how far it is\n",
          .is_result = false};
}

// The arguments stand in scripts, which others may read.
std::string problem_of_servers(const std::string& servers) {
  const std::string_view schemes[] = {"redis://", "rediss://", "valkey://", "valkeys://"};
  if (std::none_of(std::begin(schemes), std::end(schemes),
                   [&](std::string_view scheme) { return servers.starts_with(scheme); }))
    return "wants servers, redis://host:port";
  if (!io::has_secrets(servers) && servers.find('@') == std::string::npos) return "";
  return "a password would be in the scripts: give it to the tasks in REDISCLI_AUTH";
}

Action add_submit_options(CLI::App& command) {
  const auto arguments = std::make_shared<SubmitArguments>();
  command.add_option("config", arguments->config, "JSON config")->required();
  command.add_option("-o,--output", arguments->folder, "Folder for scripts, logs and the store")->required();
  CLI::Option* slurm = command.add_flag_callback(
      "--slurm", [arguments] { arguments->system = BatchSystem::kSlurm; }, "Write files for Slurm, as usual");
  command
      .add_flag_callback(
          "--htcondor", [arguments] { arguments->system = BatchSystem::kHTCondor; },
          "Write files for HTCondor")
      ->excludes(slurm);
  command
      .add_option("--parts", arguments->num_shares,
                  "Tasks to share the parts; 0 means one for each part, 1000 at most")
      ->check(CLI::Range(0, 1000000));
  command.add_flag("--go", arguments->goes, "Hand the job in");
  command
      .add_option("--store", arguments->store,
                  "Folder of results, or its URL; without it, one beside the scripts")
      ->check([](const std::string& store) {
        return io::has_secrets(store) ? "has a password, which would be in the scripts" : "";
      });
  command
      .add_option("--reduce", arguments->servers,
                  "Servers in whose memory results are added up: redis://host:port[,...]")
      ->check(problem_of_servers);
  add_list(command, "--directive", arguments->directives,
           "What the system is told of each task besides: an option of sbatch, time=2:00:00, or a line of a "
           "submit "
           "description, 'request_memory = 4 GB'; may be given several times");
  add_config_options(command, arguments->options);
  add_threads(command, arguments->threads, "Threads of each task");
  add_force(command, arguments->force);
  return [arguments](const Session& session) { return submit(*arguments, session.stop); };
}

}  // namespace

const Command kSubmitCommand{"submit", "Write the scripts that run a config on a batch system", kSubmitFooter,
                             true, add_submit_options};

}  // namespace skimline::skims
