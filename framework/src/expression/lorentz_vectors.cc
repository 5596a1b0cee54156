// SPDX-License-Identifier: BSD-3-Clause
// Lorentz vectors as values. Components are Cartesian doubles; the formulas of derived quantities, and what
// they give in limiting cases, are those of ROOT 6.40's GenVector for such vectors (PxPyPzE4D).
#include "expression/lorentz_vectors.h"

#include "expression/angles.h"
#include "expression/function_registry.h"
#include "expression/operators.h"
#include "expression/vector_math.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>

namespace skimline {
namespace {

LorentzVector vector_at(const Operand& operand, std::size_t i) { return value_at<LorentzVector>(operand, i); }

double signed_root(double square) { return square >= 0 ? std::sqrt(square) : -std::sqrt(-square); }

double pt(const LorentzVector& v) { return std::sqrt(v.x * v.x + v.y * v.y); }
double momentum(const LorentzVector& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }
double transverse_mass(const LorentzVector& v) { return signed_root(v.energy * v.energy - v.z * v.z); }
double rapidity(const LorentzVector& v) { return 0.5 * maths::log((v.energy + v.z) / (v.energy - v.z)); }
double px(const LorentzVector& v) { return v.x; }
double py(const LorentzVector& v) { return v.y; }
double pz(const LorentzVector& v) { return v.z; }
double energy(const LorentzVector& v) { return v.energy; }

double theta(const LorentzVector& v) {
  return v.x == 0 && v.y == 0 && v.z == 0 ? 0 : maths::atan2(pt(v), v.z);
}

// Vectors are made in blocks, whose arrays stay in the first-level cache.
constexpr std::size_t kBlock = 256;

struct Block {
  std::size_t size = 0;
  double operands[4][kBlock];
  double sine[kBlock], cosine[kBlock], hyperbolic_sine[kBlock];
};

void read_block(const Operand* operands, std::size_t first, Block& block) {
  for (int operand = 0; operand < 4; ++operand) {
    const auto* values = static_cast<const double*>(operands[operand].values);
    if (operands[operand].is_constant)
      std::fill_n(block.operands[operand], block.size, *values);
    else
      std::copy_n(values + first, block.size, block.operands[operand]);
  }
}

LorentzVector of_block(const Block& block, std::size_t i, double energy) {
  const double pt = block.operands[0][i];
  return {pt * block.cosine[i], pt * block.sine[i], pt * block.hyperbolic_sine[i], energy};
}

// A mass below zero is that of a vector with a negative square, as files hold them after rounding.
struct FromMass {
  static LorentzVector make(const Block& block, std::size_t i) {
    LorentzVector v = of_block(block, i, 0);
    const double mass = block.operands[3][i];
    const double square = v.x * v.x + v.y * v.y + v.z * v.z + mass * std::fabs(mass);
    v.energy = square > 0 ? std::sqrt(square) : 0;
    return v;
  }
};

struct FromEnergy {
  static LorentzVector make(const Block& block, std::size_t i) {
    return of_block(block, i, block.operands[3][i]);
  }
};

// Operands: pt, eta, phi, and what `Maker` takes.
template <typename Maker>
void make_loop(const Operand* operands, void* results, std::size_t count) {
  auto* vectors = static_cast<LorentzVector*>(results);
  Block block;
  for (std::size_t first = 0; first < count; first += kBlock) {
    block.size = std::min(kBlock, count - first);
    read_block(operands, first, block);
    sine_cosine(block.operands[2], block.size, block.sine, block.cosine);
    hyperbolic_sine(block.operands[1], block.size, block.hyperbolic_sine);
    for (std::size_t i = 0; i < block.size; ++i) vectors[first + i] = Maker::make(block, i);
  }
}

void from_components_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<LorentzVector*>(results)[i] = {
        value_at<double>(operands[0], i), value_at<double>(operands[1], i), value_at<double>(operands[2], i),
        value_at<double>(operands[3], i)};
}

template <double (*kQuantity)(const LorentzVector&)>
void quantity_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<double*>(results)[i] = kQuantity(vector_at(operands[0], i));
}

LorentzVector difference(const LorentzVector& a, const LorentzVector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.energy - b.energy};
}

template <LorentzVector (*kCombine)(const LorentzVector&, const LorentzVector&)>
void combine_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<LorentzVector*>(results)[i] = kCombine(vector_at(operands[0], i), vector_at(operands[1], i));
}

void negate_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const LorentzVector v = vector_at(operands[0], i);
    static_cast<LorentzVector*>(results)[i] = {-v.x, -v.y, -v.z, -v.energy};
  }
}

// A vector times a number, the vector being operand `kVector`.
template <int kVector>
void scale_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const LorentzVector v = vector_at(operands[kVector], i);
    const double factor = value_at<double>(operands[1 - kVector], i);
    static_cast<LorentzVector*>(results)[i] = {v.x * factor, v.y * factor, v.z * factor, v.energy * factor};
  }
}

// VectorUtil's, unlike that of numbers, is never -pi.
double delta_phi(const LorentzVector& a, const LorentzVector& b) {
  constexpr double kHalfTurn = 3.14159265358979323846;
  const double difference = azimuth(b) - azimuth(a);
  if (difference > kHalfTurn) return difference - 2 * kHalfTurn;
  return difference <= -kHalfTurn ? difference + 2 * kHalfTurn : difference;
}
double delta_r(const LorentzVector& a, const LorentzVector& b) {
  return skimline::delta_r(pseudorapidity(a), pseudorapidity(b), azimuth(a), azimuth(b));
}
double angle(const LorentzVector& a, const LorentzVector& b) {
  const double squares = (a.x * a.x + a.y * a.y + a.z * a.z) * (b.x * b.x + b.y * b.y + b.z * b.z);
  const double product = a.x * b.x + a.y * b.y + a.z * b.z;
  const double cosine = squares <= 0 ? 0 : product / std::sqrt(squares);
  return maths::acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine);
}

template <double (*kQuantity)(const LorentzVector&, const LorentzVector&)>
void pair_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<double*>(results)[i] = kQuantity(vector_at(operands[0], i), vector_at(operands[1], i));
}

template <Loop kMake>
std::optional<Operation> choose_make(Arguments arguments) {
  if (arguments.size() != 4 || !are_numbers(arguments)) return std::nullopt;
  return loop_operation(kMake, std::vector(4, ScalarType::kDouble), ScalarType::kLorentzVector);
}

template <double (*kQuantity)(const LorentzVector&)>
std::optional<Operation> choose_quantity(Arguments arguments) {
  if (!are_vectors(arguments, 1)) return std::nullopt;
  return loop_operation(quantity_loop<kQuantity>, {ScalarType::kLorentzVector}, ScalarType::kDouble);
}

template <double (*kQuantity)(const LorentzVector&, const LorentzVector&)>
Operation pair_operation() {
  return loop_operation(pair_loop<kQuantity>, std::vector(2, ScalarType::kLorentzVector),
                        ScalarType::kDouble);
}

}  // namespace

double azimuth(const LorentzVector& v) { return v.x == 0 && v.y == 0 ? 0 : maths::atan2(v.y, v.x); }

double pseudorapidity(const LorentzVector& v) {
  // Along the beam, where pseudorapidity is infinite, a number beyond any that a finite angle can have.
  constexpr double kAlongBeam = 22756.0;
  const double transverse = pt(v);
  if (!(transverse > 0)) return v.z == 0 ? 0 : v.z > 0 ? v.z + kAlongBeam : v.z - kAlongBeam;
  constexpr double kSteep = 0x1p13;  // epsilon^(-1/4)
  const double slope = v.z / transverse;
  if (std::fabs(slope) < kSteep) return maths::log(slope + std::sqrt(slope * slope + 1.0));
  return v.z > 0 ? maths::log(2.0 * slope + 0.5 / slope) : -maths::log(-2.0 * slope);
}

double invariant_mass(const LorentzVector& v) {
  return signed_root(v.energy * v.energy - v.x * v.x - v.y * v.y - v.z * v.z);
}

bool are_vectors(Arguments arguments, std::size_t count) {
  return arguments.size() == count &&
         std::all_of(arguments.begin(), arguments.end(),
                     [](const Argument& each) { return each.type.scalar == ScalarType::kLorentzVector; });
}

std::optional<Operation> lorentz_vector_operation(Operator op, ScalarType a, ScalarType b) {
  constexpr ScalarType kVector = ScalarType::kLorentzVector;
  if (a == kVector && b == kVector) {
    if (op == Operator::kPlus) return loop_operation(combine_loop<vector_sum>, {a, b}, kVector);
    if (op == Operator::kMinus) return loop_operation(combine_loop<difference>, {a, b}, kVector);
    return std::nullopt;
  }
  if (op != Operator::kTimes || !is_number(a == kVector ? b : a)) return std::nullopt;
  if (a == kVector) return loop_operation(scale_loop<0>, {kVector, ScalarType::kDouble}, kVector);
  return loop_operation(scale_loop<1>, {ScalarType::kDouble, kVector}, kVector);
}

std::optional<Operation> lorentz_vector_operation(Operator op) {
  constexpr ScalarType kVector = ScalarType::kLorentzVector;
  if (op != Operator::kMinus) return std::nullopt;
  return loop_operation(negate_loop, {kVector}, kVector);
}

std::optional<Operation> delta_phi_of_vectors(Arguments arguments) {
  if (!are_vectors(arguments, 2)) return std::nullopt;
  return pair_operation<delta_phi>();
}

std::optional<Operation> delta_r_of_vectors(Arguments arguments) {
  if (!are_vectors(arguments, 2)) return std::nullopt;
  return pair_operation<delta_r>();
}

std::optional<Operation> angle_of_vectors(Arguments arguments) {
  if (!are_vectors(arguments, 2)) return std::nullopt;
  return pair_operation<angle>();
}

std::span<const Function> lorentz_vector_functions() {
  static constexpr Function kFunctions[] = {
      {"P4", "P4(pt, eta, phi, mass)", choose_make<make_loop<FromMass>>},
      {"P4PtEtaPhiE", "P4PtEtaPhiE(pt, eta, phi, energy)", choose_make<make_loop<FromEnergy>>},
      {"P4PxPyPzE", "P4PxPyPzE(px, py, pz, energy)", choose_make<from_components_loop>},
      {"pt", "pt(vector)", choose_quantity<pt>},
      {"eta", "eta(vector)", choose_quantity<pseudorapidity>},
      {"phi", "phi(vector)", choose_quantity<azimuth>},
      {"mass", "mass(vector)", choose_quantity<invariant_mass>},
      {"energy", "energy(vector)", choose_quantity<energy>},
      {"px", "px(vector)", choose_quantity<px>},
      {"py", "py(vector)", choose_quantity<py>},
      {"pz", "pz(vector)", choose_quantity<pz>},
      {"p", "p(vector)", choose_quantity<momentum>},
      {"mt", "mt(vector)", choose_quantity<transverse_mass>},
      {"rapidity", "rapidity(vector)", choose_quantity<rapidity>},
      {"theta", "theta(vector)", choose_quantity<theta>},
      {"Pt", "Pt(vector)", choose_quantity<pt>},
      {"Eta", "Eta(vector)", choose_quantity<pseudorapidity>},
      {"Phi", "Phi(vector)", choose_quantity<azimuth>},
      {"M", "M(vector)", choose_quantity<invariant_mass>},
      {"E", "E(vector)", choose_quantity<energy>},
      {"Px", "Px(vector)", choose_quantity<px>},
      {"Py", "Py(vector)", choose_quantity<py>},
      {"Pz", "Pz(vector)", choose_quantity<pz>},
      {"P", "P(vector)", choose_quantity<momentum>},
      {"Mt", "Mt(vector)", choose_quantity<transverse_mass>},
      {"Rapidity", "Rapidity(vector)", choose_quantity<rapidity>},
      {"Theta", "Theta(vector)", choose_quantity<theta>},
  };
  return kFunctions;
}

}  // namespace skimline
