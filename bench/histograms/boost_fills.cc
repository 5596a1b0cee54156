// SPDX-License-Identifier: BSD-3-Clause
// boost::histogram with axes known when compiled, filled with spans, whose size is free: all events at once.
// See fill_rounds.h.
#include "fill_rounds.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <boost/histogram.hpp>

namespace {

namespace bh = boost::histogram;

double variance_of(double content) { return content; }
double content_of(double content) { return content; }
double value_of(double) { return 0; }
template <typename T>
double variance_of(const bh::accumulators::weighted_sum<T>& cell) {
  return cell.variance();
}
template <typename T>
double content_of(const bh::accumulators::weighted_sum<T>& cell) {
  return cell.value();
}
template <typename T>
double value_of(const bh::accumulators::weighted_sum<T>&) {
  return 0;
}
template <typename T>
double content_of(const bh::accumulators::weighted_mean<T>& cell) {
  return cell.sum_of_weights();
}
template <typename T>
double variance_of(const bh::accumulators::weighted_mean<T>& cell) {
  return cell.sum_of_weights_squared();
}
template <typename T>
double value_of(const bh::accumulators::weighted_mean<T>& cell) {
  return cell.sum_of_weights() * cell.value();
}

template <typename Histogram, typename Fill>
class BoostFilled : public fills::Filled {
 public:
  BoostFilled(Histogram histogram, Fill fill) : histogram_(std::move(histogram)), fill_(fill) {}

  void fill() override { fill_(histogram_); }

  fills::Sums sums() override {
    fills::Sums sums;
    for (auto&& cell : bh::indexed(histogram_, bh::coverage::all)) {
      std::size_t number = 0, stride = 1;
      for (unsigned axis = 0; axis < histogram_.rank(); ++axis) {
        number += stride * static_cast<std::size_t>(cell.index(axis) + 1);
        stride *= static_cast<std::size_t>(histogram_.axis(axis).size() + 2);
      }
      sums.add(number, content_of(*cell), variance_of(*cell), value_of(*cell));
    }
    return sums;
  }

 private:
  Histogram histogram_;
  Fill fill_;
};

template <typename Histogram, typename Fill>
std::unique_ptr<fills::Filled> filled(Histogram histogram, Fill fill) {
  return std::make_unique<BoostFilled<Histogram, Fill>>(std::move(histogram), fill);
}

std::unique_ptr<fills::Filled> make(const std::string& kind) {
  const fills::Events& events = fills::events();
  const auto regular = [] { return bh::axis::regular<>(fills::kBins, fills::kLow, fills::kHigh); };
  const auto weight = [&] { return bh::weight(events.weights); };
  if (kind == "1d")
    return filled(bh::make_histogram_with(std::vector<double>(), regular()),
                  [&](auto& histogram) { histogram.fill(events.x); });
  if (kind == "1d_weighted")
    return filled(bh::make_weighted_histogram(regular()),
                  [&, weight](auto& histogram) { histogram.fill(events.x, weight()); });
  if (kind == "variable_weighted")
    return filled(bh::make_weighted_histogram(bh::axis::variable<>(fills::variable_edges())),
                  [&, weight](auto& histogram) { histogram.fill(events.x, weight()); });
  if (kind == "2d_weighted")
    return filled(bh::make_weighted_histogram(regular(), regular()),
                  [positions = std::array{events.x, events.y}, weight](auto& histogram) {
                    histogram.fill(positions, weight());
                  });
  if (kind == "3d_weighted")
    return filled(bh::make_weighted_histogram(regular(), regular(), regular()),
                  [positions = std::array{events.x, events.y, events.z}, weight](auto& histogram) {
                    histogram.fill(positions, weight());
                  });
  if (kind == "profile")
    return filled(bh::make_weighted_profile(regular()),
                  [&, weight](auto& histogram) { histogram.fill(events.x, weight(), bh::sample(events.y)); });
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) { return fills::run_program(count, arguments, make); }
