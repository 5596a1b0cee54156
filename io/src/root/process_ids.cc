// SPDX-License-Identifier: BSD-3-Clause
#include "root/process_ids.h"

#include "root/object_cursor.h"
#include "root/object_streaming.h"
#include "root/stored_key.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::string_view kNamesBegin = "ProcessID";
constexpr std::uint16_t kProcessVersion = 1;
// No file has so many, and other programs may add to it before it becomes the number of one.
constexpr std::size_t kLeastNowhere = 0x8000;

std::string name_of(std::size_t number) { return std::string(kNamesBegin) + std::to_string(number); }

std::string read_identifier(const RootFile& file, const RootKey& key) {
  const std::vector<std::byte> object = file.read_object(key);
  try {
    ObjectCursor cursor(object);
    const ObjectFrame frame = cursor.begin("TProcessID", kProcessVersion);
    std::string identifier = cursor.named().title;
    cursor.end(frame);
    if (identifier.empty()) throw FormatError("an identifier of a process that is empty");
    return identifier;
  } catch (const FormatError& error) {
    throw FileError(file.path(), "object \"" + key.path + "\": " + error.what());
  }
}

// By places in `pattern`: how many of its first items are those in front of the next one, too.
std::vector<std::size_t> repeated_fronts(const std::vector<std::uint32_t>& pattern) {
  std::vector<std::size_t> fronts(pattern.size() + 1, 0);
  for (std::size_t i = 1, same = 0; i < pattern.size(); ++i) {
    while (same > 0 && pattern[i] != pattern[same]) same = fronts[same];
    if (pattern[i] == pattern[same]) ++same;
    fronts[i + 1] = same;
  }
  return fronts;
}

}  // namespace

std::optional<std::uint16_t> process_number(std::string_view path) {
  if (!path.starts_with(kNamesBegin)) return std::nullopt;
  const std::string_view digits = path.substr(kNamesBegin.size());
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || path != name_of(number)) return std::nullopt;
  return number;
}

std::vector<std::string> read_process_ids(const RootFile& file, const std::vector<RootKey>& keys) {
  std::map<std::uint16_t, const RootKey*> by_number;
  for (const RootKey& key : keys)
    if (!by_number.emplace(process_number(key.path).value(), &key).second)
      throw FormatError("it has \"" + key.path + "\" more than once");
  std::vector<std::string> identifiers;
  for (const auto& [number, key] : by_number) {
    if (number != identifiers.size())
      throw FormatError("it has \"" + key->path + "\" and no \"" + name_of(identifiers.size()) +
                        "\": references would lead to objects of other processes");
    identifiers.push_back(read_identifier(file, *key));
  }
  return identifiers;
}

RootObject process_object(std::size_t number, const std::string& identifier) {
  ByteWriter out;
  write_object(out, kProcessVersion, [&] { write_named(out, name_of(number), identifier, 0); });
  return {std::string(kProcessClass), name_of(number), identifier, std::move(out).take()};
}

std::uint16_t process_offset(std::span<const std::byte> record) {
  ByteReader key(record);
  key.take(4);  // size
  const auto version = key.big<std::uint16_t>();
  key.take(4 + 4 + 2 + 2);  // size of the object, date, size of the key, cycle
  if (version <= kLargeRecord) return 0;
  key.take(8);  // its own place
  return static_cast<std::uint16_t>(key.big<std::uint64_t>() >> kDirectoryBits);
}

void ProcessTable::add(const std::vector<std::string>& identifiers) {
  Numbers& numbers = files_.emplace_back();
  for (const std::string& identifier : identifiers)
    numbers.push_back(known_.emplace(identifier, static_cast<std::uint32_t>(known_.size())).first->second);
}

void ProcessTable::place() {
  std::vector<std::size_t> order(files_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  place_in(order);
  if (has_equal_ones()) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return files_[a].size() > files_[b].size(); });
    place_in(order);
  }
  std::vector<const std::string*> identifiers(known_.size());
  for (const auto& [identifier, number] : known_) identifiers[number] = &identifier;
  for (const std::uint32_t number : numbers_) all_.push_back(*identifiers[number]);
}

void ProcessTable::place_in(const std::vector<std::size_t>& order) {
  numbers_.clear();
  first_.assign(files_.size(), 0);
  for (const std::size_t file : order) {
    const Numbers& numbers = files_[file];
    const std::size_t first = place_of(numbers);
    for (std::size_t i = numbers_.size() - first; i < numbers.size(); ++i) numbers_.push_back(numbers[i]);
    if (numbers_.size() > kMostProcesses)
      throw Error(
          "the inputs were written by more than " + std::to_string(kMostProcesses) +
          " processes (TProcessID), which references cannot tell apart; --exclude \"ProcessID*\" leaves "
          "them out, and references lead nowhere then");
    first_[file] = static_cast<std::uint16_t>(first);
  }
}

// The first place from which on all that are there are equal.
std::size_t ProcessTable::place_of(const Numbers& numbers) const {
  if (numbers.empty()) return numbers_.size();
  const std::vector<std::size_t> fronts = repeated_fronts(numbers);
  std::size_t same = 0;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    while (same > 0 && numbers_[i] != numbers[same]) same = fronts[same];
    if (numbers_[i] == numbers[same]) ++same;
    if (same == numbers.size()) return i + 1 - same;
  }
  return numbers_.size() - same;
}

// Among the numbers that the records of one file can have.
bool ProcessTable::has_equal_ones() const {
  std::size_t most = 0;
  for (const Numbers& numbers : files_) most = std::max(most, numbers.size());
  Numbers front(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(most));
  std::sort(front.begin(), front.end());
  return std::adjacent_find(front.begin(), front.end()) != front.end();
}

ProcessShift ProcessTable::shift(std::size_t file) const {
  if (all_.empty()) return {};
  const std::size_t nowhere = std::max(all_.size(), kLeastNowhere);
  return {static_cast<std::uint32_t>(files_[file].size()), first_[file], static_cast<std::uint16_t>(nowhere)};
}

}  // namespace skimline::io
