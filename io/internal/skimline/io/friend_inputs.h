// SPDX-License-Identifier: BSD-3-Clause
// Further columns of the same events, from other files.
#pragma once

#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// Files with columns for the entries of a source.
struct FriendInputs {
  std::string name;  ///< in front of the names of its columns: "scores.dnn"
  std::vector<InputLocation> locations;
  /// Columns of whole numbers, one per entry, that both have: an entry of the source goes with the entry of
  /// the friend that has the same values. Without any, entries go together in order, and there must be as
  /// many.
  std::vector<std::string> match;
  bool may_be_longer = false;  ///< entries in order: whether the friend may have more
};

/// Returns a source with the columns of both: "<name>.<column>" are those of friends. Nothing of it is
/// carried. Defaults for columns of a friend have its name in front; they also stand where no entry matches,
/// which is a FileError of the event loop otherwise. Throws what open_inputs() throws, SchemaError if names
/// collide, MatchError if `match` is no such column, and FileError if numbers of entries differ or two
/// entries of a friend match the same.
std::unique_ptr<InputSource> with_friends(std::unique_ptr<InputSource> source,
                                          const std::vector<FriendInputs>& friends,
                                          const InputOptions& options);

/// Whether a column is one of the friend of that name, as it is written in expressions: "scores.dnn" or
/// "scores_dnn".
bool is_of_friend(const std::string& column, const std::string& name);

/// Splits defaults: returns the options without those for columns of friends.
InputOptions without_friends(InputOptions options, const std::vector<FriendInputs>& friends);

}  // namespace skimline::io
