// SPDX-License-Identifier: BSD-3-Clause
// Functions of all momenta of an event: sums of their sizes, and how they are spread.
#include "expression/function_registry.h"
#include "expression/lorentz_vectors.h"

#include "skimline/framework/maths.h"

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

using Eigenvalues = std::array<double, 3>;  // from the largest

// The tensor of momenta, of which each entry is divided by the sum of their squares.
struct MomentumTensor {
  MomentumTensor(const LorentzVector* first, const LorentzVector* last) {
    for (const LorentzVector* v = first; v != last; ++v) {
      xx += v->x * v->x;
      yy += v->y * v->y;
      zz += v->z * v->z;
      xy += v->x * v->y;
      xz += v->x * v->z;
      yz += v->y * v->z;
    }
  }

  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

  // By angles: O. K. Smith, Commun. ACM 4 (1961) 168.
  Eigenvalues eigenvalues() const {
    const double mean = (xx + yy + zz) / 3;
    const double dx = xx - mean, dy = yy - mean, dz = zz - mean;
    const double squares = dx * dx + dy * dy + dz * dz + 2 * (xy * xy + xz * xz + yz * yz);
    const double spread = std::sqrt(squares / 6);
    if (spread == 0) return {mean, mean, mean};
    const double determinant = dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
    const double cosine = determinant / (2 * spread * spread * spread);
    constexpr double kThirdOfTurn = 2.0943951023931953;
    const double angle = maths::acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) / 3;
    const double largest = mean + 2 * spread * maths::cos(angle);
    const double smallest = mean + 2 * spread * maths::cos(angle + kThirdOfTurn);
    return {largest, 3 * mean - largest - smallest, smallest};
  }
};

double sphericity(const MomentumTensor& tensor) {
  const Eigenvalues found = tensor.eigenvalues();
  return 1.5 * std::max(found[1] + found[2], 0.0) / (tensor.xx + tensor.yy + tensor.zz);
}

double aplanarity(const MomentumTensor& tensor) {
  return 1.5 * std::max(tensor.eigenvalues()[2], 0.0) / (tensor.xx + tensor.yy + tensor.zz);
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
    result[entry] = kShape(MomentumTensor(vectors + offsets[entry], vectors + offsets[entry + 1]));
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
