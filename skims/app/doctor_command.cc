// SPDX-License-Identifier: BSD-3-Clause
// `skimline doctor`: what works on this machine, and what to install.
#include "base/machine_limits.h"
#include "base/text_table.h"
#include "build_facts.h"
#include "commands.h"

#include "skimline/framework/instruction_set.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/threads.h"
#include "skimline/framework/version.h"
#include "skimline/io/remote_facts.h"
#include "skimline/skims/commit.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kDoctorFooter = R"help(
Examples:
  skimline doctor
  skimline doctor --json

Says with which version, threads, memory and limits runs have to do here, whether files behind URLs can be read, which
credentials would be used (never their values), and what to install or to set for what is missing. Sends nothing. The
exit code is 1 if something that the environment asks for cannot be used: a token, a proxy or certificates that cannot
be read, a profile that no file has, a cache that cannot be written; or if runs get fewer threads than there are cores
for them.)help";

enum class State { kWorks, kAbsent, kBroken };

struct Finding {
  std::string subject;
  State state;
  std::string text;
  std::string advice;  // what to do, or empty
};

using Findings = std::vector<Finding>;

const char* name_of(State state) {
  return state == State::kWorks ? "ok" : state == State::kAbsent ? "absent" : "broken";
}

Finding works(std::string subject, std::string text) {
  return {std::move(subject), State::kWorks, std::move(text), ""};
}

Finding threads_found() {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int wanted = default_threads(), granted = available_threads(wanted);
  std::string text = counted(static_cast<std::uint64_t>(granted), "thread") + " for runs, of " +
                     counted(static_cast<std::uint64_t>(cores), "core");
  if (granted < wanted) return {"threads", State::kBroken, text, warning_of_threads(wanted, granted)};
  return works("threads", text);
}

Finding processor_found() {
  std::string text = target_system();
#if SKIMLINE_HAS_AVX2_KERNELS
  constexpr std::array kNames{"SSE2: there is no AVX2, or it is not to be used", "AVX2", "AVX-512"};
  text += std::string(", vector code for ") + kNames.at(static_cast<std::size_t>(instruction_set()));
#endif
  const char* const wanted = std::getenv(kInstructionSetVariable);
  if (wanted == nullptr || instruction_set_called(wanted)) return works("processor", text);
  return {"processor", State::kBroken, text,
          std::string(kInstructionSetVariable) + " is \"" + wanted +
              "\", which is none of \"sse2\", \"avx2\" and \"avx512\": what the processor has is used"};
}

void add_limit(std::string& text, const std::optional<std::uint64_t>& limit, const std::string& of,
               std::string (*format)(std::uint64_t)) {
  if (limit) text += "; " + format(*limit) + " " + of;
}

Findings machine_found() {
  const MachineLimits limits = machine_limits();
  std::string memory = format_bytes(limits.memory);
  add_limit(memory, limits.group_memory, "granted by control groups", format_bytes);
  add_limit(memory, limits.address_space, "of address space granted to the user", format_bytes);
  std::string counts;
  add_limit(counts, limits.processes, "processes and threads", format_count);
  add_limit(counts, limits.open_files, "open files", format_count);
  return {processor_found(), threads_found(), works("memory", memory),
          works("limits", counts.empty() ? "none" : counts.substr(2))};
}

Finding of_remote(const std::string& subject, const io::RemoteFact& fact, State if_missing) {
  if (fact.problem.empty()) return works(subject, fact.found);
  return {subject, fact.found.empty() ? if_missing : State::kBroken, fact.found.empty() ? "none" : fact.found,
          fact.problem};
}

Findings reach_found() {
  Findings all = {of_remote("http, S3", io::http_library(), State::kAbsent),
                  of_remote("certificates", io::certificate_authorities(), State::kAbsent),
                  of_remote("XRootD", io::xrootd_library(), State::kAbsent),
                  of_remote("cache", io::cache_folder(), State::kAbsent)};
  const std::vector<io::Credential> credentials = io::credentials();
  if (credentials.empty()) all.push_back(works("credentials", "none: files that all may read can be read"));
  for (const io::Credential& credential : credentials)
    all.push_back({"credentials", credential.problem.empty() ? State::kWorks : State::kBroken,
                   credential.kind + " (" + credential.source + ")", credential.problem});
  return all;
}

Finding python_found(const PythonPackage& python) {
  if (python.draw_pictures)
    return works("Python", "this is the program of the Python package: it draws pictures and runs on Dask");
  return {"Python", State::kAbsent, "none",
          "pictures and Dask need the program of the Python package: pip install skimline"};
}

Findings all_findings(const PythonPackage& python) {
  Findings all = {works("skimline", std::string(kVersion) + ", commit " + std::string(commit())),
                  works("built by", compiler()), works("libraries", libraries())};
  for (const Findings& more : {machine_found(), reach_found(), Findings{python_found(python)}})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string to_text(const Findings& findings) {
  TextTable table({"", "", ""});
  for (const Finding& finding : findings) {
    table.add({finding.subject, name_of(finding.state), finding.text});
    if (!finding.advice.empty()) table.add({"", "", "-> " + finding.advice});
  }
  const std::string text = table.format();
  return text.substr(text.find('\n') + 1);  // without headings
}

std::string to_json(const Findings& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings)
    list.push_back({{"subject", finding.subject},
                    {"state", name_of(finding.state)},
                    {"text", finding.text},
                    {"advice", finding.advice}});
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool has_broken(const Findings& findings) {
  for (const Finding& finding : findings)
    if (finding.state == State::kBroken) return true;
  return false;
}

Action add_doctor_options(CLI::App& command) {
  const auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "Print a list of objects with subject, state, text and advice");
  return [as_json](const Session& session) -> Outcome {
    const Findings findings = all_findings(session.python);
    return {*as_json ? ShownText(to_json(findings)) : ShownText(to_text(findings)),
            has_broken(findings) ? kFailed : kDone};
  };
}

}  // namespace

const Command kDoctorCommand{"doctor", "Say what works on this machine, and what to install", kDoctorFooter,
                             false, add_doctor_options};

}  // namespace skimline::skims
