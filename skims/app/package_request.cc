// SPDX-License-Identifier: BSD-3-Clause
#include "package_request.h"

#include "skimline/framework/error.h"
#include "skimline/io/unfinished_outputs.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/config.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const ConfigOptions& options) {
  Json json{{"inputs", options.inputs},
            {"samples", options.samples},
            {"limit_files", json_of(options.limit_files)},
            {"limit_events", json_of(options.limit_events)},
            {"shard", Json()}};
  if (options.shard) json["shard"] = {options.shard->number, options.shard->count};
  return json;
}

Json json_of(const PartFacts& part) {
  return {part.sample,        part.number,        part.file,  part.path, part.ntuple,
          part.entries.first, part.entries.count, part.bytes, part.key,  part.is_known};
}

Json facts_of(const Config& config, JobParts& job) {
  Json all = Json::array();
  for (std::size_t i = 0; i < config.samples.size(); ++i) {
    const SampleFacts facts = job.facts(i);
    all.push_back(
        {config.samples[i].name.value, json_of(facts.normalisation), facts.computed, facts.needs_all_files});
  }
  return all;
}

Json sums_of(const Config& config, JobParts& job) {
  Json all = Json::array();
  for (std::size_t i = 0; i < config.samples.size(); ++i) {
    const std::optional<SumFacts> facts = job.sum_facts(i);
    all.push_back(facts ? Json{facts->digest, facts->bytes, facts->cells} : Json());
  }
  return all;
}

}  // namespace

const char* const kNoPackage =
    "other processes and servers are reached by the Python package: pip install 'skimline[dask,redis]', and "
    "call the program that comes with it";

Json request_of(const OpenedRun& run) {
  const Config& config = run.read.config;
  Json parts = Json::array();
  for (const PartFacts& part : run.parts) parts.push_back(json_of(part));
  return {{"path", run.read.path},
          {"resolved", config.resolved},
          {"n_minus_1", config.output.n_minus_1},
          {"memory_limit", config.memory_limit ? Json(config.memory_limit->bytes) : Json()},
          {"options", json_of(run.read.options)},
          {"facts", facts_of(config, run.job)},
          {"parts", std::move(parts)},
          {"sums", sums_of(config, run.job)},
          {"makes_skims", run.job.make_skims()},
          {"store", io::with_secrets(absolute_store(run.options.store))},
          {"threads", std::max(run.options.threads, 1)}};
}

Json answer_of_package(const Session& session, const Json& request, const std::string& store) {
  if (!io::is_url(store)) io::note_output_in(store);
  const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  Json answer = Json::parse(session.python.compute_parts(text, session.stop));
  if (answer.contains("mistake")) throw ConfigError(answer["mistake"].get<std::string>());
  return answer;
}

std::string absolute_store(const std::string& store) {
  return io::is_url(store) ? store : std::filesystem::absolute(store).string();
}

std::string lines_of_parts(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += "\n  " + shown(part);
  return text;
}

std::string name_of_part(const PartFacts& part) {
  const std::uint64_t first = part.entries.first;
  return part.file + ", entries " + std::to_string(first) + " to " +
         std::to_string(first + part.entries.count - 1);
}

}  // namespace skimline::skims
