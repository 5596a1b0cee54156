// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/merged_histograms.h"

#include "histograms/merged_sum.h"
#include "histograms/record_reader.h"
#include "root/record_key.h"
#include "root/streamer_info.h"
#include "storage/ordered_pipeline.h"

#include "skimline/framework/runner.h"
#include "skimline/framework/several_problems.h"
#include "skimline/io/text_object.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <sys/resource.h>
#include <sys/stat.h>

namespace skimline::io {
namespace {

// Histograms are taken together until they have so many bytes: enough work for a thread, little memory.
constexpr std::uint64_t kChunkBytes = 2 * 1024 * 1024;
constexpr std::size_t kChunkHistograms = 256;

// Files can be open all at once if there are much fewer than the system allows.
bool can_stay_open(std::size_t num_files) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && num_files < limit.rlim_cur / 2;
}

// What tells a file from all others, whatever it is called; nothing if it does not exist.
using Identity = std::pair<dev_t, ino_t>;
std::optional<Identity> identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

// Some histograms that one thread merges.
struct Chunk {
  std::size_t first = 0;
  std::vector<MergedSum> sums;
  std::vector<RootObject> objects;
  std::vector<bool> need_short_keys;  // of the objects
  std::vector<bool> have_failed;      // of the sums
  std::vector<std::string> problems;  // why
  MergeSummary summary;
  std::exception_ptr fault;
};

// Merges chunks; thread-safe.
class ChunkMerger {
 public:
  ChunkMerger(const MergeOptions& options, const MergeInputs& inputs, CompressionSetting compression)
      : options_(options),
        inputs_(inputs),
        compression_(compression),
        stay_open_(can_stay_open(inputs.files().size())) {}

  void merge(Chunk& chunk) const {
    chunk.have_failed.resize(chunk.sums.size());
    try {
      add_files(chunk, false);
      if (std::any_of(chunk.sums.begin(), chunk.sums.end(),
                      [](const MergedSum& sum) { return sum.needs_objects(); }))
        add_files(chunk, true);
      for (std::size_t i = 0; i < chunk.sums.size(); ++i) finish(chunk, i);
    } catch (...) {
      chunk.fault = std::current_exception();
    }
    chunk.sums.clear();
  }

 private:
  const MergedHistogram& histogram(const Chunk& chunk, std::size_t index) const {
    return inputs_.histograms()[chunk.first + index];
  }

  // Adds all histograms of the chunk, or those again that must be added as objects.
  void add_files(Chunk& chunk, bool are_restarted) const {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < chunk.sums.size(); ++i) {
      if (are_restarted && !chunk.sums[i].needs_objects()) continue;
      if (are_restarted) chunk.sums[i].restart();
      wanted.push_back(i);
    }
    RecordReader reader;
    std::vector<std::byte> scratch;
    for (const MergeInput& input : inputs_.files()) {
      options_.stop.throw_if_set();
      add_file(chunk, wanted, input, reader, scratch);
      if (!stay_open_) input.file->release();
    }
  }

  void add_file(Chunk& chunk, const std::vector<std::size_t>& wanted, const MergeInput& input,
                RecordReader& reader, std::vector<std::byte>& scratch) const {
    std::vector<const HistogramRecord*> records;
    std::vector<std::size_t> indexes;
    for (const std::size_t index : wanted) {
      if (histogram(chunk, index).is_text || chunk.have_failed[index]) continue;
      const HistogramRecord* record = input.record(chunk.first + index);
      if (record == nullptr) continue;
      records.push_back(record);
      indexes.push_back(index);
    }
    try {
      reader.read(input, records, [&](std::size_t i, const RecordBytes& bytes) {
        add_histogram(chunk, indexes[i], input, *records[i], bytes, scratch);
      });
    } catch (const FileError& error) {
      throw BadInput(error);
    }
  }

  void add_histogram(Chunk& chunk, std::size_t index, const MergeInput& input, const HistogramRecord& record,
                     const RecordBytes& bytes, std::vector<std::byte>& scratch) const {
    const MergedHistogram& merged = histogram(chunk, index);
    try {
      chunk.sums[index].add(record, bytes, scratch);
      chunk.summary.bytes_read += record.record_size + bytes.sums.size();
      chunk.summary.bytes_added += record.object_size;
    } catch (const FormatError& error) {
      throw FileError(input.file->path(), "histogram \"" + merged.path + "\" at byte " +
                                              std::to_string(record.offset) + ": " + error.what());
    } catch (const Mismatch& mismatch) {
      const std::string& first = inputs_.files()[merged.first_input].file->path();
      const std::string& path = input.file->path();
      fail(chunk, index,
           "of " + (first == path ? path : first + " and " + path) + " cannot be added: " + mismatch.what());
    }
  }

  // Others may have to be told of too.
  void fail(Chunk& chunk, std::size_t index, const std::string& why) const {
    const MergedHistogram& merged = histogram(chunk, index);
    chunk.have_failed[index] = true;
    chunk.problems.push_back((merged.is_other ? "object \"" : "histogram \"") + merged.path + "\" " + why);
  }

  void finish(Chunk& chunk, std::size_t index) const {
    const MergedHistogram& merged = histogram(chunk, index);
    if (chunk.have_failed[index]) return;
    if (merged.is_text) {
      chunk.objects.push_back(text_object(merged.path, merged.text, compression_));
      chunk.need_short_keys.push_back(false);
      return;
    }
    if (!merged.is_record && !merged.is_other) {
      ++chunk.summary.num_histograms;
      chunk.summary.num_exact += chunk.sums[index].is_exact() ? 1 : 0;
      chunk.summary.num_changed += chunk.sums[index].has_changed() ? 1 : 0;
      chunk.summary.num_partial += merged.num_inputs < inputs_.files().size() ? 1 : 0;
    }
    try {
      chunk.objects.push_back(chunk.sums[index].take(compression_));
      chunk.need_short_keys.push_back(chunk.sums[index].needs_short_key());
    } catch (const Mismatch& mismatch) {
      fail(chunk, index, std::string("cannot be merged: ") + mismatch.what());
    }
  }

  const MergeOptions& options_;
  const MergeInputs& inputs_;
  CompressionSetting compression_;
  bool stay_open_;
};

// Takes the next histograms in their order.
class ChunkCutter {
 public:
  ChunkCutter(const MergeInputs& inputs, bool allows_changed)
      : inputs_(inputs), allows_changed_(allows_changed) {}

  /// Returns nullptr behind the last one.
  std::unique_ptr<Chunk> next() {
    const std::vector<MergedHistogram>& histograms = inputs_.histograms();
    auto chunk = std::make_unique<Chunk>();
    chunk->first = next_;
    std::uint64_t bytes = 0;
    while (next_ < histograms.size() && chunk->sums.size() < kChunkHistograms &&
           (bytes == 0 || bytes + histograms[next_].object_size <= kChunkBytes)) {
      bytes += histograms[next_].object_size;
      chunk->sums.emplace_back(histograms[next_++], allows_changed_);
    }
    if (chunk->sums.empty()) return nullptr;
    return chunk;
  }

 private:
  const MergeInputs& inputs_;
  bool allows_changed_;
  std::size_t next_ = 0;
};

// Appends chunks to the output.
class ChunkWriter {
 public:
  ChunkWriter(RootFileWriter& writer, MergeSummary& summary) : writer_(writer), summary_(summary) {}

  void write(const Chunk& chunk) {
    problems_.insert(problems_.end(), chunk.problems.begin(), chunk.problems.end());
    if (problems_.empty())
      for (std::size_t i = 0; i < chunk.objects.size(); ++i)
        write_object(chunk.objects[i], chunk.need_short_keys[i]);
    if (chunk.fault) std::rethrow_exception(chunk.fault);
    summary_.num_histograms += chunk.summary.num_histograms;
    summary_.num_exact += chunk.summary.num_exact;
    summary_.num_changed += chunk.summary.num_changed;
    summary_.num_partial += chunk.summary.num_partial;
    summary_.bytes_read += chunk.summary.bytes_read;
    summary_.bytes_added += chunk.summary.bytes_added;
  }

  /// Throws Error that lists all that could not be merged.
  void check() const {
    if (problems_.empty()) return;
    if (problems_.size() == 1) throw Error(problems_.front());
    throw SeveralProblems<Error>(std::to_string(problems_.size()) + " objects cannot be merged:", problems_);
  }

 private:
  void write_object(const RootObject& object, bool needs_short_key) {
    constexpr std::uint64_t kLargestKey = 32768;
    end_ += object.payload.size() + object.blob.size() + kLargestKey;
    if (needs_short_key && end_ > kSmallFileLimit)
      throw Error("histogram \"" + object.name +
                  "\" holds functions or other objects and cannot lie behind 2 GB of a file: merge it with "
                  "--include into another one");
    end_ -= kLargestKey - long_key_size(object);
    writer_.add_object(object);
  }

  RootFileWriter& writer_;
  MergeSummary& summary_;
  std::vector<std::string> problems_;
  std::uint64_t end_ = 1'000'000;  // of the output at most, with what is not objects
};

bool all_have_exact_sums(const MergeInputs& inputs) {
  return std::all_of(inputs.files().begin(), inputs.files().end(),
                     [](const MergeInput& input) { return input.has_exact_sums; });
}

}  // namespace

void check_paths(const MergeOptions& options) {
  if (options.inputs.empty()) throw ConfigError("nothing to merge: there are no inputs");
  if (options.allow_changed && options.requires_checksums)
    throw ConfigError("what another program changed has no checksum: that is either allowed or refused");
  const std::optional<Identity> output = identity(options.output);
  std::map<Identity, std::string> seen;
  std::set<std::string> urls;
  for (const std::string& path : options.inputs) {
    if (is_url(path) && !urls.insert(canonical_url(path)).second)
      throw ConfigError("the file \"" + path + "\" is given twice");
    const std::optional<Identity> input = identity(path);
    if (!input) continue;  // missing, or remote
    if (input == output) throw ConfigError("the output \"" + options.output + "\" is also an input");
    const auto [other, is_new] = seen.emplace(*input, path);
    if (is_new) continue;
    throw ConfigError(other->second == path
                          ? "the file \"" + path + "\" is given twice"
                          : "\"" + other->second + "\" and \"" + path + "\" are the same file");
  }
}

MergeSummary merge_without_bad_inputs(
    const MergeOptions& options, const std::function<MergeSummary(const std::vector<std::string>&)>& merge) {
  std::vector<std::string> paths = options.inputs;
  std::vector<std::string> skipped;
  for (;;) {
    try {
      MergeSummary summary = merge(paths);
      summary.skipped.insert(summary.skipped.begin(), skipped.begin(), skipped.end());
      return summary;
    } catch (const BadInput& error) {
      if (!options.skip_bad) throw FileError(error);
      skipped.emplace_back(error.what());
      std::erase(paths, error.path());
    }
  }
}

CompressionSetting compression_of(const MergeOptions& options, const MergeInputs& inputs) {
  constexpr CompressionSetting kFast{CompressionAlgorithm::kZstd, 1};
  if (options.compression) return *options.compression;
  return all_have_exact_sums(inputs) ? CompressionSetting{} : kFast;
}

bool are_known(const MergeInputs& inputs) {
  return inputs.processes().all().empty() && all_have_exact_sums(inputs) &&
         std::all_of(
             inputs.histograms().begin(), inputs.histograms().end(),
             [](const MergedHistogram& histogram) { return has_streamer_info(histogram.class_name); });
}

// Those of others may have objects inside histograms that we know nothing about, or other versions; their
// StreamerInfo is taken over.
RootFileWriter begin_histograms(const MergeOptions& options, const MergeInputs& inputs) {
  if (are_known(inputs)) return RootFileWriter(options.output);
  if (!inputs.streamer_info().empty())
    return {options.output, std::span<const std::byte>(inputs.streamer_info())};
  return {options.output, std::vector<std::string>{}};
}

void write_merged_histograms(const MergeOptions& options, const MergeInputs& inputs, RootFileWriter& writer,
                             MergeSummary& summary, std::uint64_t num_before) {
  const ChunkMerger merger(options, inputs, summary.compression);
  ChunkCutter cutter(inputs, options.allow_changed);
  ChunkWriter writing(writer, summary);
  std::uint64_t num_done = num_before;
  const auto write = [&](Chunk& chunk) {
    writing.write(chunk);
    num_done += chunk.objects.size();
    if (options.progress) options.progress(num_done, num_before + inputs.histograms().size());
  };
  run_in_order(
      items_for_all_threads(), [&] { return cutter.next(); }, [&](Chunk& chunk) { merger.merge(chunk); },
      write);
  writing.check();
  summary.num_files = inputs.files().size();
  for (const MergedHistogram& histogram : inputs.histograms())
    if (histogram.is_record && histogram.is_text)
      summary.num_records = std::max<std::uint64_t>(summary.num_records, histogram.num_inputs);
}

}  // namespace skimline::io
