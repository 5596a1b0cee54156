// SPDX-License-Identifier: BSD-3-Clause
#include "inputs/friend_source.h"

#include "columns/joined_columns.h"
#include "inputs/friend_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

// "run = 1, event = 5"
std::string values_text(const std::vector<std::string>& names, const std::uint64_t* key,
                        const std::vector<bool>& is_unsigned) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : ", ") + names[i] + " = " +
            (is_unsigned[i] ? std::to_string(key[i]) : std::to_string(static_cast<std::int64_t>(key[i])));
  return text;
}

// Reads a slice of the main source, and what friends have for its entries.
class FriendSliceReader : public SliceReader {
 public:
  struct Target {
    std::size_t source = 0;
    std::size_t column = 0;
  };
  FriendSliceReader(InputSource& main, std::size_t slice, const std::vector<Friend>& friends,
                    std::function<Target(std::size_t)> place_of)
      : schema_(main.schema()),
        entries_(main.slices()[slice]),
        main_(main.open_slice(slice)),
        friends_(friends),
        place_of_(std::move(place_of)),
        readers_(friends.size()) {}

  void load(std::span<const std::size_t> columns) override {
    const std::vector<std::vector<std::size_t>> by_source = divide(columns);
    main_->load(by_source.back());
    for (std::size_t i = 0; i < friends_.size(); ++i)
      if (!by_source[i].empty()) reader(i).load(by_source[i]);
  }

  void prepare(std::span<const std::size_t> columns, EntryRange range) override {
    main_->prepare(divide(columns).back(), range);
  }

  ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) override {
    const auto [source, number] = place_of_(column);
    return source == friends_.size() ? main_->view(number, range, scratch)
                                     : reader(source).view(number, range, scratch);
  }

  std::string_view file() const override { return main_->file(); }

 private:
  std::vector<std::vector<std::size_t>> divide(std::span<const std::size_t> columns) const {
    std::vector<std::vector<std::size_t>> by_source(friends_.size() + 1);
    for (const std::size_t column : columns) {
      const auto [source, number] = place_of_(column);
      by_source[source].push_back(number);
    }
    return by_source;
  }

  // Made when it is needed first.
  FriendReader& reader(std::size_t number) {
    std::unique_ptr<FriendReader>& reader = readers_[number];
    if (reader) return *reader;
    const Friend& other = friends_[number];
    reader = other.index ? matched(other) : std::make_unique<FriendReader>(*other.source, entries_);
    return *reader;
  }

  std::unique_ptr<FriendReader> matched(const Friend& other) {
    auto keys = std::make_shared<const MatchKeys>(read_keys(*main_, schema_, other.match, entries_.count));
    const std::size_t width = other.match.size();
    const std::vector<bool> is_unsigned = unsigned_columns(schema_, other.match);
    std::vector<std::optional<std::uint64_t>> rows;
    for (std::uint64_t entry = 0; entry < entries_.count; ++entry)
      rows.push_back(other.index->find(keys->data() + entry * width, is_unsigned));
    const auto throw_unmatched = [this, &other, keys, width, is_unsigned](std::uint64_t entry) {
      throw FileError(other.source->files().front().path,
                      "the friend \"" + other.pairing.name + "\" has no entry with " +
                          values_text(other.pairing.match, keys->data() + entry * width, is_unsigned) +
                          ", which entry " + std::to_string(entries_.first + entry) +
                          " of the input has; give its columns defaults",
                      FileFault::kUnavailable);
    };
    return std::make_unique<FriendReader>(*other.source, rows, other.defaults, throw_unmatched);
  }

  const Schema& schema_;  // of the main source
  EntryRange entries_;
  std::unique_ptr<SliceReader> main_;
  const std::vector<Friend>& friends_;
  std::function<Target(std::size_t)> place_of_;
  std::vector<std::unique_ptr<FriendReader>> readers_;
};

void check_lengths(const InputSource& main, const Friend& other) {
  const std::uint64_t expected = main.num_entries(), found = other.source->num_entries();
  if (found == expected || (found > expected && other.pairing.may_be_longer)) return;
  throw FileError(other.source->files().front().path,
                  "the friend \"" + other.pairing.name + "\" has " + std::to_string(found) +
                      " entries, the input " + std::to_string(expected) +
                      ": entries that go together in order must be as many",
                  FileFault::kUnavailable);
}

std::string called(const InputFacts& file) { return file.path.substr(file.path.rfind('/') + 1); }

// The first file of a friend that has another value than that of the input beside it, if all have the same
// values in another order.
template <typename Value>
std::optional<std::size_t> first_moved(const std::vector<InputFacts>& ours,
                                       const std::vector<InputFacts>& theirs, Value value) {
  using Values = std::vector<decltype(value(ours.front()))>;
  Values of_ours, of_theirs;
  for (const InputFacts& file : ours) of_ours.push_back(value(file));
  for (const InputFacts& file : theirs) of_theirs.push_back(value(file));
  const auto moved = std::mismatch(of_ours.begin(), of_ours.end(), of_theirs.begin());
  if (moved.first == of_ours.end()) return std::nullopt;
  const auto place = static_cast<std::size_t>(moved.first - of_ours.begin());
  std::sort(of_ours.begin(), of_ours.end());
  std::sort(of_theirs.begin(), of_theirs.end());
  return of_ours == of_theirs ? std::optional(place) : std::nullopt;
}

// A list of files and a pattern, or two patterns, may sort files differently.
void check_order(const InputSource& main, const Friend& other) {
  const std::vector<InputFacts>&ours = main.files(), &theirs = other.source->files();
  if (ours.size() != theirs.size()) return;
  std::optional<std::size_t> moved =
      first_moved(ours, theirs, [](const InputFacts& file) { return file.num_entries; });
  if (!moved)
    moved = first_moved(ours, theirs,
                        [](const InputFacts& file) { return std::pair(called(file), file.num_entries); });
  if (!moved) return;
  throw FileError(theirs[*moved].path,
                  "the friend \"" + other.pairing.name +
                      "\" has its files in another order than the input: this one, of " +
                      std::to_string(theirs[*moved].num_entries) + " entries, beside \"" + ours[*moved].path +
                      "\", of " + std::to_string(ours[*moved].num_entries),
                  FileFault::kUnavailable);
}

}  // namespace

Friend paired_friend(const InputSource& main, FriendPairing pairing, std::unique_ptr<InputSource> source) {
  Friend other;
  other.pairing = std::move(pairing);
  other.source = std::move(source);
  if (other.pairing.match.empty()) {
    check_lengths(main, other);
    check_order(main, other);
    return other;
  }
  other.match = match_columns(main, other.pairing.match, {other.pairing.name, true});
  other.index.emplace(*other.source, other.pairing.match, MatchSide{other.pairing.name});
  return other;
}

void add_defaults(Friend& other, DefaultValues& defaults) {
  if (!other.index) return;
  for (std::size_t column = 0; column < other.source->schema().size(); ++column) {
    const ColumnInfo& info = other.source->schema()[column];
    auto value = defaults.for_missing(info.name, info.type, other.source->files().front().path);
    if (value) other.defaults.emplace(column, std::move(*value));
  }
}

FriendSource::FriendSource(std::unique_ptr<InputSource> main, std::vector<Friend> friends,
                           std::vector<TreeFriend> unused)
    : main_(std::move(main)), friends_(std::move(friends)), unused_(std::move(unused)) {
  add_columns(*main_, friends_.size(), "");
  for (std::size_t i = 0; i < friends_.size(); ++i)
    add_columns(*friends_[i].source, i, friends_[i].pairing.name + ".");
}

void FriendSource::add_columns(const InputSource& source, std::size_t number, const std::string& prefix) {
  for (std::size_t column = 0; column < source.schema().size(); ++column) {
    ColumnInfo info = source.schema()[column];
    info.name = prefix + info.name;
    schema_.add(std::move(info));
    places_.push_back({number, column});
    type_names_.push_back(source.field_type_names()[column]);
  }
  for (const UnsupportedField& field : source.unsupported_fields()) {
    unsupported_.push_back(
        {prefix + field.name, field.type_name, field.reason, 0, false, field.is_different});
    if (!source.schema().find(field.name)) schema_.withhold(prefix + field.name);
  }
  for (const std::string& name : source.columns_nowhere()) nowhere_.push_back(prefix + name);
  differences_.insert(differences_.end(), source.differences().begin(), source.differences().end());
}

std::unique_ptr<SliceReader> FriendSource::open_slice(std::size_t slice) {
  return std::make_unique<FriendSliceReader>(*main_, slice, friends_, [this](std::size_t column) {
    return FriendSliceReader::Target{places_[column].source, places_[column].column};
  });
}

std::uint64_t FriendSource::stored_bytes(std::size_t column) const {
  return source_of(places_.at(column)).stored_bytes(places_[column].column);
}

FieldSize FriendSource::field_size(const std::string& name) const {
  const auto column = schema_.find(name);
  if (!column) return main_->field_size(name);
  const Place& place = places_[*column];
  return source_of(place).field_size(source_of(place).schema()[place.column].name);
}

ReadStatistics FriendSource::statistics() const {
  ReadStatistics sum = main_->statistics();
  for (const Friend& other : friends_) sum += other.source->statistics();
  return sum;
}

std::vector<InputFacts> FriendSource::friend_files() const {
  std::vector<InputFacts> all = main_->friend_files();
  for (const Friend& other : friends_)
    all.insert(all.end(), other.source->files().begin(), other.source->files().end());
  return all;
}

std::vector<TreeFriend> FriendSource::unused_friends() const {
  std::vector<TreeFriend> all = main_->unused_friends();
  all.insert(all.end(), unused_.begin(), unused_.end());
  return all;
}

void FriendSource::check_unchanged() const {
  main_->check_unchanged();
  for (const Friend& other : friends_) other.source->check_unchanged();
}

Carrying FriendSource::carry(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!schema_.find(name)) throw SchemaError("there is no column \"" + name + "\"");
  return {nullptr, names};
}

// Friends have slices of their own, which are read as those of the main source need them.
void FriendSource::expect(const ExpectedReading& reading) {
  ExpectedReading of_main{{}, reading.kept_bytes_per_entry};
  for (const std::size_t column : reading.columns)
    if (places_.at(column).source == friends_.size()) of_main.columns.push_back(places_[column].column);
  for (const Friend& other : friends_)
    of_main.columns.insert(of_main.columns.end(), other.match.begin(), other.match.end());
  main_->expect(of_main);
}

}  // namespace skimline::io
