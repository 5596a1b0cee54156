// SPDX-License-Identifier: BSD-3-Clause
// What a skim must know of the collections of its input: what counts them, and what points into them.
#pragma once

#include "plan/column_patterns.h"

#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::skims {

/// The collections that a source stores. Names are compared with dots as underscores.
class CollectionRules {
 public:
  /// Columns of the rules that the source does not have, and collections that it does not have, are noted as
  /// mistakes if that is so in all samples. `originals` are, by columns that are redefined, the definitions
  /// of their old values. The rules must outlive this.
  CollectionRules(const io::InputSource& source, const std::vector<IndexRule>& indices,
                  const std::map<std::string, std::string>& originals, Diagnostics& diagnostics);

  const std::vector<io::Collection>& all() const { return collections_; }
  std::vector<std::string> names() const;
  /// Null if there is none of that name.
  const io::Collection* find(const std::string& name) const;
  /// The collection that a list of this name belongs to; null if there is none. Lists that the source does
  /// not have belong where their name begins as the collection's: "Muon_corrected".
  const io::Collection* of_list(const std::string& name) const;
  /// The collection whose number of elements a column has.
  const io::Collection* of_count(const std::string& name) const;
  /// The collection that integers of this name are indexes into: "Muon" for "Jet_muonIdx1" and
  /// "best_muonIdx"; null if they are none.
  const io::Collection* target_of(const std::string& name) const;
  /// Whether the config says of a column what it is an index into, or that it is none.
  bool has_rule(const std::string& name) const;
  /// The column of which a definition of this name has the old values; the name itself if it is none.
  const std::string& as_redefined(const std::string& name) const;

 private:
  const io::Collection* usual_target(const std::string& column) const;
  const io::Collection* named_by(std::string_view stem) const;
  void check(const io::InputSource& source, Diagnostics& diagnostics) const;

  const std::vector<IndexRule>& rules_;
  std::vector<io::Collection> collections_;
  std::unordered_map<std::string, std::size_t> places_;     // of collections by their lists, with underscores
  std::unordered_map<std::string, std::string> redefined_;  // columns, by what their old values are called
};

}  // namespace skimline::skims
