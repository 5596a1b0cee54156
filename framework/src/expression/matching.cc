// SPDX-License-Identifier: BSD-3-Clause
// Which elements of two lists lie close to each other, and which two of one list belong together.
#include "expression/angles.h"
#include "expression/function_registry.h"
#include "expression/list_elements.h"
#include "expression/list_layout.h"
#include "expression/lorentz_vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace skimline {
namespace {

// Where the elements of a list point to.
template <typename T>
class Directions {
 public:
  Directions(const ColumnView& eta, const ColumnView& phi)
      : offsets_(eta.offsets), eta_(eta.data<T>()), phi_(phi.data<T>()) {
    for (std::size_t entry = 0; entry < eta.length; ++entry)
      if (size_at(eta, entry) != size_at(phi, entry))
        throw EntryFault{entry, "lists of different sizes, " + std::to_string(size_at(eta, entry)) + " and " +
                                    std::to_string(size_at(phi, entry)) + ","};
  }
  explicit Directions(const ColumnView& vectors) : offsets_(vectors.offsets) {
    const auto* all = vectors.data<LorentzVector>();
    for (std::size_t i = 0; i < vectors.num_values(); ++i) {
      own_eta_.push_back(pseudorapidity(all[i]));
      own_phi_.push_back(azimuth(all[i]));
    }
    eta_ = own_eta_.data();
    phi_ = own_phi_.data();
  }
  Directions(const Directions&) = delete;
  Directions& operator=(const Directions&) = delete;

  const std::uint32_t* offsets() const { return offsets_; }
  std::uint32_t first(std::size_t entry) const { return offsets_[entry]; }
  std::uint32_t last(std::size_t entry) const { return offsets_[entry + 1]; }
  T distance(std::uint32_t i, const Directions& other, std::uint32_t j) const {
    return skimline::delta_r(eta_[i], other.eta_[j], phi_[i], other.phi_[j]);
  }

 private:
  const std::uint32_t* offsets_;
  std::vector<T> own_eta_, own_phi_;
  const T* eta_;
  const T* phi_;
};

constexpr std::int64_t kNoPartner = -1;

// For each element the distance to the nearest of the other list, and the index of that.
template <typename T>
struct NearestElements {
  T* distances = nullptr;
  std::int64_t* indexes = nullptr;

  void find(std::size_t entry, const Directions<T>& from, const Directions<T>& to, T largest) const {
    for (std::uint32_t i = from.first(entry); i < from.last(entry); ++i) {
      T least = std::numeric_limits<T>::infinity();
      std::int64_t index = kNoPartner;
      for (std::uint32_t j = to.first(entry); j < to.last(entry); ++j) {
        const T distance = from.distance(i, to, j);
        if (!(distance < least)) continue;
        least = distance;
        if (distance <= largest) index = j - to.first(entry);
      }
      if (distances) distances[i] = least;
      if (indexes) indexes[i] = index;
    }
  }
};

// Pairs of elements, one of each list and none twice, from the nearest to the farthest.
template <typename T>
class OneToOne {
 public:
  explicit OneToOne(std::int64_t* indexes) : indexes_(indexes) {}

  void find(std::size_t entry, const Directions<T>& from, const Directions<T>& to, T largest) {
    pairs_.clear();
    taken_.assign(to.last(entry) - to.first(entry), false);
    for (std::uint32_t i = from.first(entry); i < from.last(entry); ++i) {
      indexes_[i] = kNoPartner;
      for (std::uint32_t j = to.first(entry); j < to.last(entry); ++j)
        if (const T distance = from.distance(i, to, j); distance <= largest && std::isfinite(distance))
          pairs_.push_back({distance, i, j - to.first(entry)});
    }
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
    for (const Candidate& pair : pairs_) {
      if (indexes_[pair.from] != kNoPartner || taken_[pair.to]) continue;
      indexes_[pair.from] = pair.to;
      taken_[pair.to] = true;
    }
  }

 private:
  struct Candidate {
    T distance;
    std::uint32_t from, to;
  };

  std::int64_t* indexes_;
  std::vector<Candidate> pairs_;
  std::vector<bool> taken_;
};

// Calls `find` for each entry, with the largest distance that the call allows.
template <typename T, typename Find>
void for_each_entry(const KernelCall& call, const Directions<T>& from, const Directions<T>& to,
                    std::size_t num_lists, Find find) {
  if (call.inputs.size() == num_lists) {
    for (std::size_t entry = 0; entry < call.length; ++entry)
      find(entry, from, to, std::numeric_limits<T>::infinity());
    return;
  }
  const FlatValues<T> largest(call.inputs[num_lists]);
  for (std::size_t entry = 0; entry < call.length; ++entry) find(entry, from, to, largest[entry]);
}

struct DistanceResult {
  template <typename T>
  static ColumnView of(const KernelCall& call, const Directions<T>& from, const Directions<T>& to,
                       std::size_t num_lists) {
    NearestElements<T> nearest;
    nearest.distances = call.results.values.reserve<T>(from.offsets()[call.length]);
    for_each_entry(call, from, to, num_lists, [&](auto&&... each) { nearest.find(each...); });
    return list_result(call, nearest.distances, from.offsets());
  }
};

struct NearestResult {
  template <typename T>
  static ColumnView of(const KernelCall& call, const Directions<T>& from, const Directions<T>& to,
                       std::size_t num_lists) {
    NearestElements<T> nearest;
    nearest.indexes = call.results.values.reserve<std::int64_t>(from.offsets()[call.length]);
    for_each_entry(call, from, to, num_lists, [&](auto&&... each) { nearest.find(each...); });
    return list_result(call, nearest.indexes, from.offsets());
  }
};

struct MatchResult {
  template <typename T>
  static ColumnView of(const KernelCall& call, const Directions<T>& from, const Directions<T>& to,
                       std::size_t num_lists) {
    auto* indexes = call.results.values.reserve<std::int64_t>(from.offsets()[call.length]);
    OneToOne<T> matching(indexes);
    for_each_entry(call, from, to, num_lists, [&](auto&&... each) { matching.find(each...); });
    return list_result(call, indexes, from.offsets());
  }
};

template <typename Result, typename T>
ColumnView of_directions(const KernelCall& call) {
  const Directions<T> from(call.inputs[0], call.inputs[2]), to(call.inputs[1], call.inputs[3]);
  return Result::of(call, from, to, 4);
}

template <typename Result>
ColumnView of_vectors(const KernelCall& call) {
  const Directions<double> from(call.inputs[0]), to(call.inputs[1]);
  return Result::of(call, from, to, 2);
}

bool are_flat_lists(Arguments arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const Argument& each) { return each.type.depth == 1; });
}

// Behind the lists there may be a number.
bool are_lists_and_number(Arguments arguments, std::size_t num_lists, bool may_have_number) {
  const std::size_t size = arguments.size();
  if (size != num_lists && !(may_have_number && size == num_lists + 1)) return false;
  if (!are_flat_lists(arguments.first(num_lists))) return false;
  return size == num_lists || (arguments.back().type.depth == 0 && is_number(arguments.back().type.scalar));
}

// What is found of two lists of vectors, or of eta1, eta2, phi1, phi2; within a distance if that is given.
template <typename Result, bool kHasNumber>
std::optional<Operation> choose_pairs(Arguments arguments) {
  const bool of_vector_lists =
      are_lists_and_number(arguments, 2, kHasNumber) && are_vectors(arguments.first(2), 2);
  const bool of_numbers = are_lists_and_number(arguments, 4, kHasNumber) && are_numbers(arguments);
  if (!of_vector_lists && !of_numbers) return std::nullopt;
  const ScalarType real = of_numbers ? common_real(arguments.first(4)) : ScalarType::kDouble;
  std::vector<ScalarType> operands(arguments.size(), real);
  if (of_vector_lists) std::fill_n(operands.begin(), 2, ScalarType::kLorentzVector);
  const bool is_float = real == ScalarType::kFloat;
  const ColumnKernel kernel = of_vector_lists ? of_vectors<Result>
                              : is_float      ? of_directions<Result, float>
                                              : of_directions<Result, double>;
  const bool gives_distances = std::is_same_v<Result, DistanceResult>;
  Operation operation =
      kernel_operation(kernel, std::move(operands), jagged(gives_distances ? real : ScalarType::kInt64));
  operation.can_fail = true;  // the lists of one side may differ in size
  operation.list_sizes = ListSizes::kFree;
  return operation;
}

// Inputs of best_pairs(): vectors, charges, flavours if there are four, and the mass.
struct PairInputs {
  explicit PairInputs(std::span<const ColumnView> inputs)
      : vectors(inputs[0].data<LorentzVector>()),
        charges(inputs[1].data<std::int64_t>()),
        flavours(inputs.size() == 4 ? inputs[2].data<std::int64_t>() : nullptr) {}

  bool may_pair(std::uint32_t i, std::uint32_t j) const {
    const bool are_opposite = (charges[i] < 0 && charges[j] > 0) || (charges[i] > 0 && charges[j] < 0);
    return are_opposite &&
           (!flavours || flavours[i] == flavours[j] ||
            static_cast<std::uint64_t>(flavours[i]) + static_cast<std::uint64_t>(flavours[j]) == 0);
  }

  const LorentzVector* vectors;
  const std::int64_t* charges;
  const std::int64_t* flavours;
};

// The indexes of the pair whose mass is nearest, or none.
ColumnView best_pairs(const KernelCall& call) {
  const std::uint32_t* offsets = call.inputs[0].offsets;
  const PairInputs of(call.inputs);
  const FlatValues<double> masses(call.inputs.back());
  ListLayout layout(call.results.offsets, call.length);
  auto* const result = call.results.values.reserve<std::uint64_t>(2 * call.length);
  std::uint64_t* out = result;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t first = offsets[entry], last = offsets[entry + 1];
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = first; i < last; ++i)
      for (std::uint32_t j = i + 1; j < last; ++j) {
        if (!of.may_pair(i, j)) continue;
        const double away =
            std::fabs(invariant_mass(vector_sum(of.vectors[i], of.vectors[j])) - masses[entry]);
        if (!(away < least)) continue;
        least = away;
        out[0] = i - first;
        out[1] = j - first;
      }
    const bool has_pair = least < std::numeric_limits<double>::infinity();
    layout.add(entry, has_pair ? 2 : 0);
    if (has_pair) out += 2;
  }
  return list_result(call, result, layout.offsets());
}

std::optional<Operation> choose_best_pair(Arguments arguments) {
  const std::size_t size = arguments.size();
  if ((size != 3 && size != 4) || !are_lists_and_number(arguments, size - 1, true)) return std::nullopt;
  if (!are_vectors(arguments.first(1), 1)) return std::nullopt;
  std::vector<ScalarType> operands(size, ScalarType::kInt64);
  operands.front() = ScalarType::kLorentzVector;
  operands.back() = ScalarType::kDouble;
  for (const Argument& each : arguments.subspan(1, size - 2))
    if (!is_integer(each.type.scalar)) return std::nullopt;
  Operation operation = kernel_operation(best_pairs, std::move(operands), jagged(ScalarType::kUInt64));
  operation.can_fail = true;  // the lists may differ in size
  return operation;
}

}  // namespace

std::span<const Function> matching_functions() {
  static constexpr Function kFunctions[] = {
      {"MinDeltaR", "MinDeltaR(eta1 list, eta2 list, phi1 list, phi2 list)",
       choose_pairs<DistanceResult, false>},
      {"Nearest", "Nearest(eta1 list, eta2 list, phi1 list, phi2 list, distance)",
       choose_pairs<NearestResult, true>},
      {"Match", "Match(eta1 list, eta2 list, phi1 list, phi2 list, distance)",
       choose_pairs<MatchResult, true>},
      {"BestPair", "BestPair(list of vectors, charges, flavours, mass)", choose_best_pair},
  };
  return kFunctions;
}

}  // namespace skimline
