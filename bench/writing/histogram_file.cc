// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads a file of many histograms: histogram_file PATH [HISTOGRAMS [BINS]]. Prints seconds and
// bytes.
#include "stopwatch.h"

#include "skimline/histograms/histogram_set.h"
#include "skimline/io/exact_sums_record.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/input_file.h"
#include "skimline/io/root_file.h"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

using namespace skimline;
using histograms::Axis;
using histograms::Histogram;

namespace {

ColumnView view(const std::vector<double>& values) {
  ColumnView column;
  column.type.scalar = ScalarType::kDouble;
  column.length = values.size();
  column.values = values.data();
  return column;
}

// Half of them weighted, each with other fills.
std::vector<Histogram> filled(std::size_t count, int bins) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> position(50, 20);
  std::uniform_real_distribution<double> weight(0.5, 1.5);
  histograms::HistogramSet set;
  for (std::size_t i = 0; i < count; ++i) {
    histograms::HistogramSpec spec;
    spec.name = "region" + std::to_string(i % 100) + "/histogram" + std::to_string(i);
    spec.axes = {Axis::regular(bins, 0, 100)};
    spec.storage = i % 2 == 0 ? histograms::Storage::kCount : histograms::Storage::kWeighted;
    set.add(std::move(spec));
  }
  std::vector<double> positions(1000), weights(1000);
  for (std::size_t i = 0; i < count; ++i) {
    for (double& x : positions) x = position(random);
    for (double& w : weights) w = weight(random);
    const std::vector<ColumnView> columns{view(positions), view(weights)};
    const std::size_t ids[] = {i};
    if (set.fill(0, ids, std::span(columns).first(1 + i % 2))) std::abort();
  }
  return set.reduce();
}

// Reads every histogram with its exact sums, each with one read, by name.
std::size_t read_all(const std::string& path, const std::vector<Histogram>& histograms) {
  const io::RootFile file(path);
  std::size_t cells = 0;
  for (const Histogram& histogram : histograms) {
    const io::RootKey& key = *file.find(histogram.name);
    const std::uint64_t size = key.record_size + 4096;
    std::vector<std::byte> bytes(std::min<std::uint64_t>(size, file.input().size() - key.offset));
    file.input().read(key.offset, bytes);
    const auto object = std::span(bytes).first(key.record_size).subspan(key.key_size);
    const auto behind = std::span(bytes).subspan(key.record_size);
    const auto sums = io::read_exact_sums(behind.first(io::exact_sums_record_size(behind)), object);
    cells += sums->num_cells();
  }
  return cells;
}

std::size_t read_objects(const std::string& path, const std::vector<Histogram>& histograms) {
  const io::RootFile file(path);
  std::size_t bytes = 0;
  for (const Histogram& histogram : histograms) bytes += file.read_object(*file.find(histogram.name)).size();
  return bytes;
}

void print(const char* what, const bench::Stopwatch& stopwatch) {
  std::printf("%s: %.2f s, processors %.2f s\n", what, stopwatch.seconds(), stopwatch.processor_seconds());
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments < 2) return 2;
  const std::string path = arguments[1];
  const std::size_t count = num_arguments > 2 ? std::strtoull(arguments[2], nullptr, 10) : 100'000;
  const int bins = num_arguments > 3 ? std::atoi(arguments[3]) : 100;
  const std::vector<Histogram> histograms = filled(count, bins);
  for (const bool has_exact_sums : {false, true}) {
    bench::Stopwatch stopwatch;
    io::RootFileWriter file(path);
    write_histograms(file, histograms, {.has_exact_sums = has_exact_sums});
    const std::uint64_t bytes = file.commit();
    print(has_exact_sums ? "write with exact sums" : "write objects only", stopwatch);
    std::printf("  %.1f MB\n", static_cast<double>(bytes) * 1e-6);
  }
  bench::Stopwatch objects;
  read_objects(path, histograms);
  print("open, find, read and decompress objects", objects);
  bench::Stopwatch sums;
  read_all(path, histograms);
  print("open, find and read exact sums", sums);
}
