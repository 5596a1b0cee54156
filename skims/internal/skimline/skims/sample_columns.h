// SPDX-License-Identifier: BSD-3-Clause
// What the files of a sample offer, and the types of expressions of it, without running anything.
#pragma once

#include "skimline/framework/plan.h"
#include "skimline/framework/type.h"
#include "skimline/skims/config.h"

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::skims {

/// Names that expressions may use beside columns, in this order: functions that are no
/// expressions, functions by signature, then definitions.
struct Definitions {
  std::vector<std::pair<std::string, std::string>> functions;
  std::vector<std::pair<std::string, std::string>> definitions;
  std::vector<ExternalFunction> external = {};
};

/// What a variation replaces, by its name.
struct NamedVariation {
  std::string name;
  std::vector<Replacement> replacements;
};

/// The columns of one sample. Thread-safe.
class SampleColumns {
 public:
  /// Opens the inputs of `config.samples[sample]`. Throws FileError and what io::open_inputs() throws.
  SampleColumns(const Config& config, std::size_t sample);

  const io::InputSource& source() const { return *source_; }
  /// The columns of the source, with the aliases of the config.
  const Schema& schema() const { return schema_; }
  /// Their collections, before the objects of the config.
  const std::vector<MemberColumns>& collections() const { return collections_; }
  const std::vector<ObjectDefinition>& objects() const { return objects_; }
  /// What its metadata are called.
  std::vector<std::string> metadata_names() const;
  /// Those of its trees, with the reasons of what cannot be used.
  const std::vector<io::TreeAlias>& tree_aliases() const { return tree_aliases_; }
  /// Where the files differ, and what was made of it.
  std::vector<std::string> differences() const;
  /// Its files, for Config::known_files of others.
  std::vector<KnownFile> known_files() const;
  /// Entries within the limits of the config.
  std::uint64_t num_entries() const { return num_entries_; }
  /// As skimline::skims::may_vary() of the sample.
  bool may_vary() const { return may_vary_; }
  bool is_data() const { return is_data_; }

  /// The type of an expression. Throws ExpressionError, or SchemaError for a name that is taken.
  Type type_of(const Definitions& definitions, std::string_view expression) const;
  /// The same for one that has to be true or false for an event; throws ExpressionError for other types.
  void check_condition(const Definitions& definitions, std::string_view expression) const;
  /// Throws ExpressionError for a function that cannot be called `signature`, or that has another mistake.
  void check_function(const Definitions& definitions, std::string_view signature,
                      std::string_view body) const;
  /// Throws SchemaError for a name that a column or a definition has.
  void check_name(const Definitions& definitions, std::string_view name) const;
  /// Throws SchemaError for a variation of what there is not, and ExpressionError, which names the variation,
  /// for a replacement that cannot stand for it, or with which a definition has a mistake.
  void check_variation(const Definitions& definitions, const NamedVariation& variation) const;
  /// Throws as these two for one more definition. A long list that grows by one each time is checked in time
  /// that grows with its length.
  void check_definition(const Definitions& definitions, const std::string& name,
                        const std::string& expression) const;
  /// The definitions so far, with their types.
  std::vector<ColumnInfo> types_of(const Definitions& definitions) const;

 private:
  void name_columns(const Config& config, const Sample& sample);
  // What `check` returns; its errors say why fields that are no columns are none.
  template <typename Check>
  auto explained(Check check) const;
  // Of aliases of trees those are left out that have one of these names.
  PlanBuilder builder(const Definitions& definitions, const std::set<std::string>& more_names = {}) const;
  bool takes_alias(const Definitions& definitions, std::size_t first) const;
  const PlanBuilder& known(const Definitions& definitions) const;

  // What was asked for last: most questions are about the same definitions, or one more.
  struct Known {
    std::mutex mutex;
    std::vector<std::pair<std::string, std::string>> functions, definitions;
    std::optional<PlanBuilder> builder;
  };

  std::vector<NamedValue> constants_;
  Schema schema_;  // with aliases
  std::vector<MemberColumns> collections_;
  std::vector<ObjectDefinition> objects_;
  std::unique_ptr<io::InputSource> source_;
  std::uint64_t num_entries_ = 0;
  bool may_vary_;
  bool is_data_;
  std::vector<io::TreeAlias> tree_aliases_;
  std::unique_ptr<Known> known_ = std::make_unique<Known>();
};

}  // namespace skimline::skims
