// SPDX-License-Identifier: BSD-3-Clause
// Names the columns of a model whose objects are collections of lists.
#pragma once

#include "synthetic_model.h"

#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace skimline::generate {

/// The scalar of a column with values of this C++ type; bytes are flags unless said otherwise.
template <typename T>
constexpr ScalarType scalar_of() {
  if constexpr (std::is_same_v<T, float>) return ScalarType::kFloat;
  if constexpr (std::is_same_v<T, std::int32_t>) return ScalarType::kInt32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ScalarType::kUInt32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ScalarType::kUInt64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ScalarType::kBool;
}

/// Names values of events: `member` of the part `part` of a model's block.
template <typename Model, typename Part, typename T>
SyntheticColumn flat_column(std::string name, Model EventBlock::*model, Part Model::*part,
                            std::vector<T> Part::*member, std::string meaning,
                            ScalarType scalar = scalar_of<T>()) {
  return {{std::move(name), flat(scalar), std::move(meaning)},
          [=](const EventBlock& block) { return flat_view(scalar, block.*model.*part.*member); }};
}

/// Adds the counter of a collection and its lists, whose names begin with that of the collection.
template <typename Model, typename Collection>
class CollectionColumns {
 public:
  CollectionColumns(std::string name, Model EventBlock::*model, Collection Model::*part,
                    std::vector<SyntheticColumn>& columns)
      : name_(std::move(name)), model_(model), part_(part), columns_(columns) {}

  void add_counter(const std::string& meaning) {
    columns_.push_back({{"n" + name_, flat(ScalarType::kUInt32), meaning},
                        [model = model_, part = part_](const EventBlock& block) {
                          return flat_view(ScalarType::kUInt32, (block.*model.*part).counts);
                        }});
  }

  template <typename T, typename Base>
  void add(const std::string& suffix, std::vector<T> Base::*member, const std::string& meaning,
           ScalarType scalar = scalar_of<T>()) {
    add_list(suffix, scalar, meaning,
             [model = model_, part = part_, member, scalar](const EventBlock& block) {
               const Collection& collection = block.*model.*part;
               return list_view(scalar, collection.offsets, collection.*member);
             });
  }

  /// Adds the list `index` of several.
  template <typename T, std::size_t kSize, typename Base>
  void add_one_of(const std::string& suffix, std::array<std::vector<T>, kSize> Base::*member,
                  std::size_t index, const std::string& meaning) {
    const auto view = [model = model_, part = part_, member, index](const EventBlock& block) {
      const Collection& collection = block.*model.*part;
      return list_view(scalar_of<T>(), collection.offsets, (collection.*member)[index]);
    };
    add_list(suffix, scalar_of<T>(), meaning, view);
  }

  void add_kinematics() {
    add("pt", &KinematicColumns::pt, "transverse momentum [GeV]");
    add("eta", &KinematicColumns::eta, "pseudorapidity");
    add("phi", &KinematicColumns::phi, "azimuth [rad]");
    add("mass", &KinematicColumns::mass, "mass [GeV]; negative if its square is");
  }

  void add_charge() { add("charge", &ParticleColumns::charge, "charge [e]"); }

 private:
  void add_list(const std::string& suffix, ScalarType scalar, const std::string& meaning,
                std::function<ColumnView(const EventBlock&)> view) {
    const std::string name = suffix.empty() ? name_ : name_ + "_" + suffix;
    columns_.push_back({{name, jagged(scalar), meaning}, std::move(view)});
  }

  std::string name_;
  Model EventBlock::*model_;
  Collection Model::*part_;
  std::vector<SyntheticColumn>& columns_;
};

}  // namespace skimline::generate
