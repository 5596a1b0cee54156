// SPDX-License-Identifier: BSD-3-Clause
#include "parts/result_store.h"

#include "parts/remote_store.h"
#include "parts/skim_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/output_file.h"
#include "skimline/io/output_folders.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/io/text_digest.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;
using histograms::Histogram;

constexpr const char* kHistograms = "histograms/";
constexpr const char* kCounts = "counts";
constexpr const char* kWeights = "weights";
constexpr const char* kSuffix = ".results.root";
// Results are small, and written while others wait for them.
constexpr io::CompressionSetting kQuick{io::CompressionAlgorithm::kZstd, 1};

void make_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) throw FileError(folder, "cannot be made: " + problem.message(), FileFault::kUnavailable);
}

// Whoever makes it does so with the first file in it: a run that fails before leaves none.
void check_can_be_made(const std::string& folder) {
  std::error_code ignored;
  if (folder.empty() || fs::is_directory(folder, ignored)) return;
  const std::string problem = io::problem_of_folders(folder + "/results");
  if (!problem.empty()) throw FileError(folder, "cannot be made: " + problem, FileFault::kUnavailable);
}

// In the order of their names, so that whoever looks finds the same first.
std::vector<std::string> results_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code problem;
  for (fs::directory_iterator file(folder, problem), end; !problem && file != end; file.increment(problem))
    if (is_result_file(file->path().string())) paths.push_back(file->path().string());
  if (problem && problem != std::errc::no_such_file_or_directory)
    throw FileError(folder, "cannot be read: " + problem.message(), FileFault::kUnavailable);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string file_name_of(const std::set<std::string>& all_keys) {
  std::string text;
  for (const std::string& key : all_keys) text += key;
  return io::text_digest(text) + kSuffix;
}

bool has_categories(const Histogram& histogram, histograms::Storage storage) {
  return histogram.axes.size() == 1 && histogram.axes.front().values() == histograms::AxisValues::kTexts &&
         histogram.storage == storage && (histogram.has_exact_sums || !has_weights(storage));
}

// Nothing if there is none.
std::optional<Histogram> by_key(const io::RootFile& file, const char* name, histograms::Storage storage) {
  const io::RootKey* key = file.find(name);
  if (!key) return std::nullopt;
  Histogram histogram = io::read_histogram(file, *key);
  if (!has_categories(histogram, storage)) throw FileError(file.path(), "is no file of results");
  return histogram;
}

// Histograms only under wanted keys.
PartResults read(const std::string& path, const std::function<bool(const std::string&)>& is_wanted) {
  const io::RootFile file(path);
  if (!file.seal()) throw FileError(path, "is no file of results");
  PartResults results;
  const std::string_view prefix = kHistograms;
  for (const io::RootKey& key : file.keys()) {
    if (!key.path.starts_with(prefix)) continue;
    const std::string name = key.path.substr(prefix.size());
    if (!is_wanted(name)) continue;
    Histogram histogram = io::read_histogram(file, key);
    if (!histogram.has_exact_sums) throw FileError(path, "\"" + key.path + "\" has no exact sums");
    results.histograms.emplace(name, std::move(histogram));
  }
  if (const auto counts = by_key(file, kCounts, histograms::Storage::kCount))
    results.counts = counts_of(*counts);
  if (auto weights = by_key(file, kWeights, histograms::Storage::kWeighted))
    results.weights.push_back(std::move(*weights));
  return results;
}

}  // namespace

bool is_result_file(const std::string& path) {
  return path.ends_with(kSuffix) && !fs::path(path).filename().string().starts_with('.');
}

PartResults read_results(const std::string& path) {
  return read(path, [](const std::string&) { return true; });
}

ResultStore::ResultStore(const std::string& name)
    : remote_(io::is_url(name) ? std::make_unique<RemoteStore>(name) : nullptr),
      folder_(remote_ ? remote_->folder() : name) {
  if (!remote_) check_can_be_made(folder_);
}

ResultStore::~ResultStore() = default;

std::string ResultStore::folder_of(const std::string& part) const {
  return folder_ + "/" + part.substr(0, 2) + "/" + part;
}

std::string ResultStore::skim_path(const std::string& part, const std::string& key) const {
  const std::string folder = folder_of(part);
  make_folder(folder);
  return folder + "/" + key + kSkimSuffix;
}

bool ResultStore::has_skim(const std::string& part, const std::string& key) const {
  if (folder_.empty()) return false;
  std::error_code ignored;
  return fs::is_regular_file(folder_of(part) + "/" + key + kSkimSuffix, ignored) ||
         (remote_ && remote_->has(part, key + kSkimSuffix));
}

void ResultStore::fetch_skim(const std::string& part, const std::string& key) const {
  if (remote_) remote_->fetch(part, key + kSkimSuffix, skim_path(part, key));
}

void ResultStore::put_skim(const std::string& part, const std::string& path) const {
  if (remote_) remote_->send(part, path);
}

std::set<std::string> ResultStore::keys(const std::string& part) const {
  std::set<std::string> all;
  if (folder_.empty()) return all;
  if (remote_) remote_->fetch_all(part, kSuffix, folder_of(part));
  for (const std::string& path : results_in(folder_of(part))) {
    try {
      const auto note = [&](const std::string& key) {
        all.insert(key);
        return false;
      };
      all.merge(read(path, note).keys());
    } catch (const FileError&) {
      // What it has counts as missing.
    }
  }
  return all;
}

PartResults ResultStore::find(const std::string& part, const std::set<std::string>& keys) const {
  PartResults all;
  if (folder_.empty()) return all;
  if (remote_) remote_->fetch_all(part, kSuffix, folder_of(part));
  for (const std::string& path : results_in(folder_of(part))) {
    const auto is_wanted = [&](const std::string& key) {
      return keys.contains(key) && !all.histograms.contains(key);
    };
    try {
      PartResults found = read(path, is_wanted);
      all.histograms.merge(found.histograms);
      all.counts.merge(found.counts);
      all.weights.insert(all.weights.end(), found.weights.begin(), found.weights.end());
      note_use(path);
    } catch (const FileError&) {
      // What it had is computed once more, and written anew.
    }
  }
  return all;
}

ResultFile ResultStore::begin(const std::string& part, const std::set<std::string>& keys) const {
  const std::string folder = folder_of(part);
  make_folder(folder);
  return {remote_.get(), part, folder + "/" + file_name_of(keys)};
}

ResultFile::ResultFile(RemoteStore* remote, std::string part, std::string path)
    : remote_(remote),
      part_(std::move(part)),
      path_(std::move(path)),
      file_(std::make_unique<io::RootFileWriter>(path_)) {
  file_->file().do_not_synchronise();
}

ResultFile::ResultFile(ResultFile&&) noexcept = default;
ResultFile::~ResultFile() = default;

void ResultFile::add(std::vector<Histogram>& histograms, const std::vector<std::string>& keys) {
  for (std::size_t i = 0; i < histograms.size(); ++i) histograms[i].name = kHistograms + keys[i];
  io::write_histograms(*file_, histograms, {.compression = kQuick});
}

void ResultFile::complete(const std::map<std::string, std::uint64_t>& counts,
                          const std::vector<Histogram>& weights) {
  std::vector<Histogram> rest;
  const auto add_named = [&](Histogram histogram, const char* name) {
    histogram.name = name;
    rest.push_back(std::move(histogram));
  };
  if (!counts.empty()) add_named(counts_histogram(counts), kCounts);
  for (const Histogram& each : weights) add_named(each, kWeights);
  io::write_histograms(*file_, rest, {.compression = kQuick});
  file_->commit();
  if (remote_) remote_->send(part_, path_);
}

}  // namespace skimline::skims
