// SPDX-License-Identifier: BSD-3-Clause
#include "server_sums.h"

#include "parts/sum_files.h"
#include "parts_elsewhere.h"

#include "skimline/framework/error.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

PartOptions with_store(PartOptions options, std::optional<TemporaryFolder>& temporary) {
  if (options.store.empty()) options.store = temporary.emplace().path();
  return options;
}

}  // namespace

ServerSums::ServerSums(const ReadConfig& read, std::string servers, PartOptions options,
                       const Session& session)
    : read_(read),
      servers_(std::move(servers)),
      session_(session),
      options_(with_store(std::move(options), temporary_)),
      job_(read.config, options_) {
  if (!session.python.compute_parts) throw Error(kNoPackage);
  parts_ = job_.parts(session.stop);
}

// A store that others look into does not keep what was read of the servers.
ServerSums::~ServerSums() {
  for (const std::string& digest : in_store_) remove_sum(options_.store, digest);
}

Json ServerSums::answer_to(const char* deed, Json&& more) {
  Json request = request_of({read_, options_, job_, parts_});
  request["do"] = deed;
  request["reduce"] = io::with_secrets(servers_);
  request.update(more);
  Json answer = answer_of_package(session_, request, options_.store);
  for (const Json& problem : answer.value("problems", Json::array()))
    spdlog::warn("{}", shown(problem.get<std::string>()));
  return answer;
}

Json ServerSums::answer_to(const char* deed) { return answer_to(deed, Json::object()); }

ServerSums::Put ServerSums::put(const Shard& share) {
  std::vector<std::size_t> chosen;
  for (std::size_t number = share.number - 1; number < parts_.size(); number += share.count)
    chosen.push_back(number);
  const Json answer = answer_to("put", {{"chosen", chosen}});
  return {answer.at("put").get<std::size_t>(), answer.at("left").get<std::size_t>()};
}

std::vector<bool> ServerSums::read() {
  for (std::size_t i = 0; i < read_.config.samples.size() && !temporary_; ++i)
    if (const std::optional<SumFacts> sum = job_.sum_facts(i)) in_store_.insert(sum->digest);
  const Json answer = answer_to("read");
  std::vector<std::set<std::size_t>> known;
  for (const Json& each : answer.at("parts")) known.push_back(each.get<std::set<std::size_t>>());
  const bool has_skims = job_.make_skims();
  std::vector<bool> there;
  for (const PartFacts& part : parts_)
    there.push_back(known.at(part.sample).contains(part.number) && (!has_skims || part.is_known));
  return there;
}

void ServerSums::read_all() {
  const std::vector<bool> there = read();
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (!there[i]) missing.push_back(name_of_part(parts_[i]));
  if (missing.empty()) return;
  throw LostParts(
      std::to_string(missing.size()) + " of " + std::to_string(parts_.size()) +
      " parts are not there, and no output is written; if no task is at them any more, skimline run "
      "--processes with the same --reduce computes them and writes the outputs. Missing:" +
      lines_of_parts(missing));
}

void ServerSums::forget() { answer_to("forget"); }

}  // namespace skimline::skims
