// SPDX-License-Identifier: BSD-3-Clause
// Frames, shapes of events, and what belongs together in them, for one entry.
#include "expression/stransverse_mass.h"
#include "naive_functions.h"
#include "naive_operators.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace skimline::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const LorentzVector& vector_of(const Value& value) {
  const auto* v = std::get_if<LorentzVector>(&value.scalar);
  if (!v) throw NaiveRefusal("not a Lorentz vector");
  return *v;
}

const Value& list_of(const NaiveCall& call, std::size_t index) {
  const Value& list = call.arguments.at(index);
  if (!list.is_list()) throw NaiveRefusal("not a list");
  return list;
}

LorentzVector boosted_by(const LorentzVector& v, double x, double y, double z) {
  const double b2 = x * x + y * y + z * z;
  if (!(b2 < 1)) return {kNaN, kNaN, kNaN, kNaN};
  const double gamma = 1 / std::sqrt(1 - b2), bp = x * v.x + y * v.y + z * v.z;
  const double rest = b2 > 0 ? (gamma - 1) / b2 : 0;
  const auto along = [&](double p, double b) { return p + rest * bp * b + gamma * b * v.energy; };
  return {along(v.x, x), along(v.y, y), along(v.z, z), gamma * (v.energy + bp)};
}

Value boost(NaiveCall& call) {
  call.expect(4);
  return flat_value(boosted_by(vector_of(call.arguments[0]), double_argument(call, 1),
                               double_argument(call, 2), double_argument(call, 3)));
}

Value boost_to_rest_frame(NaiveCall& call) {
  call.expect(2);
  const LorentzVector& of = vector_of(call.arguments[1]);
  return flat_value(
      boosted_by(vector_of(call.arguments[0]), -of.x / of.energy, -of.y / of.energy, -of.z / of.energy));
}

// A pair of vectors: their sum and its mass.
struct NaivePair {
  explicit NaivePair(const NaiveCall& call)
      : a(vector_of(call.arguments.at(0))), b(vector_of(call.arguments.at(1))) {
    call.expect(2);
  }
  LorentzVector a, b;
  LorentzVector sum{a.x + b.x, a.y + b.y, a.z + b.z, a.energy + b.energy};
  double mass = naive_mass(sum);
  double pt2 = sum.x * sum.x + sum.y * sum.y;
  double sign = sum.z < 0 ? -1 : 1;
};

Value cos_theta_collins_soper(NaiveCall& call) {
  const NaivePair pair(call);
  const double numerator = pair.sign * (2 * (pair.a.z * pair.b.energy - pair.b.z * pair.a.energy));
  return flat_value(numerator / (pair.mass * std::sqrt(pair.mass * pair.mass + pair.pt2)));
}

Value phi_collins_soper(NaiveCall& call) {
  const NaivePair pair(call);
  const double dx = pair.a.x - pair.b.x, dy = pair.a.y - pair.b.y, pt = std::sqrt(pair.pt2);
  double x = dx, y = dy;
  if (pt > 0) {
    x = (dx * pair.sum.x + dy * pair.sum.y) / pt;
    y = (dy * pair.sum.x - dx * pair.sum.y) / pt;
  }
  return flat_value(
      maths::atan2(pair.sign * (std::sqrt(pair.mass * pair.mass + pair.pt2) / pair.mass) * y, x));
}

template <typename T>
T difference_of_angles(T first, T second) {
  double difference = std::fmod(second - first, 2 * M_PI);
  if constexpr (std::is_same_v<T, float>) {
    const auto pi = static_cast<float>(M_PI);
    difference = std::fmod(second - first, 2.0 * pi);
    if (difference < -pi)
      difference += 2.0 * pi;
    else if (difference > pi)
      difference -= 2.0 * pi;
    return static_cast<float>(difference);
  }
  if (difference < -M_PI)
    difference += 2 * M_PI;
  else if (difference > M_PI)
    difference -= 2 * M_PI;
  return static_cast<T>(difference);
}

template <typename T>
T transverse_mass_of(const NaiveCall& call) {
  std::vector<T> v;
  for (const Value& argument : call.arguments)
    v.push_back(std::get<T>(converted(call.context, argument.scalar, scalar_type_of<T>)));
  return 2 * std::sqrt(v[0] * v[2]) * std::fabs(maths::sin(difference_of_angles(v[1], v[3]) / 2));
}

Value transverse_mass(NaiveCall& call) {
  call.expect(4);
  if (all_are(call, ScalarType::kFloat)) return flat_value(transverse_mass_of<float>(call));
  return flat_value(transverse_mass_of<double>(call));
}

// How the mass is found has a test of its own, against a search for the smallest.
Value mt2(NaiveCall& call) {
  call.expect(6);
  SemiInvisible sides[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const LorentzVector& v = vector_of(call.arguments[i]);
    sides[i] = {naive_mass(v), v.x, v.y, double_argument(call, 4 + i)};
  }
  const double pt = double_argument(call, 2), phi = double_argument(call, 3);
  return flat_value(stransverse_mass(sides[0], sides[1], pt * maths::cos(phi), pt * maths::sin(phi)));
}

template <typename T>
T sum_of_all(const NaiveCall& call) {
  T sum = 0;
  for (const Value& argument : call.arguments) {
    const std::vector<Value> one{argument};
    for (const Value& each : argument.is_list() ? argument.elements : one)
      sum += std::get<T>(converted(call.context, each.scalar, scalar_type_of<T>));
  }
  return sum;
}

Value scalar_sum(NaiveCall& call) {
  if (std::none_of(call.arguments.begin(), call.arguments.end(),
                   [](const Value& each) { return each.is_list(); }))
    throw NaiveRefusal("no list");
  for (const Value& each : call.arguments)
    if (!is_number(each.type.scalar)) throw NaiveRefusal("not numbers");
  if (all_are(call, ScalarType::kFloat)) return flat_value(sum_of_all<float>(call));
  return flat_value(sum_of_all<double>(call));
}

// xx, yy, zz, xy, xz, yz of all momenta.
std::vector<double> momentum_tensor(const NaiveCall& call) {
  call.expect(1);
  if (list_of(call, 0).type.scalar != ScalarType::kLorentzVector) throw NaiveRefusal("not vectors");
  std::vector<double> t(6);
  for (const Value& each : list_of(call, 0).elements) {
    const LorentzVector& v = vector_of(each);
    const double products[] = {v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z};
    for (std::size_t i = 0; i < 6; ++i) t[i] += products[i];
  }
  return t;
}

// From the smallest, by Jacobi's rotations of two axes each.
std::vector<double> eigenvalues(const std::vector<double>& t) {
  double m[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
  for (int i = 0; i < 10; ++i)
    for (const auto& [p, q, r] : {std::tuple{0, 1, 2}, std::tuple{0, 2, 1}, std::tuple{1, 2, 0}}) {
      const double both = m[p][q];
      if (both == 0) continue;
      const double cot = (m[q][q] - m[p][p]) / (2 * both);
      double tan = 1 / (std::fabs(cot) + std::sqrt(cot * cot + 1));
      if (std::signbit(cot)) tan = -tan;
      const double cosine = 1 / std::sqrt(tan * tan + 1), sine = tan * cosine;
      const double first = m[p][r], second = m[q][r];
      m[p][p] -= tan * both;
      m[q][q] += tan * both;
      m[p][q] = m[q][p] = 0;
      m[p][r] = m[r][p] = cosine * first - sine * second;
      m[q][r] = m[r][q] = sine * first + cosine * second;
    }
  std::vector<double> values{m[0][0], m[1][1], m[2][2]};
  if (std::none_of(values.begin(), values.end(), [](double each) { return std::isnan(each); }))
    std::sort(values.begin(), values.end());
  return values;
}

double not_below_zero(double value) { return value < 0 ? 0 : value; }

Value sphericity(NaiveCall& call) {
  const std::vector<double> t = momentum_tensor(call), values = eigenvalues(t);
  return flat_value(1.5 * not_below_zero(values[0] + values[1]) / (t[0] + t[1] + t[2]));
}

Value aplanarity(NaiveCall& call) {
  const std::vector<double> t = momentum_tensor(call);
  return flat_value(1.5 * not_below_zero(eigenvalues(t)[0]) / (t[0] + t[1] + t[2]));
}

Value transverse_sphericity(NaiveCall& call) {
  const std::vector<double> t = momentum_tensor(call);
  const double sum = t[0] + t[1];
  const double root = std::sqrt((t[0] - t[1]) * (t[0] - t[1]) + 4 * t[3] * t[3]);
  return flat_value(not_below_zero(sum - root) / sum);
}

using Points = std::vector<std::pair<double, double>>;  // eta and phi

Points points_of(const Value& list) {
  if (list.type.depth != 1) throw NaiveRefusal("not a list");
  if (list.type.scalar != ScalarType::kLorentzVector) throw NaiveRefusal("not vectors");
  Points points;
  for (const Value& each : list.elements)
    points.emplace_back(naive_eta(vector_of(each)), naive_phi(vector_of(each)));
  return points;
}

double distance_of(const std::pair<double, double>& a, const std::pair<double, double>& b) {
  const double dphi = difference_of_angles(a.second, b.second);
  return std::sqrt((a.first - b.first) * (a.first - b.first) + dphi * dphi);
}

// The random expressions have vectors only; directions have tests of their own.
Value min_delta_r(NaiveCall& call) {
  call.expect(2);
  Value result{jagged(ScalarType::kDouble), {}, {}};
  for (const auto& a : points_of(list_of(call, 0))) {
    double least = kInfinity;
    for (const auto& b : points_of(list_of(call, 1))) {
      const double d = distance_of(a, b);
      least = d < least ? d : least;
    }
    result.elements.push_back(flat_value(least));
  }
  points_of(list_of(call, 1));
  return result;
}

Value nearest(NaiveCall& call) {
  call.expect(2);
  const Points from = points_of(list_of(call, 0)), to = points_of(list_of(call, 1));
  Value result{jagged(ScalarType::kInt64), {}, {}};
  for (const auto& a : from) {
    std::int64_t best = -1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const double before = best < 0 ? kInfinity : distance_of(a, to[static_cast<std::size_t>(best)]);
      if (distance_of(a, to[j]) < before) best = static_cast<std::int64_t>(j);
    }
    result.elements.push_back(flat_value(best));
  }
  return result;
}

// Again and again the nearest pair of those left.
Value match(NaiveCall& call) {
  call.expect(2);
  const Points from = points_of(list_of(call, 0)), to = points_of(list_of(call, 1));
  std::vector<std::int64_t> partners(from.size(), -1);
  std::vector<bool> is_taken(to.size());
  while (true) {
    std::tuple<double, std::size_t, std::size_t> best{kNaN, 0, 0};
    for (std::size_t i = 0; i < from.size(); ++i)
      for (std::size_t j = 0; j < to.size(); ++j) {
        const double d = distance_of(from[i], to[j]);
        if (partners[i] < 0 && !is_taken[j] && d < kInfinity && !(d >= std::get<0>(best))) best = {d, i, j};
      }
    if (std::isnan(std::get<0>(best))) break;
    partners[std::get<1>(best)] = static_cast<std::int64_t>(std::get<2>(best));
    is_taken[std::get<2>(best)] = true;
  }
  Value result{jagged(ScalarType::kInt64), {}, {}};
  for (const std::int64_t each : partners) result.elements.push_back(flat_value(each));
  return result;
}

Value best_pair(NaiveCall& call) {
  call.expect(4);
  const Value& vectors = list_of(call, 0);
  const double wanted = double_argument(call, 3);
  std::vector<std::vector<std::int64_t>> numbers(3);
  for (std::size_t i = 1; i < 3; ++i) {
    for (const Value& each : list_of(call, i).elements)
      numbers[i].push_back(std::get<std::int64_t>(converted(call.context, each.scalar, ScalarType::kInt64)));
    if (numbers[i].size() != vectors.elements.size()) {
      call.context.fault("lists of different sizes");
      return {jagged(ScalarType::kUInt64), {}, {}};
    }
  }
  Value result{jagged(ScalarType::kUInt64), {}, {}};
  double least = kInfinity;
  for (std::size_t i = 0; i < vectors.elements.size(); ++i)
    for (std::size_t j = i + 1; j < vectors.elements.size(); ++j) {
      const auto sign = [&](std::size_t k) { return (numbers[1][k] > 0) - (numbers[1][k] < 0); };
      const std::int64_t first = numbers[2][i], second = numbers[2][j];
      const bool is_same =
          first == second || static_cast<std::uint64_t>(first) == -static_cast<std::uint64_t>(second);
      if (sign(i) * sign(j) != -1 || !is_same) continue;
      const LorentzVector &a = vector_of(vectors.elements[i]), &b = vector_of(vectors.elements[j]);
      const double away =
          std::fabs(naive_mass({a.x + b.x, a.y + b.y, a.z + b.z, a.energy + b.energy}) - wanted);
      if (!(away < least)) continue;
      least = away;
      result.elements = {flat_value(static_cast<std::uint64_t>(i)),
                         flat_value(static_cast<std::uint64_t>(j))};
    }
  return result;
}

}  // namespace

std::span<const NaiveFunction> naive_event_functions() {
  static constexpr NaiveFunction kFunctions[] = {
      {"Boost", NaiveShape::kValues, boost},
      {"BoostToRestFrame", NaiveShape::kValues, boost_to_rest_frame},
      {"CosThetaCollinsSoper", NaiveShape::kValues, cos_theta_collins_soper},
      {"PhiCollinsSoper", NaiveShape::kValues, phi_collins_soper},
      {"TransverseMass", NaiveShape::kValues, transverse_mass},
      {"MT2", NaiveShape::kValues, mt2},
      {"HT", NaiveShape::kLists, scalar_sum},
      {"ST", NaiveShape::kLists, scalar_sum},
      {"Sphericity", NaiveShape::kLists, sphericity},
      {"Aplanarity", NaiveShape::kLists, aplanarity},
      {"TransverseSphericity", NaiveShape::kLists, transverse_sphericity},
      {"MinDeltaR", NaiveShape::kLists, min_delta_r},
      {"Nearest", NaiveShape::kLists, nearest},
      {"Match", NaiveShape::kLists, match},
      {"BestPair", NaiveShape::kLists, best_pair},
  };
  return kFunctions;
}

}  // namespace skimline::testing
