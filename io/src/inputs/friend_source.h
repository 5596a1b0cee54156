// SPDX-License-Identifier: BSD-3-Clause
// A source with the columns of its friends.
#pragma once

#include "columns/column_default.h"
#include "columns/default_values.h"
#include "inputs/friend_index.h"

#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// How entries of a friend go together with those of a source: as FriendInputs says.
struct FriendPairing {
  std::string name;
  std::vector<std::string> match;
  bool may_be_longer = false;
};

/// One friend of a source. Immutable but for its source.
struct Friend {
  FriendPairing pairing;
  std::unique_ptr<InputSource> source;
  std::optional<FriendIndex> index;               // unless entries go together in order
  std::vector<std::size_t> match;                 // columns of the main source
  std::map<std::size_t, ColumnDefault> defaults;  // by column of the friend
};

/// Pairs the entries of a friend with those of a source. Throws as with_friends().
Friend paired_friend(const InputSource& main, FriendPairing pairing, std::unique_ptr<InputSource> source);

/// Gives the columns the defaults that fit them, where no entry matches.
void add_defaults(Friend& other, DefaultValues& defaults);

class FriendSource : public InputSource {
 public:
  /// `unused` are others that files of the main source name.
  FriendSource(std::unique_ptr<InputSource> main, std::vector<Friend> friends,
               std::vector<TreeFriend> unused = {});

  const Schema& schema() const override { return schema_; }
  std::uint64_t num_entries() const override { return main_->num_entries(); }
  const std::vector<EntryRange>& slices() const override { return main_->slices(); }
  std::size_t cluster_of(std::size_t slice) const override { return main_->cluster_of(slice); }
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override;
  std::uint64_t stored_bytes(std::size_t column) const override;
  ReadStatistics statistics() const override;

  const std::vector<InputFacts>& files() const override { return main_->files(); }
  std::vector<InputFacts> friend_files() const override;
  std::vector<TreeFriend> unused_friends() const override;
  std::vector<TreeAlias> aliases() const override { return main_->aliases(); }
  void check_unchanged() const override;
  const std::vector<std::string>& field_type_names() const override { return type_names_; }
  const std::vector<UnsupportedField>& unsupported_fields() const override { return unsupported_; }
  const std::vector<Collection>& collections() const override { return main_->collections(); }
  std::vector<Collection> lists_of_equal_sizes() const override { return main_->lists_of_equal_sizes(); }
  std::vector<std::vector<std::string>> names_of_one_field() const override {
    return main_->names_of_one_field();
  }
  const std::vector<std::string>& columns_nowhere() const override { return nowhere_; }
  std::vector<std::string> columns_with_gaps() const override { return main_->columns_with_gaps(); }
  const std::vector<std::string>& differences() const override { return differences_; }
  FieldSize field_size(const std::string& name) const override;
  void restrict_to(EntryRange entries) override { main_->restrict_to(entries); }
  Carrying carry(const std::vector<std::string>& names) override;
  void expect(const ExpectedReading& reading) override;

 private:
  // Where a column is; the main source is behind all friends.
  struct Place {
    std::size_t source = 0;
    std::size_t column = 0;
  };
  const InputSource& source_of(const Place& place) const {
    return place.source == friends_.size() ? *main_ : *friends_[place.source].source;
  }
  void add_columns(const InputSource& source, std::size_t number, const std::string& prefix);

  std::unique_ptr<InputSource> main_;
  std::vector<Friend> friends_;
  std::vector<TreeFriend> unused_;
  Schema schema_;
  std::vector<Place> places_;  // by column
  std::vector<std::string> type_names_, nowhere_, differences_;
  std::vector<UnsupportedField> unsupported_;
};

}  // namespace skimline::io
