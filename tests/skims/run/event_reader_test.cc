// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/event_reader.h"

#include "temporary_folder.h"

#include "skimline/framework/runner.h"
#include "skimline/generate/synthetic_events.h"
#include "skimline/skims/config.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/generate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

constexpr std::uint64_t kEvents = 150000;

// The transverse momenta of all muons, by event, straight from the generator.
std::vector<std::vector<float>> generated_lists() {
  generate::SyntheticEvents events({generate::SyntheticModel::kDimuon, kEvents, 1});
  const std::size_t column = *events.schema().find("Muon_pt");
  std::vector<std::vector<float>> lists;
  ColumnBuffer scratch;
  for (std::size_t slice = 0; slice < events.slices().size(); ++slice) {
    const auto reader = events.open_slice(slice);
    reader->load(std::array{column});
    const ColumnView view = reader->view(column, {0, events.slices()[slice].count}, scratch);
    for (std::size_t i = 0; i < view.length; ++i)
      lists.emplace_back(view.data<float>() + view.offsets[i], view.data<float>() + view.offsets[i + 1]);
  }
  return lists;
}

class EventReaderTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder("EventReaderTest");
    path_ = new std::string(folder_->path("events.root"));
    GenerateOptions options;
    options.events.num_events = kEvents;
    options.path = *path_;
    generate(options);
  }
  static void TearDownTestSuite() {
    delete path_;
    delete folder_;
  }

  static Config config(const std::string& more = "\"select\": []") {
    return *parse_config("test.json", R"({"schema_version": 1, "samples": {"a": {"files": [")" + *path_ +
                                          R"("]}}, )" + more + "}");
  }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::string* path_ = nullptr;
};

void append(std::vector<std::vector<float>>& lists, const EventPart& part) {
  const auto offsets = part.columns[0].offsets[0].as<std::int64_t>();
  const auto values = part.columns[0].values.as<float>();
  for (std::size_t i = 0; i < part.num_events; ++i)
    lists.emplace_back(values.begin() + offsets[i], values.begin() + offsets[i + 1]);
}

TEST_F(EventReaderTest, GivesTheSameEventsInPartsOfAnySize) {
  const std::vector<std::vector<float>> expected = generated_lists();
  for (const int threads : {1, 3})
    for (const PartSize& size : {PartSize{}, PartSize{1000, {}}, PartSize{65536, {}}, PartSize{100000, {}},
                                 PartSize{{}, 300000}, PartSize{{}, 1 << 30}, PartSize{20000, 200000}}) {
      EventReader reader(config(), 0, {{"pt", "Muon_pt"}}, threads);
      std::vector<std::vector<float>> found;
      std::vector<std::uint64_t> sizes;
      for (EventPart part = reader.read(size); part.num_events > 0; part = reader.read(size)) {
        append(found, part);
        sizes.push_back(part.num_events);
        EXPECT_LE(part.columns[0].bytes_of(part.num_events), size.bytes.value_or(1 << 30));
      }
      EXPECT_EQ(found, expected);
      for (std::size_t i = 0; size.events && !size.bytes && i + 1 < sizes.size(); ++i)
        EXPECT_EQ(sizes[i], *size.events);
      EXPECT_EQ(reader.read(size).num_events, 0u);
    }
}

TEST_F(EventReaderTest, SizesMayChangeFromPartToPart) {
  const std::vector<std::vector<float>> expected = generated_lists();
  EventReader reader(config(), 0, {{"pt", "Muon_pt"}}, 2);
  std::vector<std::vector<float>> found;
  for (const std::uint64_t events : {5, 70000, 1, 0, 3000}) append(found, reader.read({events, {}}));
  append(found, reader.read({{}, 1}));
  append(found, reader.read());
  EXPECT_EQ(found, expected);
}

TEST_F(EventReaderTest, TakesOnlyEventsThatPassAllCuts) {
  std::vector<std::vector<float>> expected = generated_lists();
  std::erase_if(expected, [](const auto& list) { return list.size() != 3 || list[0] < 60; });
  ASSERT_GT(expected.size(), 10u);
  for (const std::uint64_t size : {1ULL, 10ULL, 100000ULL}) {
    EventReader reader(config(R"("define": {"lead": "Muon_pt[0]"},
                                 "select": [{"name": "three", "where": "nMuon == 3"},
                                            {"name": "hard", "where": "lead >= 60"}],
                                 "output": {"histograms": "h.root"},
                                 "histograms": {"h": {"x": {"value": "nowhere", "bins": 1, "range": [0, 1]}}})"),
                       0, {{"pt", "Muon_pt"}}, 2);
    std::vector<std::vector<float>> found;
    for (EventPart part = reader.read({size, {}}); part.num_events > 0; part = reader.read({size, {}}))
      append(found, part);
    EXPECT_EQ(found, expected);
  }
}

TEST_F(EventReaderTest, ReadsAPartOfTheEntries) {
  const std::vector<std::vector<float>> all = generated_lists();
  for (const auto& [first, count] :
       {std::pair{0ul, 10ul}, {99ul, 70000ul}, {140000ul, ~0ul}, {kEvents, 5ul}}) {
    std::vector<std::vector<float>> found;
    for (const std::uint64_t number : {1, 2}) {
      Config part = config();
      part.entries = EntryRange{first, count};
      part.shard = Shard{number, 2};
      EventReader reader(part, 0, {{"pt", "Muon_pt"}}, 2);
      std::uint64_t done = 0, all_entries = 1;
      append(found, reader.read({}, {}, [&](std::uint64_t now, std::uint64_t every) {
        done = now;
        all_entries = every;
      }));
      EXPECT_TRUE(done == all_entries || count == 5);
    }
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(count, kEvents - first));
    EXPECT_EQ(found, std::vector<std::vector<float>>(begin, end));
  }
}

TEST_F(EventReaderTest, NormalisesAsARunDoes) {
  const std::string text =
      R"({"schema_version": 1, "luminosity_pb": 100, "select": [{"name": "two", "where": "nMuon == 2"}],
          "weights": {"lumi": "normalisation_", "half": "0.5"},
          "samples": {"a": {"cross_section_pb": 5, "sum_weights": "nMuon - nMuon + 2.", "files": [")" +
      *path_ + R"("]}}})";
  EventReader reader(*parse_config("test.json", text), 0, {{"w", "weight_"}}, 2);
  const EventPart part = reader.read({100, {}});
  ASSERT_EQ(part.num_events, 100u);
  EXPECT_DOUBLE_EQ(part.columns[0].values.as<double>()[99], 0.5 * 5 * 100 / (2. * kEvents));
}

TEST_F(EventReaderTest, GivesLorentzVectorsByMember) {
  EventReader reader(config(), 0, {{"n", "nMuon"}, {"p", "P4(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"}});
  ASSERT_EQ(reader.columns().size(), 5u);
  EXPECT_EQ(reader.columns()[1].member, "pt");
  EXPECT_EQ(reader.columns()[4].member, "mass");
  EXPECT_EQ(reader.columns()[4].output, 1u);
  EXPECT_EQ(reader.columns()[4].type.depth, 1);
}

TEST_F(EventReaderTest, NamesMistakesAtOnce) {
  EXPECT_THROW(EventReader(config(), 0, {}), SchemaError);
  EXPECT_THROW(EventReader(config(), 0, {{"x", "nMuon"}, {"x", "run"}}), SchemaError);
  EXPECT_THROW(EventReader(config(), 0, {{"x", "nMuons + 1"}}), ExpressionError);
  EXPECT_THROW(EventReader(config(R"("select": [{"name": "c", "where": "nowhere > 1"}])"), 0, {{"x", "run"}}),
               ConfigError);
}

TEST_F(EventReaderTest, GivesNothingMoreAfterAnInterruption) {
  EventReader reader(config(), 0, {{"pt", "Muon_pt"}});
  const std::atomic<bool> stop = true;
  EXPECT_THROW(reader.read({}, &stop), Interrupted);
  EXPECT_THROW(reader.read(), Error);
}

}  // namespace
}  // namespace skimline::skims
