// SPDX-License-Identifier: BSD-3-Clause
#include "plan/listed_entries.h"

#include "base/text_table.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace skimline::skims {
namespace {

// Consecutive entries of a sample, and which of them are listed, counted from the first.
struct ListedPart {
  EntryRange range;
  std::shared_ptr<const ListedEntries> entries;
};

using ListedParts = std::vector<ListedPart>;

bool holds(const ListedPart& part, std::uint64_t entry) {
  return entry >= part.range.first && entry < part.range.end();
}

void check_last(const ListedPart& part, const std::string& what) {
  const std::optional<std::uint64_t> last = part.entries->numbers.last();
  if (last && *last >= part.range.count)
    throw ConfigError("the list of entries names entry " + std::to_string(*last) + ", and " + what + " has " +
                      counted(part.range.count, "entry", "entries"));
}

// The input that a file is; of `inputs` those that come behind it are left.
const Input& input_of(const io::InputFacts& file, std::span<const Input>& inputs) {
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const Input& input) {
    return input.location.path == file.path &&
           (input.location.name.empty() || input.location.name == file.name);
  });
  if (found == inputs.end()) throw InternalError("no input of the sample is " + file.path);
  const Input& input = *found;
  inputs = inputs.subspan(static_cast<std::size_t>(found - inputs.begin()) + 1);
  return input;
}

ListedParts parts_of(const Sample& sample, const std::vector<io::InputFacts>& files) {
  ListedParts parts;
  std::uint64_t first = 0;
  std::span<const Input> inputs(sample.inputs);
  for (const io::InputFacts& file : files) {
    const EntryRange range{first, file.num_entries};
    first += file.num_entries;
    if (sample.entries_through) continue;
    parts.push_back({range, input_of(file, inputs).entries});
    check_last(parts.back(), in_quotes(file.path));
  }
  if (!sample.entries_through) return parts;
  parts.push_back({{0, first}, sample.entries_through});
  if (!sample.lacks_files) check_last(parts.back(), "the sample");
  return parts;
}

std::string content_of(const ListedParts& parts) {
  std::string text = "entries of lists";
  for (const ListedPart& part : parts)
    text += " " + std::to_string(part.range.first) + " " + part.entries->digest;
  return text;
}

void find_listed(const ListedParts& parts, std::span<const std::uint64_t> entries,
                 std::span<bool> is_listed) {
  auto part = parts.begin();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t entry = entries[i];
    if (part == parts.end() || !holds(*part, entry))
      part = std::find_if(parts.begin(), parts.end(),
                          [&](const ListedPart& each) { return holds(each, entry); });
    is_listed[i] = part != parts.end() && part->entries->numbers.contains(entry - part->range.first);
  }
}

}  // namespace

ExternalFunction listed_entries(const std::string& name, const Sample& sample,
                                const std::vector<io::InputFacts>& files) {
  ListedParts parts = parts_of(sample, files);
  std::string content = content_of(parts);
  ElementFunction function;
  function.parameters = {ScalarType::kUInt64};
  function.result = ScalarType::kBool;
  function.call = [parts = std::move(parts)](std::size_t count, const void* const* arguments, void* results) {
    find_listed(parts, {static_cast<const std::uint64_t*>(arguments[0]), count},
                {static_cast<bool*>(results), count});
  };
  return {name, std::move(function), std::move(content)};
}

}  // namespace skimline::skims
