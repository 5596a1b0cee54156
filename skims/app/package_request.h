// SPDX-License-Identifier: BSD-3-Clause
// What the Python package is told of a run whose parts it has to do with.
#pragma once

#include "command.h"

#include "skimline/skims/config_options.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/job_parts.h"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace skimline::skims {

/// A config as it was read.
struct ReadConfig {
  const Config& config;
  const std::string& path;
  const ConfigOptions& options;
};

/// A run, all of whose inputs were opened and checked.
struct OpenedRun {
  const ReadConfig& read;
  const PartOptions& options;
  JobParts& job;
  const std::vector<PartFacts>& parts;
};

/// All that other processes need to know of a run, as an object to which the rest of a request is added.
nlohmann::ordered_json request_of(const OpenedRun& run);

/// What the package answers to a request. It tidies up in the store if it is interrupted: from now on the
/// process waits for that. Throws ConfigError for what it says is a mistake, Error, and Interrupted.
nlohmann::ordered_json answer_of_package(const Session& session, const nlohmann::ordered_json& request,
                                         const std::string& store);

/// A store as processes in other folders find it.
std::string absolute_store(const std::string& store);

/// Lines of a message, one for each part: its file and entries.
std::string lines_of_parts(const std::vector<std::string>& parts);

/// What messages call a part.
std::string name_of_part(const PartFacts& part);

/// What to say to who has no Python package.
extern const char* const kNoPackage;

}  // namespace skimline::skims
