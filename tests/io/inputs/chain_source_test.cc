// SPDX-License-Identifier: BSD-3-Clause
// Files with columns of different types, or without some, as one source.
#include "inputs/chain_source.h"

#include "listed_source.h"

#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using Part = std::unique_ptr<ListedSource>;

Part part(const std::string& path, DataFormat format = DataFormat::kTTree,
          std::uint64_t slice_entries = 65536) {
  return std::make_unique<ListedSource>(path, format, slice_entries);
}

template <typename... Parts>
ChainSource chain(const InputOptions& options, Parts... parts) {
  std::vector<std::unique_ptr<InputSource>> all;
  (all.push_back(std::move(parts)), ...);
  return ChainSource(std::move(all), options);
}

// Values of a column by entry, "[1 2]" for lists, as text.
std::string text_of(ChainSource& source, const std::string& name, std::uint64_t batch = 2) {
  const std::size_t column = source.schema().find(name).value();
  const std::size_t columns[] = {column};
  std::ostringstream text;
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
    reader->load(columns);
    ColumnBuffer scratch;
    for (std::uint64_t first = 0; first < source.slices()[slice].count; first += batch) {
      const EntryRange range{first, std::min(batch, source.slices()[slice].count - first)};
      reader->prepare(columns, range);
      const ColumnView view = reader->view(column, range, scratch);
      EXPECT_EQ(view.type, source.schema()[column].type);
      EXPECT_EQ(view.length, range.count);
      visit_scalar(view.type.scalar, [&](auto tag) {
        const auto* values = view.data<typename decltype(tag)::type>();
        for (std::size_t i = 0; i < range.count; ++i) {
          if (!view.type.is_jagged()) {
            text << +values[view.is_constant ? 0 : i] << ' ';
            continue;
          }
          text << '[';
          for (std::uint32_t k = view.offsets[i]; k < view.offsets[i + 1]; ++k) text << +values[k] << ' ';
          text << ']';
        }
      });
    }
  }
  return text.str();
}

std::string joined(const std::vector<std::string>& texts) {
  return std::accumulate(texts.begin(), texts.end(), std::string(),
                         [](const std::string& sum, const std::string& text) { return sum + text + "\n"; });
}

std::string reason_of(const ChainSource& source, const std::string& name) {
  for (const UnsupportedField& field : source.unsupported_fields())
    if (field.name == name) return field.reason;
  return {};
}

template <typename T>
Part with(const std::string& path, const std::string& name, const std::vector<T>& values) {
  Part made = part(path);
  made->add(name, values);
  return made;
}

TEST(ChainSource, SameColumnsFollowEachOther) {
  Part a = with<float>("a.root", "x", {1, 2, 3}), b = with<float>("b.root", "x", {4});
  a->add("list", std::vector<std::vector<int>>{{1}, {}, {2, 3}});
  b->add("list", std::vector<std::vector<int>>{{4, 5}});
  ChainSource source = chain({}, std::move(a), std::move(b));
  EXPECT_EQ(source.num_entries(), 4u);
  EXPECT_EQ(text_of(source, "x"), "1 2 3 4 ");
  EXPECT_EQ(text_of(source, "list"), "[1 ][][2 3 ][4 5 ]");
  EXPECT_EQ(source.differences(), std::vector<std::string>{});
  EXPECT_TRUE(source.unsupported_fields().empty());
  EXPECT_EQ(source.stored_bytes(0), 200u);
  EXPECT_EQ(source.statistics().bytes_read, 2u);
  EXPECT_EQ(source.field_size("x").in_memory, 4);
  EXPECT_EQ(source.field_size("x").largest_page, 3);
  EXPECT_EQ(source.field_type_names()[0], "a.root:x");
}

TEST(ChainSource, ColumnsMayComeInAnotherOrder) {
  Part a = with<int>("a.root", "x", {1}), b = with<int>("b.root", "y", {4});
  a->add("y", std::vector<int>{2});
  b->add("x", std::vector<int>{3});
  ChainSource source = chain({}, std::move(a), std::move(b));
  EXPECT_EQ(text_of(source, "x"), "1 3 ");
  EXPECT_EQ(text_of(source, "y"), "2 4 ");
}

TEST(ChainSource, NumbersBecomeWideEnough) {
  ChainSource source =
      chain({}, with<std::uint32_t>("a.root", "n", {0xffffffff}),
            with<std::int32_t>("b.root", "n", {-1, std::numeric_limits<std::int32_t>::min()}));
  EXPECT_EQ(source.schema()[0].type, flat(ScalarType::kInt64));
  EXPECT_EQ(text_of(source, "n"), "4294967295 -1 -2147483648 ");
  EXPECT_EQ(joined(source.differences()),
            "column \"n\" is std::uint32_t in a.root, std::int32_t in b.root: it is read as std::int64_t\n");
}

TEST(ChainSource, ListsOfNumbersBecomeWideEnough) {
  Part a = part("a.root"), b = part("b.root");
  a->add("n", std::vector<std::vector<float>>{{0.5f}, {}, {1, 2}});
  b->add("n", std::vector<std::vector<std::int32_t>>{{16777217}, {-3, 4}});
  ChainSource source = chain({}, std::move(a), std::move(b));
  EXPECT_EQ(source.schema()[0].type, jagged(ScalarType::kDouble));
  std::ostringstream expected;
  expected << "[0.5 ][][1 2 ][" << 16777217.0 << " ][-3 4 ]";
  EXPECT_EQ(text_of(source, "n"), expected.str());
}

TEST(ChainSource, FlagsAndNumbersOfAnyKindHaveACommonType) {
  const auto type_of = [](Part a, Part b) {
    return chain({}, std::move(a), std::move(b)).schema()[0].type.scalar;
  };
  Part flag = part("a.root");
  flag->add("x", std::vector<std::uint8_t>{1});
  EXPECT_EQ(type_of(std::move(flag), with<std::int16_t>("b.root", "x", {1})), ScalarType::kInt16);
  EXPECT_EQ(type_of(with<float>("a.root", "x", {1}), with<double>("b.root", "x", {1})), ScalarType::kDouble);
  EXPECT_EQ(type_of(with<std::int16_t>("a.root", "x", {1}), with<float>("b.root", "x", {1})),
            ScalarType::kFloat);
  EXPECT_EQ(type_of(with<std::int32_t>("a.root", "x", {1}), with<float>("b.root", "x", {1})),
            ScalarType::kDouble);
}

// The order of the files does not decide what can be read.
TEST(ChainSource, ThreeTypesHaveOneWhateverTheirOrder) {
  std::vector<int> order{0, 1, 2};
  do {
    std::vector<std::unique_ptr<InputSource>> parts;
    for (const int which : order) {
      if (which == 0) parts.push_back(with<std::uint32_t>("a.root", "x", {0xffffffff}));
      if (which == 1) parts.push_back(with<std::int32_t>("b.root", "x", {-1}));
      if (which == 2) parts.push_back(with<double>("c.root", "x", {0.5}));
    }
    const ChainSource source(std::move(parts), {});
    EXPECT_TRUE(source.unsupported_fields().empty()) << reason_of(source, "x");
    ASSERT_EQ(source.schema().size(), 1u);
    EXPECT_EQ(source.schema()[0].type, flat(ScalarType::kDouble));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ChainSource, TypesThatNoneHoldsAreNamedAsTheFilesHaveThem) {
  const ChainSource source =
      chain({}, with<std::uint32_t>("a.root", "x", {1}), with<std::int32_t>("b.root", "x", {1}),
            with<std::uint64_t>("c.root", "x", {1}));
  EXPECT_EQ(source.schema().size(), 0u);
  EXPECT_EQ(reason_of(source, "x"), "it is std::int32_t in b.root and std::uint64_t in c.root");
}

TEST(ChainSource, ListsAndNumbersAreUnsupported) {
  Part b = part("b.root");
  b->add("x", std::vector<std::vector<float>>{{1}});
  const ChainSource source = chain({}, with<float>("a.root", "x", {1}), std::move(b));
  EXPECT_FALSE(source.schema().find("x"));
  EXPECT_EQ(reason_of(source, "x"), "it is float in a.root and list of float in b.root");
  EXPECT_TRUE(source.unsupported_fields().front().is_different);
  EXPECT_TRUE(source.differences().empty());
}

TEST(ChainSource, MissingColumnsAreUnsupportedWithoutDefault) {
  Part b = with<float>("b.root", "y", {2});
  b->add("x", std::vector<float>{3});
  const ChainSource source =
      chain({}, with<float>("a.root", "x", {1}), std::move(b), with<float>("c.root", "x", {1}));
  EXPECT_EQ(reason_of(source, "y"), "it is missing in a.root and 1 more, and has no default");
  EXPECT_EQ(source.schema().names(), std::vector<std::string>{"x"});
}

TEST(ChainSource, MissingColumnsHaveTheirDefault) {
  InputOptions options;
  options.defaults = {{"y", -2.5}, {"flag", true}};
  Part b = with<float>("b.root", "y", {2, 3});
  b->add("x", std::vector<int>{4, 5});
  ChainSource source = chain(options, with<int>("a.root", "x", {1}), std::move(b));
  EXPECT_EQ(text_of(source, "y"), "-2.5 2 3 ");
  EXPECT_EQ(text_of(source, "x"), "1 4 5 ");
  EXPECT_EQ(text_of(source, "flag"), "1 1 1 ");
  EXPECT_EQ(source.columns_nowhere(), std::vector<std::string>{"flag"});
  EXPECT_EQ(joined(source.differences()),
            "column \"y\" is missing in 1 of 2 files, first in a.root: it is the default there\n");
}

TEST(ChainSource, DefaultsThatDoNotFitAreAllNamed) {
  InputOptions options;
  options.defaults = {{"list", std::int64_t{1}}, {"x", std::string("text")}, {"lis?", false}};
  Part b = part("b.root");
  b->add("list", std::vector<std::vector<float>>{{1}});
  try {
    chain(options, with<int>("a.root", "x", {1}), std::move(b));
    FAIL();
  } catch (const DefaultError& error) {
    EXPECT_EQ(error.mistakes().size(), 2u) << error.what();
  }
}

TEST(ChainSource, PatternsGiveDefaultsToWhatIsMissing) {
  InputOptions options;
  options.defaults = {
      {"f*", false}, {"*_n", std::int64_t{7}}, {"flag_a", std::int64_t{5}}, {"?", DefaultList{{0.5, 2.0}}}};
  Part a = with<int>("a.root", "x", {1});
  a->add("flag_a", std::vector<int>{0}).add("m_n", std::vector<std::int16_t>{3});
  Part b = with<int>("b.root", "x", {2});
  b->add("l", std::vector<std::vector<float>>{{1, 2, 3}}).add("m.n", std::vector<std::int16_t>{4});
  ChainSource source = chain(options, std::move(a), std::move(b), with<int>("c.root", "x", {3}));
  EXPECT_EQ(text_of(source, "x"), "1 2 3 ");
  EXPECT_EQ(text_of(source, "flag_a"), "0 5 5 ");
  EXPECT_EQ(text_of(source, "m_n"), "3 4 7 ");
  EXPECT_EQ(text_of(source, "l"), "[0.5 2 ][1 2 3 ][0.5 2 ]");
  EXPECT_TRUE(source.columns_nowhere().empty());
}

TEST(ChainSource, PatternsThatDisagreeAreNamed) {
  InputOptions options;
  options.defaults = {{"a*", std::int64_t{1}}, {"*b", std::int64_t{2}}, {"*", std::int64_t{1}}};
  const auto problem = [&]() -> std::string {
    try {
      Part b = with<int>("b.root", "x", {2});
      b->add("ab", std::vector<int>{1}).add("ac", std::vector<int>{1});
      chain(options, with<int>("a.root", "x", {1}), std::move(b));
      return {};
    } catch (const DefaultError& error) {
      return error.what();
    }
  };
  EXPECT_NE(problem().find("\"ab\" matches"), std::string::npos) << problem();
  options.defaults["ab"] = std::int64_t{3};
  EXPECT_EQ(problem(), "");
}

// Values that are there but cannot be read are not missing.
TEST(ChainSource, DefaultsDoNotReplaceWhatCannotBeRead) {
  InputOptions options;
  options.defaults = {{"y", 1.0}};
  Part a = with<int>("a.root", "x", {1});
  a->unsupported.push_back({"y", "TH1F", "histograms are no columns"});
  Part b = with<int>("b.root", "x", {1});
  b->add("y", std::vector<float>{2});
  try {
    chain(options, std::move(a), std::move(b));
    FAIL();
  } catch (const DefaultError& error) {
    EXPECT_NE(std::string(error.what()).find("histograms are no columns"), std::string::npos) << error.what();
  }
}

TEST(ChainSource, ColumnsThatDifferAreToldFromThoseThatCannotBeRead) {
  Part a = with<float>("a.root", "x", {1});
  a->add("y", std::vector<float>{1});
  Part b = part("b.root");
  b->add("x", std::vector<std::vector<float>>{{1}}).add("z", std::vector<double>{1});
  a->add("z", std::vector<double>{2});
  a->unsupported.push_back({"o", "TObject", "objects are no columns"});
  const ChainSource source = chain({}, std::move(a), std::move(b));
  EXPECT_EQ(source.schema().names(), std::vector<std::string>{"z"});
  std::map<std::string, bool> is_different;
  for (const UnsupportedField& field : source.unsupported_fields())
    is_different[field.name] = field.is_different;
  EXPECT_EQ(is_different, (std::map<std::string, bool>{{"x", true}, {"y", true}, {"o", false}}));
}

TEST(ChainSource, WhatOneFileCannotReadHasItsReason) {
  Part b = with<int>("b.root", "x", {1});
  b->unsupported.push_back({"y", "TH1F", "histograms are no columns"});
  Part a = with<int>("a.root", "x", {1});
  a->add("y", std::vector<float>{1});
  a->unsupported.push_back({"z", "TObject", "objects are no columns"});
  const ChainSource source = chain({}, std::move(a), std::move(b));
  EXPECT_EQ(reason_of(source, "y"), "in b.root: histograms are no columns");
  EXPECT_EQ(reason_of(source, "z"), "objects are no columns");
}

TEST(ChainSource, DotsAndUnderscoresAreTheSame) {
  Part a = with<int>("a.root", "Jet.pt", {1}), b = with<int>("b.root", "Jet_pt", {2});
  ChainSource source = chain({}, std::move(a), std::move(b));
  EXPECT_EQ(source.schema().size(), 1u);
  EXPECT_EQ(text_of(source, "Jet.pt"), "1 2 ");
  EXPECT_EQ(text_of(source, "Jet_pt"), "1 2 ");
}

std::vector<int> numbers(int first, int count) {
  std::vector<int> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), first);
  return made;
}

TEST(ChainSource, OnlyEntriesOfARange) {
  for (std::uint64_t first = 0; first <= 32; ++first)
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{15},
                                      std::uint64_t{30}, std::numeric_limits<std::uint64_t>::max()}) {
      Part a = part("a.root", DataFormat::kTTree, 4), b = part("b.root", DataFormat::kTTree, 3),
           c = part("c.root", DataFormat::kTTree, 8);
      a->add("n", numbers(0, 10));
      b->add("n", numbers(10, 5));
      c->add("n", numbers(15, 15));
      ChainSource source = chain({}, std::move(a), std::move(b), std::move(c));
      source.restrict_to({first, count});
      std::string expected;
      for (std::uint64_t i = first; i < 30 && i - first < count; ++i) expected += std::to_string(i) + " ";
      SCOPED_TRACE(std::to_string(first) + " and " + std::to_string(count));
      EXPECT_EQ(text_of(source, "n"), expected);
      std::uint64_t next = std::min<std::uint64_t>(first, 30), sum = 0;
      for (const EntryRange& slice : source.slices()) {
        EXPECT_EQ(slice.first, next);
        EXPECT_GT(slice.count, 0u);
        next = slice.end();
        sum += slice.count;
      }
      EXPECT_EQ(source.num_entries(), sum);
    }
}

TEST(ChainSource, CollectionsAreOfColumnsThatAreLeft) {
  Part a = part("a.root"), b = part("b.root");
  a->add("nJet", std::vector<std::uint32_t>{1}).add("Jet_pt", std::vector<std::vector<float>>{{1}});
  a->add("Jet_eta", std::vector<std::vector<float>>{{1}});
  a->listed_collections.push_back({"Jet", "nJet", "jets", {"Jet_pt", "Jet_eta"}});
  b->add("Jet_pt", std::vector<std::vector<float>>{{1}});
  b->listed_collections.push_back({"Jet", "", "", {"Jet_pt"}});
  const ChainSource source = chain({}, std::move(a), std::move(b));
  ASSERT_EQ(source.collections().size(), 1u);
  EXPECT_EQ(source.collections()[0].count, "");
  EXPECT_EQ(source.collections()[0].columns, std::vector<std::string>{"Jet_pt"});
}

// What defaults stand for would be counted otherwise than the lists that are there.
TEST(ChainSource, CountsWithDefaultsAreNoneOfTheirCollection) {
  Part a = part("a.root"), b = part("b.root"), c = part("c.root");
  a->add("nJet", std::vector<std::int64_t>{1}).add("Jet_pt", std::vector<std::vector<float>>{{1}});
  a->listed_collections.push_back({"Jet", "nJet", "", {"Jet_pt"}});
  b->add("Jet_pt", std::vector<std::vector<float>>{{1, 2}});
  b->listed_collections.push_back({"Jet", "", "", {"Jet_pt"}});
  c->add("nJet", std::vector<std::int64_t>{1}).add("Jet_pt", std::vector<std::vector<float>>{{1}});
  c->listed_collections = a->listed_collections;
  InputOptions options;
  options.defaults = {{"nJet", std::int64_t{0}}};
  const ChainSource same = chain(options, std::move(a), std::move(c));
  ASSERT_EQ(same.collections().size(), 1u);
  EXPECT_EQ(same.collections()[0].count, "nJet");
  Part with_count = part("a.root");
  with_count->add("nJet", std::vector<std::int64_t>{1}).add("Jet_pt", std::vector<std::vector<float>>{{1}});
  with_count->listed_collections.push_back({"Jet", "nJet", "", {"Jet_pt"}});
  const ChainSource source = chain(options, std::move(with_count), std::move(b));
  ASSERT_EQ(source.collections().size(), 1u);
  EXPECT_EQ(source.collections()[0].count, "");
  EXPECT_EQ(source.collections()[0].columns, std::vector<std::string>{"Jet_pt"});
}

TEST(ChainSource, ListsThatAreCountedApartInOnePartAreNoCollection) {
  for (const bool is_first : {true, false}) {
    std::array<Part, 2> parts{part("a.root"), part("b.root")};
    for (const Part& each : parts) {
      each->add("Jet_pt", std::vector<std::vector<float>>{{1}});
      each->add("Jet_eta", std::vector<std::vector<float>>{{1}});
    }
    Part &together = parts[is_first ? 0 : 1], &apart = parts[is_first ? 1 : 0];
    together->listed_collections = {{"Jet", "", "", {"Jet_pt", "Jet_eta"}}};
    apart->listed_collections = {{"Jet", "", "", {"Jet_pt"}}, {"Jets", "", "", {"Jet_eta"}}};
    const ChainSource source = chain({}, std::move(parts[0]), std::move(parts[1]));
    for (const Collection& collection : source.collections()) EXPECT_EQ(collection.columns.size(), 1u);
  }
}

// Where files differ, a name means nothing.
TEST(ChainSource, AliasesAreThoseThatAllPartsHaveAlike) {
  std::array<Part, 3> parts{part("a.root"), part("b.root"), part("c.root")};
  for (const Part& each : parts) each->add("x", std::vector<int>{1});
  parts[0]->listed_aliases = {{"same", "2 * x", ""}, {"other", "2 * x", ""}, {"missing", "x", ""}};
  parts[1]->listed_aliases = {{"missing", "x", ""}, {"other", "2 * x", ""}, {"same", "2 * x", ""}};
  parts[2]->listed_aliases = {{"same", "2 * x", ""}, {"other", "3 * x", ""}};
  const ChainSource source = chain({}, std::move(parts[0]), std::move(parts[1]), std::move(parts[2]));
  std::map<std::string, std::string> problems;
  for (const TreeAlias& alias : source.aliases()) problems[alias.name] = alias.problem;
  const std::string problem = "it is not the same in c.root";
  EXPECT_EQ(problems,
            (std::map<std::string, std::string>{{"same", ""}, {"other", problem}, {"missing", problem}}));
}

TEST(ChainSource, DifferencesOfPartsAreKept) {
  Part a = with<int>("a.root", "x", {1});
  a->notes = {"branch \"y\" is longer than the tree"};
  const ChainSource source = chain({}, std::move(a));
  EXPECT_EQ(source.differences(), std::vector<std::string>{"branch \"y\" is longer than the tree"});
}

}  // namespace
}  // namespace skimline::io
