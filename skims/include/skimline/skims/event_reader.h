// SPDX-License-Identifier: BSD-3-Clause
// The values of columns and expressions for the events of a sample, in memory, whole or part by part.
#pragma once

#include "skimline/framework/owned_column.h"
#include "skimline/framework/stop_flag.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

struct Config;

/// A value of each event that is wanted.
struct EventOutput {
  std::string name;
  std::string expression;  ///< a column, a definition or any other
};

/// A column that a reader gives. A Lorentz vector is given as four of them, one for each of the members "pt",
/// "eta", "phi" and "mass"; for all others `member` is empty.
struct EventColumn {
  std::size_t output = 0;  ///< number of what it belongs to
  std::string member;
  Type type;
  std::size_t lists = 0;  ///< the column that has its offsets: if that is another, this one is given flat
};

/// How much a part holds, at most; without limits it is all that is left.
struct PartSize {
  std::optional<std::uint64_t> events;
  std::optional<std::uint64_t> bytes;  ///< in memory; an event that has more is a part on its own
};

/// A part of the events, with the columns of EventReader::columns().
struct EventPart {
  std::uint64_t num_events = 0;
  std::vector<OwnedColumn> columns;
};

/// Reads one sample of a config: those events that pass its luminosity mask and all its cuts, in input order.
/// What else a config asks for is ignored. A file that turns out to be damaged is left out if the config
/// allows that and no part has been given yet. No call may overlap another one.
class EventReader {
 public:
  /// Opens the files and checks the expressions; there is at least one output. `sample` counts those of
  /// sample_names(); `threads` as in JobOptions. The config need not live longer than the call.
  /// Throws ConfigError for mistakes in the config, ExpressionError for those in outputs, SchemaError for two
  /// outputs of the same name, and FileError.
  EventReader(const Config& config, std::size_t sample, std::vector<EventOutput> outputs, int threads = 0);
  ~EventReader();

  /// What was asked for, and the columns that it makes, in the same order.
  const std::vector<EventOutput>& outputs() const;
  const std::vector<EventColumn>& columns() const;

  /// What a run of the same events would warn of, and inputs left out: a text each. Reading may add some.
  const std::vector<std::string>& warnings() const;

  /// Returns the next part, as large as the limits allow unless it is the last one; once nothing is left, one
  /// of no events. Parts do not depend on the number of threads. `progress` is told how many of all entries
  /// are done. Throws FileError and EvaluationError, which names output and file, and Interrupted once `stop`
  /// is set; after any of these nothing can be read any more.
  EventPart read(const PartSize& size = {}, StopFlag stop = {},
                 const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::skims
