// SPDX-License-Identifier: BSD-3-Clause
// Formulas, types and order of operations are those of ROOT 6.40's VecOps, whose templates have a type of its
// own for each argument.
#include "expression/mixed_kinematics.h"

#include "expression/operators.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace skimline {
namespace {

using Steps = std::vector<ComposedStep>;

std::string argument(std::size_t index) { return "a" + std::to_string(index); }

std::string as(ScalarType scalar, const std::string& expression) {
  return (scalar == ScalarType::kFloat ? "float(" : "double(") + expression + ")";
}

// std::common_type of some of the arguments, of which one at least is real.
ScalarType real_type(Arguments arguments, std::initializer_list<std::size_t> chosen) {
  const bool has_double = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t index) {
    return arguments[index].type.scalar == ScalarType::kDouble;
  });
  return has_double ? ScalarType::kDouble : ScalarType::kFloat;
}

ScalarType real_type(Arguments arguments) {
  const bool has_double = std::any_of(arguments.begin(), arguments.end(), [](const Argument& each) {
    return each.type.scalar == ScalarType::kDouble;
  });
  return has_double ? ScalarType::kDouble : ScalarType::kFloat;
}

bool are_of_one_type(Arguments arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [&](const Argument& each) { return each.type.scalar == arguments[0].type.scalar; });
}

bool are_real(Arguments arguments, std::initializer_list<std::size_t> chosen) {
  return std::all_of(chosen.begin(), chosen.end(),
                     [&](std::size_t index) { return is_floating(arguments[index].type.scalar); });
}

bool are_lists(Arguments arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const Argument& each) { return each.type.is_jagged(); });
}

// The last step of `of` wrapped to half a turn, `c`, on either side; of angles it is a difference.
void add_wrapped(Steps& steps, const std::string& first, const std::string& second, ScalarType result) {
  steps.push_back({"turned", "fmod(" + second + " - " + first + ", 2.0 * c)"});
  steps.push_back({"dphi", as(result,
                              "Where(turned < -c, turned + 2.0 * c, "
                              "Where(turned > c, turned - 2.0 * c, double(turned)))")});
}

// What a half turn is: the last of `count` arguments, or pi.
std::string half_turn(Arguments arguments, std::size_t count, ScalarType result) {
  return as(result, arguments.size() == count ? argument(count - 1) : "M_PI");
}

// The type of the result with a half turn: its own if that is real.
ScalarType type_with_half_turn(Arguments arguments, std::size_t count) {
  if (arguments.size() == count && is_floating(arguments.back().type.scalar))
    return arguments.back().type.scalar;
  return real_type(arguments.first(count - 1));
}

bool is_flat_number(const Argument& argument) {
  return !argument.type.is_jagged() && is_number(argument.type.scalar);
}

Steps delta_phi(Arguments arguments) {
  if (arguments.size() != 3 || !are_real(arguments, {0, 1}) || !is_flat_number(arguments[2])) return {};
  const ScalarType result = type_with_half_turn(arguments, 3);
  Steps steps{{"c", half_turn(arguments, 3, result)}};
  add_wrapped(steps, "a0", "a1", result);
  return steps;
}

// RVec's square has the type of the result before its root is taken; of numbers it has its own.
Steps distance(Arguments arguments, bool is_square) {
  const std::size_t count = arguments.size();
  if (count < 4 || count > 5 || !are_real(arguments, {2, 3})) return {};
  if (count == 5 ? !is_flat_number(arguments[4]) : are_of_one_type(arguments)) return {};
  const ScalarType result = type_with_half_turn(arguments, 5);
  Steps steps{{"c", half_turn(arguments, 5, result)}};
  add_wrapped(steps, "a2", "a3", result);
  const std::string square = "(a0 - a1) * (a0 - a1) + dphi * dphi";
  const bool on_lists = std::any_of(arguments.begin(), arguments.end(),
                                    [](const Argument& each) { return each.type.is_jagged(); });
  steps.push_back({"square", on_lists || is_square ? as(result, square) : square});
  if (!is_square) steps.push_back({"distance", as(result, "sqrt(square)")});
  return steps;
}

// Between x1, y1, z1 and x2, y2, z2, whose result has the type of x1 and y1.
void add_angle(Steps& steps, ScalarType result) {
  steps.push_back({"cx", "y1 * z2 - y2 * z1"});
  steps.push_back({"cy", "x1 * z2 - x2 * z1"});
  steps.push_back({"cz", "x1 * y2 - x2 * y1"});
  steps.push_back({"angle", as(result,
                               "atan2(sqrt(cx * cx + cy * cy + cz * cz), "
                               "x1 * x2 + y1 * y2 + z1 * z2)")});
}

Steps angle(Arguments arguments) {
  if (arguments.size() != 6 || are_of_one_type(arguments) || !are_real(arguments, {0, 1, 2, 3, 4, 5}))
    return {};
  Steps steps;
  constexpr const char* kNames[] = {"x1", "y1", "z1", "x2", "y2", "z2"};
  for (std::size_t i = 0; i < 6; ++i) steps.push_back({kNames[i], argument(i)});
  add_angle(steps, real_type(arguments, {0, 1}));
  return steps;
}

// Of x1, y1, z1 with mass m1 and x2, y2, z2 with m2, without the difference of large numbers that energies
// and momenta are for light particles.
void add_pair_mass(Steps& steps, ScalarType angles, ScalarType result) {
  steps.push_back({"p1", "x1 * x1 + y1 * y1 + z1 * z1"});
  steps.push_back({"p2", "x2 * x2 + y2 * y2 + z2 * z2"});
  steps.push_back({"both_at_rest", as(result, "m1 + m2")});
  steps.push_back({"h1", "m1 + sqrt(m2 * m2 + p2)"});
  steps.push_back({"h2", "m2 + sqrt(m1 * m1 + p1)"});
  steps.push_back({"first_at_rest", as(result, "sqrt(fabs(h1 * h1 - p2))")});
  steps.push_back({"second_at_rest", as(result, "sqrt(fabs(h2 * h2 - p1))")});
  add_angle(steps, angles);
  steps.push_back({"r1", "m1 * m1 / p1"});
  steps.push_back({"r2", "m2 * m2 / p2"});
  steps.push_back({"x", "r1 + r2 + r1 * r2"});
  steps.push_back({"cosine", "cos(angle)"});
  steps.push_back({"y",
                   "Where(cosine >= 0, (x + sin(angle) * sin(angle)) / (sqrt(x + 1) + cosine), "
                   "sqrt(x + 1) - cosine)"});
  steps.push_back({"moving", as(result, "sqrt(m1 * m1 + m2 * m2 + y * (2 * sqrt(p1 * p2)))")});
  steps.push_back({"pair",
                   "Where(p1 <= 0 && p2 <= 0, both_at_rest, "
                   "Where(p1 <= 0, first_at_rest, Where(p2 <= 0, second_at_rest, moving)))"});
}

Steps pair_mass_of_components(Arguments arguments) {
  if (arguments.size() != 8 || are_of_one_type(arguments) || !are_real(arguments, {0, 1, 2, 4, 5, 6}))
    return {};
  Steps steps;
  constexpr const char* kNames[] = {"x1", "y1", "z1", "m1", "x2", "y2", "z2", "m2"};
  for (std::size_t i = 0; i < 8; ++i) steps.push_back({kNames[i], argument(i)});
  add_pair_mass(steps, real_type(arguments, {0, 1}), real_type(arguments));
  return steps;
}

Steps pair_mass(Arguments arguments) {
  if (arguments.size() != 8 || are_of_one_type(arguments) || !are_real(arguments, {1, 2, 5, 6})) return {};
  Steps steps;
  for (const std::size_t particle : {std::size_t{1}, std::size_t{2}}) {
    const std::size_t first = 4 * (particle - 1);
    const std::string number = std::to_string(particle), pt = argument(first);
    steps.push_back({"x" + number, pt + " * cos(" + argument(first + 2) + ")"});
    steps.push_back({"y" + number, pt + " * sin(" + argument(first + 2) + ")"});
    steps.push_back({"z" + number, pt + " * sinh(" + argument(first + 1) + ")"});
    steps.push_back({"m" + number, argument(first + 3)});
  }
  add_pair_mass(steps, real_type(arguments, {0, 2}), real_type(arguments));
  return steps;
}

Steps invariant_mass(Arguments arguments) {
  if (arguments.size() != 4 || are_of_one_type(arguments) || !are_lists(arguments) ||
      !are_real(arguments, {1, 2}))
    return {};
  const ScalarType result = real_type(arguments);
  Steps steps{{"x", "a0 * cos(a2)"},
              {"y", "a0 * sin(a2)"},
              {"z", "a0 * sinh(a1)"},
              {"e", "sqrt(x * x + y * y + z * z + a3 * a3)"}};
  for (const std::string each : {"x", "y", "z", "e"})
    steps.push_back({"sum_" + each, "Sum(" + as(result, each) + ")"});
  steps.push_back({"mass", "sqrt(sum_e * sum_e - sum_x * sum_x - sum_y * sum_y - sum_z * sum_z)"});
  return steps;
}

// Whether all arguments are numbers; only of these there are formulas.
Steps of_numbers(Arguments arguments, Steps (*formula)(Arguments)) {
  return are_numbers(arguments) ? formula(arguments) : Steps{};
}

}  // namespace

Steps mixed_delta_phi(Arguments arguments) { return of_numbers(arguments, delta_phi); }
Steps mixed_distance(Arguments arguments) {
  return of_numbers(arguments, [](Arguments numbers) { return distance(numbers, false); });
}
Steps mixed_squared_distance(Arguments arguments) {
  return of_numbers(arguments, [](Arguments numbers) { return distance(numbers, true); });
}
Steps mixed_angle(Arguments arguments) { return of_numbers(arguments, angle); }
Steps mixed_pair_mass(Arguments arguments) { return of_numbers(arguments, pair_mass); }
Steps mixed_pair_mass_of_components(Arguments arguments) {
  return of_numbers(arguments, pair_mass_of_components);
}
Steps mixed_invariant_mass(Arguments arguments) { return of_numbers(arguments, invariant_mass); }

}  // namespace skimline
