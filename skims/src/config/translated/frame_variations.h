// SPDX-License-Identifier: BSD-3-Clause
// Systematics of FastFrames as variations: columns called "..._NOSYS" are replaced by those of the
// systematic.
#pragma once

#include "config/translated/config_writing.h"
#include "config/translated/frame_config.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// The names that an expression has.
std::set<std::string> names_in(const std::string& expression);
/// With those of the definitions that they lead to.
std::set<std::string> all_names(const std::string& expression,
                                const std::vector<FrameDefinition>& definitions);

/// A systematic as one sample has it.
struct SampleSystematic {
  std::string name, sum_weights, weight_suffix;
};

/// Which systematics a sample has: those of the config, and, if it asks for them, those that a histogram in
/// the first file that has one lists. Throws ConfigError for what is no regular expression.
std::vector<SampleSystematic> systematics_of(const FrameConfig& config, const FrameSample& sample,
                                             const SampleMetadata& metadata, FrameLeftovers& left_out);

/// Collects the variations of all samples.
class FrameVariations {
 public:
  /// `used` are the names that any expression has.
  explicit FrameVariations(std::set<std::string> used) : used_(std::move(used)) {}

  /// Adds what a sample has; `columns` are those of its first file, unless they are not known. `nominal_sum`
  /// is the sum of weights that it has without variations, nothing for data. Returns definitions of the
  /// sample by name: for each systematic with another sum of weights the name of that sum.
  std::map<std::string, std::string> add(const std::string& sample,
                                         const std::vector<SampleSystematic>& systematics,
                                         const std::optional<std::string>& nominal_sum,
                                         std::optional<std::set<std::string>> columns);

  bool empty() const { return made_.empty(); }
  /// Whether any has a factor of its own.
  bool have_factors() const;
  /// The names of all definitions that add() returned.
  std::vector<std::string> sums() const;
  /// "variations" of the config.
  OrderedJson variations() const;
  /// Other names for columns that a sample lacks and that others have for a systematic.
  std::map<std::string, std::string> aliases_of(const std::string& sample) const;
  /// The variations that replace any of these names.
  std::vector<std::string> that_change(const std::set<std::string>& names) const;
  /// Those that change a weight with these names: they may have a factor or another sum of weights.
  std::vector<std::string> that_weigh(const std::set<std::string>& names) const;
  /// Those whose factor has names that they replace, while FastFrames takes its nominal columns.
  std::vector<std::string> with_varied_factors(const std::vector<FrameDefinition>& definitions) const;

 private:
  struct Made {
    std::string name, weight_suffix;
    std::set<std::string> samples;
    std::set<std::string> columns;  ///< nominal ones that are replaced
    std::string sum;                ///< a definition, or empty
  };
  Made& made(const SampleSystematic& systematic);
  static bool changes(const Made& variation, const std::set<std::string>& names);

  std::set<std::string> used_;
  std::vector<Made> made_;
  std::map<std::string, std::size_t> numbers_;            ///< by name
  std::map<std::string, std::set<std::string>> columns_;  ///< by sample
};

}  // namespace skimline::skims
