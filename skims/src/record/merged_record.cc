// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/merged_record.h"

#include "record/configs_of_shards.h"
#include "record/counting_histograms.h"
#include "record/record_inputs.h"
#include "record/record_text.h"
#include "record/shards_of_run.h"

#include "skimline/framework/error.h"
#include "skimline/io/identities.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace skimline::skims {
namespace {

constexpr std::string_view kBetweenVersions = ", ";

void add_versions(std::string_view text, std::set<std::string>& versions) {
  for (;;) {
    const std::size_t end = text.find(kBetweenVersions);
    versions.insert(std::string(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + kBetweenVersions.size());
  }
}

std::string joined(const std::set<std::string>& versions) {
  std::string text;
  for (const std::string& version : versions)
    text += (text.empty() ? "" : std::string(kBetweenVersions)) + version;
  return text;
}

// One sample in all records that have it.
struct MergedSample {
  SampleRecord sample;  // without inputs
  std::size_t first_record = 0;
  std::optional<std::size_t> other_whole;  // the record of one, if all is normalised by its own events
  std::vector<InputOfRecord> inputs;
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> records_of_files;  // of skims that are split
};

using FilesOfSkim = decltype(SampleRecord::files)::mapped_type;

class RecordUnion {
 public:
  RecordUnion(const io::TextsOfInputs& texts, const OverlapRule& overlap)
      : texts_(texts), overlap_(overlap) {}

  RunRecord merge() {
    sum_.num_files_without = texts_.num_files_without;
    for (std::size_t record = 0; record < texts_.texts.size(); ++record) add(record);
    sum_.version = joined(versions_);
    sum_.configs.assign(configs_.begin(), configs_.end());
    for (auto& [name, merged] : samples_) sum_.samples.push_back(take(merged));
    make_canonical(sum_);
    return std::move(sum_);
  }

 private:
  void add(std::size_t record) {
    RunRecord added = parse(record);
    add_versions(added.version, versions_);
    sum_.num_files_without += added.num_files_without;
    if (!overlap_.is_allowed) check_configs(added, record);
    for (std::string& config : added.configs) configs_.insert(std::move(config));
    for (SampleRecord& sample : added.samples) add(std::move(sample), record);
  }

  RunRecord parse(std::size_t record) const {
    try {
      return parse_record(texts_.texts[record].text);
    } catch (const Error& error) {
      throw FileError(file(record), "\"" + texts_.path + "\" cannot be read: " + error.what());
    }
  }

  void add(SampleRecord sample, std::size_t record) {
    std::vector<InputRecord> inputs = std::move(sample.inputs);
    sample.inputs.clear();
    std::sort(sample.metadata.begin(), sample.metadata.end());
    const auto [found, is_new] = samples_.try_emplace(sample.name);
    MergedSample& merged = found->second;
    if (is_new) {
      merged.sample = std::move(sample);
      merged.first_record = record;
      for (const auto& [whole, files] : merged.sample.files)
        for (const std::uint64_t number : files.second) merged.records_of_files[{whole, number}] = record;
      for (InputRecord& input : inputs) merged.inputs.push_back({std::move(input), record});
      return;
    }
    check_same(merged, sample, record);
    if (sample.normalisation) {
      check_same_inputs(merged, inputs, record);
      check_same_whole(merged, sample, record);
    }
    for (const ShardsOfRun& shards : sample.shards) add_shards(merged, shards, record);
    for (const auto& [whole, files] : sample.files) add_files(merged, whole, files, record);
    keep_common(merged.sample.counted_by, sample.counted_by);
    std::move(sample.skipped.begin(), sample.skipped.end(), std::back_inserter(merged.sample.skipped));
    for (InputRecord& input : inputs) merged.inputs.push_back({std::move(input), record});
  }

  // Part of what one config has made and part of what another has made are no whole.
  void check_configs(const RunRecord& added, std::size_t record) {
    for (const SampleRecord& sample : added.samples)
      for (const ShardsOfRun& shards : sample.shards) {
        if (is_of_unknown_whole(shards)) continue;
        const auto difference = configs_of_shards_.add({sample.name, shards.first}, added.configs, record);
        if (!difference) continue;
        throw Error(file(difference->first_record) + " and " + file(record) +
                    " are shards of one run of the sample \"" + sample.name +
                    "\", but of different configs: \"" + difference->key + "\" differs; " + overlap_.way_out);
      }
  }

  void add_shards(MergedSample& merged, const ShardsOfRun& shards, std::size_t record) const {
    const auto& [whole, parts] = shards;
    auto& [count, numbers] =
        merged.sample.shards.try_emplace(whole, parts.first, FilesOfSkim::second_type{}).first->second;
    if (count != parts.first)
      throw Error(file(record) + " is of a run in " + std::to_string(parts.first) +
                  " shards, of which others say that it has " + std::to_string(count));
    numbers.insert(parts.second.begin(), parts.second.end());
  }

  void add_files(MergedSample& merged, const std::string& whole, const FilesOfSkim& files,
                 std::size_t record) const {
    FilesOfSkim& known =
        merged.sample.files.try_emplace(whole, files.first, FilesOfSkim::second_type{}).first->second;
    if (known.first != files.first)
      throw Error(file(record) + " is of a skim of " + std::to_string(files.first) +
                  " files, of which others " + "say that it has " + std::to_string(known.first));
    for (const std::uint64_t number : files.second) {
      const auto [found, is_new] = merged.records_of_files.try_emplace({whole, number}, record);
      if (!is_new && !overlap_.is_allowed)
        throw Error(file(found->second) + " and " + file(record) + " are both file " +
                    std::to_string(number) + "/" + std::to_string(files.first) +
                    " of a skim of the sample \"" + merged.sample.name +
                    "\": its events would be there twice; " + overlap_.way_out);
      known.second.insert(number);
    }
  }

  // What is normalised by its own inputs is a whole, and two wholes added up are twice what there is.
  void check_same_inputs(const MergedSample& merged, const std::vector<InputRecord>& inputs,
                         std::size_t record) const {
    std::vector<InputRecord> first;
    for (const InputOfRecord& known : merged.inputs)
      if (known.record == merged.first_record) first.push_back(known.input);
    const InputRecord* only_second = find_other(inputs, first);
    const InputRecord* other = only_second ? only_second : find_other(first, inputs);
    if (other == nullptr) return;
    throw Error("the sample \"" + merged.sample.name + "\" is normalised in " + file(merged.first_record) +
                " and in " + file(record) + " by the inputs of each, which differ: only the " +
                (only_second ? "second" : "first") + " has " + other->file +
                "; leave \"normalisation_\" out of the weights, or make parts with --shard");
  }

  // The first of some inputs that is none of the others.
  static const InputRecord* find_other(const std::vector<InputRecord>& inputs,
                                       const std::vector<InputRecord>& others) {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
    // Some writers give all files one UUID.
    const auto key_of = [](const InputRecord& input) {
      return Key(input.uuid, io::is_distinctive(input.uuid) ? std::string_view() : input.file, input.ntuple);
    };
    std::set<Key> known;
    for (const InputRecord& other : others) known.insert(key_of(other));
    const auto found = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const InputRecord& input) { return !known.contains(key_of(input)); });
    return found == inputs.end() ? nullptr : &*found;
  }

  // Runs with other limits, or other orders of inputs, have other events. Once all shards are there, none is
  // named any more. Older programs did not say of which whole they are.
  void check_same_whole(MergedSample& merged, const SampleRecord& sample, std::size_t record) const {
    const auto &first = merged.sample.shards, &second = sample.shards;
    const bool are_known = std::none_of(first.begin(), first.end(), is_of_unknown_whole) &&
                           std::none_of(second.begin(), second.end(), is_of_unknown_whole);
    const bool have_common = std::any_of(second.begin(), second.end(), [&](const ShardsOfRun& shards) {
      return first.contains(shards.first);
    });
    // Of two wholes, that they have common entries says more.
    if (first.empty() && second.empty()) merged.other_whole = record;
    if (overlap_.is_allowed || !are_known || have_common || merged.other_whole) return;
    fail_for_wholes(merged, record, "parts of different runs");
  }

  [[noreturn]] void fail_for_wholes(const MergedSample& merged, std::size_t record,
                                    const std::string& what) const {
    throw Error("the sample \"" + merged.sample.name + "\" is normalised in " + file(merged.first_record) +
                " and in " + file(record) + ", which are " + what +
                ", by all events of each run: merge the shards of one; " + overlap_.way_out);
  }

  void check_same(const MergedSample& merged, const SampleRecord& sample, std::size_t record) const {
    const SampleRecord& first = merged.sample;
    const char* difference = nullptr;
    if (first.cross_section_pb != sample.cross_section_pb) difference = "cross sections";
    if (first.normalisation != sample.normalisation) difference = "normalisations";
    if (first.metadata != sample.metadata) difference = "metadata";
    if (first.weight != sample.weight) difference = "weights";
    if (first.num_carried_steps != sample.num_carried_steps) difference = "numbers of steps before the run";
    if (difference == nullptr) return;
    throw Error("the sample \"" + sample.name + "\" has different " + difference + " in " +
                file(merged.first_record) + " and " + file(record) + ": " + differing(first, sample));
  }

  // What differs, the way it is recorded.
  static std::string differing(const SampleRecord& left, const SampleRecord& right) {
    const auto described = [](const SampleRecord& sample) {
      RunRecord record;
      record.samples.push_back(sample);
      nlohmann::ordered_json json = record_json(record)["samples"][0];
      for (const char* key : {"name", "inputs", "skipped", "shards", "files", "counted_by"}) json.erase(key);
      return json;
    };
    const nlohmann::ordered_json first = described(left), second = described(right);
    for (const auto& [key, value] : first.items())
      if (value != second[key]) return "\"" + key + "\" is " + value.dump() + " and " + second[key].dump();
    throw InternalError("two samples that differ have the same text");
  }

  SampleRecord take(MergedSample& merged) const {
    UnitedInputs united = unite(merged.inputs);
    if (united.overlap && !overlap_.is_allowed) fail(*united.overlap, merged.sample.name);
    if (merged.other_whole && !overlap_.is_allowed)
      fail_for_wholes(merged, *merged.other_whole, "different runs");
    merged.sample.inputs = std::move(united.inputs);
    return std::move(merged.sample);
  }

  [[noreturn]] void fail(const Overlap& overlap, const std::string& sample) const {
    const EntryRange entries = overlap.entries;
    throw Error(file(overlap.first_record) + " and " + file(overlap.second_record) +
                " have both processed entries " + std::to_string(entries.first) + " to " +
                std::to_string(entries.end()) + " of \"" + overlap.input.ntuple + "\" in " +
                overlap.input.file + " for the sample \"" + sample + "\": they would be counted twice; " +
                overlap_.way_out);
  }

  const std::string& file(std::size_t record) const { return texts_.texts[record].file; }

  const io::TextsOfInputs& texts_;
  const OverlapRule& overlap_;
  RunRecord sum_;
  std::set<std::string> versions_, configs_;
  ConfigsOfShards configs_of_shards_;
  std::map<std::string, MergedSample> samples_;
};

}  // namespace

std::string merged_record_text(const io::TextsOfInputs& inputs, const OverlapRule& overlap) {
  return record_text(merged_record(inputs, overlap));
}

std::vector<std::string> differing_configs(const io::TextsOfInputs& inputs) {
  ConfigsOfShards configs;
  std::map<std::string, std::string> sentences;  // by sample
  for (std::size_t record = 0; record < inputs.texts.size(); ++record) {
    const RunRecord added = parse_record(inputs.texts[record].text);
    for (const SampleRecord& sample : added.samples)
      if (const auto difference = configs.add({sample.name, {}}, added.configs, record))
        sentences.try_emplace(sample.name, "the sample \"" + sample.name +
                                               "\" is of configs that differ in \"" + difference->key +
                                               "\", in " + inputs.texts[difference->first_record].file +
                                               " and " + inputs.texts[record].file);
  }
  std::vector<std::string> all;
  for (auto& [sample, sentence] : sentences) all.push_back(std::move(sentence));
  return all;
}

RunRecord merged_record(const io::TextsOfInputs& inputs, const OverlapRule& overlap) {
  return RecordUnion(inputs, overlap).merge();
}

}  // namespace skimline::skims
