// SPDX-License-Identifier: BSD-3-Clause
#include "plan/chosen_entries.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

using Entries = std::vector<std::uint64_t>;

Config config_of(Entries chosen) {
  Config config;
  config.chosen_entries = std::make_shared<const Entries>(std::move(chosen));
  return config;
}

std::vector<EntryRange> slices_of(std::uint64_t first, std::uint64_t size, std::size_t count) {
  std::vector<EntryRange> slices;
  for (std::size_t i = 0; i < count; ++i) slices.push_back({first + i * size, size});
  return slices;
}

std::vector<bool> flags_of(const Config& config, const Entries& entries) {
  const auto& call = std::get<ElementFunction>(config.external_functions.back().body).call;
  auto flags = std::make_unique<bool[]>(entries.size());
  const void* const arguments[] = {entries.data()};
  call(entries.size(), arguments, flags.get());
  return std::vector<bool>(flags.get(), flags.get() + entries.size());
}

TEST(ChosenEntriesTest, LeavesOtherConfigsAsTheyAre) {
  const Config config = with_chosen_entries(Config());
  EXPECT_TRUE(config.select.empty());
  EXPECT_TRUE(config.external_functions.empty());
}

TEST(ChosenEntriesTest, TheFirstCutIsTrueForChosenEntriesInAnyOrder) {
  const Entries chosen{0, 3, 4, 90, 1u << 20};
  Config before = config_of(chosen);
  before.select.push_back({{"other", {}}, {"true", {}}});
  before.on_bad_file = BadFilePolicy::kSkip;
  const Config config = with_chosen_entries(before);
  ASSERT_EQ(config.select.size(), 2u);
  EXPECT_EQ(config.select.front().where.value, config.external_functions.back().name + "(entry_)");
  EXPECT_EQ(config.on_bad_file, BadFilePolicy::kFail);
  for (const Entries& asked :
       {Entries{0, 1, 2, 3, 4, 5}, Entries{91, 90, 89, 4, 4, 1u << 20, 0}, Entries{7}}) {
    const std::set<std::uint64_t> set(chosen.begin(), chosen.end());
    std::vector<bool> expected;
    for (const std::uint64_t entry : asked) expected.push_back(set.contains(entry));
    EXPECT_EQ(flags_of(config, asked), expected);
  }
}

TEST(ChosenEntriesTest, SlicesAreThoseThatHoldChosenEntries) {
  const std::vector<EntryRange> slices = slices_of(100, 50, 4);
  const Sample sample;
  EXPECT_EQ(slices_to_read(Config(), sample, slices), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(slices_to_read(config_of({149, 200, 249}), sample, slices), (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(slices_to_read(config_of({}), sample, slices).empty());
  EXPECT_THROW(slices_to_read(config_of({99, 149}), sample, slices), ConfigError);
  EXPECT_THROW(slices_to_read(config_of({149, 300}), sample, slices), ConfigError);
  EXPECT_THROW(slices_to_read(config_of({0}), sample, {}), ConfigError);
}

TEST(ChosenEntriesTest, SlicesAreSmallWhereThatLeavesMostOfThemOut) {
  EXPECT_EQ(slice_entries_for(Entries{5, 100'000, 900'000}, 65536), 4096u);
  EXPECT_EQ(slice_entries_for(Entries{5}, 1000), 1000u);
  Entries dense;
  for (std::uint64_t entry = 0; entry < 1'000'000; entry += 1000) dense.push_back(entry);
  EXPECT_EQ(slice_entries_for(dense, 65536), 65536u);
}

}  // namespace
}  // namespace skimline::skims
