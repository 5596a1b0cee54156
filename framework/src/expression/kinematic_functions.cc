// SPDX-License-Identifier: BSD-3-Clause
// Angles and masses. Formulas, types and order of operations are those of ROOT 6.40's VecOps, so that results
// agree with it to the last bit where all arguments have one type and sines and the like are rounded alike.
#include "expression/angles.h"
#include "expression/function_registry.h"
#include "expression/lorentz_vectors.h"
#include "expression/mixed_kinematics.h"
#include "expression/operand_blocks.h"
#include "maths/float_arrays.h"

#include "skimline/framework/instruction_set.h"
#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace skimline {
namespace {

// Differences of azimuths, several at a time. Those that fmod must wrap are rare: the rest of their block is
// computed again with them.
template <typename T>
struct DeltaPhis {
  [[gnu::always_inline]] static inline void run(const T* const& firsts, const T* const& seconds,
                                                const std::size_t& size, T* const& results) {
    const T* const first = firsts;
    const T* const second = seconds;
    T* const __restrict result = results;
    const std::size_t count = size;
    constexpr T kHalfTurn = static_cast<T>(3.14159265358979323846);
    constexpr double kTurn = 2.0 * kHalfTurn;
    std::uint64_t is_far = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double difference = second[i] - first[i];
      is_far |= std::uint64_t{!(std::fabs(difference) < kTurn)};
      result[i] = static_cast<T>(difference < -kHalfTurn  ? difference + kTurn
                                 : difference > kHalfTurn ? difference - kTurn
                                                          : difference);
    }
    if (is_far)
      for (std::size_t i = 0; i < count; ++i) result[i] = delta_phi(first[i], second[i]);
  }
};

template <typename T>
void delta_phi_loop(const Operand* operands, void* results, std::size_t count) {
  const OperandBlocks<T, 2> phis({operands, 2});
  for_each_block(count, [&](std::size_t first, std::size_t size) {
    run_kernel<DeltaPhis<T>>(phis.at(0, first), phis.at(1, first), size, static_cast<T*>(results) + first);
  });
}

// From differences of azimuths, which are replaced.
template <typename T, bool kRoot>
struct Distances {
  [[gnu::always_inline]] static inline void run(const T* const& firsts, const T* const& seconds,
                                                const std::size_t& size, T* const& results) {
    const T* const first = firsts;
    const T* const second = seconds;
    T* const __restrict result = results;
    const std::size_t count = size;
    for (std::size_t i = 0; i < count; ++i) {
      const T eta = first[i] - second[i];
      const T square = eta * eta + result[i] * result[i];
      result[i] = kRoot ? std::sqrt(square) : square;
    }
  }
};

template <typename T, bool kRoot>
void distance_loop(const Operand* operands, void* results, std::size_t count) {
  const OperandBlocks<T, 4> angles({operands, 4});
  for_each_block(count, [&](std::size_t first, std::size_t size) {
    T* const result = static_cast<T*>(results) + first;
    run_kernel<DeltaPhis<T>>(angles.at(2, first), angles.at(3, first), size, result);
    run_kernel<Distances<T, kRoot>>(angles.at(0, first), angles.at(1, first), size, result);
  });
}

template <typename T>
struct Momentum {
  T x, y, z, mass;
};

template <typename T>
Momentum<T> cartesian(T pt, T eta, T phi, T mass) {
  return {pt * maths::cos(phi), pt * maths::sin(phi), pt * maths::sinh(eta), mass};
}
template <typename T>
Momentum<T> as_given(T x, T y, T z, T mass) {
  return {x, y, z, mass};
}

template <typename T>
void angle_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<T*>(results)[i] =
        angle(value_at<T>(operands[0], i), value_at<T>(operands[1], i), value_at<T>(operands[2], i),
              value_at<T>(operands[3], i), value_at<T>(operands[4], i), value_at<T>(operands[5], i));
}

template <typename T>
T square(const Momentum<T>& p) {
  return p.x * p.x + p.y * p.y + p.z * p.z;
}

// Of a particle at rest and one with momentum squared `square`.
template <typename T>
T mass_with_one_at_rest(T mass_at_rest, T mass, T square) {
  const T energy = mass_at_rest + std::sqrt(mass * mass + square);
  return std::sqrt(std::fabs(energy * energy - square));
}

// Avoids the difference of large numbers that energies and momenta are for light particles.
template <typename T>
T mass_of_pair(const Momentum<T>& a, const Momentum<T>& b) {
  const T square_a = square(a), square_b = square(b);
  if (square_a <= 0 && square_b <= 0) return a.mass + b.mass;
  if (square_a <= 0) return mass_with_one_at_rest(a.mass, b.mass, square_b);
  if (square_b <= 0) return mass_with_one_at_rest(b.mass, a.mass, square_a);
  const T ma = a.mass * a.mass, mb = b.mass * b.mass;
  const T ra = ma / square_a, rb = mb / square_b;
  const T x = ra + rb + ra * rb;
  const T between = angle(a.x, a.y, a.z, b.x, b.y, b.z);
  const T cosine = maths::cos(between);
  const T y = cosine >= 0 ? (x + maths::sin(between) * maths::sin(between)) / (std::sqrt(x + 1) + cosine)
                          : std::sqrt(x + 1) - cosine;
  const T z = 2 * std::sqrt(square_a * square_b);
  return std::sqrt(ma + mb + y * z);
}

template <typename T, Momentum<T> (*kMomentum)(T, T, T, T)>
void pair_mass_loop(const Operand* operands, void* results, std::size_t count) {
  const auto momentum = [&](std::size_t first, std::size_t i) {
    return kMomentum(value_at<T>(operands[first], i), value_at<T>(operands[first + 1], i),
                     value_at<T>(operands[first + 2], i), value_at<T>(operands[first + 3], i));
  };
  for (std::size_t i = 0; i < count; ++i)
    static_cast<T*>(results)[i] = mass_of_pair(momentum(0, i), momentum(4, i));
}

void sines_and_cosines(const float* angles, std::size_t count, float* sines, float* cosines) {
  float_arrays::sine_cosine(angles, count, sines, cosines);
}
void sines_and_cosines(const double* angles, std::size_t count, double* sines, double* cosines) {
  for (std::size_t i = 0; i < count; ++i) {
    sines[i] = maths::sin(angles[i]);
    cosines[i] = maths::cos(angles[i]);
  }
}
void hyperbolic_sines(const float* values, std::size_t count, float* results) {
  float_arrays::sinh(values, count, results);
}
void hyperbolic_sines(const double* values, std::size_t count, double* results) {
  for (std::size_t i = 0; i < count; ++i) results[i] = maths::sinh(values[i]);
}

// Of particles one after the other, whatever events they are of: functions are faster for many at once.
template <typename T>
struct MomentumBlock {
  static constexpr std::size_t kSize = 256;
  T x[kSize], y[kSize], z[kSize], energy[kSize];

  void compute(const T* pt, const T* eta, const T* phi, const T* mass, std::size_t count) {
    sines_and_cosines(phi, count, y, x);
    hyperbolic_sines(eta, count, z);
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = pt[i] * x[i];
      y[i] = pt[i] * y[i];
      z[i] = pt[i] * z[i];
      energy[i] = std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i] + mass[i] * mass[i]);
    }
  }
};

// Momentum components and energy, summed.
template <typename T>
struct FourMomentum {
  T x = 0, y = 0, z = 0, energy = 0;

  void add(const MomentumBlock<T>& block, std::size_t i) {
    x += block.x[i];
    y += block.y[i];
    z += block.z[i];
    energy += block.energy[i];
  }
  T mass() const { return std::sqrt(energy * energy - x * x - y * y - z * z); }
};

template <typename T>
ColumnView mass_of_lists(const KernelCall& call) {
  const std::uint32_t* offsets = call.inputs[0].offsets;
  const T* pt = call.inputs[0].data<T>();
  const T* eta = call.inputs[1].data<T>();
  const T* phi = call.inputs[2].data<T>();
  const T* mass = call.inputs[3].data<T>();
  T* result = call.results.values.reserve<T>(call.length);
  const std::size_t num_particles = offsets[call.length];
  MomentumBlock<T> block;
  std::size_t first = 0, end = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    FourMomentum<T> total;
    for (std::size_t i = offsets[entry]; i < offsets[entry + 1]; ++i) {
      if (i == end) {
        first = end;
        end = std::min(first + block.kSize, num_particles);
        block.compute(pt + first, eta + first, phi + first, mass + first, end - first);
      }
      total.add(block, i - first);
    }
    result[entry] = total.mass();
  }
  return {call.type, call.length, result, nullptr, false};
}

std::optional<Operation> choose_delta_phi(Arguments arguments) {
  if (auto operation = delta_phi_of_vectors(arguments)) return operation;
  return real_operation(arguments, 2, delta_phi_loop<float>, delta_phi_loop<double>);
}

std::optional<Operation> choose_delta_r(Arguments arguments) {
  if (auto operation = delta_r_of_vectors(arguments)) return operation;
  return real_operation(arguments, 4, distance_loop<float, true>, distance_loop<double, true>);
}

std::optional<Operation> choose_delta_r2(Arguments arguments) {
  return real_operation(arguments, 4, distance_loop<float, false>, distance_loop<double, false>);
}

std::optional<Operation> choose_angle(Arguments arguments) {
  if (auto operation = angle_of_vectors(arguments)) return operation;
  return real_operation(arguments, 6, angle_loop<float>, angle_loop<double>);
}

std::optional<Operation> choose_pair_mass(Arguments arguments) {
  return real_operation(arguments, 8, pair_mass_loop<float, cartesian<float>>,
                        pair_mass_loop<double, cartesian<double>>);
}

std::optional<Operation> choose_pair_mass_of_components(Arguments arguments) {
  return real_operation(arguments, 8, pair_mass_loop<float, as_given<float>>,
                        pair_mass_loop<double, as_given<double>>);
}

std::optional<Operation> choose_invariant_mass(Arguments arguments) {
  const bool all_lists = std::all_of(arguments.begin(), arguments.end(),
                                     [](const Argument& each) { return each.type.is_jagged(); });
  if (arguments.size() != 4 || !all_lists || !are_numbers(arguments)) return std::nullopt;
  Operation operation;
  const ScalarType real = common_real(arguments);
  operation.kernel = real == ScalarType::kFloat ? mass_of_lists<float> : mass_of_lists<double>;
  operation.operand_scalars.assign(4, real);
  operation.result = real;
  operation.can_fail = true;
  return operation;
}

}  // namespace

std::span<const Function> kinematic_functions() {
  static constexpr Function kFunctions[] = {
      {"DeltaPhi", "DeltaPhi(phi1, phi2)", choose_delta_phi, InnerLists::kApart, mixed_delta_phi},
      {"DeltaR", "DeltaR(eta1, eta2, phi1, phi2)", choose_delta_r, InnerLists::kApart, mixed_distance},
      {"DeltaR2", "DeltaR2(eta1, eta2, phi1, phi2)", choose_delta_r2, InnerLists::kApart,
       mixed_squared_distance},
      {"Angle", "Angle(x1, y1, z1, x2, y2, z2)", choose_angle, InnerLists::kApart, mixed_angle},
      {"InvariantMasses", "InvariantMasses(pt1, eta1, phi1, mass1, pt2, eta2, phi2, mass2)", choose_pair_mass,
       InnerLists::kApart, mixed_pair_mass},
      {"InvariantMasses_PxPyPzM", "InvariantMasses_PxPyPzM(x1, y1, z1, mass1, x2, y2, z2, mass2)",
       choose_pair_mass_of_components, InnerLists::kApart, mixed_pair_mass_of_components},
      {"InvariantMass", "InvariantMass(pt list, eta list, phi list, mass list)", choose_invariant_mass,
       InnerLists::kApart, mixed_invariant_mass},
  };
  return kFunctions;
}

}  // namespace skimline
