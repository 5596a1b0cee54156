// SPDX-License-Identifier: BSD-3-Clause
#include "parts_elsewhere.h"

#include "skimline/framework/error.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/config.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kNoPackage =
    "other processes are reached by the Python package: pip install 'skimline[dask]', and call the program "
    "that "
    "comes with it";

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
        {config.samples[i].name.value, json_of(facts.normalisation), facts.columns, facts.needs_all_files});
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

// What comes from others begins no line.
std::string text_of_lost(const Json& answer) {
  std::string text = shown(answer["lost"].get<std::string>());
  for (const Json& part : answer["parts"]) text += "\n  " + shown(part.get<std::string>());
  return text;
}

}  // namespace

TemporaryStore::TemporaryStore() {
  folder_ = (fs::temp_directory_path() / "skimline-XXXXXX").string();
  if (!mkdtemp(folder_.data()))
    throw FileError(folder_, "cannot be made: " + std::generic_category().message(errno),
                    FileFault::kUnwritable);
}

TemporaryStore::~TemporaryStore() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

PartsElsewhere::PartsElsewhere(const ReadConfig& read, const Elsewhere& elsewhere, const PartOptions& options,
                               const Session& session)
    : session_(session) {
  if (!session.python.compute_parts) throw Error(kNoPackage);
  JobParts job(read.config, options);
  const std::vector<PartFacts> parts = job.parts(session.stop);
  if (std::all_of(parts.begin(), parts.end(), [](const PartFacts& part) { return part.is_known; })) return;
  Json all = Json::array();
  for (const PartFacts& part : parts) all.push_back(json_of(part));
  const Json request{{"path", read.path},
                     {"resolved", read.config.resolved},
                     {"n_minus_1", read.config.output.n_minus_1},
                     {"options", json_of(read.options)},
                     {"facts", facts_of(read.config, job)},
                     {"parts", std::move(all)},
                     {"sums", sums_of(read.config, job)},
                     {"makes_skims", job.make_skims()},
                     {"store", fs::absolute(options.store).string()},
                     {"threads", std::max(options.threads, 1)},
                     {"dask", elsewhere.dask},
                     {"processes", elsewhere.processes},
                     {"reduce", io::with_secrets(elsewhere.reduce)},
                     {"keeps", elsewhere.keeps}};
  const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Json answer = Json::parse(session.python.compute_parts(text, session.stop));
  if (answer.contains("mistake")) throw ConfigError(answer["mistake"].get<std::string>());
  if (answer.contains("lost")) throw LostParts(text_of_lost(answer));
  is_open_ = true;
  problems_ = answer["problems"].get<std::vector<std::string>>();
  reduction_ =
      answer["reduction"]["way"].get<std::string>() + ": " + answer["reduction"]["why"].get<std::string>();
}

PartsElsewhere::~PartsElsewhere() {
  if (!is_open_) return;
  try {
    session_.python.compute_parts(Json{{"end", has_succeeded_}}.dump(), {});
  } catch (const std::exception&) {  // what the servers have is forgotten in time
  }
}

}  // namespace skimline::skims
