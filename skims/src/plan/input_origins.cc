// SPDX-License-Identifier: BSD-3-Clause
#include "plan/input_origins.h"

#include "base/text_table.h"
#include "record/record_inputs.h"

#include "skimline/io/identities.h"
#include "skimline/io/opened_files.h"
#include "skimline/skims/diagnostics.h"
#include "skimline/skims/record_objects.h"

#include <map>
#include <optional>
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

}  // namespace

Origin origin_of(const io::RootFile& file) {
  Origin origin;
  if (std::optional<RunRecord> record = read_record(file))
    for (SampleRecord& sample : record->samples) {
      for (InputRecord& input : sample.inputs)
        if (!input.processed.empty()) origin.inputs.push_back(std::move(input));
      origin.files.merge(sample.files);
    }
  return origin;
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
