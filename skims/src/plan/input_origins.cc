// SPDX-License-Identifier: BSD-3-Clause
#include "plan/input_origins.h"

#include "base/text_table.h"
#include "record/record_inputs.h"
#include "record/shards_of_run.h"

#include "skimline/io/identities.h"
#include "skimline/io/opened_files.h"
#include "skimline/skims/diagnostics.h"
#include "skimline/skims/record_objects.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

// Two inputs, and what they have in common.
struct Common {
  std::size_t second;
  std::string what;
};

class CommonEvents {
 public:
  CommonEvents(const SampleInputs& inputs, const std::vector<Origin>& origins)
      : inputs_(inputs), origins_(origins) {
    // Several RNTuples of one file share its record.
    std::map<std::string, std::size_t> first_of;
    for (std::size_t i = 0; i < origins.size(); ++i)
      if (first_of.try_emplace(inputs.inputs()[i].location.path, i).second) files_.push_back(i);
  }

  std::optional<Common> find() const {
    if (auto common = same_entries()) return common;
    if (auto common = same_files_of_skims()) return common;
    return made_from_another();
  }

 private:
  std::string name(std::size_t input) const { return in_quotes(inputs_.inputs()[input].name); }

  std::optional<Common> same_entries() const {
    std::vector<InputOfRecord> made_from;
    for (const std::size_t file : files_)
      for (const InputRecord& input : origins_[file].inputs) made_from.push_back({input, file});
    const std::optional<Overlap> overlap = unite(made_from).overlap;
    if (!overlap) return std::nullopt;
    return Common{overlap->second_record,
                  name(overlap->first_record) + " and " + name(overlap->second_record) +
                      " were both made from entries " + std::to_string(overlap->entries.first) + " to " +
                      std::to_string(overlap->entries.end()) + " of " + in_quotes(overlap->input.ntuple) +
                      " in " + overlap->input.file};
  }

  // Of a skim that is split, only the first file has the entries that it was made from.
  std::optional<Common> same_files_of_skims() const {
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> known;
    for (const std::size_t file : files_)
      for (const auto& [whole, parts] : origins_[file].files)
        for (const std::uint64_t number : parts.second) {
          const auto [found, is_new] = known.try_emplace({whole, number}, file);
          if (!is_new)
            return Common{file, name(found->second) + " and " + name(file) + " both have file " +
                                    std::to_string(number) + "/" + std::to_string(parts.first) +
                                    " of a skim"};
        }
    return std::nullopt;
  }

  std::optional<Common> made_from_another() const {
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> known;
    for (const std::size_t file : files_) {
      const auto opened = inputs_.config().opened_files->open(inputs_.inputs()[file].location.path);
      if (io::is_distinctive(opened.root->uuid()))
        known.try_emplace({opened.root->uuid(), inputs_.num_entries(file)}, file);
    }
    for (const std::size_t file : files_)
      for (const InputRecord& input : origins_[file].inputs) {
        const auto found = known.find({input.uuid, input.num_entries});
        if (found != known.end() && found->second != file)
          return Common{file, name(file) + " was made from " + name(found->second)};
      }
    return std::nullopt;
  }

  const SampleInputs& inputs_;
  const std::vector<Origin>& origins_;
  std::vector<std::size_t> files_;  // the first input of each
};

// The parts that are here of each whole, and the first input that is one of them.
template <typename Parts>
struct United {
  Parts parts;
  std::map<typename Parts::key_type, std::string> first_of;
};

template <typename Parts>
United<Parts> unite(const std::vector<Origin>& origins, Parts Origin::*parts) {
  United<Parts> united;
  for (const Origin& origin : origins)
    for (const auto& [whole, some] : origin.*parts) {
      united.first_of.emplace(whole, origin.file);
      auto& known = united.parts.try_emplace(whole, some.first, std::set<std::uint64_t>{}).first->second;
      known.second.insert(some.second.begin(), some.second.end());
    }
  return united;
}

void add_missing_shards(const std::vector<Origin>& origins, std::vector<std::string>& warnings) {
  auto united = unite(origins, &Origin::shards);
  for (const auto& shards : united.parts)
    for (const std::string& missing : missing_shards({shards}))
      warnings.push_back("warning: " + united.first_of[shards.first] + " is of a run of which " + missing +
                         " is not read");
}

// Of skims that are split. Those of earlier runs that were left are such ones too.
void add_missing_files(const std::vector<Origin>& origins, std::vector<std::string>& warnings) {
  auto united = unite(origins, &Origin::files);
  for (const auto& [whole, files] : united.parts)
    if (files.second.size() < files.first)
      warnings.push_back("warning: " + united.first_of[whole] + " is of a skim of " +
                         std::to_string(files.first) + " files, of which " +
                         std::to_string(files.first - files.second.size()) +
                         " are not read: the cutflow of all is in the first");
}

}  // namespace

bool Origin::is_part() const {
  const auto lacks_some = [](const auto& whole) { return whole.second.second.size() < whole.second.first; };
  return !shards.empty() || std::any_of(files.begin(), files.end(), lacks_some);
}

Origin origin_of(const std::string& file, const RunRecord& record) {
  Origin origin;
  origin.file = file;
  for (const SampleRecord& sample : record.samples) {
    std::copy_if(sample.inputs.begin(), sample.inputs.end(), std::back_inserter(origin.inputs),
                 [](const InputRecord& input) { return !input.processed.empty(); });
    origin.shards.insert(sample.shards.begin(), sample.shards.end());
    origin.files.insert(sample.files.begin(), sample.files.end());
    origin.skipped.insert(origin.skipped.end(), sample.skipped.begin(), sample.skipped.end());
    if (sample.cross_section_pb) origin.cross_sections_pb.insert(*sample.cross_section_pb);
  }
  return origin;
}

Origin origin_of(const io::RootFile& file) {
  const std::optional<RunRecord> record = read_record(file);
  if (!record) return {};
  return origin_of(file.path(), *record);
}

std::vector<std::string> warnings_of_missing(const std::vector<Origin>& origins) {
  std::vector<std::string> warnings;
  for (const Origin& origin : origins)
    for (const SkippedInput& skipped : origin.skipped)
      warnings.push_back("warning: " + origin.file + ": its run left out " + text_of(skipped));
  add_missing_shards(origins, warnings);
  add_missing_files(origins, warnings);
  return warnings;
}

void check_origins(const Sample& sample, const SampleInputs& inputs, const std::vector<Origin>& origins) {
  const Config& config = inputs.config();
  if (config.allows_duplicates) return;
  const std::optional<Common> common = CommonEvents(inputs, origins).find();
  if (!common) return;
  Diagnostics diagnostics(config.source);
  diagnostics.add(inputs.inputs()[common->second].place,
                  "the sample " + in_quotes(sample.name.value) + " would count events twice: " +
                      common->what + "; \"allow_duplicates\": true counts them all the same");
  diagnostics.throw_if_any();
}

}  // namespace skimline::skims
