// SPDX-License-Identifier: BSD-3-Clause
#include "trace_writer.h"

#include "report/stage_names.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string name_event(const char* what, int thread, const std::string& name) {
  return text_of({{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", thread}, {"args", {{"name", name}}}});
}

}  // namespace

void TraceWriter::add(std::string_view sample, const StageSpan& span) {
  const std::lock_guard lock(mutex_);
  events_.push_back({sample, span});
}

std::string TraceWriter::to_json() const {
  std::vector<Event> events;
  {
    const std::lock_guard lock(mutex_);
    events = events_;
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.span.begin < b.span.begin; });
  std::set<int> threads;
  for (const Event& event : events) threads.insert(event.span.thread);

  std::string text =
      "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" + name_event("process_name", 0, "skimline");
  for (const int thread : threads)
    text += ",\n" + name_event("thread_name", thread, "thread " + std::to_string(thread));
  for (const Event& event : events) {
    const StageSpan& span = event.span;
    text += ",\n" + text_of({{"name", kStageNames.at(static_cast<std::size_t>(span.stage))},
                             {"ph", "X"},
                             {"ts", microseconds(span.begin - start_)},
                             {"dur", microseconds(span.end - span.begin)},
                             {"pid", 1},
                             {"tid", span.thread},
                             {"args", {{"sample", std::string(event.sample)}, {"slice", span.slice}}}});
  }
  return text + "\n]}\n";
}

}  // namespace skimline::skims
