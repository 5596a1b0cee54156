// SPDX-License-Identifier: BSD-3-Clause
#include "parts_elsewhere.h"

#include "skimline/framework/error.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

// What comes from others begins no line.
std::string text_of_lost(const Json& answer) {
  return shown(answer["lost"].get<std::string>()) +
         lines_of_parts(answer["parts"].get<std::vector<std::string>>());
}

}  // namespace

PartsElsewhere::PartsElsewhere(const ReadConfig& read, const Elsewhere& elsewhere, const PartOptions& options,
                               const Session& session)
    : session_(session) {
  if (!session.python.compute_parts) throw Error(kNoPackage);
  JobParts job(read.config, options);
  const std::vector<PartFacts> parts = job.parts(session.stop);
  if (std::all_of(parts.begin(), parts.end(), [](const PartFacts& part) { return part.is_known; })) return;
  Json request = request_of({read, options, job, parts});
  request["do"] = "compute";
  request["dask"] = elsewhere.dask;
  request["processes"] = elsewhere.processes;
  request["reduce"] = io::with_secrets(elsewhere.reduce);
  request["keeps"] = elsewhere.keeps;
  const Json answer = answer_of_package(session, request, options.store);
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
