// SPDX-License-Identifier: BSD-3-Clause
#include "run/histogram_output.h"

#include "base/interruption.h"
#include "base/text_table.h"
#include "plan/result_sizes.h"
#include "record/uhi_json.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/skims/record_objects.h"

#include <algorithm>
#include <chrono>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::skims {
namespace {

namespace tbb = oneapi::tbb;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Histograms that are in memory at once.
std::size_t end_of_part(const histograms::HistogramSet& histograms, std::size_t first, std::uint64_t most) {
  const auto bytes_of = [&](std::size_t id) { return result_bytes(histograms.spec(id)); };
  std::uint64_t bytes = bytes_of(first);
  std::size_t last = first + 1;
  while (last < histograms.size() && bytes + bytes_of(last) <= most) bytes += bytes_of(last++);
  return last;
}

// What only the events have shown is no mistake of the config.
template <typename Work>
void report_as_result(Work work) {
  try {
    work();
  } catch (const ConfigError& error) {
    throw Error(error.what());
  }
}

std::string warning(const histograms::Histogram& histogram, const std::string& problem) {
  return "warning: histogram \"" + histogram.name + "\": " + problem;
}

std::string nan_problem(const histograms::Histogram& histogram) {
  const std::uint64_t number = histogram.num_nan;
  const bool has_cells = std::all_of(histogram.axes.begin(), histogram.axes.end(),
                                     [](const histograms::Axis& axis) { return axis.flow().overflow; });
  return counted(number, "value is", "values are") + " not a number; " +
         (number == 1 ? "it counts" : "they count") + " as overflow" +
         (has_cells ? "" : ", for which an axis has no cell");
}

}  // namespace

HistogramOutput::HistogramOutput(const Config& config, const JobOptions& options)
    : config_(config), options_(options) {
  if (!options.writes_histograms) return;
  if (is_json(config.output))
    json_file_ = std::make_unique<io::OutputFile>(config.output.histograms_path);
  else
    root_file_ = std::make_unique<io::RootFileWriter>(config.output.histograms_path);
}

void HistogramOutput::add(const Sample& sample, const JobPlan& job,
                          const histograms::HistogramSet& histograms, const ResultOf& result_of) {
  for (std::size_t first = 0; first < histograms.size();) {
    options_.stop.throw_if_set();
    const std::size_t last = end_of_part(histograms, first, most_result_bytes(config_));
    std::vector<histograms::Histogram> part;
    run_with_threads(options_.threads, [&] { part = reduce(result_of, first, last, options_.stop); });
    Results results;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const BookedHistogram& booked = job.booked()[first + i];
      const SampleSum* sum = booked.key.sum;
      Label label{booked.key, booked.type, sum ? sum->name.value : sample.name.value};
      if (sum)
        add_to_sum(std::move(part[i]), std::move(label));
      else
        results.add(std::move(part[i]), std::move(label));
    }
    put_out(std::move(results));
    first = last;
  }
}

void HistogramOutput::Results::add(histograms::Histogram histogram, Label label) {
  histograms.push_back(std::move(histogram));
  labels.push_back(std::move(label));
}

// Sums wait for all of their samples.
void HistogramOutput::add_to_sum(histograms::Histogram part, Label label) {
  const auto sum = std::find_if(sums_.histograms.begin(), sums_.histograms.end(),
                                [&](const histograms::Histogram& each) { return each.name == part.name; });
  if (sum == sums_.histograms.end())
    sums_.add(std::move(part), std::move(label));
  else
    histograms::add(*sum, part);
}

void HistogramOutput::put_out(Results results) {
  for (const histograms::Histogram& each : results.histograms) count(each);
  if (root_file_) run_with_threads(options_.threads, [&] { write(results, options_.stop); });
  for (std::size_t i = 0; i < results.histograms.size(); ++i) {
    if (json_file_) kept_.push_back(results.histograms[i]);
    if (options_.take_histogram) hand_over(std::move(results.histograms[i]), results.labels[i]);
  }
}

std::optional<OutputFile> HistogramOutput::complete(const RunRecord& record) {
  report_as_result([&] { put_out(std::move(sums_)); });
  if (!root_file_ && !json_file_) return std::nullopt;
  const Stopwatch watch;
  std::uint64_t bytes = 0;
  if (root_file_) {
    for (const io::RootObject& object : record_objects(record)) root_file_->add_object(object);
    bytes = root_file_->complete();
  } else {
    bytes = write_json(record);
  }
  summary_.write_seconds += watch.seconds();
  const std::string content =
      format_count(summary_.number) + (summary_.number == 1 ? " histogram" : " histograms");
  return OutputFile{config_.output.histograms_path, content, bytes, ""};
}

io::OutputFile* HistogramOutput::file() { return root_file_ ? &root_file_->file() : json_file_.get(); }

std::vector<histograms::Histogram> HistogramOutput::reduce(const ResultOf& result_of, std::size_t first,
                                                           std::size_t last, StopFlag stop) {
  const Stopwatch watch;
  std::vector<histograms::Histogram> part(last - first);
  tbb::parallel_for(first, last, [&](std::size_t id) {
    stop.throw_if_set();
    part[id - first] = result_of(id);
  });
  summary_.reduce_seconds += watch.seconds();
  return part;
}

// Histograms of one type at a time.
void HistogramOutput::write(const Results& results, StopFlag stop) {
  const Stopwatch watch;
  const auto type_of = [&](std::size_t i) { return results.labels[i].type; };
  const std::span<const histograms::Histogram> all = results.histograms;
  report_as_result([&] {
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin + 1;
      constexpr std::size_t kMostAtOnce = 256;  // between two looks at `stop`
      while (end < all.size() && end - begin < kMostAtOnce && type_of(end) == type_of(begin)) ++end;
      stop.throw_if_set();
      io::write_histograms(*root_file_, all.subspan(begin, end - begin), {.cells = type_of(begin)});
      begin = end;
    }
  });
  summary_.write_seconds += watch.seconds();
}

void HistogramOutput::hand_over(histograms::Histogram histogram, const Label& label) {
  const HistogramKey& key = label.key;
  std::string variation;
  if (key.variation) variation = key.variation->name.value;
  if (key.weight_variation) variation = key.weight_variation->name.value;
  options_.take_histogram({label.sample, key.config->name.value, key.region ? key.region->name.value : "",
                           variation, std::move(histogram)});
}

void HistogramOutput::count(const histograms::Histogram& histogram) {
  ++summary_.number;
  summary_.cells += histogram.num_cells();
  summary_.bytes += result_bytes(histogram);
  if (histogram.num_nan != 0) warnings_.push_back(warning(histogram, nan_problem(histogram)));
  if (const std::uint64_t number = histogram.num_bad_weights; number != 0)
    warnings_.push_back(warning(histogram, counted(number, "fill is", "fills are") + " left out: a weight " +
                                               (has_values(histogram.storage) ? "or value " : "") +
                                               "that is not finite, or too large"));
}

std::uint64_t HistogramOutput::write_json(const RunRecord& record) {
  std::string text;
  report_as_result([&] { text = to_uhi_json(kept_, &record); });
  json_file_->write(0, std::as_bytes(std::span(text)));
  json_file_->complete(text.size());
  return text.size();
}

}  // namespace skimline::skims
