// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/record_objects.h"

#include "record/record_steps.h"
#include "record/record_text.h"

#include "skimline/framework/error.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/text_object.h"
#include "skimline/skims/merged_record.h"

#include <algorithm>
#include <cmath>

namespace skimline::skims {
namespace {

using histograms::Histogram;

// The oldest cycle first.
io::TextsOfInputs texts_of(const io::RootFile& file) {
  io::TextsOfInputs texts{.path = kRecordPath, .texts = {}, .num_files_without = 0};
  std::vector<const io::RootKey*> keys;
  for (const io::RootKey& key : file.keys())
    if (key.path == texts.path) keys.push_back(&key);
  std::sort(keys.begin(), keys.end(),
            [](const auto* left, const auto* right) { return left->cycle < right->cycle; });
  for (const io::RootKey* key : keys) {
    if (key->object_size > kLargestRecordText)
      throw FileError(file.path(), "\"" + texts.path + "\" is too large to be a record");
    texts.texts.push_back({file.path(), io::read_text_object(file, *key)});
  }
  return texts;
}

// A tool that adds histograms writes errors for counts too.
void make_counts(Histogram& histogram) {
  if (histogram.storage != histograms::Storage::kWeighted) return;
  const std::vector<double>& contents = histogram.contents();
  const bool are_counts =
      contents == histogram.variances() && std::all_of(contents.begin(), contents.end(), [](double content) {
        return content >= 0 && content < 0x1p53 && content == std::floor(content);
      });
  if (!are_counts) return;
  Histogram counts = histograms::empty_histogram(histogram.name, histogram.title, histogram.axes,
                                                 histograms::Storage::kCount);
  counts.value_title = histogram.value_title;
  counts.sums[histograms::kWeight] = contents;
  counts.entries = histogram.entries;
  histograms::round_exact_sums(counts);
  histogram = std::move(counts);
}

// A histogram without axes if there is none.
Histogram cutflow_of(const io::RootFile& file, const std::string& path) {
  const io::RootKey* key = file.find(path);
  if (key == nullptr) return {};
  Histogram histogram = io::read_histogram(file, *key);
  if (histogram.axes.size() != 1 || has_values(histogram.storage))
    throw FileError(file.path(), "\"" + path + "\" is no cutflow");
  return histogram;
}

}  // namespace

std::vector<io::RootObject> record_objects(const RunRecord& record, io::CompressionSetting compression) {
  RunRecord canonical = record;
  make_canonical(canonical);
  std::vector<io::RootObject> objects{io::text_object(kRecordPath, record_text(canonical), compression)};
  for (const Histogram& cutflow : named_cutflows(canonical))
    objects.push_back(io::root_object(cutflow, {.compression = compression}));
  return objects;
}

std::vector<std::string> record_classes() { return {"TH1D", io::kTextClass}; }

std::optional<RunRecord> read_record(const io::RootFile& file) {
  const io::TextsOfInputs texts = texts_of(file);
  if (texts.texts.empty()) return std::nullopt;
  try {
    RunRecord record = parse_record(
        texts.texts.size() == 1 ? texts.texts[0].text : merged_record_text(texts, {.is_allowed = true}));
    for (SampleRecord& sample : record.samples) {
      sample.cutflow = cutflow_of(file, cutflow_path(sample.name));
      make_counts(sample.cutflow);
      sample.weighted_cutflow = cutflow_of(file, weighted_cutflow_path(sample.name));
    }
    return record;
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    throw FileError(file.path(), "\"" + texts.path + "\" cannot be read: " + error.what());
  }
}

}  // namespace skimline::skims
