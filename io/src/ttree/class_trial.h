// SPDX-License-Identifier: BSD-3-Clause
// Whether objects lie in the bytes of a branch as the file describes their classes. Classes may have
// streamers of their own, which write what they want; no file says which do.
#pragma once

#include "ttree/basket_fetcher.h"
#include "ttree/entry_cursor.h"
#include "ttree/tree_columns.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace skimline::io {

/// Entries of which most are not what they should be, in a branch that never showed that it can be read.
class DoubtfulLayout : public FormatError {
 public:
  using FormatError::FormatError;
};

/// What the entries of one basket say.
struct Examination {
  std::uint64_t num_fitting = 0;  ///< as described, and not because there are no objects in them
  std::uint64_t num_others = 0;   ///< not as described
  std::string problem;            ///< of the first of these
  bool is_unreadable = false;     ///< a known limit of the reader
  std::set<std::string> classes;  ///< of the objects in entries that fit

  bool is_as_described() const { return num_fitting > 0 && num_fitting >= num_others && !is_unreadable; }
  bool is_other() const { return num_others > num_fitting || is_unreadable; }
};

/// Looks at the first entries of a basket.
Examination examine_entries(const StreamedValue& value, const BasketEntries& entries);

/// Classes that were found to be as described, in the files of one sequence. Not thread-safe.
class KnownClasses {
 public:
  bool has(const StreamedValue& value) const { return classes_.contains(classes_of(value)); }
  void add(const StreamedValue& value) { classes_.insert(classes_of(value)); }

 private:
  std::set<std::string> classes_;
};

/// What was found out about a branch.
struct TrialResult {
  bool is_proven = false;  ///< all classes are as described: what does not fit is damaged
  std::string problem;     ///< why it cannot be read; empty if it can, or if nothing shows
};

/// Looks into a few baskets of a branch. Those that cannot be read or unpacked say nothing.
TrialResult try_branch(const DoubtfulBranch& branch, const BasketFetcher& fetcher, KnownClasses& known);

}  // namespace skimline::io
