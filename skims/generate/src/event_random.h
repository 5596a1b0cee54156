// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that belong to an event, not to a thread or to an order of calls.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace skimline::generate {

/// A stream of random numbers that is a function of seed and entry: the n-th number is a hash of (seed,
/// entry, n), with the mixing function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Draw one
/// in an expression: in which order a compiler evaluates arguments is its own choice.
class EventRandom {
 public:
  EventRandom(std::uint64_t seed, std::uint64_t entry) : state_(mix(mix(seed + kStep) ^ (entry * kStep))) {}

  std::uint64_t bits() { return mix(state_ += kStep); }

  /// Uniform in the open interval (0, 1).
  double uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  bool happens(double probability) { return uniform() < probability; }

  /// Near to a standard normal distribution: the sum of eight uniform numbers, never beyond 4.9.
  double normal() {
    constexpr double kMean = 8 * 65535.0 / 2;
    constexpr double kInverseDeviation = 1 / 53509.9;  // sqrt(8 * (65536^2 - 1) / 12)
    const double sum = static_cast<double>(sum_of_quarters(bits()) + sum_of_quarters(bits()));
    return (sum - kMean) * kInverseDeviation;
  }

  double azimuth() { return uniform(-std::numbers::pi, std::numbers::pi); }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;

  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  }
  static std::uint64_t sum_of_quarters(std::uint64_t value) {
    constexpr std::uint64_t kEvenQuarters = 0x0000FFFF0000FFFF;
    const std::uint64_t pairs = (value & kEvenQuarters) + ((value >> 16) & kEvenQuarters);
    return (pairs & 0xFFFFFFFF) + (pairs >> 32);
  }

  std::uint64_t state_;
};

}  // namespace skimline::generate
