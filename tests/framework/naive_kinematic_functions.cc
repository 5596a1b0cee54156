// SPDX-License-Identifier: BSD-3-Clause
// Angles, masses and Lorentz vectors of one entry.
#include "expression/vector_math.h"
#include "naive_functions.h"
#include "naive_mixed_kinematics.h"
#include "naive_operators.h"

#include "skimline/framework/maths.h"

#include <cmath>
#include <limits>

namespace skimline::testing {
namespace {

template <typename T>
T number_argument(const NaiveCall& call, std::size_t index) {
  return std::get<T>(converted(call.context, call.arguments[index].scalar, scalar_type_of<T>));
}

template <typename T>
T wrapped_difference(T phi1, T phi2) {
  const T pi = static_cast<T>(M_PI);
  double dphi = std::fmod(phi2 - phi1, 2.0 * pi);
  if (dphi < -pi) dphi += 2.0 * pi;
  if (dphi > pi) dphi -= 2.0 * pi;
  return static_cast<T>(dphi);
}

// In (-pi, pi], as VectorUtil has it.
double difference_of_vectors(double phi1, double phi2) {
  const double dphi = wrapped_difference(phi1, phi2);
  return dphi == -M_PI ? M_PI : dphi;
}

template <typename T>
T distance(T eta1, T eta2, T phi1, T phi2) {
  const T dphi = wrapped_difference(phi1, phi2), deta = eta1 - eta2;
  return std::sqrt(deta * deta + dphi * dphi);
}

const LorentzVector& vector_argument(const NaiveCall& call, std::size_t index) {
  const auto* v = std::get_if<LorentzVector>(&call.arguments.at(index).scalar);
  if (!v) throw NaiveRefusal("not a Lorentz vector");
  return *v;
}

double pt(const LorentzVector& v) { return std::sqrt(v.x * v.x + v.y * v.y); }
double phi(const LorentzVector& v) {
  if (v.x == 0 && v.y == 0) return 0;
  return maths::atan2(v.y, v.x);
}
double theta(const LorentzVector& v) {
  if (v.x == 0 && v.y == 0 && v.z == 0) return 0;
  return maths::atan2(pt(v), v.z);
}
double momentum(const LorentzVector& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }
double signed_root(double square) { return square >= 0 ? std::sqrt(square) : -std::sqrt(-square); }
double mass(const LorentzVector& v) {
  return signed_root(v.energy * v.energy - v.x * v.x - v.y * v.y - v.z * v.z);
}
double transverse_mass(const LorentzVector& v) { return signed_root(v.energy * v.energy - v.z * v.z); }
double rapidity(const LorentzVector& v) { return .5 * maths::log((v.energy + v.z) / (v.energy - v.z)); }

// Along the beam 22756, a number beyond all others, and z so that the order of such vectors is kept.
double eta(const LorentzVector& v) {
  const double rho = pt(v);
  if (!(rho > 0)) return v.z == 0 ? 0. : v.z > 0 ? v.z + 22756. : v.z - 22756.;
  const double ratio = v.z / rho;
  if (std::fabs(ratio) < maths::pow(std::numeric_limits<double>::epsilon(), -.25))
    return maths::log(ratio + std::sqrt(ratio * ratio + 1.));
  return v.z > 0 ? maths::log(2. * ratio + .5 / ratio) : -maths::log(-2. * ratio);
}

Value delta_phi(NaiveCall& call) {
  if (const auto value = naive_mixed_delta_phi(call)) return *value;
  call.expect(2);
  if (all_are(call, ScalarType::kLorentzVector))
    return flat_value(difference_of_vectors(phi(vector_argument(call, 0)), phi(vector_argument(call, 1))));
  if (all_are(call, ScalarType::kFloat))
    return flat_value(wrapped_difference(number_argument<float>(call, 0), number_argument<float>(call, 1)));
  return flat_value(wrapped_difference(double_argument(call, 0), double_argument(call, 1)));
}

template <typename T>
std::vector<T> numbers(const NaiveCall& call, std::size_t count) {
  call.expect(count);
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(number_argument<T>(call, i));
  return values;
}

template <typename T>
T squared_distance(const std::vector<T>& v) {
  const T deta = v[0] - v[1], dphi = wrapped_difference(v[2], v[3]);
  return deta * deta + dphi * dphi;
}

Value delta_r2(NaiveCall& call) {
  if (const auto value = naive_mixed_distance(call, true)) return *value;
  if (all_are(call, ScalarType::kFloat)) return flat_value(squared_distance(numbers<float>(call, 4)));
  return flat_value(squared_distance(numbers<double>(call, 4)));
}

// Between two vectors x, y, z.
template <typename T>
T angle_of(const T* a, const T* b) {
  const T x = a[1] * b[2] - a[2] * b[1], y = a[0] * b[2] - a[2] * b[0], z = a[0] * b[1] - a[1] * b[0];
  return maths::atan2(std::sqrt(x * x + y * y + z * z), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

Value angle(NaiveCall& call) {
  if (call.arguments.size() == 2) {
    const LorentzVector &a = vector_argument(call, 0), &b = vector_argument(call, 1);
    const double squares = (a.x * a.x + a.y * a.y + a.z * a.z) * (b.x * b.x + b.y * b.y + b.z * b.z);
    if (squares <= 0) return flat_value(maths::acos(0.));
    const double cosine = (a.x * b.x + a.y * b.y + a.z * b.z) / std::sqrt(squares);
    return flat_value(maths::acos(cosine > 1 ? 1. : cosine < -1 ? -1. : cosine));
  }
  if (const auto value = naive_mixed_angle(call)) return *value;
  if (all_are(call, ScalarType::kFloat)) {
    const auto v = numbers<float>(call, 6);
    return flat_value(angle_of(&v[0], &v[3]));
  }
  const auto v = numbers<double>(call, 6);
  return flat_value(angle_of(&v[0], &v[3]));
}

// The mass of two particles x, y, z, mass, as ROOT computes it without large differences.
template <typename T>
T pair_mass(const T* a, const T* b) {
  const T p1 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2], p2 = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
  const T m1 = a[3] * a[3], m2 = b[3] * b[3];
  if (p1 <= 0 && p2 <= 0) return a[3] + b[3];
  if (p1 <= 0) {
    const T energy = a[3] + std::sqrt(m2 + p2);
    return std::sqrt(std::fabs(energy * energy - p2));
  }
  if (p2 <= 0) {
    const T energy = b[3] + std::sqrt(m1 + p1);
    return std::sqrt(std::fabs(energy * energy - p1));
  }
  const T r1 = m1 / p1, r2 = m2 / p2, x = r1 + r2 + r1 * r2;
  const T between = angle_of(a, b), c = maths::cos(between), s = maths::sin(between);
  const T y = c >= 0 ? (x + s * s) / (std::sqrt(x + 1) + c) : std::sqrt(x + 1) - c;
  return std::sqrt(m1 + m2 + y * (2 * std::sqrt(p1 * p2)));
}

template <typename T>
T pair_mass_of(std::vector<T> v, bool is_polar) {
  for (std::size_t first : {std::size_t{0}, std::size_t{4}}) {
    const T pt = v[first], eta = v[first + 1], phi = v[first + 2];
    if (!is_polar) break;
    v[first] = pt * maths::cos(phi);
    v[first + 1] = pt * maths::sin(phi);
    v[first + 2] = pt * maths::sinh(eta);
  }
  return pair_mass(&v[0], &v[4]);
}

Value invariant_masses(NaiveCall& call, bool is_polar) {
  if (const auto value = naive_mixed_pair_mass(call, is_polar)) return *value;
  if (all_are(call, ScalarType::kFloat)) return flat_value(pair_mass_of(numbers<float>(call, 8), is_polar));
  return flat_value(pair_mass_of(numbers<double>(call, 8), is_polar));
}

Value delta_r(NaiveCall& call) {
  if (call.arguments.size() == 2) {
    const LorentzVector &a = vector_argument(call, 0), &b = vector_argument(call, 1);
    return flat_value(distance(eta(a), eta(b), phi(a), phi(b)));
  }
  if (const auto value = naive_mixed_distance(call, false)) return *value;
  call.expect(4);
  if (all_are(call, ScalarType::kFloat))
    return flat_value(distance(number_argument<float>(call, 0), number_argument<float>(call, 1),
                               number_argument<float>(call, 2), number_argument<float>(call, 3)));
  return flat_value(distance(double_argument(call, 0), double_argument(call, 1), double_argument(call, 2),
                             double_argument(call, 3)));
}

template <typename T>
T mass_of_all(const NaiveCall& call) {
  T px = 0, py = 0, pz = 0, energy = 0;
  for (std::size_t i = 0; i < call.arguments[0].elements.size(); ++i) {
    const auto at = [&](std::size_t argument) {
      return std::get<T>(
          converted(call.context, call.arguments[argument].elements[i].scalar, scalar_type_of<T>));
    };
    const T x = at(0) * maths::cos(at(2)), y = at(0) * maths::sin(at(2)), z = at(0) * maths::sinh(at(1));
    px += x;
    py += y;
    pz += z;
    energy += std::sqrt(x * x + y * y + z * z + at(3) * at(3));
  }
  return std::sqrt(energy * energy - px * px - py * py - pz * pz);
}

Value invariant_mass(NaiveCall& call) {
  call.expect(4);
  for (const Value& argument : call.arguments) {
    if (!argument.is_list()) throw NaiveRefusal("not a list");
    if (argument.elements.size() != call.arguments[0].elements.size())
      call.context.fault("lists of different sizes");
  }
  if (const auto value = naive_mixed_mass(call)) return *value;
  if (all_are(call, ScalarType::kFloat)) return flat_value(mass_of_all<float>(call));
  return flat_value(mass_of_all<double>(call));
}

// The engine's own sines differ from the library's in the last place; they have a test of their own.
LorentzVector from_polar(NaiveCall& call, double energy) {
  const double transverse = double_argument(call, 0), azimuth = double_argument(call, 2);
  const double pseudorapidity = double_argument(call, 1);
  double sine = 0, cosine = 0, hyperbolic = 0;
  sine_cosine(&azimuth, 1, &sine, &cosine);
  hyperbolic_sine(&pseudorapidity, 1, &hyperbolic);
  return {transverse * cosine, transverse * sine, transverse * hyperbolic, energy};
}

Value p4(NaiveCall& call) {
  call.expect(4);
  LorentzVector v = from_polar(call, 0);
  const double m = double_argument(call, 3);
  // A negative mass stands for a vector of negative square.
  const double square = v.x * v.x + v.y * v.y + v.z * v.z + (m < 0 ? -m * m : m * m);
  v.energy = square > 0 ? std::sqrt(square) : 0;
  return flat_value(v);
}

Value p4_pt_eta_phi_e(NaiveCall& call) {
  call.expect(4);
  return flat_value(from_polar(call, double_argument(call, 3)));
}

Value p4_components(NaiveCall& call) {
  call.expect(4);
  return flat_value(LorentzVector{double_argument(call, 0), double_argument(call, 1),
                                  double_argument(call, 2), double_argument(call, 3)});
}

template <double (*kQuantity)(const LorentzVector&)>
Value quantity(NaiveCall& call) {
  call.expect(1);
  return flat_value(kQuantity(vector_argument(call, 0)));
}

double px(const LorentzVector& v) { return v.x; }
double py(const LorentzVector& v) { return v.y; }
double pz(const LorentzVector& v) { return v.z; }
double energy_of(const LorentzVector& v) { return v.energy; }

}  // namespace

double naive_eta(const LorentzVector& v) { return eta(v); }
double naive_phi(const LorentzVector& v) { return phi(v); }
double naive_mass(const LorentzVector& v) { return mass(v); }

std::span<const NaiveFunction> naive_kinematic_functions() {
  static constexpr NaiveFunction kFunctions[] = {
      {"DeltaPhi", NaiveShape::kValues, delta_phi},
      {"DeltaR", NaiveShape::kValues, delta_r},
      {"InvariantMass", NaiveShape::kLists, invariant_mass},
      {"DeltaR2", NaiveShape::kValues, delta_r2},
      {"Angle", NaiveShape::kValues, angle},
      {"InvariantMasses", NaiveShape::kValues, [](NaiveCall& call) { return invariant_masses(call, true); }},
      {"InvariantMasses_PxPyPzM", NaiveShape::kValues,
       [](NaiveCall& call) { return invariant_masses(call, false); }},
      {"P4", NaiveShape::kValues, p4},
      {"P4PtEtaPhiE", NaiveShape::kValues, p4_pt_eta_phi_e},
      {"P4PxPyPzE", NaiveShape::kValues, p4_components},
      {"pt", NaiveShape::kValues, quantity<pt>},
      {"eta", NaiveShape::kValues, quantity<eta>},
      {"phi", NaiveShape::kValues, quantity<phi>},
      {"mass", NaiveShape::kValues, quantity<mass>},
      {"energy", NaiveShape::kValues, quantity<energy_of>},
      {"px", NaiveShape::kValues, quantity<px>},
      {"py", NaiveShape::kValues, quantity<py>},
      {"pz", NaiveShape::kValues, quantity<pz>},
      {"p", NaiveShape::kValues, quantity<momentum>},
      {"mt", NaiveShape::kValues, quantity<transverse_mass>},
      {"rapidity", NaiveShape::kValues, quantity<rapidity>},
      {"theta", NaiveShape::kValues, quantity<theta>},
      {"Pt", NaiveShape::kValues, quantity<pt>},
      {"Eta", NaiveShape::kValues, quantity<eta>},
      {"Phi", NaiveShape::kValues, quantity<phi>},
      {"M", NaiveShape::kValues, quantity<mass>},
      {"E", NaiveShape::kValues, quantity<energy_of>},
      {"Px", NaiveShape::kValues, quantity<px>},
      {"Py", NaiveShape::kValues, quantity<py>},
      {"Pz", NaiveShape::kValues, quantity<pz>},
      {"P", NaiveShape::kValues, quantity<momentum>},
      {"Mt", NaiveShape::kValues, quantity<transverse_mass>},
      {"Rapidity", NaiveShape::kValues, quantity<rapidity>},
      {"Theta", NaiveShape::kValues, quantity<theta>},
  };
  return kFunctions;
}

}  // namespace skimline::testing
