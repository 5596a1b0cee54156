// SPDX-License-Identifier: BSD-3-Clause
// Sums of a run in the memory of servers, where jobs on any machines put what they have computed.
#pragma once

#include "command.h"
#include "package_request.h"

#include "skimline/skims/config.h"
#include "skimline/skims/job_parts.h"
#include "skimline/skims/temporary_folder.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace skimline::skims {

/// The sums of one run. What the servers say is checked before it counts.
class ServerSums {
 public:
  /// Opens and checks all inputs. Without a store in the options there is one for as long as this lasts. The
  /// config must outlive it. Throws what run_job() throws before it reads events.
  ServerSums(const ReadConfig& read, std::string servers, PartOptions options, const Session& session);

  ~ServerSums();
  ServerSums(const ServerSums&) = delete;
  ServerSums& operator=(const ServerSums&) = delete;

  const std::string& store() const { return options_.store; }
  const std::vector<PartFacts>& parts() const { return parts_; }
  JobParts& job() { return job_; }

  /// How many parts of a share have become what.
  struct Put {
    std::size_t num_put = 0;
    std::size_t num_left = 0;  ///< only a run as a whole can deal with them
  };
  /// Computes those parts of a share that the servers lack, and puts them. Throws what JobParts::compute()
  /// throws, as Error, and Error for servers that do not answer.
  Put put(const Shard& share);

  /// Puts what there is into the store, where a run takes it. Returns for each of parts() whether all of it
  /// is there, its skims among it. Throws Error.
  std::vector<bool> read();
  /// The same of all parts. Throws LostParts if one is missing.
  void read_all();

  /// Has the servers forget the run. Throws Error.
  void forget();

 private:
  nlohmann::ordered_json answer_to(const char* deed, nlohmann::ordered_json&& more);
  nlohmann::ordered_json answer_to(const char* deed);

  const ReadConfig read_;
  const std::string servers_;
  const Session& session_;
  std::optional<TemporaryFolder> temporary_;
  PartOptions options_;
  JobParts job_;
  std::vector<PartFacts> parts_;
  std::set<std::string> in_store_;  // digests of sums that were read into a store of others
};

}  // namespace skimline::skims
