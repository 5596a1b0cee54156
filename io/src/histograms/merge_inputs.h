// SPDX-License-Identifier: BSD-3-Clause
// The inputs of a merge: which histograms there are, and where each file has them.
#pragma once

#include "histograms/histogram_layout.h"
#include "root/process_ids.h"
#include "root/streamer_info_union.h"

#include "skimline/io/input_file.h"
#include "skimline/io/merge_options.h"
#include "skimline/io/root_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::io {

class ObjectFilter;

/// Where a file has a histogram. A record of no size means that it has none.
struct HistogramRecord {
  std::uint64_t offset = 0;
  std::uint64_t room = 0;  ///< bytes behind the record up to the next one that is listed
  std::uint64_t hash = 0;  ///< of a sealed record, key included
  std::uint32_t record_size = 0;
  std::uint32_t object_size = 0;
  std::uint16_t key_size = 0;
  bool is_sealed = false;  ///< the file has checksums: `room` is the size of the exact sums behind it then

  std::uint64_t end() const { return offset + record_size; }
};

struct MergeInput {
  std::unique_ptr<InputFile> file;
  std::string uuid;
  bool has_exact_sums = false;           ///< records with exact sums may follow those of histograms
  ProcessShift processes{};              ///< from its numbers of processes to those of the output
  std::vector<HistogramRecord> records;  ///< by number of the histogram; those behind the last are missing

  const HistogramRecord* record(std::size_t histogram) const {
    return histogram < records.size() && records[histogram].record_size > 0 ? &records[histogram] : nullptr;
  }
};

/// A histogram of the output, or a text.
struct MergedHistogram {
  std::string path;
  std::string class_name;
  std::string title;
  HistogramClass kind;  ///< of a histogram
  bool is_text = false;
  bool is_other = false;   ///< neither a histogram nor a text
  bool is_record = false;  ///< lies in the record directory
  TextsOfInputs texts;     ///< of a text, until they are combined
  std::string text;        ///< what was made of them
  std::size_t first_input = 0;
  std::uint32_t num_inputs = 0;
  std::uint32_t object_size = 0;  ///< the largest
};

/// What an input has of the objects that hold entries.
enum class EntriesInMerge { kRefused, kListed };

/// RNTuples or TTrees of one path in several inputs.
struct MergedEntries {
  std::string path;
  bool is_tree = false;
  std::vector<std::size_t> inputs;
};

/// The lists of all inputs, put together in their order. Files are opened in parallel.
class MergeInputs {
 public:
  /// Combines the texts, so that what is wrong with them is found before anything is added. Throws as
  /// merge_files; with `skip_bad` unreadable files are left out and `skipped` says why.
  MergeInputs(const MergeOptions& options, const std::vector<std::string>& paths,
              std::vector<std::string>& skipped, EntriesInMerge entries = EntriesInMerge::kRefused);

  const std::vector<MergedHistogram>& histograms() const { return histograms_; }
  const std::vector<MergeInput>& files() const { return files_; }
  /// In the order of the first file, then of what only later ones have.
  const std::vector<MergedEntries>& entries() const { return entries_; }
  /// The StreamerInfo of all inputs together, for RootFileWriter; empty if they have none.
  const std::vector<std::byte>& streamer_info() const { return streamer_info_; }
  const ProcessTable& processes() const { return processes_; }

 private:
  struct OpenedFile;
  OpenedFile open(const MergeOptions& options, const ObjectFilter& filter, const std::string& path) const;
  void add(const MergeOptions& options, OpenedFile opened, std::vector<std::string>& skipped);
  MergedHistogram& list(const MergeOptions& options, const RootKey& key, const HistogramRecord& record);
  std::size_t number_of(const std::string& path, std::size_t probable);
  void combine_texts(const MergeOptions& options, MergedHistogram& histogram) const;

  void list_entries(std::size_t input, const RootKey& key);
  void note_names_of_processes();
  void note_shared_paths();

  EntriesInMerge takes_entries_;
  std::vector<MergedEntries> entries_;
  std::vector<MergeInput> files_;
  std::vector<MergedHistogram> histograms_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::size_t next_ = 0;  // the number that probably comes next
  struct Problem {
    std::string text, first_file;
    std::size_t num_more = 0;
  };
  void note_problem(const std::string& text, const std::string& file);
  void check_problems() const;
  std::vector<Problem> problems_;  // of objects that cannot be merged
  StreamerInfoUnion classes_;
  std::vector<std::byte> streamer_info_;  // of them
  ProcessTable processes_;
};

}  // namespace skimline::io
