// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_sequences.h"

#include "config/json/object_reader.h"
#include "config/translated/text_replacing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace skimline::skims {
namespace {

constexpr const char* kSequence = "numbering_sequence";
constexpr std::size_t kMostBlocks = 20000;

struct Sequence {
  std::string replaced;
  std::vector<std::string> values;
};

constexpr std::size_t kMostSequences = 8;
// Of the memory that all blocks take, about.
constexpr std::size_t kMostBytes = 64 << 20;

void replace_in(JsonValue& value, const std::string& old, const std::string& by) {
  if (value.kind == JsonKind::kString) value.text = with_replaced(value.text, old, by, kMostBytes);
  for (JsonValue& item : value.items) replace_in(item, old, by);
}

std::size_t bytes_of(const JsonValue& value) {
  std::size_t bytes = sizeof(JsonValue) + value.text.size();
  for (const Text& key : value.keys) bytes += sizeof(Text) + key.value.size();
  for (const JsonValue& item : value.items) bytes += bytes_of(item);
  return bytes;
}

class BlockNumbering {
 public:
  BlockNumbering(Diagnostics& diagnostics, std::size_t& num_blocks, std::size_t& num_bytes)
      : diagnostics_(diagnostics), num_blocks_(num_blocks), num_bytes_(num_bytes) {}

  std::vector<JsonValue> all(const JsonValue& list) {
    add(list);
    return std::move(blocks_);
  }

 private:
  void add(const JsonValue& list) {
    if (list.kind != JsonKind::kList)
      return diagnostics_.add(list.location, "this must be a list, got " + name_of(list.kind));
    for (const JsonValue& item : list.items) {
      if (item.kind == JsonKind::kList)
        add(item);
      else if (const JsonValue* sequences = item.find(kSequence))
        add_numbered(item, *sequences);
      else
        add_block(item);
    }
  }

  void add_block(JsonValue block) {
    if (is_full_) return;
    num_bytes_ += bytes_of(block);
    is_full_ = ++num_blocks_ > kMostBlocks || num_bytes_ > kMostBytes;
    if (is_full_)
      diagnostics_.add(block.location,
                       "more than " + std::to_string(kMostBlocks) + " blocks, or too large ones");
    else
      blocks_.push_back(std::move(block));
  }

  void add_numbered(JsonValue block, const JsonValue& value) {
    std::vector<Sequence> sequences;
    std::size_t number = 1;
    if (value.kind != JsonKind::kList)
      return diagnostics_.add(value.location, "\"numbering_sequence\" must be a list");
    if (value.items.size() > kMostSequences)
      return diagnostics_.add(value.location,
                              "more than " + std::to_string(kMostSequences) + " sequences in each other");
    for (const JsonValue& each : value.items) {
      std::optional<Sequence> sequence = read(each);
      if (!sequence) return;
      number *= std::max<std::size_t>(sequence->values.size(), 1);
      if (number > kMostBlocks)
        return diagnostics_.add(each.location, "more than " + std::to_string(kMostBlocks) + " blocks");
      sequences.push_back(std::move(*sequence));
    }
    block.take(kSequence);
    add_copies(block, sequences, 0);
  }

  void add_copies(const JsonValue& block, const std::vector<Sequence>& sequences, std::size_t index) {
    if (index == sequences.size()) return add_block(block);
    for (const std::string& value : sequences[index].values) {
      JsonValue copy = block;
      replace_in(copy, sequences[index].replaced, value);
      add_copies(copy, sequences, index + 1);
      if (is_full_) return;
    }
  }

  std::optional<Sequence> read(const JsonValue& value) {
    const ObjectReader object(value, "a numbering sequence", {"replacement_string", "min", "max", "values"},
                              diagnostics_);
    if (!object.is_object()) return std::nullopt;
    const std::optional<Text> replaced = object.required_text("replacement_string");
    if (!replaced) return std::nullopt;
    Sequence sequence{replaced->value, {}};
    const JsonValue *low = object.find("min"), *high = object.find("max"), *values = object.find("values");
    if ((low && high) == (values != nullptr)) {
      diagnostics_.add(value.location, "a numbering sequence has either \"min\" and \"max\", or \"values\"");
      return std::nullopt;
    }
    if (values) {
      for (const Text& each : object.texts("values")) sequence.values.push_back(each.value);
      return sequence;
    }
    if (low->kind != JsonKind::kInteger || high->kind != JsonKind::kInteger ||
        high->number - low->number > static_cast<double>(kMostBlocks) ||
        std::max(std::abs(low->number), std::abs(high->number)) > kLargestInteger) {
      diagnostics_.add(value.location, "\"min\" and \"max\" must be integers that make at most " +
                                           std::to_string(kMostBlocks) + " blocks");
      return std::nullopt;
    }
    for (auto i = static_cast<std::int64_t>(low->number); i <= static_cast<std::int64_t>(high->number); ++i)
      sequence.values.push_back(std::to_string(i));
    return sequence;
  }

  Diagnostics& diagnostics_;
  std::vector<JsonValue> blocks_;
  std::size_t& num_blocks_;
  std::size_t& num_bytes_;
  bool is_full_ = false;
};

}  // namespace

std::vector<JsonValue> FrameSequences::blocks(const JsonValue& list) {
  return BlockNumbering(diagnostics_, num_blocks_, num_bytes_).all(list);
}

}  // namespace skimline::skims
