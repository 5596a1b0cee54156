// SPDX-License-Identifier: BSD-3-Clause
// Chains of files of which some lack a column.
#include "table_file.h"
#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <limits>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using testing::TableWriter;

constexpr int kEntries = 6;

// x is the entry; with `weight`, a float w = 2 x and a string s; with `list`, a list.
void write(const TemporaryFile& file, bool has_weight, bool has_list = false) {
  TableWriter out(file.path(), parse_compression("none"));
  const std::size_t x = out.add_values("x", "std::int32_t", ColumnType::kInt32);
  const std::size_t w = has_weight ? out.add_values("w", "float", ColumnType::kReal32) : 0;
  const std::uint32_t s = has_weight ? out.add_field("s", "std::string") : 0;
  const std::size_t ends = has_weight ? out.add_column(s, ColumnType::kIndex64) : 0;
  const std::size_t characters = has_weight ? out.add_column(s, ColumnType::kChar) : 0;
  const std::uint32_t list =
      has_list ? out.add_field("list", "std::vector<bool>", FieldRole::kCollection) : 0;
  const std::size_t list_ends = has_list ? out.add_column(list, ColumnType::kIndex64) : 0;
  if (has_list) out.add_values("_0", "bool", ColumnType::kBit, list);
  for (int entry = 0; entry < kEntries; ++entry) {
    out.put(x, entry);
    if (has_weight) {
      out.put(w, 2.f * static_cast<float>(entry));
      out.put(characters, static_cast<char>('a' + entry));
      out.put(ends, out.count(characters));
    }
    if (has_list) out.put(list_ends, std::uint64_t{0});
  }
  out.end_cluster(kEntries);
  out.finish();
}

InputOptions with_defaults(std::map<std::string, DefaultValue> defaults) {
  InputOptions options;
  options.slice_entries = 4;
  options.defaults = std::move(defaults);
  return options;
}

std::vector<InputLocation> chain(std::initializer_list<const TemporaryFile*> files) {
  std::vector<InputLocation> locations;
  for (const TemporaryFile* file : files) locations.push_back({file->path(), ""});
  return locations;
}

// All values of a flat column.
template <typename T>
std::vector<T> values_of(RNTupleSource& source, const std::string& name) {
  const std::size_t column = source.schema().find(name).value();
  EXPECT_EQ(source.schema()[column].type, flat(scalar_type_of<T>)) << name;
  std::vector<T> values;
  ColumnBuffer scratch;
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    const auto reader = source.open_slice(slice);
    reader->load(std::span(&column, 1));
    for (std::uint64_t first = 0; first < source.slices()[slice].count; first += 2) {
      const EntryRange range{first, std::min<std::uint64_t>(2, source.slices()[slice].count - first)};
      reader->prepare(std::span(&column, 1), range);
      const ColumnView view = reader->view(column, range, scratch);
      EXPECT_FALSE(view.is_constant);
      values.insert(values.end(), view.data<T>(), view.data<T>() + view.length);
    }
  }
  return values;
}

class ColumnDefaults : public ::testing::Test {
 protected:
  const TemporaryFile with_{{}}, without_{{}}, target_{{}};

  void SetUp() override {
    write(with_, true);
    write(without_, false);
  }
};

const std::vector<float> kWeights{0, 2, 4, 6, 8, 10};

std::vector<float> weights(const std::string& files, float value) {
  std::vector<float> all;
  for (const char file : files)
    for (const float weight : kWeights) all.push_back(file == 'w' ? weight : value);
  return all;
}

TEST_F(ColumnDefaults, files_that_lack_a_column_have_its_default) {
  const auto defaults = with_defaults({{"w", 1.5}, {"s", std::string("none")}});
  RNTupleSource last(chain({&with_, &without_}), defaults);
  EXPECT_EQ(values_of<float>(last, "w"), weights("w-", 1.5f));
  RNTupleSource first(chain({&without_, &with_, &without_}), defaults);
  EXPECT_EQ(values_of<float>(first, "w"), weights("-w-", 1.5f));
  EXPECT_EQ(first.schema().names(), (std::vector<std::string>{"x", "w", "s"}));
  EXPECT_EQ(first.field_type_names()[1], "float");
  RNTupleSource strings(chain({&without_, &with_}), defaults);
  std::vector<std::string_view> text = values_of<std::string_view>(strings, "s");
  text.resize(kEntries);
  EXPECT_EQ(text, std::vector<std::string_view>(kEntries, "none"));
  EXPECT_EQ(values_of<std::int32_t>(first, "x").size(), 3u * kEntries);
}

TEST_F(ColumnDefaults, columns_of_no_file_have_the_type_of_the_value) {
  RNTupleSource source(chain({&without_}), with_defaults({{"flag", true},
                                                          {"small", std::int64_t{-7}},
                                                          {"large", std::int64_t{1} << 40},
                                                          {"real", 0.25},
                                                          {"text", std::string("t")}}));
  EXPECT_EQ(values_of<bool>(source, "flag"), std::vector<bool>(kEntries, true));
  EXPECT_EQ(values_of<std::int32_t>(source, "small"), std::vector<std::int32_t>(kEntries, -7));
  EXPECT_EQ(values_of<std::int64_t>(source, "large"),
            std::vector<std::int64_t>(kEntries, std::int64_t{1} << 40));
  EXPECT_EQ(values_of<double>(source, "real"), std::vector<double>(kEntries, 0.25));
  EXPECT_EQ(values_of<std::string_view>(source, "text"), std::vector<std::string_view>(kEntries, "t"));
  EXPECT_EQ(source.stored_bytes(source.schema().find("real").value()), 0u);
  EXPECT_EQ(source.statistics().pages_skipped, 0u);
}

TEST_F(ColumnDefaults, a_column_that_all_files_have_keeps_its_values) {
  RNTupleSource source(chain({&with_, &with_}), with_defaults({{"w", std::int64_t{9}}}));
  EXPECT_EQ(values_of<float>(source, "w"), weights("ww", 0));
}

TEST_F(ColumnDefaults, a_column_without_default_cannot_be_used_unless_all_files_have_it) {
  for (const auto& files :
       {chain({&with_, &without_}), chain({&without_, &with_}), chain({&without_, &with_, &without_})}) {
    RNTupleSource source(files, with_defaults({{"w", 1.0}}));
    EXPECT_EQ(source.schema().names(), (std::vector<std::string>{"x", "w"}));
    ASSERT_EQ(source.unsupported_fields().size(), 1u);
    const UnsupportedField& field = source.unsupported_fields().front();
    EXPECT_EQ(field.name, "s");
    EXPECT_TRUE(field.is_different);
    EXPECT_FALSE(field.is_carriable);
    const std::string others = files.size() > 2 ? " and 1 more" : "";
    EXPECT_EQ(field.reason, "it is missing in " + without_.path() + others + ", and has no default");
    EXPECT_THROW(source.carry({"x", "s"}), SchemaError);
  }
}

TEST_F(ColumnDefaults, values_that_the_column_cannot_hold_are_errors) {
  const auto is_refused = [&](const std::string& name, const DefaultValue& value) {
    try {
      RNTupleSource(chain({&with_, &without_}),
                    with_defaults({{"w", 1.0}, {"s", std::string()}, {"x", std::int64_t{0}}}));
      auto defaults = with_defaults({{"w", 1.0}, {"s", std::string()}});
      defaults.defaults[name] = value;
      RNTupleSource(chain({&with_, &without_}), defaults);
      return false;
    } catch (const SchemaError& error) {
      return std::string(error.what()).find("\"" + name + "\"") != std::string::npos;
    }
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_refused("w", std::string("1")));
  EXPECT_TRUE(is_refused("w", true));
  EXPECT_TRUE(is_refused("w", 1e300));
  EXPECT_TRUE(is_refused("w", std::int64_t{16'777'217})) << "no float";
  EXPECT_TRUE(is_refused("w", std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(is_refused("w", 0.1));
  EXPECT_FALSE(is_refused("w", infinity));
  EXPECT_FALSE(is_refused("w", std::int64_t{-3}));
  EXPECT_TRUE(is_refused("s", 1.0));
  EXPECT_TRUE(is_refused("x", 0.5));
  EXPECT_TRUE(is_refused("x", infinity));
  EXPECT_TRUE(is_refused("x", std::int64_t{1} << 31));
  EXPECT_FALSE(is_refused("x", 3.0));
}

TEST_F(ColumnDefaults, lists_have_lists) {
  const TemporaryFile list({});
  write(list, false, true);
  for (const auto& files : {chain({&list, &without_}), chain({&without_, &list}), chain({&list})}) {
    EXPECT_THROW(RNTupleSource(files, with_defaults({{"list", false}})), SchemaError);
    EXPECT_THROW(RNTupleSource(files, with_defaults({{"x", DefaultList{}}})), SchemaError);
    const RNTupleSource source(files, with_defaults({{"list", DefaultList{}}}));
    EXPECT_TRUE(source.schema().find("list"));
    EXPECT_TRUE(source.unsupported_fields().empty());
  }
}

TEST_F(ColumnDefaults, a_skim_writes_what_was_lacking) {
  RNTupleSource source(chain({&with_, &without_}), with_defaults({{"w", -1.0}, {"s", std::string("?")}}));
  const Carrying carrying = source.carry({"x", "w", "s"});
  EXPECT_EQ(carrying.computed, (std::vector<std::string>{"w", "s"}));
  Schema computed;
  for (const std::string& name : carrying.computed)
    computed.add(source.schema()[source.schema().find(name).value()]);
  RNTupleSinkOptions options;
  options.path = target_.path();
  RNTupleSink sink(carrying.fields, computed, options);
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, carrying.computed, sink);
  run(std::move(builder).build(), source);
  sink.finish();
  RNTupleSource written({{target_.path(), ""}});
  EXPECT_EQ(values_of<std::int32_t>(written, "x"), values_of<std::int32_t>(source, "x"));
  EXPECT_EQ(values_of<float>(written, "w"), weights("w-", -1.f));
  EXPECT_EQ(written.num_entries(), 2u * kEntries);
}

}  // namespace
}  // namespace skimline::io
