// SPDX-License-Identifier: BSD-3-Clause
// What tests of carrying fields share: a table of fields of all kinds, carrying of chosen entries, and a
// reader that takes one entry after the other as the judge.
#pragma once

#include "carry_slice.h"
#include "table_file.h"
#include "test_data.h"

#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <filesystem>
#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace skimline::io {

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

inline void write_table(const TemporaryFile& file, const TableShape& shape = {}) {
  Table(file.path(), shape).write();
}

// ---- carrying

struct CarrySettings {
  InputOptions source;
  RNTupleSinkOptions sink;
};

inline CarrySettings carrying_as(const std::string& compression, std::uint64_t slice_entries = 10'000) {
  CarrySettings how;
  how.source.slice_entries = slice_entries;
  how.sink.settings.compression = parse_writer_compression(compression);
  return how;
}

struct Carried {
  WriteStatistics written;
  ReadStatistics read;
};

// Carries all fields of the entries that `survives` names, one slice after the other.
inline Carried carry(const std::vector<const TemporaryFile*>& from, const TemporaryFile& to,
                     CarrySettings how, const std::vector<bool>& survives) {
  std::vector<InputLocation> locations;
  for (const TemporaryFile* file : from) locations.push_back({file->path(), "Events"});
  RNTupleSource source(locations, how.source);
  const Carrying carrying = source.carry(all_fields(source));
  how.sink.path = to.path();
  RNTupleSink sink(carrying.fields, Schema(), how.sink);
  for (std::size_t number = 0; number < source.slices().size(); ++number)
    carry_slice(source, number, sink, [&](std::uint64_t entry) { return survives.at(entry); });
  sink.finish();
  return {sink.statistics(), source.statistics()};
}

// Whether the file holds the surviving rows; where not, says which is the first that differs.
inline ::testing::AssertionResult has_rows(const TemporaryFile& file, const std::vector<std::string>& rows,
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

inline Pattern all_of(std::size_t count) { return Pattern(count, true); }

inline Pattern every(std::size_t count, std::size_t modulo) {
  Pattern pattern(count);
  for (std::size_t entry = 0; entry < count; entry += modulo) pattern[entry] = true;
  return pattern;
}

inline Pattern random_runs(std::size_t count, std::size_t longest, std::mt19937_64& random) {
  Pattern pattern(count);
  bool is_kept = false;
  for (std::size_t entry = 0; entry < count; is_kept = !is_kept)
    for (std::size_t left = 1 + random() % longest; left > 0 && entry < count; --left)
      pattern[entry++] = is_kept;
  return pattern;
}

inline Pattern all_but(std::size_t count, std::size_t entry) {
  Pattern pattern(count, true);
  pattern[entry] = false;
  return pattern;
}

inline Pattern only(std::size_t count, const std::vector<std::size_t>& entries) {
  Pattern pattern(count);
  for (const std::size_t entry : entries) pattern[entry] = true;
  return pattern;
}

inline Pattern between(std::size_t count, std::size_t first, std::size_t last) {
  Pattern pattern(count);
  for (std::size_t entry = first; entry < last; ++entry) pattern[entry] = true;
  return pattern;
}

}  // namespace skimline::io
