// SPDX-License-Identifier: BSD-3-Clause
// Writes a file as a run over entries [FIRST, LAST) of three inputs would: OUTPUT FIRST LAST SAMPLE
// CROSS_SECTION [none]. A cross section of 0 is none; with "none" the file has no record.
// test_records.py processes the same entries.
#include "skimline/histograms/histogram_set.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/skims/record_objects.h"
#include "skimline/skims/run_record.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace skimline;

namespace {

struct InputFile {
  const char* name;
  const char* uuid;
  std::uint64_t num_entries;
};
constexpr InputFile kInputs[] = {{"b.root", "11111111-0000-1111-8000-000000000001", 1000},
                                 {"a.root", "11111111-0000-1111-8000-000000000002", 500},
                                 {"c.root", "11111111-0000-1111-8000-000000000003", 700}};

const std::vector<std::string> kSteps{"all events", "two muons", "opposite charge"};

double weight_of(std::uint64_t entry) {
  const double weight = 1.0 / (static_cast<double>(entry) + 3.0);
  return entry % 5 == 0 ? -weight : weight;
}

// What is filled for each entry that passes a step.
struct Fills {
  std::vector<std::string_view> step;
  std::vector<double> weight, mass, mass_weight;

  Fills(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t entry = first; entry < last; ++entry) {
      const std::size_t num_passed = entry % 3 == 0 ? 1 : entry % 2 == 0 ? 2 : 3;
      for (std::size_t i = 0; i < num_passed; ++i) {
        step.push_back(kSteps[i]);
        weight.push_back(weight_of(entry));
      }
      if (num_passed < 3) continue;
      mass.push_back(static_cast<double>(entry % 100));
      mass_weight.push_back(weight_of(entry));
    }
  }
};

template <typename T>
ColumnView view(const std::vector<T>& values, ScalarType scalar) {
  ColumnView column;
  column.type.scalar = scalar;
  column.length = values.size();
  column.values = values.data();
  return column;
}

std::size_t book(histograms::HistogramSet& set, const char* name, histograms::Axis axis,
                 histograms::Storage storage) {
  histograms::HistogramSpec spec;
  spec.name = name;
  spec.axes = {std::move(axis)};
  spec.storage = storage;
  return set.add(std::move(spec));
}

std::vector<histograms::Histogram> filled(const Fills& fills) {
  using histograms::Axis;
  using histograms::Storage;
  histograms::HistogramSet set;
  const std::size_t mass[] = {book(set, "mass", Axis::regular(10, 0, 100), Storage::kWeighted)};
  const std::size_t counts[] = {book(set, "counts", Axis::categories(kSteps), Storage::kCount)};
  const std::size_t weights[] = {book(set, "weights", Axis::categories(kSteps), Storage::kWeighted)};
  const std::vector<ColumnView> of_mass{view(fills.mass, ScalarType::kDouble),
                                        view(fills.mass_weight, ScalarType::kDouble)};
  const std::vector<ColumnView> of_steps{view(fills.step, ScalarType::kString),
                                         view(fills.weight, ScalarType::kDouble)};
  const std::span<const ColumnView> steps = of_steps;
  if (set.fill(0, mass, of_mass) || set.fill(0, counts, steps.first(1)) || set.fill(0, weights, steps))
    std::abort();
  return set.reduce();
}

std::vector<skims::InputRecord> inputs_between(std::uint64_t first, std::uint64_t last) {
  std::vector<skims::InputRecord> inputs;
  std::uint64_t begin = 0;
  for (const InputFile& file : kInputs) {
    skims::InputRecord& input =
        inputs.emplace_back(skims::InputRecord{file.name, "Events", file.uuid, file.num_entries, {}});
    const std::uint64_t from = std::max(first, begin), to = std::min(last, begin + file.num_entries);
    if (from < to) input.processed.push_back({from - begin, to - from});
    begin += file.num_entries;
  }
  return inputs;
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments < 6) return 2;
  const std::uint64_t first = std::strtoull(arguments[2], nullptr, 10);
  const std::uint64_t last = std::strtoull(arguments[3], nullptr, 10);
  const double cross_section = std::atof(arguments[5]);
  std::vector<histograms::Histogram> histograms = filled(Fills(first, last));

  skims::SampleRecord sample;
  sample.name = arguments[4];
  sample.metadata = {{"year", std::int64_t{2018}}};
  if (cross_section > 0) sample.cross_section_pb = cross_section;
  sample.weight = "genWeight";
  sample.cutflow = std::move(histograms[1]);
  sample.weighted_cutflow = std::move(histograms[2]);
  sample.inputs = inputs_between(first, last);
  histograms.resize(1);

  io::RootFileWriter file(arguments[1]);
  io::write_histograms(file, histograms);
  if (num_arguments == 6)
    for (const io::RootObject& object : skims::record_objects(
             {.version = "0.9.0", .configs = {R"({"schema_version": 1})"}, .samples = {sample}}))
      file.add_object(object);
  file.commit();
}
