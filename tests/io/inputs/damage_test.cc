// SPDX-License-Identifier: BSD-3-Clause
// Damaged and hostile files: reading them gives the true values or an Error, and nothing else. With checksums
// in place, damage is found by them; with checksums made right again, the checks behind them are all there
// is.
#include "fuzz_time.h"
#include "memory_source.h"
#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/root_file.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

using skimline::testing::CollectingSink;
using skimline::testing::FuzzTime;
using skimline::testing::MemorySource;

// A small file with flat and jagged columns, several pages and clusters.
std::vector<char> make_file(const char* compression) {
  MemorySource source;
  std::mt19937 random(1);
  std::vector<float> x;
  std::vector<bool> flag;
  std::vector<std::vector<std::int32_t>> lists;
  for (int entry = 0; entry < 600; ++entry) {
    x.push_back(static_cast<float>(random() % 100));
    flag.push_back(random() % 2);
    lists.emplace_back(random() % 4, static_cast<std::int32_t>(random() % 50));
  }
  source.add<float>("x", x).add<bool>("flag", flag).add<std::int32_t>("list", lists);
  const TemporaryFile file({});
  RNTupleSinkOptions options;
  options.path = file.path();
  options.settings.cluster_bytes = 5000;
  options.settings.page_bytes = 800;
  options.settings.compression = parse_compression(compression);
  RNTupleSink sink(source.schema(), options);
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, source.schema().names(), sink);
  run(std::move(builder).build(), source, {});
  sink.finish();
  return read_all(file.path());
}

std::vector<CollectingSink::Rows> read_everything(const std::string& path) {
  RNTupleSource source({{path, "Events"}});
  CollectingSink sink;
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, source.schema().names(), sink);
  run(std::move(builder).build(), source, {});
  return sink.columns;
}

// Bytes of the file as numbers.
template <typename T>
T load(const std::vector<char>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct EnvelopePlace {
  std::size_t offset = 0;
  std::size_t size = 0;
};

// Where the three envelopes of an uncompressed file are.
struct EnvelopePlaces {
  EnvelopePlace header, footer, page_list;
};

std::uint64_t big_endian(const std::vector<std::byte>& bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | std::to_integer<std::uint64_t>(bytes[offset + i]);
  return value;
}

EnvelopePlaces find_envelopes(const std::vector<char>& content) {
  const TemporaryFile file(content);
  const RootFile root(file.path());
  const std::vector<std::byte> anchor = root.read_object(*root.find("Events"));
  EnvelopePlaces found;
  found.header = {big_endian(anchor, 14), big_endian(anchor, 22)};
  found.footer = {big_endian(anchor, 38), big_endian(anchor, 46)};
  // Preamble, flags, header checksum, the frame of the schema extension, then the first cluster group.
  const std::size_t extension = found.footer.offset + 24;
  const std::size_t group = extension + static_cast<std::size_t>(load<std::int64_t>(content, extension)) + 12;
  const std::size_t locator = group + 8 + 8 + 8 + 4 + 8;
  found.page_list = {load<std::uint64_t>(content, locator + 4),
                     static_cast<std::size_t>(load<std::int32_t>(content, locator))};
  return found;
}

std::uint64_t reseal(std::vector<char>& content, const EnvelopePlace& envelope) {
  const std::uint64_t checksum = XXH3_64bits(content.data() + envelope.offset, envelope.size - 8);
  std::memcpy(content.data() + envelope.offset + envelope.size - 8, &checksum, sizeof checksum);
  return checksum;
}

// Makes all checksums of the metadata right, and those that repeat the header's.
void reseal_all(std::vector<char>& content, const EnvelopePlaces& envelopes) {
  const std::uint64_t header = reseal(content, envelopes.header);
  std::memcpy(content.data() + envelopes.footer.offset + 16, &header, sizeof header);
  std::memcpy(content.data() + envelopes.page_list.offset + 8, &header, sizeof header);
  reseal(content, envelopes.footer);
  reseal(content, envelopes.page_list);
}

TEST(Damage, FlippedBitsAndCutsAreFoundOrHarmless) {
  std::mt19937 random(2);
  int num_errors = 0;
  const FuzzTime time;
  for (const char* compression : {"zstd:1", "lz4", "none"}) {
    std::vector<char> content = make_file(compression);
    const TemporaryFile file(content);
    const auto expected = read_everything(file.path());
    for (int round = 0; round < 300 || time.is_left(); ++round) {
      const std::size_t place = random() % content.size();
      const char before = content[place];
      content[place] = static_cast<char>(before ^ (1 << random() % 8));
      file.write(content);
      try {
        ASSERT_EQ(read_everything(file.path()), expected) << compression << ", byte " << place;
      } catch (const Error&) {
        ++num_errors;
      }
      content[place] = before;
    }
    for (std::size_t size = 0; size < content.size(); size += 1 + content.size() / 100) {
      file.write({content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size)});
      EXPECT_THROW(read_everything(file.path()), FileError) << "cut to " << size;
    }
  }
  EXPECT_GT(num_errors, 100);
}

TEST(Damage, MetadataWithRightChecksumsIsStillChecked) {
  const std::vector<char> good = make_file("none");
  const EnvelopePlaces envelopes = find_envelopes(good);
  std::vector<char> resealed = good;
  reseal_all(resealed, envelopes);
  ASSERT_EQ(resealed, good) << "the envelopes are not where the test looks for them";

  std::mt19937 random(3);
  const TemporaryFile file(good);
  const FuzzTime time;
  int num_refused = 0;
  for (int round = 0; round < 1000 || time.is_left(); ++round) {
    const EnvelopePlace parts[] = {envelopes.header, envelopes.footer, envelopes.page_list};
    const EnvelopePlace& part = parts[random() % 3];
    std::vector<char> content = good;
    for (unsigned change = 0; change <= random() % 3; ++change) {
      static constexpr unsigned char kValues[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
      const std::size_t place = part.offset + 8 + random() % (part.size - 16);
      content[place] = static_cast<char>(random() % 2 ? kValues[random() % 5] : random());
    }
    reseal_all(content, envelopes);
    file.write(content);
    try {
      read_everything(file.path());
    } catch (const Error&) {
      ++num_refused;
    }
  }
  EXPECT_GT(num_refused, 100);
}

}  // namespace
}  // namespace skimline::io
