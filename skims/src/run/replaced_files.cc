// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/replaced_files.h"

#include "config/read/run_files.h"
#include "report/html_report.h"

#include "skimline/framework/error.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/input_file.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/open_remote.h"
#include "skimline/io/root_file.h"
#include "skimline/io/url.h"
#include "skimline/skims/diagnostics.h"
#include "skimline/skims/record_objects.h"
#include "skimline/skims/run_record.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAdvice = "; --force, in Python force=True, replaces it";

// Of what a server offers under the name of an output.
constexpr std::uint64_t kLongestText = 256 * 1024 * 1024;

// Of a config that is no file.
constexpr const char* kNamelessRun = "run";

// Nothing is lost with an empty file, and devices are not replaced.
bool can_be_lost(const std::string& path) {
  if (io::is_url(path)) return io::remote_size(path).value_or(0) > 0;
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) > 0;
}

bool is_sample(const Config& config, const std::string& name) {
  const auto is_it = [&](const SampleSum& sum) { return sum.name.value == name; };
  return std::count(config.sample_names.begin(), config.sample_names.end(), name) > 0 ||
         std::any_of(config.sums.begin(), config.sums.end(), is_it);
}

// Whether a config, as a record has it, has one of our products too.
bool shares_product(const nlohmann::json& config, const WrittenFile& file, const Config& own) {
  const char* key = file.kind == WrittenKind::kSkim ? "skims" : "histograms";
  if (!config.is_object() || !config.contains(key) || !config[key].is_object()) return false;
  if (file.skim) return config[key].contains(file.skim->name.value);
  return std::any_of(own.histograms.begin(), own.histograms.end(), [&](const HistogramConfig& histogram) {
    return config[key].contains(histogram.name.value);
  });
}

// Of a file that a config without a name has written, products may be called otherwise by now.
bool fits(const RunRecord& record, const WrittenFile& file, const Config& config, bool is_marked) {
  if (record.configs.size() != 1) return false;
  const bool has_sample =
      std::any_of(record.samples.begin(), record.samples.end(), [&](const SampleRecord& sample) {
        return file.sample ? sample.name == file.sample->name.value : is_sample(config, sample.name);
      });
  return has_sample &&
         (is_marked ||
          shares_product(nlohmann::json::parse(record.configs.front(), nullptr, false), file, config));
}

bool is_our_root_file(const WrittenFile& file, const Config& config, bool is_marked) {
  try {
    const std::optional<RunRecord> record = read_record(io::RootFile(file.path));
    return record && fits(*record, file, config, is_marked);
  } catch (const Error&) {
    return false;
  }
}

std::string text_of(const std::string& path) {
  if (io::is_url(path)) {
    const io::InputFile file(path);
    std::string text(static_cast<std::size_t>(std::min(file.size(), kLongestText)), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
  }
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool has_keys(const nlohmann::json& json, std::initializer_list<const char*> keys) {
  return json.is_object() &&
         std::all_of(keys.begin(), keys.end(), [&](const char* key) { return json.contains(key); });
}

bool is_our_report(const nlohmann::json& json, const Config& config) {
  return has_keys(json, {"version", "started", "samples", "outputs", "peak_memory"}) &&
         json["samples"].is_array() &&
         std::any_of(json["samples"].begin(), json["samples"].end(), [&](const nlohmann::json& sample) {
           return has_keys(sample, {"name"}) && sample["name"].is_string() &&
                  is_sample(config, sample["name"]);
         });
}

bool is_our_cutflow(const nlohmann::json& json, const Config& config) {
  return json.is_object() && std::any_of(json.items().begin(), json.items().end(), [&](const auto& item) {
           return is_sample(config, item.key()) && has_keys(item.value(), {"cutflow", "regions"});
         });
}

bool is_our_histograms(const nlohmann::json& json, const Config& config) {
  return json.is_object() && std::any_of(json.items().begin(), json.items().end(), [&](const auto& item) {
           return has_keys(item.value(), {"uhi_schema", "metadata", "axes"}) &&
                  std::any_of(config.histograms.begin(), config.histograms.end(), [&](const auto& histogram) {
                    return item.key().find(histogram.name.value) != std::string::npos;
                  });
         });
}

bool is_our_text(const WrittenFile& file, const Config& config) {
  const std::string text = text_of(file.path);
  if (file.kind == WrittenKind::kTrace)
    return text.starts_with(R"({"displayTimeUnit": "ms", "traceEvents": [)");
  if (file.kind == WrittenKind::kCutflow && file.path.ends_with(".csv"))
    return text.starts_with("sample,variation,kind,name,events,sum_weights,sum_weights_error\n");
  if (file.kind == WrittenKind::kHtmlReport) return text.starts_with(kHtmlReportBegin);
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (file.kind == WrittenKind::kReport) return is_our_report(json, config);
  if (file.kind == WrittenKind::kCutflow) return is_our_cutflow(json, config);
  return is_our_histograms(json, config);
}

bool is_text(const WrittenFile& file, const Config& config) {
  return file.kind != WrittenKind::kSkim &&
         !(file.kind == WrittenKind::kHistograms && !is_json(config.output));
}

std::string problem_of(const WrittenFile& file, const Config& config) {
  const std::string job = job_of_run(config, file.path);
  const std::optional<std::string> other = io::job_of(file.path);
  if (other && *other != job) return "was written by \"" + *other + "\"";
  if (other && job != kNamelessRun) return {};
  const bool is_ours =
      is_text(file, config) ? is_our_text(file, config) : is_our_root_file(file, config, other.has_value());
  return is_ours ? "" : "exists, and is no output of an earlier run of this config";
}

bool is_report(WrittenKind kind) { return kind == WrittenKind::kReport || kind == WrittenKind::kHtmlReport; }

bool is_wanted(const WrittenFile& file, const JobOptions& options) {
  return file.kind == WrittenKind::kHistograms ? options.writes_histograms
         : is_report(file.kind)                ? options.writes_report
                                               : true;
}

}  // namespace

std::string job_called(const std::string& command, const std::vector<std::string>& arguments) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (const std::string& argument : arguments)
    for (const char* at = argument.c_str(); at <= argument.c_str() + argument.size(); ++at)
      hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001B3;
  char text[20];
  std::snprintf(text, sizeof text, " %016llx", static_cast<unsigned long long>(hash));
  return command + text;
}

std::string job_of_run(const Config& config, const std::string& path) {
  std::error_code error;
  const fs::path source = config.source->path;
  if (!fs::is_regular_file(source, error)) return kNamelessRun;
  const fs::path folder = fs::weakly_canonical(fs::absolute(io::target_of(path), error), error).parent_path();
  return "run " + fs::canonical(source, error).lexically_relative(folder).string();
}

void check_replaced(const std::string& path, const std::string& job) {
  if (can_be_lost(path) && io::job_of(path) != job) throw ConfigError("\"" + path + "\" exists" + kAdvice);
}

bool may_replace(const WrittenFile& file, const Config& config, const JobOptions& options) {
  return options.overwrites || !can_be_lost(file.path) || problem_of(file, config).empty();
}

void check_replaced(const Config& config, const JobOptions& options) {
  if (options.overwrites) return;
  std::string problems;
  for (const WrittenFile& file : written_files(config)) {
    if (!is_wanted(file, options) || !can_be_lost(file.path)) continue;
    const std::string problem = problem_of(file, config);
    if (!problem.empty())
      problems +=
          (problems.empty() ? "" : "\n") + shown(file.what + ": \"" + file.path + "\" " + problem) + kAdvice;
  }
  if (!problems.empty()) throw MarkedError(problems);
}

}  // namespace skimline::skims
