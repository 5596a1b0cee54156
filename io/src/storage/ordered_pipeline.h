// SPDX-License-Identifier: BSD-3-Clause
// Work on a sequence of items, several at a time, whose results are used in order.
#pragma once

#include <cstddef>
#include <memory>
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

/// Calls `take()` until it returns nullptr, one call at a time, and passes what it returned through the
/// steps. At most `num_items` of them exist at any time. Throws what the calls throw.
template <typename Take, typename Steps>
void run_steps(std::size_t num_items, Take take, const Steps& steps) {
  namespace tbb = oneapi::tbb;
  // A pipeline that an exception ends forgets what is on its way, which therefore is here. Items leave in
  // order, so that no two of those in flight have one place.
  std::vector<decltype(take())> in_flight(num_items);
  std::size_t next = 0;
  const auto begin = [&](tbb::flow_control& control) {
    const std::size_t number = next++;
    in_flight[number % num_items] = take();
    if (!in_flight[number % num_items]) control.stop();
    return number;
  };
  const auto passed = [&](const auto& step) {
    return [&](std::size_t number) {
      step(*in_flight[number % num_items]);
      return number;
    };
  };
  const auto end = [&](std::size_t number) {
    steps.finish(*in_flight[number % num_items]);
    in_flight[number % num_items].reset();
  };
  using tbb::filter_mode;
  tbb::parallel_pipeline(
      num_items,
      tbb::make_filter<void, std::size_t>(filter_mode::serial_in_order, begin) &
          tbb::make_filter<std::size_t, std::size_t>(filter_mode::parallel, passed(steps.work)) &
          tbb::make_filter<std::size_t, std::size_t>(filter_mode::serial_in_order, passed(steps.place)) &
          tbb::make_filter<std::size_t, std::size_t>(filter_mode::parallel, passed(steps.write)) &
          tbb::make_filter<std::size_t, void>(filter_mode::serial_in_order, end));
}

/// Calls `take()` until it returns nullptr, one call at a time, `work(item)` in parallel, and `finish(item)`
/// one call at a time in the order in which items were taken. At most `num_items` of them exist at any time.
/// Throws what the calls throw.
template <typename Take, typename Work, typename Finish>
void run_in_order(std::size_t num_items, Take take, Work work, Finish finish) {
  namespace tbb = oneapi::tbb;
  // A pipeline that an exception ends forgets what is on its way, which therefore is here. Items leave in
  // order, so that no two of those in flight have one place.
  std::vector<decltype(take())> in_flight(num_items);
  std::size_t next = 0;
  const auto begin = [&](tbb::flow_control& control) {
    const std::size_t number = next++;
    in_flight[number % num_items] = take();
    if (!in_flight[number % num_items]) control.stop();
    return number;
  };
  const auto proceed = [&](std::size_t number) {
    work(*in_flight[number % num_items]);
    return number;
  };
  const auto end = [&](std::size_t number) {
    finish(*in_flight[number % num_items]);
    in_flight[number % num_items].reset();
  };
  tbb::parallel_pipeline(num_items,
                         tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, begin) &
                             tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel, proceed) &
                             tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order, end));
}

/// Items that keep all threads busy while one waits for its turn.
inline std::size_t items_for_all_threads() {
  return static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency() + 1);
}

}  // namespace skimline::io
