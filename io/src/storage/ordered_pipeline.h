// SPDX-License-Identifier: BSD-3-Clause
// Work on a sequence of items, several at a time, whose results are used in order.
#pragma once

#include "skimline/framework/stop_flag.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

namespace skimline::io {

/// What is done to items: `work` and `write` in parallel, `place` and `finish` one call at a time and in the
/// order in which items were taken.
template <typename Work, typename Place, typename Write, typename Finish>
struct OrderedSteps {
  Work work;
  Place place;
  Write write;
  Finish finish;
};
template <typename Work, typename Place, typename Write, typename Finish>
OrderedSteps(Work, Place, Write, Finish) -> OrderedSteps<Work, Place, Write, Finish>;

/// Items on their way through a pipeline. One that an exception ends forgets what is on its way, which
/// therefore is here. Items leave in order, so that no two of those in flight have one place.
template <typename Take>
class ItemsInFlight {
 public:
  ItemsInFlight(std::size_t num_items, Take& take) : take_(take), items_(num_items) {}

  std::size_t begin(oneapi::tbb::flow_control& control) {
    const std::size_t number = next_++;
    place(number) = take_();
    if (!place(number)) control.stop();
    return number;
  }
  template <typename Step>
  std::size_t pass(std::size_t number, const Step& step) {
    step(*place(number));
    return number;
  }
  template <typename Finish>
  void end(std::size_t number, const Finish& finish) {
    finish(*place(number));
    place(number).reset();
  }

 private:
  auto& place(std::size_t number) { return items_[number % items_.size()]; }

  Take& take_;
  std::vector<decltype(std::declval<Take&>()())> items_;
  std::size_t next_ = 0;
};

/// Calls `take()` until it returns nullptr, one call at a time, and passes what it returned through the
/// steps. At most `num_items` of them exist at any time. Throws what the calls throw.
template <typename Take, typename Steps>
void run_steps(std::size_t num_items, Take take, const Steps& steps) {
  namespace tbb = oneapi::tbb;
  using tbb::filter_mode;
  ItemsInFlight<Take> items(num_items, take);
  const auto pass = [&](filter_mode mode, const auto& step) {
    return tbb::make_filter<std::size_t, std::size_t>(
        mode, [&](std::size_t number) { return items.pass(number, step); });
  };
  tbb::parallel_pipeline(
      num_items,
      tbb::make_filter<void, std::size_t>(filter_mode::serial_in_order,
                                          [&](auto& control) { return items.begin(control); }) &
          pass(filter_mode::parallel, steps.work) & pass(filter_mode::serial_in_order, steps.place) &
          pass(filter_mode::parallel, steps.write) &
          tbb::make_filter<std::size_t, void>(filter_mode::serial_in_order,
                                              [&](std::size_t number) { items.end(number, steps.finish); }));
}

/// Calls `take()` until it returns nullptr, one call at a time, `work(item)` in parallel, and `finish(item)`
/// one call at a time in the order in which items were taken. At most `num_items` of them exist at any time.
/// Throws what the calls throw.
template <typename Take, typename Work, typename Finish>
void run_in_order(std::size_t num_items, Take take, Work work, Finish finish) {
  namespace tbb = oneapi::tbb;
  using tbb::filter_mode;
  ItemsInFlight<Take> items(num_items, take);
  tbb::parallel_pipeline(
      num_items,
      tbb::make_filter<void, std::size_t>(filter_mode::serial_in_order, [&](auto& control) {
        return items.begin(control);
      }) & tbb::make_filter<std::size_t, std::size_t>(filter_mode::parallel, [&](std::size_t number) {
        return items.pass(number, work);
      }) & tbb::make_filter<std::size_t, void>(filter_mode::serial_in_order, [&](std::size_t number) {
        items.end(number, finish);
      }));
}

/// Items that keep all threads busy while one waits for its turn.
inline std::size_t items_for_all_threads() {
  return static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency()) + 1;
}

/// Calls `work(number)` for each number of [begin, end) in parallel, and `finish(number)` one call at a time
/// in their order. Throws what the calls throw, and Interrupted once `stop` is set.
template <typename Work, typename Finish>
void run_numbers_in_order(std::size_t begin, std::size_t end, StopFlag stop, Work work, Finish finish) {
  constexpr std::size_t kAtOnce = 8;  // handing over a number takes as long as little work
  struct Numbers {
    std::size_t begin, end;
  };
  const auto take = [&]() -> std::unique_ptr<Numbers> {
    stop.throw_if_set();
    if (begin == end) return nullptr;
    const std::size_t first = std::exchange(begin, std::min(end, begin + kAtOnce));
    return std::make_unique<Numbers>(Numbers{first, begin});
  };
  const auto for_each = [](const Numbers& numbers, auto& step) {
    for (std::size_t number = numbers.begin; number < numbers.end; ++number) step(number);
  };
  run_in_order(
      items_for_all_threads(), take, [&](Numbers& numbers) { for_each(numbers, work); },
      [&](Numbers& numbers) { for_each(numbers, finish); });
}

}  // namespace skimline::io
