// SPDX-License-Identifier: BSD-3-Clause
#include "naive_mixed_kinematics.h"

#include "naive_operators.h"

#include "skimline/framework/maths.h"

#include <cmath>
#include <initializer_list>

namespace skimline::testing {
namespace {

// A number whose operators give what those of C++ give for its type.
struct Number {
  NaiveContext* context;
  Scalar value;

  Number with(Operator op, const Number& other) const {
    return {context, binary(*context, op, value, other.value, false)};
  }
  bool is(Operator op, double other) const {
    return as_bool(binary(*context, op, value, Scalar{other}, false));
  }
  Number as(ScalarType scalar) const { return {context, converted(*context, value, scalar)}; }
  ScalarType type() const { return type_of(value); }
};

Number operator+(const Number& a, const Number& b) { return a.with(Operator::kPlus, b); }
Number operator-(const Number& a, const Number& b) { return a.with(Operator::kMinus, b); }
Number operator*(const Number& a, const Number& b) { return a.with(Operator::kTimes, b); }
Number operator/(const Number& a, const Number& b) { return a.with(Operator::kDivide, b); }

// The overload for float, or that for double.
template <typename Function>
Number call_with(const Number& x, Function function) {
  if (const float* value = std::get_if<float>(&x.value)) return {x.context, Scalar{function(*value)}};
  return {x.context, Scalar{function(std::get<double>(x.as(ScalarType::kDouble).value))}};
}
Number root(const Number& x) {
  return call_with(x, [](auto value) { return std::sqrt(value); });
}
Number magnitude(const Number& x) {
  return call_with(x, [](auto value) { return std::fabs(value); });
}
Number cosine(const Number& x) {
  return call_with(x, [](auto value) { return maths::cos(value); });
}
Number sine(const Number& x) {
  return call_with(x, [](auto value) { return maths::sin(value); });
}
Number hyperbolic_sine_of(const Number& x) {
  return call_with(x, [](auto value) { return maths::sinh(value); });
}
Number arc_tangent(const Number& y, const Number& x) {
  const auto* float_y = std::get_if<float>(&y.value);
  const auto* float_x = std::get_if<float>(&x.value);
  if (float_y && float_x) return {y.context, Scalar{maths::atan2(*float_y, *float_x)}};
  return {y.context, Scalar{maths::atan2(std::get<double>(y.as(ScalarType::kDouble).value),
                                         std::get<double>(x.as(ScalarType::kDouble).value))}};
}

bool are_numbers(const NaiveCall& call) {
  for (const Value& argument : call.arguments)
    if (!is_number(argument.type.scalar)) return false;
  return true;
}

bool are_of_one_type(const NaiveCall& call) {
  for (const Value& argument : call.arguments)
    if (argument.type.scalar != call.arguments[0].type.scalar) return false;
  return true;
}

bool are_real(const NaiveCall& call, std::initializer_list<std::size_t> chosen) {
  for (const std::size_t index : chosen)
    if (!is_floating(call.arguments[index].type.scalar)) return false;
  return true;
}

ScalarType real_type(const NaiveCall& call, std::initializer_list<std::size_t> chosen) {
  for (const std::size_t index : chosen)
    if (call.arguments[index].type.scalar == ScalarType::kDouble) return ScalarType::kDouble;
  return ScalarType::kFloat;
}

Number number(const NaiveCall& call, std::size_t index) {
  return {&call.context, call.arguments[index].scalar};
}
Number constant(const NaiveCall& call, double value) { return {&call.context, Scalar{value}}; }

// The last argument but one to the last, wrapped to half a turn on either side.
Number wrapped(const NaiveCall& call, const Number& difference, const Number& half_turn) {
  const double turn = std::get<double>((constant(call, 2.0) * half_turn).value);
  const double half = std::get<double>(half_turn.as(ScalarType::kDouble).value);
  double angle = std::fmod(std::get<double>(difference.as(ScalarType::kDouble).value), turn);
  if (angle < -half)
    angle += turn;
  else if (angle > half)
    angle -= turn;
  return constant(call, angle).as(half_turn.type());
}

Number half_turn_of(const NaiveCall& call, std::size_t count, ScalarType type) {
  return (call.arguments.size() == count ? number(call, count - 1) : constant(call, M_PI)).as(type);
}

// The own type of a half turn, if it is real, else that of all others.
ScalarType type_of_distance(const NaiveCall& call, std::size_t count) {
  const bool has_half_turn = call.arguments.size() == count;
  if (has_half_turn && is_floating(call.arguments.back().type.scalar))
    return call.arguments.back().type.scalar;
  for (std::size_t i = 0; i + 1 < count; ++i)
    if (call.arguments[i].type.scalar == ScalarType::kDouble) return ScalarType::kDouble;
  return ScalarType::kFloat;
}

struct Particle {
  Number x, y, z, mass;

  Number square() const { return x * x + y * y + z * z; }
};

Number angle_between(const Particle& a, const Particle& b, ScalarType type) {
  const Number x = a.y * b.z - b.y * a.z, y = a.x * b.z - b.x * a.z, z = a.x * b.y - b.x * a.y;
  return arc_tangent(root(x * x + y * y + z * z), a.x * b.x + a.y * b.y + a.z * b.z).as(type);
}

Number with_one_at_rest(const Particle& resting, const Particle& moving) {
  const Number energy = resting.mass + root(moving.mass * moving.mass + moving.square());
  return root(magnitude(energy * energy - moving.square()));
}

Number mass_of_pair(const Particle& a, const Particle& b, ScalarType angles) {
  const Number p1 = a.square(), p2 = b.square();
  const bool rests1 = p1.is(Operator::kLessEqual, 0), rests2 = p2.is(Operator::kLessEqual, 0);
  if (rests1 && rests2) return a.mass + b.mass;
  if (rests1) return with_one_at_rest(a, b);
  if (rests2) return with_one_at_rest(b, a);
  const Number m1 = a.mass * a.mass, m2 = b.mass * b.mass, r1 = m1 / p1, r2 = m2 / p2;
  const Number x = r1 + r2 + r1 * r2, angle = angle_between(a, b, angles);
  const Number c = cosine(angle), s = sine(angle);
  const Number one{x.context, Scalar{std::int32_t{1}}}, two{x.context, Scalar{std::int32_t{2}}};
  const Number y = c.is(Operator::kGreaterEqual, 0) ? (x + s * s) / (root(x + one) + c) : root(x + one) - c;
  return root(m1 + m2 + y * (two * root(p1 * p2)));
}

}  // namespace

std::optional<Value> naive_mixed_delta_phi(NaiveCall& call) {
  if (call.arguments.size() != 3 || !are_numbers(call) || !are_real(call, {0, 1})) return std::nullopt;
  const Number half = half_turn_of(call, 3, type_of_distance(call, 3));
  return flat_value(wrapped(call, number(call, 1) - number(call, 0), half).value);
}

std::optional<Value> naive_mixed_distance(NaiveCall& call, bool is_square) {
  const std::size_t count = call.arguments.size();
  if (count < 4 || count > 5 || !are_numbers(call) || !are_real(call, {2, 3})) return std::nullopt;
  if (count == 4 && are_of_one_type(call)) return std::nullopt;
  const ScalarType type = type_of_distance(call, 5);
  const Number dphi = wrapped(call, number(call, 3) - number(call, 2), half_turn_of(call, 5, type));
  const Number deta = number(call, 0) - number(call, 1), square = deta * deta + dphi * dphi;
  if (is_square) return flat_value(square.as(type).value);
  return flat_value(root(call.on_lists ? square.as(type) : square).as(type).value);
}

std::optional<Value> naive_mixed_angle(NaiveCall& call) {
  if (call.arguments.size() != 6 || !are_numbers(call) || are_of_one_type(call) ||
      !are_real(call, {0, 1, 2, 3, 4, 5}))
    return std::nullopt;
  const Number none = constant(call, 0);
  const Particle a{number(call, 0), number(call, 1), number(call, 2), none};
  const Particle b{number(call, 3), number(call, 4), number(call, 5), none};
  return flat_value(angle_between(a, b, real_type(call, {0, 1})).value);
}

std::optional<Value> naive_mixed_pair_mass(NaiveCall& call, bool is_polar) {
  if (call.arguments.size() != 8 || !are_numbers(call) || are_of_one_type(call)) return std::nullopt;
  if (!are_real(call, {1, 2, 5, 6}) || (!is_polar && !are_real(call, {0, 4}))) return std::nullopt;
  const auto particle = [&](std::size_t first) {
    Particle p{number(call, first), number(call, first + 1), number(call, first + 2),
               number(call, first + 3)};
    if (!is_polar) return p;
    const Number pt = p.x, eta = p.y, phi = p.z;
    return Particle{pt * cosine(phi), pt * sine(phi), pt * hyperbolic_sine_of(eta), p.mass};
  };
  const ScalarType angles = is_polar ? real_type(call, {0, 2}) : real_type(call, {0, 1});
  return flat_value(
      mass_of_pair(particle(0), particle(4), angles).as(real_type(call, {0, 1, 2, 3, 4, 5, 6, 7})).value);
}

std::optional<Value> naive_mixed_mass(NaiveCall& call) {
  if (call.arguments.size() != 4 || !are_numbers(call) || are_of_one_type(call) || !are_real(call, {1, 2}))
    return std::nullopt;
  const ScalarType type = real_type(call, {0, 1, 2, 3});
  const Number zero = constant(call, 0).as(type);
  Number sum_x = zero, sum_y = zero, sum_z = zero, sum_e = zero;
  for (std::size_t i = 0; i < call.arguments[0].elements.size(); ++i) {
    const auto at = [&](std::size_t argument) {
      return Number{&call.context, call.arguments[argument].elements[i].scalar};
    };
    const Number x = at(0) * cosine(at(2)), y = at(0) * sine(at(2)), z = at(0) * hyperbolic_sine_of(at(1));
    sum_x = (sum_x + x).as(type);
    sum_y = (sum_y + y).as(type);
    sum_z = (sum_z + z).as(type);
    sum_e = (sum_e + root(x * x + y * y + z * z + at(3) * at(3))).as(type);
  }
  return flat_value(root(sum_e * sum_e - sum_x * sum_x - sum_y * sum_y - sum_z * sum_z).value);
}

}  // namespace skimline::testing
