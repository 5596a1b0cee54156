// SPDX-License-Identifier: BSD-3-Clause
// Skims of which collections lose elements: what is to be written in place of their columns, and of those
// that point into them.
#pragma once

#include "plan/collection_rules.h"
#include "plan/event_selections.h"
#include "plan/sample_expressions.h"

#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// The columns of a skim that collections of it are thinned for.
struct ThinnedColumns {
  std::map<std::string, std::string> sources;  ///< by column, the name of what the plan makes of it
  /// By columns of the skim's own that take the place of one, what is to be written of what they are.
  std::map<std::string, std::string> own;
  std::vector<io::Collection> collections;   ///< those that are thinned, with what is kept of them
  std::vector<std::string> without_columns;  ///< names of collections of which nothing is kept to be changed
  std::vector<std::string> real_indexes;     ///< columns that are called as indexes, and stay as they are
};

/// Defines the thinned columns of one skim in the plan of a sample.
class Thinning {
 public:
  /// `variations` are those whose elements are kept too; `own_name` gives names that no definition has.
  Thinning(SampleExpressions& expressions, const CollectionRules& rules, const SkimConfig& skim,
           std::vector<PlannedVariation*> variations,
           std::function<std::string(const std::string&)> own_name);

  /// Plans what becomes of the columns that the skim keeps; mistakes are noted.
  ThinnedColumns plan(const std::vector<std::string>& kept);

 private:
  struct Mask {
    const io::Collection* collection;
    std::string name;  // of the definition
  };

  void check_columns() const;
  void check_can_be_thinned(const std::vector<std::string>& kept, const std::set<std::string>& usable) const;
  void check_indices(const std::vector<std::string>& kept, const std::set<std::string>& usable) const;
  void add_mask(const ThinConfig& thin, const std::vector<std::string>& kept);
  std::string varied(const std::string& collection, const std::string& condition);
  std::string with_closure(const ThinConfig& thin, const io::Collection& collection, std::string mask) const;
  const Mask* mask_of(const io::Collection* collection) const;
  bool changes_any(const Mask& mask, const std::vector<std::string>& kept) const;
  bool is_list_of(const std::string& column, const io::Collection& collection) const;
  bool is_index(const std::string& column) const;
  bool replaces_column(const std::string& name) const;
  std::string expression_for(const std::string& column, const std::string& source) const;
  io::Collection written_collection(const io::Collection& collection,
                                    const std::vector<std::string>& kept) const;

  SampleExpressions& expressions_;
  PlanBuilder& builder_;
  Diagnostics& diagnostics_;
  const CollectionRules& rules_;
  const SkimConfig& skim_;
  std::vector<PlannedVariation*> variations_;
  std::function<std::string(const std::string&)> own_name_;
  std::vector<Mask> masks_;
};

/// What is to be said of a skim whose own columns choose elements of a collection by hand, where indexes into
/// the collection are kept as they are: the columns, and what would point elsewhere. Empty if there is none.
std::string stale_indexes_text(const SkimConfig& skim, const CollectionRules& rules,
                               const std::vector<std::string>& kept);

}  // namespace skimline::skims
