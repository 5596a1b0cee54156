// SPDX-License-Identifier: BSD-3-Clause
#include "random_columns.h"

#include <limits>

namespace skimline::testing {
namespace {

using Random = std::mt19937_64;

constexpr const char* kTypeNames[] = {"b",   "i8",  "u8",  "i16", "u16", "i32",
                                      "u32", "i64", "u64", "f",   "d",   "s"};

template <typename T>
T random_number(Random& random) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else if constexpr (std::is_integral_v<T>) {
    const T extremes[] = {Limits::min(), Limits::max(), static_cast<T>(Limits::max() - 1), T{0},
                          static_cast<T>(-1)};
    if (random() % 8 == 0) return extremes[random() % std::size(extremes)];
    if (random() % 8 == 0) return static_cast<T>(random());
    return static_cast<T>(static_cast<int>(random() % 12) - (std::is_signed_v<T> ? 4 : 0));
  } else {
    const T specials[] = {T{0},
                          -T{0},
                          T{1},
                          Limits::denorm_min(),
                          -Limits::min() / 3,
                          Limits::max(),
                          Limits::lowest(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          T{4294967296.},
                          static_cast<T>(1e-30)};
    if (random() % 5 == 0) return specials[random() % std::size(specials)];
    return std::normal_distribution<T>(0, random() % 2 == 0 ? T{3} : T{40})(random);
  }
}

std::string random_text(Random& random) {
  const char* texts[] = {
      "", "muon", "HLT_IsoMu24", "HLT_Mu50", "electron", "m", "a longer text than fits inside"};
  return texts[random() % std::size(texts)];
}

Value random_value(ScalarType scalar, Random& random) {
  if (scalar == ScalarType::kString) return flat_value(random_text(random));
  return visit_scalar(
      scalar, [&](auto tag) { return flat_value(random_number<typename decltype(tag)::type>(random)); });
}

std::size_t random_size(Random& random) {
  const std::size_t sizes[] = {0, 0, 1, 2, 2, 3, 4, 7};
  return sizes[random() % std::size(sizes)];
}

Value random_list(ScalarType scalar, std::size_t size, Random& random) {
  Value list{jagged(scalar), {}, {}};
  for (std::size_t i = 0; i < size; ++i) list.elements.push_back(random_value(scalar, random));
  return list;
}

// A list for each of the sizes, of as many lists, of sizes that `sizes` gives.
Value random_lists(Type type, const std::vector<std::size_t>& outer_sizes, Random& sizes, Random& random) {
  Value lists{type, {}, {}};
  for (const std::size_t size : outer_sizes) {
    Value inner{doubly_jagged(type.scalar), {}, {}};
    for (std::size_t i = 0; i < size; ++i)
      inner.elements.push_back(random_list(type.scalar, random_size(sizes), random));
    lists.elements.push_back(std::move(inner));
  }
  return lists;
}

ScalarType scalar_of(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kTypeNames); ++i)
    if (name == kTypeNames[i]) return static_cast<ScalarType>(i);
  throw InternalError("no type is called " + name);
}

template <typename T>
T content(const Value& value) {
  return std::get<T>(value.scalar);
}

template <typename T>
std::vector<T> contents(const Value& list) {
  std::vector<T> values;
  for (const Value& element : list.elements) values.push_back(content<T>(element));
  return values;
}

template <typename T>
std::vector<std::vector<T>> nested_contents(const Value& lists) {
  std::vector<std::vector<T>> values;
  for (const Value& list : lists.elements) values.push_back(contents<T>(list));
  return values;
}

template <typename T>
void add_to(MemorySource& source, const RandomColumn& column) {
  std::vector<T> values;
  std::vector<std::vector<T>> lists;
  std::vector<std::vector<std::vector<T>>> nested;
  std::vector<std::vector<std::vector<std::vector<T>>>> triple;
  for (const Value& value : column.values) {
    if (column.type.depth == 0) values.push_back(content<T>(value));
    if (column.type.depth == 1) lists.push_back(contents<T>(value));
    if (column.type.depth == 2) nested.push_back(nested_contents<T>(value));
    if (column.type.depth < 3) continue;
    triple.emplace_back();
    for (const Value& inner : value.elements) triple.back().push_back(nested_contents<T>(inner));
  }
  if constexpr (std::is_same_v<T, std::string>) {
    if (column.type.depth == 0)
      source.add_strings(column.name, values);
    else
      source.add_strings(column.name, lists);
  } else {
    if (column.type.depth == 0)
      source.add(column.name, values);
    else if (column.type.depth == 1)
      source.add(column.name, lists);
    else if (column.type.depth == 2)
      source.add(column.name, nested);
    else
      source.add(column.name, triple);
  }
}

// A source with one column more.
class FlaggedSource : public Source {
 public:
  FlaggedSource(MemorySource& source, const std::vector<bool>& flags)
      : source_(source), schema_(source.schema()), flags_(flags.begin(), flags.end()) {
    schema_.add({"ok_", flat(ScalarType::kBool), ""});
  }

  const Schema& schema() const override { return schema_; }
  std::uint64_t num_entries() const override { return source_.num_entries(); }
  const std::vector<EntryRange>& slices() const override { return source_.slices(); }
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override {
    return std::make_unique<Reader>(*this, slice);
  }
  std::uint64_t stored_bytes(std::size_t) const override { return 0; }
  ReadStatistics statistics() const override { return {}; }

 private:
  class Reader : public SliceReader {
   public:
    Reader(FlaggedSource& source, std::size_t slice)
        : source_(source), first_(source.slices()[slice].first), reader_(source.source_.open_slice(slice)) {}
    void load(std::span<const std::size_t>) override {}
    ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) override {
      if (column + 1 < source_.schema_.size()) return reader_->view(column, range, scratch);
      const std::uint8_t* flags = source_.flags_.data() + first_ + range.first;
      return {flat(ScalarType::kBool), range.count, flags, nullptr, false};
    }
    std::string_view file() const override { return {}; }

   private:
    FlaggedSource& source_;
    std::uint64_t first_;
    std::unique_ptr<SliceReader> reader_;
  };

  MemorySource& source_;
  Schema schema_;
  std::vector<std::uint8_t> flags_;
};

}  // namespace

// The columns of one entry by name.
class ColumnsEntry : public NaiveEntry {
 public:
  ColumnsEntry(const RandomColumns& columns, std::size_t number)
      : columns_(columns), number_(number), entry_(flat_value(static_cast<std::uint64_t>(number))) {}

  const Value* find(std::string_view name) const override {
    if (name == "entry_" || name == "rdfentry_") return &entry_;
    const auto found = columns_.by_name_.find(name);
    return found == columns_.by_name_.end() ? nullptr : &columns_.columns_[found->second].values[number_];
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const RandomColumn& column : columns_.columns_) names.push_back(column.name);
    return names;
  }

 private:
  const RandomColumns& columns_;
  std::size_t number_;
  Value entry_;
};

RandomColumns::RandomColumns(std::uint64_t seed, std::size_t num_entries) : num_entries_(num_entries) {
  Random random(seed);
  add_flat(random);
  add_lists(random);
  add_muons(random);
  add_nested_lists(random);
}

void RandomColumns::add(const std::string& name, Type type, std::vector<Value> values) {
  by_name_[name] = columns_.size();
  columns_.push_back({name, type, std::move(values)});
}

void RandomColumns::add_flat(Random& random) {
  for (std::size_t i = 0; i < std::size(kTypeNames); ++i) {
    const auto scalar = static_cast<ScalarType>(i);
    std::vector<Value> values;
    for (std::size_t entry = 0; entry < num_entries_; ++entry) values.push_back(random_value(scalar, random));
    add(kTypeNames[i], flat(scalar), std::move(values));
  }
  std::vector<Value> x, y, k;
  for (std::size_t entry = 0; entry < num_entries_; ++entry) {
    x.push_back(flat_value(std::normal_distribution<float>(0, 20)(random)));
    y.push_back(flat_value(std::normal_distribution<double>(0, 2)(random)));
    k.push_back(flat_value(static_cast<std::int32_t>(random() % 4)));
  }
  add("x", flat(ScalarType::kFloat), std::move(x));
  add("y", flat(ScalarType::kDouble), std::move(y));
  add("k", flat(ScalarType::kInt32), std::move(k));
}

std::vector<std::size_t> RandomColumns::add_sizes(const std::string& name, Random& random) {
  std::vector<std::size_t> sizes;
  std::vector<Value> values;
  for (std::size_t entry = 0; entry < num_entries_; ++entry) {
    sizes.push_back(random_size(random));
    values.push_back(flat_value(static_cast<std::uint32_t>(sizes.back())));
  }
  add(name, flat(ScalarType::kUInt32), std::move(values));
  return sizes;
}

void RandomColumns::add_lists(Random& random) {
  const auto add_list = [&](const std::string& prefix, const std::string& type, const auto& sizes) {
    std::vector<Value> values;
    for (const std::size_t size : sizes) values.push_back(random_list(scalar_of(type), size, random));
    add(prefix + "_" + type, jagged(scalar_of(type)), std::move(values));
  };
  const std::vector<std::size_t> sizes = add_sizes("n", random), other_sizes = add_sizes("m", random);
  for (const char* type : kTypeNames) add_list("a", type, sizes);
  for (const char* type : {"b", "i32", "u64", "f", "d"}) add_list("c", type, other_sizes);
}

void RandomColumns::add_muons(Random& random) {
  std::vector<Value> pt, eta, phi, mass, charge, tight;
  for (const Value& size : find("n").values) {
    Value floats{jagged(ScalarType::kFloat), {}, {}};
    Value lists[6] = {floats,
                      floats,
                      floats,
                      floats,
                      {jagged(ScalarType::kInt32), {}, {}},
                      {jagged(ScalarType::kBool), {}, {}}};
    for (std::uint32_t i = 0; i < std::get<std::uint32_t>(size.scalar); ++i) {
      lists[0].elements.push_back(flat_value(std::exponential_distribution<float>(1 / 30.f)(random)));
      lists[1].elements.push_back(flat_value(std::uniform_real_distribution<float>(-5, 5)(random)));
      lists[2].elements.push_back(flat_value(std::uniform_real_distribution<float>(-3.2f, 3.2f)(random)));
      lists[3].elements.push_back(flat_value(random() % 4 == 0 ? -0.01f : 0.105658f));
      lists[4].elements.push_back(flat_value(random() % 2 == 0 ? std::int32_t{1} : std::int32_t{-1}));
      lists[5].elements.push_back(flat_value(random() % 2 == 0));
    }
    std::vector<Value>* columns[] = {&pt, &eta, &phi, &mass, &charge, &tight};
    for (std::size_t i = 0; i < 6; ++i) columns[i]->push_back(std::move(lists[i]));
  }
  add("pt", jagged(ScalarType::kFloat), std::move(pt));
  add("eta", jagged(ScalarType::kFloat), std::move(eta));
  add("phi", jagged(ScalarType::kFloat), std::move(phi));
  add("mass", jagged(ScalarType::kFloat), std::move(mass));
  add("charge", jagged(ScalarType::kInt32), std::move(charge));
  add("tight", jagged(ScalarType::kBool), std::move(tight));
}

void RandomColumns::add_nested_lists(Random& random) {
  const std::vector<std::size_t> sizes = add_sizes("q", random);
  std::vector<std::vector<std::size_t>> inner_sizes;
  for (const std::size_t size : sizes) {
    inner_sizes.emplace_back();
    for (std::size_t i = 0; i < size; ++i) inner_sizes.back().push_back(random_size(random));
  }
  for (const char* type : {"b", "i32", "f"}) {
    std::vector<Value> values;
    for (const std::size_t size : sizes) values.push_back(random_list(scalar_of(type), size, random));
    add(std::string("g_") + type, jagged(scalar_of(type)), std::move(values));
  }
  for (const char* name : {"h_b", "h_i8", "h_i32", "h_u64", "h_f", "h_d", "o_f"}) {
    const ScalarType scalar = scalar_of(name + 2);
    std::vector<Value> values;
    for (const auto& inner : inner_sizes) {
      values.push_back({doubly_jagged(scalar), {}, {}});
      for (const std::size_t size : inner)
        values.back().elements.push_back(
            random_list(scalar, name[0] == 'o' ? random_size(random) : size, random));
    }
    add(name, doubly_jagged(scalar), std::move(values));
  }
  const std::uint64_t seed = random();
  for (const char* name : {"t_b", "t_i32", "t_f"}) {
    const Type type = triply_jagged(scalar_of(name + 2));
    std::vector<Value> values;
    Random same_sizes(seed);
    for (const auto& inner : inner_sizes) values.push_back(random_lists(type, inner, same_sizes, random));
    add(name, type, std::move(values));
  }
}

MemorySource& RandomColumns::source_without_flags(std::uint64_t slice_entries) const {
  std::unique_ptr<MemorySource>& source = sources_[slice_entries];
  if (source) return *source;
  source = std::make_unique<MemorySource>(slice_entries);
  for (const RandomColumn& column : columns_) {
    if (column.type.scalar == ScalarType::kString)
      add_to<std::string>(*source, column);
    else
      visit_scalar(column.type.scalar,
                   [&](auto tag) { add_to<typename decltype(tag)::type>(*source, column); });
  }
  return *source;
}

std::unique_ptr<Source> RandomColumns::source(std::uint64_t slice_entries,
                                              const std::vector<bool>& ok) const {
  return std::make_unique<FlaggedSource>(source_without_flags(slice_entries), ok);
}

std::unique_ptr<NaiveEntry> RandomColumns::entry(std::size_t number) const {
  return std::make_unique<ColumnsEntry>(*this, number);
}

}  // namespace skimline::testing
