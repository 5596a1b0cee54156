// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/lumi_mask.h"

#include "config/json/object_reader.h"

#include <charconv>
#include <limits>

namespace skimline::skims {
namespace {

// Runs and luminosity blocks are std::uint32_t in files.
constexpr double kLargest = std::numeric_limits<std::uint32_t>::max();

class LumiMaskReader {
 public:
  explicit LumiMaskReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  RangesByKey read(const JsonValue& root) {
    RangesByKey ranges;
    for_each_named(root, "a luminosity mask", diagnostics_, [&](const Text& run, const JsonValue& blocks) {
      const std::optional<std::int64_t> number = run_number(run);
      std::vector<std::pair<std::int64_t, std::int64_t>> of_run = ranges_of(run.value, blocks);
      if (number && !ranges.emplace(*number, std::move(of_run)).second)
        diagnostics_.add(run.location, "the run " + std::to_string(*number) + " appears twice");
    });
    return ranges;
  }

 private:
  std::optional<std::int64_t> run_number(const Text& run) {
    std::uint32_t number = 0;
    const char* end = run.value.data() + run.value.size();
    const auto [last, error] = std::from_chars(run.value.data(), end, number);
    if (error == std::errc{} && last == end && !run.value.empty()) return number;
    diagnostics_.add(run.location, "\"" + run.value + "\" is no run: a whole number in quotes");
    return std::nullopt;
  }

  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_of(const std::string& run,
                                                               const JsonValue& blocks) {
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    if (blocks.kind != JsonKind::kList) {
      diagnostics_.add(blocks.location, "the luminosity blocks of run " + run +
                                            " must be a list of [first, last], got " + name_of(blocks.kind));
      return ranges;
    }
    for (const JsonValue& range : blocks.items)
      if (is_range(range))
        ranges.emplace_back(static_cast<std::int64_t>(range.items[0].number),
                            static_cast<std::int64_t>(range.items[1].number));
    return ranges;
  }

  bool is_range(const JsonValue& range) {
    const auto is_block = [](const JsonValue& value) {
      return value.kind == JsonKind::kInteger && value.number >= 0 && value.number <= kLargest;
    };
    if (range.kind != JsonKind::kList || range.items.size() != 2 || !is_block(range.items[0]) ||
        !is_block(range.items[1])) {
      diagnostics_.add(range.location, "expected [first, last], two luminosity blocks");
      return false;
    }
    if (range.items[0].number <= range.items[1].number) return true;
    diagnostics_.add(range.location, "the last luminosity block is before the first");
    return false;
  }

  Diagnostics& diagnostics_;
};

}  // namespace

RangesByKey read_lumi_mask(const std::string& path, Location place, InputTexts& texts) {
  const std::optional<InputTexts::Part> text = texts.read(path, place);
  const std::optional<JsonValue> root = text ? texts.parse(*text) : std::nullopt;
  return root ? LumiMaskReader(texts.diagnostics()).read(*root) : RangesByKey{};
}

}  // namespace skimline::skims
