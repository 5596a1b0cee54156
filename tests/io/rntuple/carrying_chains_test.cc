// SPDX-License-Identifier: BSD-3-Clause
// Fields carried from chains of files that store them in different ways.
#include "carrying.h"
#include "memory_source.h"

#include "skimline/framework/error.h"

namespace skimline::io {
namespace {

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

TEST(CarryChains, TakesRecordsOfOtherClasses) {
  const TemporaryFile first({}), second({}), target({});
  write_entry(first, record("Class", {"a"}));
  write_entry(second, record("Other", {"a"}));
  EXPECT_NO_THROW(carry({&first, &second}, target, carrying_as("zstd:1"), all_of(2)));
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
      // Itself, or a part of it that is asked for.
      EXPECT_NE(message.find("\"" + each.field), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace skimline::io
