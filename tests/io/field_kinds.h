// SPDX-License-Identifier: BSD-3-Clause
// Given to ROOT's interpreter by root_types.py: writes RNTuples of any field types with values that are made
// up.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <ROOT/RField.hxx>
#include <ROOT/RNTupleModel.hxx>
#include <ROOT/RNTupleWriteOptions.hxx>
#include <ROOT/RNTupleWriter.hxx>
#include <ROOT/RVec.hxx>
#include <TNamed.h>
#include <TVector3.h>

namespace field_kinds {

enum Colour { kRed, kGreen = 7, kBlue = -3 };
enum class Flavour : std::uint8_t { kUp = 1, kDown = 2, kTop = 255 };

struct Empty {};

struct Point {
  float x = 0;
  double y = 0;
  std::int16_t number = 0;
};

struct Base {
  std::int32_t base_number = 0;
  std::vector<float> base_values;
};

struct Middle : Base {
  std::string middle_name;
};

struct Second {
  bool flag = false;
};

struct Derived : Middle, Second {
  std::array<Point, 2> points;
  Colour colour = kRed;
  Flavour flavour = Flavour::kUp;
  float not_stored = 0;  //!
};

struct Track {
  float pt = 0;
  std::vector<std::int32_t> hits;
  std::vector<std::vector<double>> covariances;
  std::string name;
};

struct Event {
  Point vertex;
  std::vector<Track> tracks;
  std::pair<float, std::string> label;
};

/// An element of an untyped collection: ROOT lays such a record out as a C++ compiler does this struct.
struct Hit {
  float energy;
  std::int64_t channel;
  std::uint8_t layer;
};

using Random = std::mt19937_64;

inline std::size_t Below(Random& random, std::size_t end) { return random() % end; }

template <class T, class = void>
struct Fill;

template <class T>
void fill(T& value, Random& random) {
  Fill<T>::apply(value, random);
}

/// Bit patterns of all kinds: small numbers, extreme ones, and for reals not-a-number with a payload and
/// denormals.
template <class T>
struct Fill<T, std::enable_if_t<std::is_integral_v<T>>> {
  static void apply(T& value, Random& random) {
    const auto bits = random();
    switch (Below(random, 8)) {
      case 0:
        value = std::numeric_limits<T>::max();
        return;
      case 1:
        value = std::numeric_limits<T>::lowest();
        return;
      case 2:
        value = static_cast<T>(bits % 3);
        return;
      default:
        value = static_cast<T>(bits);
    }
  }
};

template <>
struct Fill<bool> {
  static void apply(bool& value, Random& random) { value = Below(random, 2) == 1; }
};

/// A letter, so that uproot can decode it.
template <>
struct Fill<char> {
  static void apply(char& value, Random& random) { value = static_cast<char>('A' + Below(random, 26)); }
};

template <>
struct Fill<std::byte> {
  static void apply(std::byte& value, Random& random) { value = static_cast<std::byte>(Below(random, 256)); }
};

template <class T>
struct Fill<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static void apply(T& value, Random& random) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    switch (Below(random, 8)) {
      case 0: {  // any pattern at all
        const auto bits = static_cast<Bits>(random());
        std::memcpy(&value, &bits, sizeof(T));
        return;
      }
      case 1:
        value = Below(random, 2) == 0 ? -T(0) : -std::numeric_limits<T>::infinity();
        return;
      case 2:
        value = std::numeric_limits<T>::quiet_NaN();
        return;
      default:
        value = static_cast<T>(std::normal_distribution<double>(0, 40)(random));
    }
  }
};

/// Reals within +-100, for columns of a range.
struct InRange {
  static float make(Random& random) { return std::uniform_real_distribution<float>(-100, 100)(random); }
};

template <>
struct Fill<Colour> {
  static void apply(Colour& value, Random& random) {
    value = std::array{kRed, kGreen, kBlue}[Below(random, 3)];
  }
};

template <>
struct Fill<Flavour> {
  static void apply(Flavour& value, Random& random) {
    value = std::array{Flavour::kUp, Flavour::kDown, Flavour::kTop}[Below(random, 3)];
  }
};

template <>
struct Fill<std::string> {
  static void apply(std::string& value, Random& random) {
    static const std::array<std::string, 5> words{"", "a", "muon", "\xc3\xa9v\xc3\xa9nement",
                                                  std::string(40, 'z')};
    value = words[Below(random, words.size())];
  }
};

/// Collections that elements are appended to.
template <class T>
void append_some(T& values, Random& random) {
  values.clear();
  for (auto left = Below(random, 4); left > 0; --left) {
    typename T::value_type value{};
    fill(value, random);
    values.push_back(std::move(value));
  }
}

template <class T>
struct Fill<std::vector<T>> {
  static void apply(std::vector<T>& values, Random& random) { append_some(values, random); }
};

template <class T>
struct Fill<ROOT::VecOps::RVec<T>> {
  static void apply(ROOT::VecOps::RVec<T>& values, Random& random) { append_some(values, random); }
};

template <class T, std::size_t N>
struct Fill<std::array<T, N>> {
  static void apply(std::array<T, N>& values, Random& random) {
    for (auto& value : values) fill(value, random);
  }
};

template <class T, class U>
struct Fill<std::pair<T, U>> {
  static void apply(std::pair<T, U>& value, Random& random) {
    fill(value.first, random);
    fill(value.second, random);
  }
};

template <class... T>
struct Fill<std::tuple<T...>> {
  static void apply(std::tuple<T...>& value, Random& random) {
    std::apply([&](auto&... element) { (fill(element, random), ...); }, value);
  }
};

/// Converts to anything by throwing, which leaves a variant without a value.
struct Thrower {
  template <class T>
  operator T() const {
    throw 1;
  }
};

template <class... T>
struct Fill<std::variant<T...>> {
  static void apply(std::variant<T...>& value, Random& random) {
    set(value, Below(random, sizeof...(T)), random, std::index_sequence_for<T...>());
    if (Below(random, 9) == 0) lose(value);
  }
  template <std::size_t... I>
  static void set(std::variant<T...>& value, std::size_t alternative, Random& random,
                  std::index_sequence<I...>) {
    ((I == alternative ? fill(value.template emplace<I>(), random) : void()), ...);
  }
  static void lose(std::variant<T...>& value) {
    using First = std::variant_alternative_t<0, std::variant<T...>>;
    if constexpr (std::is_arithmetic_v<First>) {
      try {
        value.template emplace<0>(Thrower());
      } catch (int) {
      }
    }
  }
};

template <class T>
struct Fill<std::optional<T>> {
  static void apply(std::optional<T>& value, Random& random) {
    value.reset();
    if (Below(random, 3) > 0) fill(value.emplace(), random);
  }
};

template <class T>
struct Fill<std::unique_ptr<T>> {
  static void apply(std::unique_ptr<T>& value, Random& random) {
    value.reset();
    if (Below(random, 3) == 0) return;
    value = std::make_unique<T>();
    fill(*value, random);
  }
};

template <class T>
struct Fill<std::atomic<T>> {
  static void apply(std::atomic<T>& value, Random& random) {
    T plain{};
    fill(plain, random);
    value = plain;
  }
};

template <std::size_t N>
struct Fill<std::bitset<N>> {
  static void apply(std::bitset<N>& value, Random& random) {
    for (std::size_t bit = 0; bit < N; ++bit) value[bit] = Below(random, 2) == 1;
  }
};

template <class T, class Key>
void insert_some(T& values, Random& random) {
  values.clear();
  for (auto left = Below(random, 4); left > 0; --left) {
    Key value{};
    fill(value, random);
    values.insert(std::move(value));
  }
}

template <class T>
struct Fill<T, std::void_t<typename T::key_type, typename T::mapped_type>> {
  static void apply(T& values, Random& random) {
    insert_some<T, std::pair<typename T::key_type, typename T::mapped_type>>(values, random);
  }
};

template <class T>
struct Fill<T, std::enable_if_t<std::is_same_v<typename T::key_type, typename T::value_type>>> {
  static void apply(T& values, Random& random) { insert_some<T, typename T::key_type>(values, random); }
};

template <>
struct Fill<Empty> {
  static void apply(Empty&, Random&) {}
};

template <>
struct Fill<Point> {
  static void apply(Point& value, Random& random) {
    fill(value.x, random);
    fill(value.y, random);
    fill(value.number, random);
  }
};

template <>
struct Fill<Base> {
  static void apply(Base& value, Random& random) {
    fill(value.base_number, random);
    fill(value.base_values, random);
  }
};

template <>
struct Fill<Middle> {
  static void apply(Middle& value, Random& random) {
    fill<Base>(value, random);
    fill(value.middle_name, random);
  }
};

template <>
struct Fill<Derived> {
  static void apply(Derived& value, Random& random) {
    fill<Middle>(value, random);
    fill(value.flag, random);
    fill(value.points, random);
    fill(value.colour, random);
    fill(value.flavour, random);
  }
};

template <>
struct Fill<Track> {
  static void apply(Track& value, Random& random) {
    fill(value.pt, random);
    fill(value.hits, random);
    fill(value.covariances, random);
    fill(value.name, random);
  }
};

template <>
struct Fill<Event> {
  static void apply(Event& value, Random& random) {
    fill(value.vertex, random);
    fill(value.tracks, random);
    fill(value.label, random);
  }
};

template <>
struct Fill<Hit> {
  static void apply(Hit& value, Random& random) {
    fill(value.energy, random);
    fill(value.channel, random);
    fill(value.layer, random);
  }
};

template <>
struct Fill<TVector3> {
  static void apply(TVector3& value, Random& random) {
    value.SetXYZ(InRange::make(random), InRange::make(random), InRange::make(random));
  }
};

template <>
struct Fill<TObject> {
  static void apply(TObject& value, Random& random) {
    value.SetUniqueID(static_cast<UInt_t>(Below(random, 1000)));
    value.SetBit(1U << 14, Below(random, 2) == 1);
  }
};

template <>
struct Fill<TNamed> {
  static void apply(TNamed& value, Random& random) {
    std::string text;
    fill(text, random);
    value.SetNameTitle(text.c_str(), "a title");
  }
};

/// How an RNTuple is cut into pages, clusters and cluster groups.
struct Layout {
  int entries = 300;
  int compression = 505;
  int cluster_entries = 120;   ///< a cluster after so many entries
  int group_clusters = 0;      ///< a cluster group after so many clusters; 0: one group
  int page_bytes = 256;        ///< no page is larger, uncompressed
  int changed_from = 1 << 30;  ///< entries from here on have other values
};

/// Writes one RNTuple. Fields are declared first, each with its value and what fills it.
class Table {
 public:
  Table() : model_(ROOT::RNTupleModel::Create()) {}

  /// A field of C++ type T whose RNTuple type is given by name.
  template <class T>
  void add(const std::string& name, const std::string& type, const std::string& description = "") {
    add_field<T>(ROOT::RFieldBase::Create(name, type).Unwrap(), description);
  }

  template <class T>
  void add_field(std::unique_ptr<ROOT::RFieldBase> field, const std::string& description = "") {
    add_filled<T>(std::move(field), fill<T>, description);
  }

  template <class T>
  void add_filled(std::unique_ptr<ROOT::RFieldBase> field, void (*make)(T&, Random&),
                  const std::string& description = "") {
    // A pointer to a function with another kind of pointer: much cheaper to compile than std::function of
    // each type.
    fill_.push_back({std::shared_ptr<void>(new T(), [](void* value) { delete static_cast<T*>(value); }),
                     reinterpret_cast<Make>(make), field->GetFieldName()});
    add_to_model(std::move(field), description);
  }

  /// A field that shows (a member of) another; `source` names the source of the field and of its sub-fields
  /// `_0`.
  void project(const std::string& name, const std::string& type, const std::string& source,
               const std::string& item) {
    auto field = ROOT::RFieldBase::Create(name, type).Unwrap();
    auto mapping = [source, item](const std::string& wanted) {
      return wanted.size() > 3 && wanted.substr(wanted.size() - 3) == "._0" ? item : source;
    };
    if (updater_) {
      updater_->AddProjectedField(std::move(field), mapping).ThrowOnError();
    } else {
      model_->AddProjectedField(std::move(field), mapping).ThrowOnError();
    }
  }

  ROOT::RNTupleModel& model() { return *model_; }

  void open(const std::string& ntuple, const std::string& path, const Layout& layout) {
    ROOT::RNTupleWriteOptions options;
    options.SetCompression(layout.compression);
    options.SetMaxUnzippedPageSize(layout.page_bytes);
    options.SetInitialUnzippedPageSize(std::min(layout.page_bytes, 64));
    layout_ = layout;
    model_->SetDescription("kinds of fields");
    writer_ = ROOT::RNTupleWriter::Recreate(std::move(model_), ntuple, path, options);
    bind();
  }

  void begin_extension() {
    updater_ = writer_->CreateModelUpdater();
    updater_->BeginUpdate();
  }

  void end_extension() {
    updater_->CommitUpdate();
    updater_.reset();
    bind();
  }

  void write(int entries) {
    for (int entry = 0; entry < entries; ++entry) {
      Random random(written_ < layout_.changed_from ? written_ : written_ + 1'000'000);
      for (auto& each : fill_) each.make(each.value.get(), random);
      writer_->Fill();
      if (++written_ % layout_.cluster_entries != 0) continue;
      ++clusters_;
      writer_->CommitCluster(layout_.group_clusters > 0 && clusters_ % layout_.group_clusters == 0);
    }
  }

  void close() { writer_.reset(); }

 private:
  using Make = void (*)(void*, Random&);
  struct Value {
    std::shared_ptr<void> value;
    Make make;
    std::string field;
  };

  void add_to_model(std::unique_ptr<ROOT::RFieldBase> field, const std::string& description) {
    field->SetDescription(description);
    if (updater_) {
      updater_->AddField(std::move(field));
    } else {
      model_->AddField(std::move(field));
    }
  }

  void bind() {
    auto& entry = const_cast<ROOT::REntry&>(writer_->GetModel().GetDefaultEntry());
    for (auto& each : fill_) entry.BindValue<void>(each.field, each.value);
  }

  std::vector<Value> fill_;
  std::unique_ptr<ROOT::RNTupleModel> model_;
  std::unique_ptr<ROOT::RNTupleWriter> writer_;
  std::unique_ptr<ROOT::RNTupleModel::RUpdater> updater_;
  Layout layout_;
  int written_ = 0;
  int clusters_ = 0;
};

}  // namespace field_kinds
