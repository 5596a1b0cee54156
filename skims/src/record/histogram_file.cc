// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/histogram_file.h"

#include "base/text_file.h"
#include "record/record_steps.h"
#include "record/record_text.h"
#include "record/uhi_reader.h"

#include "skimline/framework/error.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/unread_histogram.h"
#include "skimline/skims/merged_record.h"
#include "skimline/skims/record_objects.h"

namespace skimline::skims {
namespace {

bool is_of_record(const std::string& name) { return name.starts_with(std::string(kRecordDirectory) + "/"); }

}  // namespace

bool is_uhi_json(const std::string& path) { return path.ends_with(".json"); }

HistogramFile::HistogramFile(const std::string& path, io::ChangedRecords changed)
    : HistogramFile(path, is_uhi_json(path), changed) {}

HistogramFile::HistogramFile(const std::string& path, bool is_json, io::ChangedRecords changed)
    : path_(path) {
  if (is_json)
    open_json();
  else
    open_root(changed);
}

void HistogramFile::open_root(io::ChangedRecords changed) {
  root_ = std::make_unique<const io::RootFile>(path_, changed);
  path_ = root_->path();
  const std::vector<io::RootKey>& keys = root_->keys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // Not all writers list the newest of a name first.
    if (!io::is_histogram_class(keys[i].class_name) || root_->find(keys[i].path) != &keys[i]) continue;
    if (!is_of_record(keys[i].path)) names_.push_back(keys[i].path);
    places_.emplace(keys[i].path, i);
  }
}

void HistogramFile::open_json() {
  try {
    const std::string text = read_text_file(path_, kLargestText);
    histograms_ = parse_uhi_json(text);
    record_texts_ = record_texts_of(text);
  } catch (const FileError&) {
    throw;
  } catch (const ConfigError& error) {
    // What the text cannot be read for begins with the path, as configs have it.
    throw FileError(path_, std::string_view(error.what()).substr(path_.size() + 2), FileFault::kUnavailable);
  } catch (const Error& error) {
    throw FileError(path_, error.what());
  }
  for (std::size_t i = 0; i < histograms_.size(); ++i) {
    if (!is_of_record(histograms_[i].name)) names_.push_back(histograms_[i].name);
    places_.emplace(histograms_[i].name, i);
  }
}

void HistogramFile::refuse(const std::string& name) const {
  const io::RootKey* const key = root_ ? root_->find(name) : nullptr;
  if (key != nullptr) throw FileError(path_, "\"" + name + "\" is no histogram but a " + key->class_name);
  throw FileError(path_, names_.empty()
                             ? "contains no histogram"
                             : "contains no histogram \"" + name + "\"" + did_you_mean(name, names_));
}

histograms::Histogram HistogramFile::read(const std::string& name) const {
  if (root_) {
    const io::RootKey* const key = root_->find(name);
    if (key == nullptr || !io::is_histogram_class(key->class_name)) refuse(name);
    return io::read_histogram(*root_, *key);
  }
  const auto found = places_.find(name);
  if (found == places_.end()) refuse(name);
  return histograms_[found->second];
}

std::optional<histograms::Histogram> HistogramFile::read(const std::string& name,
                                                         std::vector<std::string>& unread) const {
  try {
    return read(name);
  } catch (const io::UnreadHistogram& error) {
    unread.emplace_back(error.what());
    return std::nullopt;
  }
}

std::optional<RunRecord> HistogramFile::record() const {
  return root_ ? read_record(*root_) : record_of_json();
}

std::optional<RunRecord> HistogramFile::record_of_json() const {
  if (record_texts_.empty()) return std::nullopt;
  io::TextsOfInputs texts{.path = kRecordPath, .texts = {}, .num_files_without = 0};
  for (const std::string& text : record_texts_) texts.texts.push_back({path_, text});
  try {
    RunRecord record = texts.texts.size() == 1 ? parse_record(record_texts_.front())
                                               : merged_record(texts, {.is_allowed = true});
    for (SampleRecord& sample : record.samples)
      for (const histograms::Histogram& each : histograms_) {
        if (each.name == cutflow_path(sample.name)) sample.cutflow = each;
        if (each.name == weighted_cutflow_path(sample.name)) sample.weighted_cutflow = each;
      }
    return record;
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    throw FileError(path_, std::string("its record cannot be read: ") + error.what());
  }
}

}  // namespace skimline::skims
