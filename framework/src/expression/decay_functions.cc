// SPDX-License-Identifier: BSD-3-Clause
// Functions of decays: other frames, angles in the frame of a pair, masses where something is not seen.
#include "expression/angles.h"
#include "expression/function_registry.h"
#include "expression/lorentz_vectors.h"
#include "expression/stransverse_mass.h"

#include "skimline/framework/maths.h"

#include <cmath>
#include <limits>

namespace skimline {
namespace {

// Order of operations as in ROOT's VectorUtil::boost. There is no frame as fast as light.
LorentzVector boosted(const LorentzVector& v, double bx, double by, double bz) {
  const double square = bx * bx + by * by + bz * bz;
  if (!(square < 1)) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {kNone, kNone, kNone, kNone};
  }
  const double gamma = 1.0 / std::sqrt(1.0 - square);
  const double along = bx * v.x + by * v.y + bz * v.z;
  const double factor = square > 0 ? (gamma - 1.0) / square : 0.0;
  return {v.x + factor * along * bx + gamma * bx * v.energy,
          v.y + factor * along * by + gamma * by * v.energy,
          v.z + factor * along * bz + gamma * bz * v.energy, gamma * (v.energy + along)};
}

LorentzVector in_rest_frame(const LorentzVector& v, const LorentzVector& of) {
  return boosted(v, -of.x / of.energy, -of.y / of.energy, -of.z / of.energy);
}

void rest_frame_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<LorentzVector*>(results)[i] =
        in_rest_frame(value_at<LorentzVector>(operands[0], i), value_at<LorentzVector>(operands[1], i));
}

void boost_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<LorentzVector*>(results)[i] =
        boosted(value_at<LorentzVector>(operands[0], i), value_at<double>(operands[1], i),
                value_at<double>(operands[2], i), value_at<double>(operands[3], i));
}

// What J. C. Collins and D. E. Soper, Phys. Rev. D 16 (1977) 2219, measure angles of a pair with; the axis is
// along the beam that the pair follows.
struct CollinsSoper {
  CollinsSoper(const LorentzVector& first, const LorentzVector& second)
      : pair(vector_sum(first, second)),
        mass(invariant_mass(pair)),
        pt2(pair.x * pair.x + pair.y * pair.y),
        side(pair.z < 0 ? -1 : 1) {}

  LorentzVector pair;
  double mass, pt2, side;
};

double cos_theta_collins_soper(const LorentzVector& a, const LorentzVector& b) {
  const CollinsSoper frame(a, b);
  const double product = 2 * (a.z * b.energy - b.z * a.energy);
  return frame.side * product / (frame.mass * std::sqrt(frame.mass * frame.mass + frame.pt2));
}

double phi_collins_soper(const LorentzVector& a, const LorentzVector& b) {
  const CollinsSoper frame(a, b);
  const double dx = a.x - b.x, dy = a.y - b.y;
  const double pt = std::sqrt(frame.pt2);
  const double along = pt > 0 ? (dx * frame.pair.x + dy * frame.pair.y) / pt : dx;
  const double across = pt > 0 ? (dy * frame.pair.x - dx * frame.pair.y) / pt : dy;
  const double ratio = std::sqrt(frame.mass * frame.mass + frame.pt2) / frame.mass;
  return maths::atan2(frame.side * ratio * across, along);
}

template <double (*kAngle)(const LorentzVector&, const LorentzVector&)>
void collins_soper_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<double*>(results)[i] =
        kAngle(value_at<LorentzVector>(operands[0], i), value_at<LorentzVector>(operands[1], i));
}

// By half of the angle, as 1 - cos would leave nothing of small ones.
template <typename T>
void transverse_mass_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T dphi = skimline::delta_phi(value_at<T>(operands[1], i), value_at<T>(operands[3], i));
    static_cast<T*>(results)[i] = 2 * std::sqrt(value_at<T>(operands[0], i) * value_at<T>(operands[2], i)) *
                                  std::fabs(maths::sin(dphi / 2));
  }
}

// Operands: both visible vectors, missing pt and phi, both invisible masses.
void stransverse_mass_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto side = [&](int vector, int invisible) {
      const LorentzVector v = value_at<LorentzVector>(operands[vector], i);
      return SemiInvisible{invariant_mass(v), v.x, v.y, value_at<double>(operands[invisible], i)};
    };
    const double missing = value_at<double>(operands[2], i), phi = value_at<double>(operands[3], i);
    static_cast<double*>(results)[i] =
        stransverse_mass(side(0, 4), side(1, 5), missing * maths::cos(phi), missing * maths::sin(phi));
  }
}

constexpr ScalarType kOfVector = ScalarType::kLorentzVector;

std::optional<Operation> choose_rest_frame(Arguments arguments) {
  if (!are_vectors(arguments, 2)) return std::nullopt;
  return loop_operation(rest_frame_loop, {kOfVector, kOfVector}, kOfVector);
}

std::optional<Operation> choose_boost(Arguments arguments) {
  if (arguments.size() != 4 || !are_vectors(arguments.first(1), 1) || !are_numbers(arguments.subspan(1)))
    return std::nullopt;
  return loop_operation(
      boost_loop, {kOfVector, ScalarType::kDouble, ScalarType::kDouble, ScalarType::kDouble}, kOfVector);
}

template <double (*kAngle)(const LorentzVector&, const LorentzVector&)>
std::optional<Operation> choose_collins_soper(Arguments arguments) {
  if (!are_vectors(arguments, 2)) return std::nullopt;
  return loop_operation(collins_soper_loop<kAngle>, {kOfVector, kOfVector}, ScalarType::kDouble);
}

std::optional<Operation> choose_transverse_mass(Arguments arguments) {
  return real_operation(arguments, 4, transverse_mass_loop<float>, transverse_mass_loop<double>);
}

std::optional<Operation> choose_stransverse_mass(Arguments arguments) {
  if (arguments.size() != 6 || !are_vectors(arguments.first(2), 2) || !are_numbers(arguments.subspan(2)))
    return std::nullopt;
  std::vector<ScalarType> operands(6, ScalarType::kDouble);
  operands[0] = operands[1] = kOfVector;
  return loop_operation(stransverse_mass_loop, std::move(operands), ScalarType::kDouble);
}

}  // namespace

std::span<const Function> decay_functions() {
  static constexpr Function kFunctions[] = {
      {"BoostToRestFrame", "BoostToRestFrame(vector, vector at rest)", choose_rest_frame},
      {"Boost", "Boost(vector, beta x, beta y, beta z)", choose_boost},
      {"CosThetaCollinsSoper", "CosThetaCollinsSoper(vector, vector)",
       choose_collins_soper<cos_theta_collins_soper>},
      {"PhiCollinsSoper", "PhiCollinsSoper(vector, vector)", choose_collins_soper<phi_collins_soper>},
      {"TransverseMass", "TransverseMass(pt1, phi1, pt2, phi2)", choose_transverse_mass},
      {"MT2", "MT2(vector, vector, missing pt, missing phi, invisible mass 1, invisible mass 2)",
       choose_stransverse_mass},
  };
  return kFunctions;
}

}  // namespace skimline
