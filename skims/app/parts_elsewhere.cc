// SPDX-License-Identifier: BSD-3-Clause
#include "parts_elsewhere.h"

#include "skimline/framework/error.h"
#include "skimline/skims/config.h"

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

std::vector<std::string> compute_elsewhere(const ReadConfig& read, const Elsewhere& elsewhere,
                                           const PartOptions& options, const Session& session) {
  if (!session.python.compute_parts) throw Error(kNoPackage);
  JobParts job(read.config, options);
  Json missing = Json::array();
  for (const PartFacts& part : job.parts(session.stop))
    if (!part.is_known) missing.push_back(json_of(part));
  if (missing.empty()) return {};
  const Json request{{"path", read.path},
                     {"resolved", read.config.resolved},
                     {"n_minus_1", read.config.output.n_minus_1},
                     {"options", json_of(read.options)},
                     {"facts", facts_of(read.config, job)},
                     {"parts", std::move(missing)},
                     {"store", fs::absolute(options.store).string()},
                     {"threads", std::max(options.threads, 1)},
                     {"dask", elsewhere.dask},
                     {"processes", elsewhere.processes}};
  const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(session.python.compute_parts(text, session.stop)).get<std::vector<std::string>>();
}

}  // namespace skimline::skims
