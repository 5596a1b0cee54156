// SPDX-License-Identifier: BSD-3-Clause
// Functions of all momenta of an event: sums of their sizes, and how they are spread.
#include "expression/function_registry.h"
#include "expression/lorentz_vectors.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace skimline {
namespace {

// From the first argument to the last, each list in its order.
template <typename T>
ColumnView scalar_sum(const KernelCall& call) {
  T* result = call.results.values.reserve<T>(call.length);
  std::fill_n(result, call.length, T{0});
  for (const ColumnView& input : call.inputs) {
    const T* values = input.data<T>();
    const FlatValues<T> flat_values(input);
    for (std::size_t entry = 0; entry < call.length; ++entry) {
      if (!input.type.is_jagged()) {
        result[entry] += flat_values[entry];
        continue;
      }
      for (std::uint32_t i = input.offsets[entry]; i < input.offsets[entry + 1]; ++i)
        result[entry] += values[i];
    }
  }
  return flat_result(call, result);
}

std::optional<Operation> choose_scalar_sum(Arguments arguments) {
  const bool has_list = std::any_of(arguments.begin(), arguments.end(),
                                    [](const Argument& each) { return each.type.is_jagged(); });
  if (!has_list || !are_numbers(arguments)) return std::nullopt;
  const ScalarType real = common_real(arguments);
  Operation operation = kernel_operation(real == ScalarType::kFloat ? scalar_sum<float> : scalar_sum<double>,
                                         std::vector(arguments.size(), real), flat(real));
  operation.list_sizes = ListSizes::kFree;
  return operation;
}

// What is symmetric: the momenta of an event, of which each entry is to be divided by the sum of their
// squares.
struct MomentumTensor {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

  double trace() const { return xx + yy + zz; }
};

MomentumTensor tensor_of(const LorentzVector* first, const LorentzVector* last) {
  MomentumTensor tensor;
  for (const LorentzVector* v = first; v != last; ++v) {
    tensor.xx += v->x * v->x;
    tensor.yy += v->y * v->y;
    tensor.zz += v->z * v->z;
    tensor.xy += v->x * v->y;
    tensor.xz += v->x * v->z;
    tensor.yz += v->y * v->z;
  }
  return tensor;
}

// Turns the plane of two axes, so that the element of both, `pq`, becomes zero. With the third axis they have
// `pr` and `qr`.
void turn(double& pp, double& qq, double& pq, double& pr, double& qr) {
  if (pq == 0) return;
  const double cotangent = (qq - pp) / (2 * pq);  // of twice the angle
  const double tangent =
      std::copysign(1 / (std::fabs(cotangent) + std::sqrt(cotangent * cotangent + 1)), cotangent);
  const double cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
  pp -= tangent * pq;
  qq += tangent * pq;
  pq = 0;
  const double p = pr, q = qr;
  pr = cosine * p - sine * q;
  qr = sine * p + cosine * q;
}

// From the smallest, by turns until the matrix is diagonal (C. G. J. Jacobi, J. Crelle 30 (1846) 51).
// Formulas for the roots of its polynomial have half of the digits only where two of them are close.
std::array<double, 3> eigenvalues_of(MomentumTensor tensor) {
  constexpr int kMostTurns = 10;
  auto& [xx, yy, zz, xy, xz, yz] = tensor;
  for (int i = 0; i < kMostTurns && (xy != 0 || xz != 0 || yz != 0); ++i) {
    turn(xx, yy, xy, xz, yz);
    turn(xx, zz, xz, xy, yz);
    turn(yy, zz, yz, xy, xz);
  }
  std::array<double, 3> values{xx, yy, zz};
  // NaN has no place in an order.
  if (!std::isnan(xx + yy + zz)) std::sort(values.begin(), values.end());
  return values;
}

double sphericity(const MomentumTensor& tensor) {
  const std::array<double, 3> found = eigenvalues_of(tensor);
  return 1.5 * std::max(found[0] + found[1], 0.0) / tensor.trace();
}

double aplanarity(const MomentumTensor& tensor) {
  return 1.5 * std::max(eigenvalues_of(tensor)[0], 0.0) / tensor.trace();
}

double transverse_sphericity(const MomentumTensor& tensor) {
  const double sum = tensor.xx + tensor.yy, difference = tensor.xx - tensor.yy;
  const double root = std::sqrt(difference * difference + 4 * tensor.xy * tensor.xy);
  return std::max(sum - root, 0.0) / sum;
}

template <double (*kShape)(const MomentumTensor&)>
ColumnView shapes(const KernelCall& call) {
  const auto* vectors = call.inputs[0].data<LorentzVector>();
  const std::uint32_t* offsets = call.inputs[0].offsets;
  auto* result = call.results.values.reserve<double>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    result[entry] = kShape(tensor_of(vectors + offsets[entry], vectors + offsets[entry + 1]));
  return flat_result(call, result);
}

template <double (*kShape)(const MomentumTensor&)>
std::optional<Operation> choose_shape(Arguments arguments) {
  if (!are_vectors(arguments, 1) || !is_one_list(arguments)) return std::nullopt;
  return kernel_operation(shapes<kShape>, {ScalarType::kLorentzVector}, flat(ScalarType::kDouble));
}

}  // namespace

std::span<const Function> event_shape_functions() {
  static constexpr Function kFunctions[] = {
      {"HT", "HT(list or number, ...)", choose_scalar_sum},
      {"ST", "ST(list or number, ...)", choose_scalar_sum},
      {"Sphericity", "Sphericity(list of vectors)", choose_shape<sphericity>},
      {"Aplanarity", "Aplanarity(list of vectors)", choose_shape<aplanarity>},
      {"TransverseSphericity", "TransverseSphericity(list of vectors)", choose_shape<transverse_sphericity>},
  };
  return kFunctions;
}

}  // namespace skimline
