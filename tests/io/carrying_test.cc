// SPDX-License-Identifier: BSD-3-Clause
// Fields carried from files whose pages are large enough to be copied as they are stored, against a reader
// that takes one entry after the other.
#include "fuzz_time.h"
#include "memory_source.h"
#include "table_file.h"
#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <filesystem>
#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using testing::TableRows;
using testing::TableWriter;

// ---- a table of fields of all kinds

struct TableShape {
  std::uint64_t num_entries = 150'000;
  std::uint64_t cluster_entries = 60'000;
  std::uint64_t seed = 1;
  std::string compression = "zstd:1";
  std::size_t page_bytes = 0;  // unlike for every column if 0
  std::function<void(std::size_t column, std::vector<std::byte>& page)> damage;
};

// Declares its fields and makes entries of them.
class Table {
 public:
  Table(const std::string& path, const TableShape& shape)
      : shape_(shape), random_(shape.seed), out_(path, parse_compression(shape.compression)) {
    out_.damage = shape.damage;
    if (shape.page_bytes != 0) out_.page_bytes = shape.page_bytes;
    using enum ColumnType;
    x_ = add_values("x", "float", kSplitReal32);
    number_ = add_values("number", "std::int64_t", kSplitInt64);
    flag_ = add_values("flag", "bool", kBit);
    quantized_ = out_.add_column(out_.add_field("quantized", "float"), kReal32Quant, 12, -1, 1);
    v_ = add_list("v", "std::vector<float>", kSplitIndex64);
    v_items_ = out_.add_values("_0", "float", kSplitReal32, v_.field);
    w_ = add_list("w", "std::vector<double>", kSplitIndex64);
    w_items_ = out_.add_values("_0", "double", kReal64, w_.field);
    vv_ = add_list("vv", "std::vector<std::vector<std::int16_t>>", kIndex64);
    vv_inner_ = add_list("_0", "std::vector<std::int16_t>", kSplitIndex32, vv_.field);
    vv_items_ = out_.add_values("_0", "std::int16_t", kInt16, vv_inner_.field);
    alike_ = add_list("alike", "std::vector<std::vector<std::uint8_t>>", kIndex64);
    alike_inner_ = add_list("_0", "std::vector<std::uint8_t>", kIndex64, alike_.field);
    alike_items_ = out_.add_values("_0", "std::uint8_t", kUInt8, alike_inner_.field);
    jets_ = add_list("jets", "", kIndex32);
    const std::uint32_t jet = out_.add_field("_0", "", FieldRole::kRecord, jets_.field);
    pt_ = out_.add_values("pt", "float", kReal32, jet);
    eta_ = out_.add_values("eta", "double", kSplitReal32, jet);
    const std::uint32_t text = out_.add_field("text", "std::string");
    text_ = {text, out_.add_column(text, kSplitIndex64)};
    characters_ = out_.add_column(text, kChar);
    const std::uint32_t array =
        out_.add_field("array", "std::array<float,3>", FieldRole::kPlain, TableWriter::kTopLevel, 3);
    array_items_ = out_.add_values("_0", "float", kReal32, array);
    const std::uint32_t pair = out_.add_field("lists", "std::array<std::vector<std::uint8_t>,2>",
                                              FieldRole::kPlain, TableWriter::kTopLevel, 2);
    lists_ = add_list("_0", "std::vector<std::uint8_t>", kIndex64, pair);
    lists_items_ = out_.add_values("_0", "std::uint8_t", kUInt8, lists_.field);
    either_ = add_variant("either");
    turns_ = add_variant("turns");
  }

  void write() {
    for (std::uint64_t first = 0; first < shape_.num_entries; first += shape_.cluster_entries) {
      const std::uint64_t count = std::min(shape_.cluster_entries, shape_.num_entries - first);
      for (std::uint64_t entry = 0; entry < count; ++entry) write_entry(first + entry);
      out_.end_cluster(count);
    }
    out_.finish();
  }

 private:
  struct List {
    std::uint32_t field = 0;
    std::size_t ends = 0;
  };

  struct Variant {
    std::size_t column = 0;
    List floats, ints;
    std::size_t float_items = 0, int_items = 0;
  };

  Variant add_variant(const std::string& name) {
    using enum ColumnType;
    Variant variant;
    const std::uint32_t field =
        out_.add_field(name, "std::variant<std::vector<float>,std::vector<int>>", FieldRole::kVariant);
    variant.column = out_.add_column(field, kSwitch);
    variant.floats = add_list("_0", "std::vector<float>", kIndex64, field);
    variant.float_items = out_.add_values("_0", "float", kReal32, variant.floats.field);
    variant.ints = add_list("_1", "std::vector<std::int32_t>", kIndex64, field);
    variant.int_items = out_.add_values("_0", "std::int32_t", kInt32, variant.ints.field);
    return variant;
  }

  std::size_t add_values(const std::string& name, const std::string& type, ColumnType column) {
    // Pages of different columns do not begin together.
    if (shape_.page_bytes == 0) out_.page_bytes = 1024 * (20 + random_() % 70);
    return out_.add_values(name, type, column);
  }

  List add_list(const std::string& name, const std::string& type, ColumnType index,
                std::uint32_t parent = TableWriter::kTopLevel) {
    const std::uint32_t field = out_.add_field(name, type, FieldRole::kCollection, parent);
    return {field, out_.add_column(field, index)};
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  float real() { return static_cast<float>(below(100'000)) / 8; }
  void end(const List& list, std::size_t items) { out_.put(list.ends, out_.count(items)); }

  void write_entry(std::uint64_t entry) {
    out_.put(x_, real());
    out_.put(number_, static_cast<std::int64_t>(entry) * 3 - 1000);
    out_.put(flag_, static_cast<std::uint8_t>(below(2)));
    out_.put(quantized_, static_cast<std::uint32_t>(below(4096)));
    write_lists();
    write_nested(entry);
    for (std::uint64_t left = below(4); left > 0; --left)
      out_.put(characters_, static_cast<char>('a' + left));
    end(text_, characters_);
    for (int i = 0; i < 3; ++i) out_.put(array_items_, real());
    for (int i = 0; i < 2; ++i) {
      for (std::uint64_t left = below(3); left > 0; --left)
        out_.put(lists_items_, static_cast<std::uint8_t>(below(256)));
      end(lists_, lists_items_);
    }
    write_variant(either_, static_cast<std::uint32_t>(below(3)));
    write_variant(turns_, 1 + static_cast<std::uint32_t>(entry % 2));
  }

  void write_lists() {
    for (std::uint64_t left = below(4); left > 0; --left) {
      out_.put(v_items_, real());
      out_.put(w_items_, static_cast<double>(real()));
    }
    end(v_, v_items_);
    end(w_, w_items_);
    for (std::uint64_t left = below(3); left > 0; --left) {
      out_.put(pt_, real());
      out_.put(eta_, real());
    }
    end(jets_, pt_);
  }

  // The inner and the outer lists of `alike` have equal ends, but of other numbers of elements before.
  void write_nested(std::uint64_t entry) {
    for (std::uint64_t left = below(3); left > 0; --left) {
      for (std::uint64_t items = below(3); items > 0; --items)
        out_.put(vv_items_, static_cast<std::int16_t>(below(1000)));
      end(vv_inner_, vv_items_);
    }
    end(vv_, vv_inner_.ends);
    for (std::uint64_t i = 0; i < (entry % 3 == 0 ? 3u : 0u); ++i) {
      const bool is_third = out_.count(alike_inner_.ends) % 3 == 0;
      for (int item = 0; item < (is_third ? 3 : 0); ++item)
        out_.put(alike_items_, static_cast<std::uint8_t>(below(256)));
      end(alike_inner_, alike_items_);
    }
    end(alike_, alike_inner_.ends);
  }

  // Lists of equal sizes, so that both alternatives have equal ends if there are equally many.
  void write_variant(const Variant& variant, std::uint32_t tag) {
    if (tag == 0) return out_.put(variant.column, SwitchElement{});
    const List& list = tag == 1 ? variant.floats : variant.ints;
    out_.put(variant.column, SwitchElement{out_.count(list.ends), tag});
    for (int i = 0; i < 2; ++i) {
      if (tag == 1)
        out_.put(variant.float_items, real());
      else
        out_.put(variant.int_items, static_cast<std::int32_t>(below(1000)));
    }
    end(list, tag == 1 ? variant.float_items : variant.int_items);
  }

  TableShape shape_;
  std::mt19937_64 random_;
  TableWriter out_;
  std::size_t x_, number_, flag_, quantized_, v_items_, w_items_, vv_items_, alike_items_, pt_, eta_;
  std::size_t characters_, array_items_, lists_items_;
  List v_, w_, vv_, vv_inner_, alike_, alike_inner_, jets_, text_, lists_;
  Variant either_, turns_;
};

void write_table(const TemporaryFile& file, const TableShape& shape = {}) {
  Table(file.path(), shape).write();
}

// ---- carrying

struct Carrying {
  RNTupleSourceOptions source;
  RNTupleSinkOptions sink;
};

Carrying carrying_as(const std::string& compression, std::uint64_t slice_entries = 10'000) {
  Carrying how;
  how.source.slice_entries = slice_entries;
  how.sink.compression = parse_compression(compression);
  return how;
}

std::vector<std::string> all_fields(const RNTupleSource& source) {
  std::vector<std::string> names = source.schema().names();
  for (const UnsupportedField& field : source.unsupported_fields()) names.push_back(field.name);
  return names;
}

struct Carried {
  WriteStatistics written;
  ReadStatistics read;
};

// Carries all fields of the entries that `survives` names, one slice after the other.
Carried carry(const std::vector<const TemporaryFile*>& from, const TemporaryFile& to, Carrying how,
              const std::vector<bool>& survives) {
  std::vector<RNTupleLocation> locations;
  for (const TemporaryFile* file : from) locations.push_back({file->path(), "Events"});
  RNTupleSource source(locations, how.source);
  const RNTupleSource::Carrying carrying = source.carry(all_fields(source));
  how.sink.path = to.path();
  RNTupleSink sink(carrying.fields, Schema(), how.sink);
  for (std::size_t number = 0; number < source.slices().size(); ++number) {
    const EntryRange slice = source.slices()[number];
    std::vector<std::uint32_t> positions;
    for (std::uint64_t entry = 0; entry < slice.count; ++entry)
      if (survives.at(slice.first + entry)) positions.push_back(static_cast<std::uint32_t>(entry));
    const auto reader = source.open_slice(number);
    const auto portion = sink.begin();
    sink.append(*portion, {{0, slice.count}, positions.data(), positions.size()}, {});
    sink.gather(*portion, *reader);
    sink.stitch(*portion);
    sink.seal(*portion);
    sink.commit(*portion);
    sink.write(*portion);
  }
  sink.finish();
  return {sink.statistics(), source.statistics()};
}

// Whether the file holds the surviving rows; where not, says which is the first that differs.
::testing::AssertionResult has_rows(const TemporaryFile& file, const std::vector<std::string>& rows,
                                    const std::vector<bool>& survives) {
  const TableRows carried(file.path());
  std::size_t next = 0;
  for (std::size_t entry = 0; entry < rows.size(); ++entry) {
    if (!survives[entry]) continue;
    if (next >= carried.rows().size() || carried.rows()[next] != rows[entry])
      return ::testing::AssertionFailure() << "entry " << next << ", " << entry << " of the source, differs";
    ++next;
  }
  if (next != carried.rows().size()) return ::testing::AssertionFailure() << "there are more entries";
  return ::testing::AssertionSuccess();
}

// ---- which entries survive

using Pattern = std::vector<bool>;

Pattern all_of(std::size_t count) { return Pattern(count, true); }

Pattern every(std::size_t count, std::size_t modulo) {
  Pattern pattern(count);
  for (std::size_t entry = 0; entry < count; entry += modulo) pattern[entry] = true;
  return pattern;
}

Pattern random_runs(std::size_t count, std::size_t longest, std::mt19937_64& random) {
  Pattern pattern(count);
  bool is_kept = false;
  for (std::size_t entry = 0; entry < count; is_kept = !is_kept)
    for (std::size_t left = 1 + random() % longest; left > 0 && entry < count; --left)
      pattern[entry++] = is_kept;
  return pattern;
}

Pattern all_but(std::size_t count, std::size_t entry) {
  Pattern pattern(count, true);
  pattern[entry] = false;
  return pattern;
}

Pattern only(std::size_t count, const std::vector<std::size_t>& entries) {
  Pattern pattern(count);
  for (const std::size_t entry : entries) pattern[entry] = true;
  return pattern;
}

Pattern between(std::size_t count, std::size_t first, std::size_t last) {
  Pattern pattern(count);
  for (std::size_t entry = first; entry < last; ++entry) pattern[entry] = true;
  return pattern;
}

class Carry : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    write_table(source());
    rows() = TableRows(source().path()).rows();
  }

  static const TemporaryFile& source() {
    static const TemporaryFile file({});
    return file;
  }
  static std::vector<std::string>& rows() {
    static std::vector<std::string> all;
    return all;
  }

  const TemporaryFile target_{{}};
};

TEST_F(Carry, TableHasTheRowsThatWereMade) {
  ASSERT_EQ(rows().size(), 150'000u);
  const TableRows numbers(source().path(), {"number"});
  for (std::size_t entry = 0; entry < rows().size(); ++entry) {
    std::int64_t value = 0;
    ASSERT_EQ(numbers.rows()[entry].size(), sizeof value);
    std::memcpy(&value, numbers.rows()[entry].data(), sizeof value);
    ASSERT_EQ(value, static_cast<std::int64_t>(entry) * 3 - 1000);
  }
}

TEST_F(Carry, SurvivorsOfManyPatterns) {
  std::mt19937_64 random(7);
  const std::size_t count = rows().size();
  const std::vector<Pattern> patterns{all_of(count),
                                      only(count, {}),
                                      every(count, 2),
                                      every(count, 17),
                                      every(count, 5003),
                                      random_runs(count, 10, random),
                                      random_runs(count, 30'000, random),
                                      all_but(count, 77'777),
                                      all_but(count, 0),
                                      all_but(count, count - 1),
                                      only(count, {0}),
                                      only(count, {count - 1}),
                                      only(count, {59'999, 60'000}),
                                      between(count, 0, 60'000),
                                      between(count, 60'000, 120'000),
                                      between(count, 16'384, 65'536)};
  for (std::size_t number = 0; number < patterns.size(); ++number) {
    Carrying how = carrying_as(random() % 4 == 0 ? "lz4" : "zstd:1", 1 + random() % 40'000);
    how.sink.cluster_bytes = 200'000 + random() % 20'000'000;
    how.sink.page_bytes = 1000 + random() % 200'000;
    carry({&source()}, target_, how, patterns[number]);
    EXPECT_TRUE(has_rows(target_, rows(), patterns[number]))
        << "pattern " << number << ", slices of " << how.source.slice_entries << " entries, clusters of "
        << how.sink.cluster_bytes << " bytes, pages of " << how.sink.page_bytes;
  }
}

TEST_F(Carry, RandomRunsInRandomSlices) {
  const skimline::testing::FuzzTime time;
  std::mt19937_64 random(std::random_device{}());
  const std::size_t count = rows().size();
  do {
    const std::uint64_t seed = random();
    std::mt19937_64 choice(seed);
    Carrying how =
        carrying_as(choice() % 4 == 0 ? "none" : "zstd:1", 1 + choice() % (choice() % 2 ? 70'000 : 3000));
    how.sink.cluster_bytes = choice() % 30'000'000;
    how.sink.page_bytes = 1 + choice() % 300'000;
    const Pattern pattern = random_runs(count, 1 + choice() % (choice() % 2 ? 100'000 : 1000), choice);
    carry({&source()}, target_, how, pattern);
    ASSERT_TRUE(has_rows(target_, rows(), pattern)) << "seed " << seed;
  } while (time.is_left());
}

TEST_F(Carry, WholeCopiesPassPagesAsTheyAre) {
  Carrying how = carrying_as("zstd:1", 7000);
  how.sink.cluster_bytes =
      std::filesystem::file_size(source().path()) / 3;  // as large as those of the source
  const Carried whole = carry({&source()}, target_, how, all_of(rows().size()));
  EXPECT_TRUE(has_rows(target_, rows(), all_of(rows().size())));
  const TableRows from(source().path()), to(target_.path());
  std::uint64_t large = 0, equal = 0;
  std::set<std::uint64_t> index_pages;
  ASSERT_EQ(from.descriptor().columns.size(), to.descriptor().columns.size());
  for (std::size_t cluster = 0; cluster < from.descriptor().clusters.size(); ++cluster)
    for (std::size_t column = 0; column < from.descriptor().columns.size(); ++column) {
      const ColumnDescriptor& declared = from.descriptor().columns[column];
      const std::size_t size = raw_element_size({declared.type, declared.bits_on_storage});
      for (const PageInfo& page : from.descriptor().clusters[cluster].columns[column].pages) {
        if (is_index_type(declared.type)) index_pages.insert(page.locator.offset);
        if (page.num_elements * size < 16 * 1024 || declared.type == ColumnType::kSwitch) continue;
        ++large;
        ASSERT_LT(cluster, to.descriptor().clusters.size());
        for (const PageInfo& copy : to.descriptor().clusters[cluster].columns[column].pages)
          if (copy.num_elements == page.num_elements && copy.locator.size == page.locator.size &&
              to.stored(copy) == from.stored(page)) {
            ++equal;
            break;
          }
      }
    }
  EXPECT_GT(large, 100u);
  EXPECT_EQ(equal, large);
  EXPECT_EQ(whole.written.num_pages_copied, large);
}

TEST_F(Carry, PagesOfOtherCompressionAreMadeAnew) {
  for (const char* compression : {"none", "lz4", "zstd:2"}) {
    const Carried whole = carry({&source()}, target_, carrying_as(compression), all_of(rows().size()));
    EXPECT_EQ(whole.written.num_pages_copied, 0u);
    EXPECT_TRUE(has_rows(target_, rows(), all_of(rows().size()))) << compression;
  }
}

TEST_F(Carry, BytesDependOnNothingButTheSlices) {
  std::vector<char> expected;
  for (const int threads : {1, 2, 4, 4}) {
    RNTupleSource input({{source().path(), "Events"}}, {.slice_entries = 9000});
    RNTupleSinkOptions options;
    options.path = target_.path();
    options.compression = parse_compression("zstd:1");
    options.cluster_bytes = std::filesystem::file_size(source().path()) / 3;
    RNTupleSink sink(input.carry(all_fields(input)).fields, Schema(), options);
    PlanBuilder builder(input.schema());
    // All lists of a stretch of entries, then some.
    const SelectionId selection =
        builder.select(kAllEntries, "(number < 260000 && size(v) >= 0) || (x > 5000 && size(jets.pt) > 0)");
    builder.write(selection, {}, sink);
    RunOptions run_options;
    run_options.threads = threads;
    run(std::move(builder).build(), input, run_options);
    sink.finish();
    EXPECT_GT(sink.statistics().num_pages_copied, 50u);
    EXPECT_GT(sink.statistics().num_entries, 90'000u);
    EXPECT_LT(sink.statistics().num_entries, 120'000u);
    if (expected.empty()) expected = read_all(target_.path());
    ASSERT_EQ(read_all(target_.path()), expected) << threads << " threads";
  }
}

TEST_F(Carry, DamagedPagesAreNotCopied) {
  const TableRows table(source().path());
  std::vector<char> content = read_all(source().path());
  const TemporaryFile damaged(content);
  std::mt19937 random(4);
  const auto& clusters = table.descriptor().clusters;
  for (int round = 0; round < 20; ++round) {
    const auto& columns = clusters[random() % clusters.size()].columns;
    const auto& pages = columns[random() % columns.size()].pages;
    const PageInfo& page = pages[random() % pages.size()];
    const std::size_t place = page.locator.offset + random() % (page.locator.size + sizeof(std::uint64_t));
    content[place] ^= 4;
    damaged.write(content);
    content[place] ^= 4;
    EXPECT_THROW(carry({&damaged}, target_, carrying_as("zstd:1", 7000), all_of(rows().size())), FileError)
        << "byte " << place;
  }
}

// Few entries need few pages, whatever is damaged elsewhere.
TEST_F(Carry, FewEntriesDecodeFewPages) {
  const Carried few =
      carry({&source()}, target_, carrying_as("zstd:1", 60'000), only(rows().size(), {100'000}));
  EXPECT_TRUE(has_rows(target_, rows(), only(rows().size(), {100'000})));
  const RNTupleDescriptor descriptor = TableRows(source().path()).descriptor();
  std::uint64_t num_index_pages = 0;
  for (std::size_t column = 0; column < descriptor.columns.size(); ++column)
    if (is_index_type(descriptor.columns[column].type))
      num_index_pages += descriptor.clusters[1].columns[column].pages.size();
  EXPECT_LT(few.read.pages_decoded, num_index_pages + descriptor.columns.size());
}

TEST_F(Carry, FilesOneAfterTheOther) {
  const TemporaryFile other({});
  TableShape shape;
  shape.num_entries = 50'000;
  shape.cluster_entries = 7'001;
  shape.seed = 9;
  shape.compression = "zstd:3";
  write_table(other, shape);
  std::vector<std::string> expected = rows();
  const std::vector<std::string> more = TableRows(other.path()).rows();
  expected.insert(expected.end(), more.begin(), more.end());
  expected.insert(expected.end(), rows().begin(), rows().end());
  std::mt19937_64 random(11);
  for (const std::size_t longest : {50u, 50'000u}) {
    const Pattern pattern = random_runs(expected.size(), longest, random);
    carry({&source(), &other, &source()}, target_, carrying_as("zstd:1", 5000), pattern);
    EXPECT_TRUE(has_rows(target_, expected, pattern));
  }
}

// Every slice begins and ends at the border of some page.
TEST(CarrySmall, PagesAndSlicesOfFewEntries) {
  const TemporaryFile source({}), target({});
  std::mt19937_64 random(23);
  for (const std::size_t page_bytes : {8u, 16u, 40u}) {
    TableShape shape;
    shape.num_entries = 150;
    shape.cluster_entries = 60;
    shape.page_bytes = page_bytes;
    write_table(source, shape);
    const std::vector<std::string> rows = TableRows(source.path()).rows();
    for (std::uint64_t slice_entries = 1; slice_entries < 12; ++slice_entries)
      for (const Pattern& pattern : {all_of(rows.size()), random_runs(rows.size(), 6, random)}) {
        carry({&source}, target, carrying_as("zstd:1", slice_entries), pattern);
        EXPECT_TRUE(has_rows(target, rows, pattern))
            << "pages of " << page_bytes << " bytes, slices of " << slice_entries << " entries";
      }
  }
}

// ---- what the program's own writer makes

TEST(CarryOwnFiles, WholeCopiesDecodeNothingButEndsAndSmallPages) {
  const TemporaryFile source({}), target({});
  skimline::testing::MemorySource made;
  std::mt19937 random(2);
  std::vector<double> x;
  std::vector<std::vector<float>> v;
  for (int entry = 0; entry < 200'000; ++entry) {
    x.push_back(static_cast<double>(random()));
    v.emplace_back(random() % 4, static_cast<float>(random()));
  }
  made.add<double>("x", x).add<float>("v", v);
  RNTupleSinkOptions options;
  options.path = source.path();
  options.cluster_bytes = 1'000'000;
  options.page_bytes = 64 * 1024;
  RNTupleSink sink(made.schema(), options);
  PlanBuilder builder(made.schema());
  builder.write(kAllEntries, made.schema().names(), sink);
  run(std::move(builder).build(), made, {});
  sink.finish();

  const TableRows from(source.path());
  ASSERT_GT(from.descriptor().clusters.size(), 3u);
  Carrying how = carrying_as("zstd:5", 10'000);
  how.sink.cluster_bytes = 1'000'000;
  const Carried whole = carry({&source}, target, how, all_of(x.size()));
  EXPECT_TRUE(has_rows(target, from.rows(), all_of(x.size())));
  std::uint64_t num_ends = 0, num_small = 0, num_pages = 0;
  for (const ClusterDescriptor& cluster : from.descriptor().clusters)
    for (std::size_t column = 0; column < cluster.columns.size(); ++column) {
      const ColumnDescriptor& declared = from.descriptor().columns[column];
      for (const PageInfo& page : cluster.columns[column].pages) {
        ++num_pages;
        const bool is_small =
            page.num_elements * raw_element_size({declared.type, declared.bits_on_storage}) < 16 * 1024;
        if (is_index_type(declared.type))
          ++num_ends;
        else
          num_small += is_small ? 1 : 0;
      }
    }
  EXPECT_EQ(whole.read.pages_decoded, num_ends + num_small);
  EXPECT_LT(num_ends + num_small, num_pages / 2);
  EXPECT_GE(whole.written.num_pages_copied, num_pages / 2);
}

// ---- chains of files that store the same fields in other ways

// The fields of one file of a chain: x, y, list and array, whose numbers all types of column hold.
struct ChainedFile {
  ColumnType real = ColumnType::kReal32;
  ColumnType wide_real = ColumnType::kReal64;
  ColumnType integer = ColumnType::kInt32;
  ColumnType index = ColumnType::kIndex64;
  bool is_reversed = false;          // the order of fields
  std::uint64_t array_added_at = 0;  // its earlier entries are zero
  std::uint64_t cluster_entries = 40'000;
};

constexpr std::uint64_t kChainedEntries = 100'000;

void write_chained(const TemporaryFile& file, const ChainedFile& how, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TableWriter out(file.path(), parse_compression("zstd:1"));
  std::size_t x = 0, y = 0, n = 0, ends = 0, items = 0, array_items = 0;
  const std::vector<std::function<void()>> add_fields{
      [&] { x = out.add_values("x", "float", how.real); },
      [&] { y = out.add_values("y", "double", how.wide_real); },
      [&] { n = out.add_values("n", "std::int32_t", how.integer); },
      [&] {
        const std::uint32_t list = out.add_field("list", "std::vector<double>", FieldRole::kCollection);
        ends = out.add_column(list, how.index);
        items = out.add_values("_0", "double", how.wide_real, list);
      },
      [&] {
        const std::uint32_t array =
            out.add_field("array", "std::array<float,2>", FieldRole::kPlain, TableWriter::kTopLevel, 2);
        array_items = out.add_values("_0", "float", how.real, array);
      }};
  for (std::size_t i = 0; i < add_fields.size(); ++i)
    add_fields[how.is_reversed ? add_fields.size() - 1 - i : i]();
  if (how.array_added_at > 0) out.defer(array_items, 2 * how.array_added_at);
  const auto put_real = [&](std::size_t column, ColumnType type) {
    const auto value = static_cast<float>(random() % 1000) / 4;
    const bool is_wide = type == ColumnType::kReal64 || type == ColumnType::kSplitReal64;
    is_wide ? out.put(column, static_cast<double>(value)) : out.put(column, value);
  };
  for (std::uint64_t entry = 0; entry < kChainedEntries; ++entry) {
    put_real(x, how.real);
    put_real(y, how.wide_real);
    out.put(n, static_cast<std::int32_t>(random() % 1000) - 500);
    for (std::uint64_t left = random() % 4; left > 0; --left) put_real(items, how.wide_real);
    out.put(ends, out.count(items));
    for (int i = 0; i < 2; ++i)
      if (entry >= how.array_added_at) put_real(array_items, how.real);
    if ((entry + 1) % how.cluster_entries == 0) out.end_cluster(how.cluster_entries);
  }
  if (kChainedEntries % how.cluster_entries != 0) out.end_cluster(kChainedEntries % how.cluster_entries);
  out.finish();
}

TEST(CarryChains, FilesOfOtherEncodings) {
  using enum ColumnType;
  const std::vector<ChainedFile> kinds{
      {},
      {kSplitReal32, kSplitReal64, kSplitInt32, kSplitIndex64},
      {kReal32, kReal32, kInt32, kIndex32, true},
      {kSplitReal32, kSplitReal32, kSplitInt32, kSplitIndex32, false, 0, 9'999},
      {kReal32, kReal64, kInt32, kIndex64, false, 50'001},
      {kSplitReal32, kReal64, kInt32, kIndex64, false, 40'000, 10'000},
  };
  std::vector<std::unique_ptr<TemporaryFile>> files;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    files.push_back(std::make_unique<TemporaryFile>(std::vector<char>()));
    write_chained(*files.back(), kinds[kind], kind);
    rows.push_back(TableRows(files.back()->path()).rows());
    ASSERT_EQ(rows.back().size(), kChainedEntries);
  }
  const TemporaryFile target({});
  std::mt19937_64 random(13);
  for (std::size_t first = 0; first < kinds.size(); ++first) {
    const std::vector<std::size_t> chain{first, (first + 1 + random() % 5) % kinds.size(),
                                         random() % kinds.size()};
    std::vector<const TemporaryFile*> from;
    std::vector<std::string> expected;
    for (const std::size_t kind : chain) {
      from.push_back(files[kind].get());
      expected.insert(expected.end(), rows[kind].begin(), rows[kind].end());
    }
    for (const std::size_t longest : {20u, 60'000u}) {
      const Pattern pattern = random_runs(expected.size(), longest, random);
      carry(from, target, carrying_as("zstd:1", 1 + random() % 20'000), pattern);
      EXPECT_TRUE(has_rows(target, expected, pattern))
          << "files " << chain[0] << ", " << chain[1] << ", " << chain[2];
    }
    carry(from, target, carrying_as("zstd:1"), all_of(expected.size()));
    EXPECT_TRUE(has_rows(target, expected, all_of(expected.size())))
        << "files " << chain[0] << ", " << chain[1] << ", " << chain[2];
  }
}

// Two files of one entry that differ in the field "other".
using AddField = std::function<void(TableWriter&)>;

void write_entry(const TemporaryFile& file, const AddField& add_other) {
  TableWriter out(file.path(), parse_compression("zstd:1"));
  out.put(out.add_values("x", "float", ColumnType::kReal32), 1.f);
  add_other(out);
  out.end_cluster(1);
  out.finish();
}

// Of a type that no column of the source can hold.
AddField record(const std::string& type_name, const std::vector<std::string>& members) {
  return [=](TableWriter& out) {
    const std::uint32_t id = out.add_field("other", type_name, FieldRole::kRecord);
    for (const std::string& member : members)
      out.put(out.add_values(member, "Real", ColumnType::kReal32, id), 1.f);
  };
}

AddField array_of(std::uint64_t size) {
  return [=](TableWriter& out) {
    const std::uint32_t id = out.add_field("other", "std::array<float," + std::to_string(size) + ">",
                                           FieldRole::kPlain, TableWriter::kTopLevel, size);
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, id);
    for (std::uint64_t i = 0; i < size; ++i) out.put(items, 1.f);
  };
}

AddField variant_of(const std::string& type_name) {
  return [=](TableWriter& out) {
    const std::uint32_t id = out.add_field("other", "std::variant<" + type_name + ">", FieldRole::kVariant);
    out.put(out.add_column(id, ColumnType::kSwitch), SwitchElement{0, 1});
    out.put(out.add_values("_0", type_name, ColumnType::kReal32, id), 1.f);
  };
}

// A record with two members, and a field that shows one of them.
AddField shown(const std::string& member) {
  return [=](TableWriter& out) {
    const std::uint32_t id = out.add_field("hidden", "", FieldRole::kRecord);
    std::uint32_t source = 0;
    std::size_t column = 0;
    for (const char* name : {"a", "b"}) {
      const std::uint32_t field = out.add_field(name, "float", FieldRole::kPlain, id);
      const std::size_t own = out.add_column(field, ColumnType::kReal32);
      out.put(own, 1.f);
      if (name == member) source = field, column = own;
    }
    out.add_projection(out.add_field("other", "float"), source, column);
  };
}

TEST(CarryChains, RefusesFieldsThatDiffer) {
  struct Case {
    AddField first, second;
    std::string field;
  };
  const std::vector<Case> cases{
      {record("", {"a"}), [](TableWriter&) {}, "other"},
      {record("", {"a", "b"}), record("", {"a", "c"}), "other.b"},
      {record("Class", {"a"}), record("Class", {"a", "b"}), "other"},
      {record("Class", {"a"}), record("Other", {"a"}), "other"},
      {array_of(2), array_of(3), "other"},
      {array_of(2), record("", {"_0"}), "other"},
      {variant_of("float"), variant_of("double"), "other"},
      {shown("a"), shown("b"), "other"},
  };
  const TemporaryFile first({}), second({}), target({});
  for (const Case& each : cases) {
    write_entry(first, each.first);
    write_entry(second, each.second);
    EXPECT_NO_THROW(carry({&first, &first}, target, carrying_as("zstd:1"), all_of(2))) << each.field;
    try {
      carry({&first, &second}, target, carrying_as("zstd:1"), all_of(2));
      ADD_FAILURE() << "case " << &each - cases.data() << " is carried";
    } catch (const SchemaError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("\"" + each.field + "\""), std::string::npos) << message;
      EXPECT_NE(message.find(first.path()), std::string::npos) << message;
      EXPECT_NE(message.find(second.path()), std::string::npos) << message;
    }
  }
}

// ---- files that lie

// A list of floats with these ends.
void write_ends(const TemporaryFile& file, const std::vector<std::uint64_t>& ends, int num_items) {
  TableWriter out(file.path(), parse_compression("none"));
  const std::uint32_t outer =
      out.add_field("list", "std::vector<std::vector<float>>", FieldRole::kCollection);
  const std::size_t outer_ends = out.add_column(outer, ColumnType::kIndex64);
  const std::uint32_t inner = out.add_field("_0", "std::vector<float>", FieldRole::kCollection, outer);
  const std::size_t inner_ends = out.add_column(inner, ColumnType::kIndex64);
  const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, inner);
  for (int i = 0; i < num_items; ++i) out.put(items, 1.f);
  for (std::size_t entry = 0; entry < ends.size(); ++entry) {
    out.put(inner_ends, ends[entry]);
    out.put(outer_ends, std::uint64_t{entry + 1});
  }
  out.end_cluster(ends.size());
  out.finish();
}

TEST(CarryHostile, EndsOutOfOrderOrOfRange) {
  const TemporaryFile source({}), target({});
  const std::uint64_t most = ~std::uint64_t{0};
  for (const auto& ends : std::vector<std::vector<std::uint64_t>>{{1, 0, 2},
                                                                  {2, 1, 2, 2},
                                                                  {9, 9, 9},
                                                                  {1, 2, most},
                                                                  {most, most, most},
                                                                  {most, 0, 1},
                                                                  {0, most, 2},
                                                                  {2, 0, 0, 2}}) {
    write_ends(source, ends, 2);
    EXPECT_THROW(carry({&source}, target, carrying_as("none"), all_of(ends.size())), FileError) << ends[0];
    for (std::size_t entry = 0; entry < ends.size(); ++entry) {
      try {
        carry({&source}, target, carrying_as("none"), all_but(ends.size(), entry));
        TableRows readable(target.path());
      } catch (const Error&) {
      }
    }
  }
  // Entries 0 and 2 take overlapping elements.
  write_ends(source, {10, 3, 8, 10}, 10);
  EXPECT_THROW(carry({&source}, target, carrying_as("none"), only(4, {0, 2})), FileError);
}

TEST(CarryHostile, VariantsOutOfOrderOrOfRange) {
  const TemporaryFile source({}), target({});
  const auto write = [&](const std::vector<SwitchElement>& elements) {
    TableWriter out(source.path(), parse_compression("none"));
    const std::uint32_t id =
        out.add_field("either", "std::variant<std::array<float,1000>>", FieldRole::kVariant);
    const std::size_t column = out.add_column(id, ColumnType::kSwitch);
    const std::uint32_t array = out.add_field("_0", "std::array<float,1000>", FieldRole::kPlain, id, 1000);
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, array);
    for (int i = 0; i < 2000; ++i) out.put(items, 1.f);
    for (const SwitchElement& element : elements) out.put(column, element);
    out.end_cluster(elements.size());
    out.finish();
  };
  write({{0, 1}, {0, 0}, {1, 1}});
  EXPECT_NO_THROW(carry({&source}, target, carrying_as("none"), all_of(3)));
  EXPECT_TRUE(has_rows(target, TableRows(source.path()).rows(), all_of(3)));
  const std::uint64_t most = ~std::uint64_t{0};
  for (const auto& elements : std::vector<std::vector<SwitchElement>>{{{0, 1}, {2, 1}},
                                                                      {{1, 1}, {0, 1}},
                                                                      {{0, 1}, {0, 1}},
                                                                      {{0, 2}},
                                                                      {{0, ~0u}},
                                                                      {{most, 1}},
                                                                      {{most - 1, 1}},
                                                                      {{most / 1000 + 1, 1}},
                                                                      {{std::uint64_t{1} << 61, 1}}}) {
    write(elements);
    EXPECT_THROW(carry({&source}, target, carrying_as("none"), all_of(elements.size())), FileError)
        << elements[0].index << " " << elements[0].tag;
  }
  // A hundred thousand entries that claim the same thousand floats.
  write(std::vector<SwitchElement>(100'000, {0, 1}));
  EXPECT_THROW(carry({&source}, target, carrying_as("none"), all_of(100'000)), FileError);
}

// Arrays of arrays of a column that was added after all entries.
void write_late_array(const TemporaryFile& file, std::uint64_t outer_size, std::uint64_t inner_size,
                      std::uint64_t num_entries, bool is_list) {
  TableWriter out(file.path(), parse_compression("zstd:1"));
  const std::size_t x = out.add_values("x", "bool", ColumnType::kBit);
  const std::uint32_t outer =
      out.add_field("outer", "", FieldRole::kPlain, TableWriter::kTopLevel, outer_size);
  const std::uint32_t inner = out.add_field("_0", "", FieldRole::kPlain, outer, inner_size);
  if (is_list) {
    const std::uint32_t list = out.add_field("_0", "std::vector<float>", FieldRole::kCollection, inner);
    out.defer(out.add_column(list, ColumnType::kIndex64), num_entries * outer_size * inner_size);
    out.add_values("_0", "float", ColumnType::kReal32, list);
  } else {
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, inner);
    out.defer(items, num_entries * outer_size * inner_size);
  }
  for (std::uint64_t entry = 0; entry < num_entries; ++entry) out.put(x, std::uint8_t{1});
  out.end_cluster(num_entries);
  out.finish();
}

TEST(CarryHostile, LateArraysOfAnySizeTakeBoundedMemory) {
  const TemporaryFile source({}), target({});
  const std::uint64_t most = ~std::uint64_t{0};
  for (const bool is_list : {false, true}) {
    write_late_array(source, 20, 30, 20'000, is_list);
    carry({&source}, target, carrying_as("zstd:1"), every(20'000, 2));
    EXPECT_TRUE(has_rows(target, TableRows(source.path()).rows(), every(20'000, 2)));
    for (const auto& [outer, inner] :
         std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1u << 20, 1u << 20},
                                                              {most, most},
                                                              {most / 2 + 1, 2},
                                                              {most, 1},
                                                              {1, most / 2},
                                                              {std::uint64_t{1} << 60, 1},
                                                              {1u << 12, 1u << 12}}) {
      write_late_array(source, outer, inner, 1000, is_list);
      EXPECT_THROW(carry({&source}, target, carrying_as("zstd:1"), all_of(1000)), Error)
          << outer << " times " << inner;
    }
  }
}

TEST(CarryHostile, ArraysInListsOfAnySize) {
  const TemporaryFile source({}), target({});
  const auto write = [&](std::uint64_t size, std::uint64_t num_items) {
    TableWriter out(source.path(), parse_compression("none"));
    const std::uint32_t list = out.add_field("list", "", FieldRole::kCollection);
    const std::size_t ends = out.add_column(list, ColumnType::kIndex64);
    const std::uint32_t array = out.add_field("_0", "", FieldRole::kPlain, list, size);
    const std::size_t items = out.add_values("_0", "float", ColumnType::kReal32, array);
    for (int i = 0; i < 4; ++i) out.put(items, 1.f);
    out.put(ends, num_items);
    out.end_cluster(1);
    out.finish();
  };
  write(2, 2);
  EXPECT_NO_THROW(carry({&source}, target, carrying_as("none"), all_of(1)));
  for (const auto& [size, num_items] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {2, 3}, {std::uint64_t{1} << 63, 2}, {std::uint64_t{1} << 62, 4}, {~std::uint64_t{0}, 3}}) {
    write(size, num_items);
    EXPECT_THROW(carry({&source}, target, carrying_as("none"), all_of(1)), FileError) << size;
  }
}

TEST(CarryHostile, DamagedElementsWithRightChecksums) {
  const skimline::testing::FuzzTime time;
  std::mt19937_64 random(17);
  const TemporaryFile source({}), target({});
  int num_refused = 0, num_carried = 0;
  for (int round = 0; round < 60 || time.is_left(); ++round) {
    TableShape shape;
    shape.num_entries = round % 20 == 0 ? 20'000 : 1500;
    shape.cluster_entries = 600 + random() % 20'000;
    shape.seed = random();
    shape.compression = round % 2 == 0 ? "none" : "zstd:1";
    const std::uint64_t rarity = 1 + random() % 100;
    shape.damage = [&](std::size_t, std::vector<std::byte>& page) {
      if (random() % rarity != 0 || page.empty()) return;
      static constexpr unsigned char kValues[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
      for (std::uint64_t left = 1 + random() % 3; left > 0; --left)
        page[random() % page.size()] =
            static_cast<std::byte>(random() % 2 ? kValues[random() % 5] : random());
    };
    write_table(source, shape);
    const Pattern pattern =
        random() % 2 ? all_of(shape.num_entries) : random_runs(shape.num_entries, 1 + random() % 500, random);
    try {
      carry({&source}, target, carrying_as("zstd:1", 1 + random() % 2000), pattern);
    } catch (const Error&) {
      ++num_refused;
      continue;
    }
    ++num_carried;
    EXPECT_NO_THROW(TableRows(target.path())) << "seed " << shape.seed;
  }
  EXPECT_GT(num_refused, 5);
  EXPECT_GT(num_carried, 5);
}

}  // namespace
}  // namespace skimline::io
