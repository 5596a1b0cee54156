// SPDX-License-Identifier: BSD-3-Clause
// Given to ROOT's interpreter by root_types.py: the files of test_field_kinds.py that need more than a list
// of types.
#pragma once

#include "field_kinds.h"

#include <ROOT/RNTupleUtil.hxx>

namespace field_kinds {

using ROOT::ENTupleColumnType;
using ROOT::RFieldBase;
using Fields = std::vector<std::unique_ptr<RFieldBase>>;

inline std::unique_ptr<RFieldBase> make_field(const std::string& name, const std::string& type) {
  return RFieldBase::Create(name, type).Unwrap();
}

inline std::unique_ptr<RFieldBase> represented(const std::string& name, const std::string& type,
                                               const std::vector<std::vector<ENTupleColumnType>>& columns) {
  auto field = make_field(name, type);
  field->SetColumnRepresentatives(columns);
  return field;
}

/// Small whole numbers, which columns that are narrower than the field hold too.
template <class T>
void make_small(T& value, Random& random) {
  value = static_cast<T>(Below(random, 100));
}

template <class T>
void make_in_range(T& value, Random& random) {
  value = InRange::make(random);
}

/// Columns other than those ROOT chooses: each type of column that ROOT lets a field of this type have.
template <class T>
void add_represented(Table& table, const std::string& type, const std::vector<ENTupleColumnType>& columns) {
  for (const auto column : columns) {
    const auto name = type.substr(type.rfind(':') + 1) + "_" + std::to_string(static_cast<int>(column));
    table.add_filled<T>(represented(name, type, {{column}}), make_small<T>);
    auto item = represented("_0", type, {{column}});
    table.add_filled<std::vector<T>>(std::make_unique<ROOT::RVectorField>("v_" + name, std::move(item)),
                                     [](std::vector<T>& values, Random& random) {
                                       values.resize(Below(random, 4));
                                       for (auto& value : values) make_small<T>(value, random);
                                     });
  }
}

template <class T>
void add_reduced(Table& table, const std::string& type) {
  const auto add = [&](const std::string& name, const std::function<void(ROOT::RField<T>&)>& reduce) {
    auto field = std::make_unique<ROOT::RField<T>>(type + "_" + name);
    reduce(*field);
    table.add_filled<T>(std::move(field), make_in_range<T>);
    auto item = std::make_unique<ROOT::RField<T>>("_0");
    reduce(*item);
    table.add_filled<std::vector<T>>(
        std::make_unique<ROOT::RVectorField>("v_" + type + "_" + name, std::move(item)),
        [](std::vector<T>& values, Random& random) {
          values.resize(Below(random, 6));
          for (auto& value : values) make_in_range<T>(value, random);
        });
  };
  add("half", [](auto& field) { field.SetHalfPrecision(); });
  for (const int bits : {10, 12, 17, 24, 31}) {
    add("truncated" + std::to_string(bits), [bits](auto& field) { field.SetTruncated(bits); });
  }
  for (const int bits : {1, 7, 8, 20, 32}) {
    add("quantized" + std::to_string(bits),
        [bits](auto& field) { field.SetQuantized(bits, std::pair<T, T>(-100, 100)); });
  }
}

inline void write_representations(const std::string& path, const Layout& layout) {
  using C = ENTupleColumnType;
  Table table;
  add_represented<std::int16_t>(table, "std::int16_t", {C::kInt16, C::kSplitInt16});
  add_represented<std::uint16_t>(table, "std::uint16_t", {C::kUInt16, C::kSplitUInt16});
  add_represented<std::int32_t>(table, "std::int32_t", {C::kInt32, C::kSplitInt32});
  add_represented<std::uint32_t>(table, "std::uint32_t", {C::kUInt32, C::kSplitUInt32});
  add_represented<std::int64_t>(table, "std::int64_t", {C::kInt64, C::kSplitInt64});
  add_represented<std::uint64_t>(table, "std::uint64_t", {C::kUInt64, C::kSplitUInt64});
  add_represented<float>(table, "float", {C::kReal32, C::kSplitReal32, C::kReal16});
  add_represented<double>(table, "double",
                          {C::kReal64, C::kSplitReal64, C::kReal32, C::kSplitReal32, C::kReal16});
  add_reduced<float>(table, "float");
  add_reduced<double>(table, "double");
  for (const auto index : {C::kIndex32, C::kSplitIndex32, C::kIndex64, C::kSplitIndex64}) {
    const auto suffix = std::to_string(static_cast<int>(index));
    table.add_field<std::vector<float>>(represented("vector_" + suffix, "std::vector<float>", {{index}}));
    table.add_field<std::vector<bool>>(represented("bools_" + suffix, "std::vector<bool>", {{index}}));
    table.add_field<ROOT::RVec<double>>(represented("rvec_" + suffix, "ROOT::RVec<double>", {{index}}));
    table.add_field<std::string>(represented("string_" + suffix, "std::string", {{index, C::kChar}}));
    table.add_field<std::optional<int>>(represented("optional_" + suffix, "std::optional<int>", {{index}}));
    table.add_field<std::set<int>>(represented("set_" + suffix, "std::set<int>", {{index}}));
    table.add_field<std::map<std::string, int>>(
        represented("map_" + suffix, "std::map<std::string,int>", {{index}}));
  }
  table.open("Events", path, layout);
  table.write(layout.entries);
  table.close();
}

/// A record and a collection without a C++ type, as importers write them, what projects them, and
/// cardinalities.
inline void write_untyped(const std::string& path, const Layout& layout) {
  const auto hit_fields = [] {
    Fields fields;
    fields.push_back(make_field("energy", "float"));
    fields.push_back(make_field("channel", "std::int64_t"));
    fields.push_back(make_field("layer", "std::uint8_t"));
    return fields;
  };
  Table table;
  table.add_field<Hit>(std::make_unique<ROOT::RRecordField>("record", hit_fields()),
                       "a record without a type");
  table.add_field<std::vector<Hit>>(
      ROOT::RVectorField::CreateUntyped("hits", std::make_unique<ROOT::RRecordField>("_0", hit_fields())));
  table.add_field<std::vector<float>>(
      ROOT::RVectorField::CreateUntyped("numbers", make_field("_0", "float")));
  Fields nested;
  nested.push_back(std::make_unique<ROOT::RRecordField>("inner", hit_fields()));
  nested.push_back(make_field("text", "std::string"));
  struct Outer {
    Hit inner{};
    std::string text;
  };
  table.add_filled<Outer>(std::make_unique<ROOT::RRecordField>("nested", std::move(nested)),
                          [](Outer& value, Random& random) {
                            fill(value.inner, random);
                            fill(value.text, random);
                          });
  table.add<std::vector<Track>>("tracks", "std::vector<field_kinds::Track>");
  table.add<float>("met", "float");
  table.add<std::vector<std::vector<float>>>("vv", "std::vector<std::vector<float>>");
  table.add<std::string>("name", "std::string");
  table.project("missing_energy", "float", "met", "");
  table.project("hits_energy", "ROOT::RVec<float>", "hits", "hits._0.energy");
  table.project("hits_layer", "std::vector<std::uint8_t>", "hits", "hits._0.layer");
  table.project("tracks_pt", "std::vector<float>", "tracks", "tracks._0.pt");
  table.project("channel", "std::int64_t", "record.channel", "");
  table.project("title", "std::string", "name", "");
  table.project("n_hits", "ROOT::RNTupleCardinality<std::uint32_t>", "hits", "");
  table.project("n_vv", "ROOT::RNTupleCardinality<std::uint64_t>", "vv", "");
  table.open("Events", path, layout);
  table.write(layout.entries);
  table.close();
}

/// Objects that ROOT streams into bytes.
inline void write_streamed(const std::string& path, const Layout& layout) {
  Table table;
  table.add<int>("before", "int");
  table.add_field<TVector3>(std::make_unique<ROOT::RStreamerField>("vector", "TVector3"));
  table.add_field<TNamed>(std::make_unique<ROOT::RStreamerField>("named", "TNamed"));
  table.add<TObject>("object", "TObject");
  table.add<float>("after", "float");
  table.open("Events", path, layout);
  table.write(layout.entries);
  table.close();
}

/// Fields that appear after some entries: within a cluster, and a second time after it.
inline void write_extended(const std::string& path, const Layout& layout) {
  Table table;
  table.add<std::int64_t>("first", "std::int64_t");
  table.add<std::vector<float>>("first_vector", "std::vector<float>");
  table.open("Events", path, layout);
  const int third = layout.entries / 3;
  table.write(third);
  table.begin_extension();
  table.add<double>("scalar", "double", "added late");
  table.add<bool>("flag", "bool");
  table.add<std::vector<std::int32_t>>("vector", "std::vector<std::int32_t>");
  table.add<std::vector<std::vector<float>>>("nested", "std::vector<std::vector<float>>");
  table.add<std::string>("text", "std::string");
  table.add<std::vector<std::string>>("texts", "std::vector<std::string>");
  table.add<std::array<float, 3>>("array", "std::array<float,3>");
  table.add<std::array<std::string, 2>>("array_of_texts", "std::array<std::string,2>");
  table.add<std::bitset<5>>("bits", "std::bitset<5>");
  table.add<std::bitset<70>>("many_bits", "std::bitset<70>");
  table.add<std::variant<std::int32_t, std::string>>("either", "std::variant<std::int32_t,std::string>");
  table.add<std::optional<float>>("maybe", "std::optional<float>");
  table.end_extension();
  table.write(third);
  table.begin_extension();
  table.add<std::uint16_t>("later", "std::uint16_t");
  table.add<Derived>("object", "field_kinds::Derived");
  table.add<std::vector<Track>>("tracks", "std::vector<field_kinds::Track>");
  table.add<std::pair<float, std::vector<int>>>("pair", "std::pair<float,std::vector<int>>");
  table.project("later_again", "std::uint16_t", "later", "");
  table.project("n_tracks", "ROOT::RNTupleCardinality<std::uint32_t>", "tracks", "");
  table.end_extension();
  table.write(layout.entries - 2 * third);
  table.close();
}

/// The same values in every entry: pages with the same bytes, which ROOT stores once.
inline void write_same(const std::string& path, const Layout& layout) {
  Table table;
  const auto make = [](std::vector<float>& values, Random&) { values.assign(3, 1.5F); };
  table.add_filled<std::vector<float>>(make_field("one", "std::vector<float>"), make);
  table.add_filled<std::vector<float>>(make_field("other", "std::vector<float>"), make);
  table.add_filled<std::int32_t>(make_field("number", "std::int32_t"),
                                 [](std::int32_t& value, Random&) { value = 5; });
  table.add_filled<std::string>(make_field("empty", "std::string"),
                                [](std::string& value, Random&) { value.clear(); });
  table.add_filled<std::vector<std::string>>(make_field("none", "std::vector<std::string>"),
                                             [](std::vector<std::string>& value, Random&) { value.clear(); });
  table.open("Events", path, layout);
  table.write(layout.entries);
  table.close();
}

/// A field whose column has another type in every other cluster.
inline void write_changing(const std::string& path, const Layout& layout) {
  using C = ENTupleColumnType;
  auto model = ROOT::RNTupleModel::Create();
  model->AddField(represented("real", "float", {{C::kReal32}, {C::kReal16}, {C::kSplitReal32}}));
  model->AddField(represented("number", "std::int32_t", {{C::kSplitInt32}, {C::kInt32}}));
  model->AddField(
      represented("text", "std::string", {{C::kIndex32, C::kChar}, {C::kSplitIndex64, C::kChar}}));
  auto item = represented("_0", "double", {{C::kReal64}, {C::kSplitReal32}});
  model->AddField(std::make_unique<ROOT::RVectorField>("list", std::move(item)));
  auto real = model->GetDefaultEntry().GetPtr<float>("real");
  auto number = model->GetDefaultEntry().GetPtr<std::int32_t>("number");
  auto text = model->GetDefaultEntry().GetPtr<std::string>("text");
  auto list = model->GetDefaultEntry().GetPtr<std::vector<double>>("list");
  ROOT::RNTupleWriteOptions options;
  options.SetCompression(layout.compression);
  options.SetInitialUnzippedPageSize(64);
  options.SetMaxUnzippedPageSize(layout.page_bytes);
  auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path, options);
  for (int entry = 0; entry < layout.entries; ++entry) {
    Random random(entry < layout.changed_from ? entry : entry + 1'000'000);
    *real = InRange::make(random);
    fill(*number, random);
    fill(*text, random);
    list->assign(Below(random, 3), InRange::make(random));
    writer->Fill();
    if ((entry + 1) % layout.cluster_entries != 0) continue;
    writer->CommitCluster();
    const int cluster = (entry + 1) / layout.cluster_entries;
    const auto set = [&](const std::string& name, int count) {
      auto& field = const_cast<RFieldBase&>(writer->GetModel().GetConstField(name));
      ROOT::Internal::RFieldRepresentationModifier::SetPrimaryColumnRepresentation(field, cluster % count);
    };
    set("real", 3);
    set("number", 2);
    set("text", 2);
    set("list._0", 2);
  }
}

}  // namespace field_kinds
