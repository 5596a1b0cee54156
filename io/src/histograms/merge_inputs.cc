// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/merge_inputs.h"

#include "histograms/object_filter.h"
#include "histograms/other_objects.h"
#include "root/file_seal.h"
#include "storage/expected_files.h"
#include "storage/ordered_pipeline.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/several_problems.h"
#include "skimline/io/exact_sums_record.h"
#include "skimline/io/text_object.h"
#include "skimline/io/tree_metadata.h"

#include <algorithm>
#include <exception>
#include <map>
#include <string_view>

namespace skimline::io {
namespace {

// Exact sums are looked for behind so many histograms of a file; those of others count if these have some.
constexpr int kProbedRecords = 8;
// Of the only key behind which RootFileWriter can put one.
constexpr std::size_t kStreamerInfoKeySize = 64;

// Offsets of what begins behind each key: keys of all kinds, by offset.
std::vector<std::uint64_t> sorted_offsets(const std::vector<RootKey>& keys) {
  std::vector<std::uint64_t> offsets;
  for (const RootKey& key : keys) offsets.push_back(key.offset);
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

HistogramRecord record_of(const RootFile& file, const RootKey& key,
                          const std::vector<std::uint64_t>& offsets) {
  const std::uint64_t file_size = file.input().size();
  if (key.offset > file_size || key.record_size > file_size - key.offset)
    throw FormatError("object \"" + key.path + "\" lies outside the file");
  HistogramRecord record{.offset = key.offset,
                         .room = 0,
                         .hash = 0,
                         .record_size = key.record_size,
                         .object_size = key.object_size,
                         .key_size = key.key_size,
                         .is_sealed = false};
  if (file.seal()) {
    const SealedRecord& sealed = file.seal()->at(key.offset, key.record_size);
    record.room = std::min<std::uint64_t>(sealed.size_behind, file_size - record.end());
    record.hash = sealed.hash;
    record.is_sealed = true;
    return record;
  }
  const auto next = std::lower_bound(offsets.begin(), offsets.end(), record.end());
  record.room = (next == offsets.end() ? file_size : std::min(*next, file_size)) - record.end();
  return record;
}

std::vector<const RootKey*> newest_keys(const RootFile& file, const ObjectFilter& filter) {
  std::vector<const RootKey*> keys;
  for (const RootKey& key : file.keys())
    if (file.find(key.path) == &key && filter.is_wanted(key.path)) keys.push_back(&key);
  return keys;
}

std::vector<std::string> ambiguous_paths(const RootFile& file, const std::vector<const RootKey*>& keys) {
  std::vector<std::string> paths;
  for (const RootKey* key : keys)
    if (file.has_namesake(*key)) paths.push_back(key->path);
  return paths;
}

// Lists of keys have the order in which objects were written within each directory only; RootFileWriter puts
// objects behind each other.
void sort_as_written(std::vector<const RootKey*>& keys) {
  std::stable_sort(keys.begin(), keys.end(),
                   [](const RootKey* left, const RootKey* right) { return left->offset < right->offset; });
}

bool has_entries(const RootKey& key) {
  return key.class_name == "ROOT::RNTuple" || is_tree_class(key.class_name);
}

// Takes the objects that hold entries out of a list.
std::vector<RootKey> take_entries(std::vector<const RootKey*>& keys) {
  std::vector<RootKey> entries;
  for (const RootKey* key : keys)
    if (has_entries(*key)) entries.push_back(*key);
  std::erase_if(keys, [](const RootKey* key) { return has_entries(*key); });
  return entries;
}

bool is_process(const RootKey& key) {
  return key.class_name == kProcessClass && process_number(key.path).has_value();
}

// Takes the identifiers of processes out of a list. Trees need them for their references, also where patterns
// name the trees alone.
std::vector<RootKey> take_processes(const RootFile& file, const ObjectFilter& filter,
                                    const std::vector<RootKey>& entries, std::vector<const RootKey*>& keys) {
  const bool has_trees = std::any_of(entries.begin(), entries.end(),
                                     [](const RootKey& key) { return is_tree_class(key.class_name); });
  std::vector<RootKey> processes;
  for (const RootKey& key : file.keys())
    if (is_process(key) && (has_trees ? !filter.is_excluded(key.path) : filter.is_wanted(key.path)))
      processes.push_back(key);
  std::erase_if(keys, [](const RootKey* key) { return is_process(*key); });
  return processes;
}

bool is_text(const RootKey& key) { return key.class_name == kTextClass; }

// Takes the objects that cannot be merged out of a list.
std::vector<RootKey> take_unknown(const MergeOptions& options, bool takes_others,
                                  std::vector<const RootKey*>& keys) {
  const auto is_unknown = [&](const RootKey* key) {
    return !histogram_class(key->class_name) && !(options.combine_texts && is_text(*key)) &&
           !(takes_others && is_other_object(key->class_name));
  };
  std::vector<RootKey> unknown;
  for (const RootKey* key : keys)
    if (is_unknown(key)) unknown.push_back(*key);
  std::erase_if(keys, is_unknown);
  return unknown;
}

bool has_exact_sums(const RootFile& file, const std::vector<HistogramRecord>& records) {
  int probed = 0;
  if (file.seal())
    return std::any_of(records.begin(), records.end(),
                       [](const HistogramRecord& record) { return record.room > 0; });
  for (const HistogramRecord& record : records) {
    if (record.room < kExactSumsFront) continue;
    std::vector<std::byte> front(kExactSumsFront);
    file.input().read(record.end(), front);
    if (exact_sums_record_size(front) > 0) return true;
    if (++probed == kProbedRecords) break;
  }
  return false;
}

// Of all cycles of a key, the oldest first: other tools keep those of all files side by side.
std::vector<std::string> texts_of(const RootFile& file, const RootKey& newest) {
  std::vector<const RootKey*> cycles;
  for (const RootKey& key : file.keys())
    if (key.path == newest.path && is_text(key)) cycles.push_back(&key);
  std::sort(cycles.begin(), cycles.end(),
            [](const RootKey* left, const RootKey* right) { return left->cycle < right->cycle; });
  std::vector<std::string> texts;
  for (const RootKey* key : cycles) texts.push_back(read_text_object(file, *key));
  return texts;
}

// Empty if it cannot be used: it helps readers of the output, and is not needed for the histograms.
std::vector<std::byte> read_streamer_info(const RootFile& file) {
  const RootKey& info = file.streamer_info();
  if (info.record_size == 0) return {};
  try {
    return file.read_object(info);
  } catch (const FileError&) {
    return {};
  }
}

const char* kind_of(const MergedHistogram& histogram) {
  return histogram.is_text || histogram.is_other ? "" : "histogram ";
}

}  // namespace

// A file of which the list was read, or why not.
struct MergeInputs::OpenedFile {
  std::unique_ptr<RootFile> file;
  std::vector<const RootKey*> keys;
  std::vector<RootKey> entries;                 // of objects that hold entries
  std::vector<std::string> processes;           // identifiers
  std::vector<RootKey> unknown;                 // objects that cannot be merged
  std::vector<std::string> ambiguous;           // paths
  std::vector<HistogramRecord> records;         // of the keys
  std::vector<std::vector<std::string>> texts;  // of the keys; none of those of histograms
  bool has_exact_sums = false;
  std::vector<std::byte> streamer_info;
  std::size_t streamer_info_key = 0;  // its size
  std::exception_ptr fault;
  std::string problem;  // of a bad file
};

MergeInputs::OpenedFile MergeInputs::open(const MergeOptions& options, const ObjectFilter& filter,
                                          const std::string& path) const {
  OpenedFile opened;
  try {
    opened.file = std::make_unique<RootFile>(
        path, options.allow_changed ? ChangedRecords::kAllowed : ChangedRecords::kRefused);
    opened.keys = newest_keys(*opened.file, filter);
    opened.ambiguous = ambiguous_paths(*opened.file, opened.keys);
    if (takes_entries_ == EntriesInMerge::kListed) {
      opened.entries = take_entries(opened.keys);
      opened.processes =
          read_process_ids(*opened.file, take_processes(*opened.file, filter, opened.entries, opened.keys));
    }
    const bool has_only_entries = opened.keys.empty() && !opened.entries.empty();
    if (options.requires_checksums && !opened.file->seal() && !has_only_entries)
      throw FileError(path, "its histograms have no checksums, which are required: skimline did not write it",
                      FileFault::kUnverified);
    opened.unknown = take_unknown(options, takes_entries_ == EntriesInMerge::kListed, opened.keys);
    sort_as_written(opened.keys);
    const std::vector<std::uint64_t> offsets = sorted_offsets(opened.file->keys());
    for (const RootKey* key : opened.keys) {
      opened.records.push_back(record_of(*opened.file, *key, offsets));
      const bool is_combined = is_text(*key) && options.combine_texts;
      opened.texts.push_back(is_combined ? texts_of(*opened.file, *key) : std::vector<std::string>{});
    }
    opened.has_exact_sums = has_exact_sums(*opened.file, opened.records);
    opened.streamer_info = read_streamer_info(*opened.file);
    opened.streamer_info_key = opened.file->streamer_info().key_size;
    opened.file->input().release();
  } catch (const FormatError& error) {
    const FileError named(path, error.what());
    opened.fault = std::make_exception_ptr(named);
    opened.problem = named.what();
  } catch (const FileError& error) {
    opened.fault = std::current_exception();
    opened.problem = error.what();
  } catch (...) {
    opened.fault = std::current_exception();
  }
  return opened;
}

MergeInputs::MergeInputs(const MergeOptions& options, const std::vector<std::string>& paths,
                         std::vector<std::string>& skipped, EntriesInMerge entries)
    : takes_entries_(entries) {
  const ObjectFilter filter(options.include, options.exclude, options.record_directory);
  ExpectedFiles expected(paths);
  expected.reach(0);
  std::vector<OpenedFile> opened(paths.size());
  const auto open_file = [&](std::size_t number) { opened[number] = open(options, filter, paths[number]); };
  const auto take = [&](std::size_t number) {
    expected.reach(number + 1);
    add(options, std::exchange(opened[number], {}), skipped);
  };
  run_numbers_in_order(0, paths.size(), options.stop, open_file, take);
  numbers_.clear();
  processes_.place();
  for (std::size_t i = 0; i < files_.size(); ++i) files_[i].processes = processes_.shift(i);
  note_names_of_processes();
  note_shared_paths();
  if (!classes_.empty()) streamer_info_ = classes_.list(kStreamerInfoKeySize);
  check_problems();
  filter.check_all_matched();
  for (MergedHistogram& histogram : histograms_) {
    histogram.is_record = filter.is_record(histogram.path);
    if (histogram.is_text) combine_texts(options, histogram);
  }
}

void MergeInputs::combine_texts(const MergeOptions& options, MergedHistogram& histogram) const {
  histogram.texts.path = histogram.path;
  histogram.texts.num_files_without = files_.size() - histogram.num_inputs;
  histogram.text = options.combine_texts(histogram.texts);
  histogram.texts = {};
}

void MergeInputs::add(const MergeOptions& options, OpenedFile opened, std::vector<std::string>& skipped) {
  if (opened.fault && options.skip_bad && !opened.problem.empty())
    return skipped.push_back(std::move(opened.problem));
  if (opened.fault) std::rethrow_exception(opened.fault);
  MergeInput& input = files_.emplace_back();
  input.file = std::make_unique<InputFile>(opened.file->path());
  input.file->release();
  input.uuid = opened.file->uuid();
  input.has_exact_sums = opened.has_exact_sums;
  processes_.add(opened.processes);
  next_ = 0;
  for (const RootKey& key : opened.entries) list_entries(files_.size() - 1, key);
  for (const std::string& path : opened.ambiguous)
    note_problem("\"" + path + "\" is one object by its name, and another in a directory, in ",
                 input.file->path());
  for (const RootKey& key : opened.unknown)
    note_problem("\"" + key.path + "\" (" + key.class_name + ") is in ", input.file->path());
  for (std::size_t i = 0; i < opened.keys.size(); ++i) {
    MergedHistogram& histogram = list(options, *opened.keys[i], opened.records[i]);
    for (std::string& text : opened.texts[i])
      histogram.texts.texts.push_back({input.file->path(), std::move(text)});
  }
  classes_.add(opened.streamer_info, opened.streamer_info_key);
}

void MergeInputs::list_entries(std::size_t input, const RootKey& key) {
  const bool is_tree = is_tree_class(key.class_name);
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const MergedEntries& entries) { return entries.path == key.path; });
  if (known == entries_.end()) {
    entries_.push_back({key.path, is_tree, {input}});
    return;
  }
  if (known->is_tree != is_tree)
    note_problem("\"" + key.path + "\" is a " + (is_tree ? "RNTuple" : "TTree") + " in " +
                     files_[known->inputs.front()].file->path() + " and a " +
                     (is_tree ? "TTree" : "RNTuple") + " in ",
                 files_[input].file->path());
  known->inputs.push_back(input);
}

// An object of another class would be taken for the identifier, or be there twice.
void MergeInputs::note_names_of_processes() {
  const auto check = [&](const std::string& path, const std::string& class_name, std::size_t input) {
    if (process_number(path).value_or(kMostProcesses) < processes_.all().size())
      note_problem("\"" + path + "\" (" + class_name + ") has the name of the identifier of a process in ",
                   files_[input].file->path());
  };
  for (const MergedHistogram& histogram : histograms_)
    check(histogram.path, histogram.class_name, histogram.first_input);
  for (const MergedEntries& entries : entries_)
    check(entries.path, entries.is_tree ? "TTree" : "RNTuple", entries.inputs.front());
}

// An output can have one thing of a path, as each input by itself has.
void MergeInputs::note_shared_paths() {
  struct Object {
    std::string_view class_name;
    std::size_t input;
  };
  std::map<std::string_view, Object> objects;
  for (const MergedEntries& entries : entries_)
    objects.emplace(entries.path, Object{entries.is_tree ? "TTree" : "RNTuple", entries.inputs.front()});
  const auto note = [&](std::string_view path, const Object& object, const std::string& other,
                        std::size_t input) {
    note_problem("\"" + std::string(path) + "\" is a " + std::string(object.class_name) + " in " +
                     files_[object.input].file->path() + " and a " + other + " in ",
                 files_[input].file->path());
  };
  for (const MergedHistogram& histogram : histograms_) {
    const auto [known, is_new] =
        objects.emplace(histogram.path, Object{histogram.class_name, histogram.first_input});
    if (!is_new) note(histogram.path, known->second, histogram.class_name, histogram.first_input);
  }
  for (const auto& [path, object] : objects)
    for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1))
      if (const auto known = objects.find(path.substr(0, end)); known != objects.end())
        note(known->first, known->second, "directory", object.input);
}

MergedHistogram& MergeInputs::list(const MergeOptions& options, const RootKey& key,
                                   const HistogramRecord& record) {
  const std::size_t input = files_.size() - 1;
  const std::size_t number = number_of(key.path, next_);
  next_ = number + 1;
  MergedHistogram& histogram = histograms_[number];
  if (histogram.num_inputs == 0) {
    histogram.class_name = key.class_name;
    histogram.title = key.title;
    histogram.is_text = is_text(key) && options.combine_texts;
    const std::optional<HistogramClass> kind = histogram_class(key.class_name);
    histogram.is_other = !histogram.is_text && !kind;
    if (kind) histogram.kind = *kind;
    histogram.first_input = input;
  } else if (histogram.class_name != key.class_name) {
    note_problem(
        (std::string(kind_of(histogram)) + "\"" + key.path + "\" is a " + histogram.class_name + " in ") +
            files_[histogram.first_input].file->path() + " and a " + key.class_name + " in ",
        files_[input].file->path());
  }
  ++histogram.num_inputs;
  histogram.object_size = std::max(histogram.object_size, key.object_size);
  std::vector<HistogramRecord>& records = files_[input].records;
  if (records.size() <= number) records.resize(std::max(number + 1, histograms_.size()));
  records[number] = record;
  return histogram;
}

void MergeInputs::note_problem(const std::string& text, const std::string& file) {
  const auto known = std::find_if(problems_.begin(), problems_.end(),
                                  [&](const Problem& problem) { return problem.text == text; });
  if (known == problems_.end())
    problems_.push_back({text, file, 0});
  else
    ++known->num_more;
}

void MergeInputs::check_problems() const {
  if (problems_.empty()) return;
  std::vector<std::string> texts;
  for (const Problem& problem : problems_) {
    std::string& text = texts.emplace_back(problem.text + problem.first_file);
    if (problem.num_more > 0) text += " and " + std::to_string(problem.num_more) + " more";
  }
  throw SeveralProblems<Error>("not all objects can be merged:", texts, "--exclude leaves objects out");
}

// Files usually have the same histograms in the same order.
std::size_t MergeInputs::number_of(const std::string& path, std::size_t probable) {
  if (probable < histograms_.size() && histograms_[probable].path == path) return probable;
  const auto [entry, is_new] = numbers_.emplace(path, histograms_.size());
  if (is_new) histograms_.emplace_back().path = path;
  return entry->second;
}

}  // namespace skimline::io
