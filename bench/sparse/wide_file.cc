// SPDX-License-Identifier: BSD-3-Clause
// Writes a file with as many columns as those of large experiments have:
//
//   wide_file ENTRIES COLUMNS COLLECTIONS OUTPUT
//
// `selector` is a real in [0, 1). Half of the other columns are flat, half are lists in COLLECTIONS
// collections, of which each has its own sizes, 0 to 3. Values are reals with ten bits of mantissa, as
// trimmed data have, or small integers, in turn. The file depends on the arguments alone.
#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/source.h"
#include "skimline/io/rntuple_sink.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

using skimline::ScalarType;

constexpr std::uint64_t kSliceEntries = 4096;

std::uint64_t hash(std::uint64_t a, std::uint64_t b) {
  std::uint64_t word = a * 0x9E3779B97F4A7C15 + b + 1;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}

float selector_of(std::uint64_t entry) { return static_cast<float>(hash(0, entry) >> 40) * 0x1p-24f; }

// Bits of a value of a column: exponents of a few powers of two and ten bits of mantissa, or an integer.
std::uint32_t bits_of(std::size_t column, std::uint64_t position, ScalarType scalar) {
  const auto random = static_cast<std::uint32_t>(hash(column, position) >> 32);
  if (scalar == ScalarType::kInt32) return random % 100;
  return 0x41000000u + ((random & 0x1FFF) << 13);
}

class WideSource : public skimline::Source {
 public:
  WideSource(std::uint64_t num_entries, std::size_t num_columns, std::size_t num_collections)
      : num_entries_(num_entries), num_collections_(num_collections) {
    schema_.add({"selector", flat(ScalarType::kFloat), ""});
    for (std::size_t column = 1; column < num_columns; ++column) {
      const ScalarType scalar = column % 4 < 2 ? ScalarType::kFloat : ScalarType::kInt32;
      if (column % 2 == 0)
        schema_.add({"flat_" + std::to_string(column), flat(scalar), ""});
      else
        schema_.add(
            {"C" + std::to_string(collection_of(column)) + "_" + std::to_string(column), jagged(scalar), ""});
    }
    for (std::uint64_t first = 0; first < num_entries; first += kSliceEntries)
      slices_.push_back({first, std::min(kSliceEntries, num_entries - first)});
  }

  const skimline::Schema& schema() const override { return schema_; }
  std::uint64_t num_entries() const override { return num_entries_; }
  const std::vector<skimline::EntryRange>& slices() const override { return slices_; }
  std::unique_ptr<skimline::SliceReader> open_slice(std::size_t slice) override {
    return std::make_unique<Reader>(*this, slices_[slice]);
  }
  std::uint64_t stored_bytes(std::size_t) const override { return 0; }
  skimline::ReadStatistics statistics() const override { return {}; }

 private:
  // Makes the values of a column when it is viewed.
  class Reader : public skimline::SliceReader {
   public:
    Reader(const WideSource& source, skimline::EntryRange slice) : source_(source), first_(slice.first) {}

    void load(std::span<const std::size_t>) override {}
    std::string_view file() const override { return {}; }

    skimline::ColumnView view(std::size_t column, skimline::EntryRange range,
                              skimline::ColumnBuffer& scratch) override {
      const skimline::Type type = source_.schema_[column].type;
      const std::uint64_t first = first_ + range.first;
      skimline::ColumnView view{type, range.count};
      if (type.is_jagged()) {
        auto* offsets = scratch.offsets.reserve<std::uint32_t>(range.count + 1);
        offsets[0] = 0;
        for (std::size_t i = 0; i < range.count; ++i)
          offsets[i + 1] = offsets[i] + source_.size_of_list(column, first + i);
        view.offsets = offsets;
      }
      auto* values = scratch.values.reserve<std::uint32_t>(view.num_values());
      for (std::size_t i = 0; i < view.num_values(); ++i)
        values[i] = column == 0 ? std::bit_cast<std::uint32_t>(selector_of(first + i))
                                : bits_of(column, 4 * first + i, type.scalar);
      view.values = values;
      return view;
    }

   private:
    const WideSource& source_;
    std::uint64_t first_;
  };

  std::size_t collection_of(std::size_t column) const { return column / 2 % num_collections_; }

  std::uint32_t size_of_list(std::size_t column, std::uint64_t entry) const {
    return static_cast<std::uint32_t>(hash(1'000'000 + collection_of(column), entry) >> 62);
  }

  std::uint64_t num_entries_;
  std::size_t num_collections_;
  skimline::Schema schema_;
  std::vector<skimline::EntryRange> slices_;
};

int run(std::uint64_t num_entries, std::size_t num_columns, std::size_t num_collections,
        const std::string& path) {
  if (num_columns == 0 || num_collections == 0) throw skimline::ConfigError("no columns");
  WideSource source(num_entries, num_columns, num_collections);
  skimline::io::RNTupleSinkOptions options;
  options.path = path;
  skimline::io::RNTupleSink sink(source.schema(), options);
  skimline::PlanBuilder builder(source.schema());
  builder.write(skimline::kAllEntries, source.schema().names(), sink);
  skimline::run(std::move(builder).build(), source);
  sink.finish();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: wide_file ENTRIES COLUMNS COLLECTIONS OUTPUT\n";
    return 2;
  }
  try {
    return run(std::strtoull(arguments[1], nullptr, 10), std::strtoull(arguments[2], nullptr, 10),
               std::strtoull(arguments[3], nullptr, 10), arguments[4]);
  } catch (const skimline::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
