// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/sample_set.h"

#include "base/resolved_path.h"
#include "base/text_table.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"
#include "config/samples/chain_files.h"
#include "config/samples/entry_lists.h"
#include "config/samples/lumi_mask.h"
#include "config/samples/sample_reader.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

}  // namespace

// ---- what the config says

void SampleSet::add_samples(const JsonValue& value) {
  for_each_named(value, "\"samples\"", texts_.diagnostics(), [&](const Text& name, const JsonValue& each) {
    check_object_name(name, "a sample", texts_.diagnostics());
    Member& member = members_.emplace_back();
    member.sample = read_sample(name, each, texts_.diagnostics());
    member.opening = {each.location.begin, each.location.begin + 1};
    for (const Text& file : member.sample.files)
      member.files.push_back({file.value, texts_.folder(), std::nullopt, std::nullopt, file.location});
    // What is wrong with the files was said already.
    if (each.kind != JsonKind::kObject || each.find("files")) member.opening = {};
  });
}

void SampleSet::add_lists(const JsonValue& value) {
  for (std::size_t i = 0; i < members_.size(); ++i) numbers_.emplace(members_[i].sample.name.value, i);
  if (value.kind != JsonKind::kList) return add_list(value);
  if (value.items.empty()) texts_.add(value.location, "\"samples_from\" must not be empty");
  for (const JsonValue& each : value.items) add_list(each);
}

void SampleSet::add_list(const JsonValue& value) {
  std::optional<ListConfig> list = read_list_config(value);
  if (!list) return;
  const std::string path = resolved(texts_.folder(), list->file.value).string();
  const std::optional<InputTexts::Part> text = texts_.read(path, list->file.location);
  const std::optional<JsonValue> root = text ? texts_.parse(*text) : std::nullopt;
  if (!root) return;
  for (const ListedSample& listed : read_sample_list(*root, texts_)) add_listed(*list, listed, path);
  for (const Relocation& relocation : list->replace)
    if (!relocation.is_used)
      texts_.add(relocation.from.location,
                 "no path in " + in_quotes(path) + " begins with " + in_quotes(relocation.from.value));
}

std::optional<SampleSet::ListConfig> SampleSet::read_list_config(const JsonValue& value) {
  Diagnostics& diagnostics = texts_.diagnostics();
  ListConfig list;
  if (value.kind == JsonKind::kString) {
    const auto file = read_text(value, "\"samples_from\"", diagnostics);
    if (!file) return std::nullopt;
    list.file = *file;
    return list;
  }
  if (value.kind != JsonKind::kObject) {
    diagnostics.add(value.location,
                    "\"samples_from\" must be a file, an object with \"file\", or a list of these, got " +
                        name_of(value.kind));
    return std::nullopt;
  }
  const ObjectReader object(value, "\"samples_from\"", {"file", "replace", "tree"}, diagnostics);
  const std::optional<Text> file = object.required_text("file");
  if (const auto tree = object.text("tree")) list.tree = tree->value;
  if (const JsonValue* replace = object.find("replace")) read_relocations(*replace, list);
  if (!file) return std::nullopt;
  list.file = *file;
  return list;
}

void SampleSet::read_relocations(const JsonValue& value, ListConfig& list) {
  for_each_named(value, "\"replace\"", texts_.diagnostics(), [&](const Text& from, const JsonValue& to) {
    if (const auto text = read_text(to, "what replaces " + in_quotes(from.value), texts_.diagnostics()))
      list.replace.push_back({from, text->value});
  });
}

// ---- samples of lists

void SampleSet::add_listed(ListConfig& list, const ListedSample& listed, const std::string& path) {
  const std::string name = legal_object_name(listed.name.value);
  if (!is_object_name(name))
    return texts_.add(listed.name.location,
                      in_quotes(listed.name.value) + " cannot name a sample: it has no letter nor digit");
  Member* member = member_for(listed.name, name);
  if (!member) return;
  member->opening = {};
  for (const ListedFile& file : listed.files) {
    member->files.push_back(named_file(list, file, path));
    member->sample.files.push_back({file.path, file.location});
  }
  add_metadata(member->sample, listed);
}

// The sample that files of a list are for: a new one, or one of "samples" without files.
SampleSet::Member* SampleSet::member_for(const Text& listed_name, const std::string& name) {
  const auto [other, is_new] = names_in_lists_.emplace(name, listed_name.value);
  if (!is_new) {
    texts_.add(listed_name.location, other->second == listed_name.value
                                         ? "the sample " + in_quotes(name) + " is listed twice"
                                         : "the sample would be called " + in_quotes(name) +
                                               ", and so would " + in_quotes(other->second));
    return nullptr;
  }
  const auto [known, is_first] = numbers_.emplace(name, members_.size());
  if (is_first) {
    members_.emplace_back().sample.name = {name, listed_name.location};
    return &members_.back();
  }
  if (Member& member = members_[known->second]; member.files.empty()) return &member;
  texts_.add(listed_name.location, "the config has files for the sample " + in_quotes(name) + " already");
  return nullptr;
}

NamedFile SampleSet::named_file(ListConfig& list, const ListedFile& file, const std::string& path) const {
  Relocation* longest = nullptr;
  for (Relocation& each : list.replace)
    if (file.path.starts_with(each.from.value) &&
        (!longest || each.from.value.size() > longest->from.value.size()))
      longest = &each;
  NamedFile named{file.path, fs::path(path).parent_path(), file.ntuple_name, file.num_entries, file.location,
                  false};
  if (list.tree) named.ntuple_name = list.tree;
  if (longest) {
    longest->is_used = true;
    named.text = longest->to + file.path.substr(longest->from.value.size());
    named.folder = texts_.folder();
  }
  return named;
}

// What the config says of a sample goes before what the list says.
void SampleSet::add_metadata(Sample& sample, const ListedSample& listed) {
  for (const NamedValue& value : listed.metadata) {
    const auto is_it = [&](const NamedValue& known) { return known.name.value == value.name.value; };
    if (value.name.value != "cross_section_pb") {
      if (std::none_of(sample.metadata.begin(), sample.metadata.end(), is_it))
        sample.metadata.push_back(value);
      continue;
    }
    if (sample.cross_section_pb || sample.is_data) continue;
    const auto* real = std::get_if<double>(&value.value);
    const auto* integer = std::get_if<std::int64_t>(&value.value);
    const double number = real ? *real : integer ? static_cast<double>(*integer) : 0;
    if (!(number > 0 && std::isfinite(number)))
      return texts_.add(value.name.location, "\"cross_section_pb\" must be greater than 0");
    sample.cross_section_pb = number;
    sample.cross_section_place = value.name.location;
  }
}

// ---- what the command line says

std::vector<Sample> SampleSet::choose(const ConfigOptions& options) {
  check_limits(options);
  keep_matching(options.samples);
  replace_files(options.inputs);
  if (options.finds_inputs) meet_files();
  std::vector<Sample> samples;
  for (Member& member : members_) {
    if (options.finds_inputs) find_inputs_of(member, options);
    read_lumi_mask_of(member.sample);
    samples.push_back(std::move(member.sample));
  }
  return samples;
}

void SampleSet::check_limits(const ConfigOptions& options) {
  for (const auto& [option, limit] :
       {std::pair{"--limit-files", options.limit_files}, std::pair{"--limit-events", options.limit_events}})
    if (limit == 0u) texts_.add(texts_.take_argument(option, "0"), "expected at least 1");
  if (!options.shard) return;
  const auto [number, count] = *options.shard;
  if (number < 1 || number > count)
    texts_.add(texts_.take_argument("--shard", std::to_string(number) + "/" + std::to_string(count)),
               "expected number/count, the number from 1 to the count");
}

std::vector<std::string> SampleSet::names() const {
  std::vector<std::string> names;
  for (const Member& member : members_) names.push_back(member.sample.name.value);
  return names;
}

void SampleSet::keep_matching(const std::vector<std::string>& patterns) {
  if (patterns.empty() || members_.empty()) return;
  const std::vector<std::string> known = names();
  for (const std::string& pattern : patterns)
    if (std::none_of(known.begin(), known.end(),
                     [&](const std::string& name) { return matches_pattern(name, pattern); }))
      texts_.add(texts_.take_argument("--samples", pattern),
                 "no sample matches " + in_quotes(pattern) + did_you_mean(pattern, known));
  std::erase_if(members_, [&](const Member& member) {
    return std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return matches_pattern(member.sample.name.value, pattern);
    });
  });
}

void SampleSet::replace_files(const std::vector<std::string>& inputs) {
  std::set<const Member*> replaced;
  for (const std::string& argument : inputs) {
    const Location place = texts_.take_argument("--input", argument);
    std::string file;
    Member* member = replaced_member(argument, file, place);
    if (!member) continue;
    if (replaced.insert(member).second) {
      member->files.clear();
      member->sample.files.clear();
      member->opening = {};
    }
    member->files.push_back({file, "", std::nullopt, std::nullopt, place});
    member->sample.files.push_back({file, place});
  }
}

// The sample of "sample=file", or of "file" the only one. A file may have "=" in its name.
SampleSet::Member* SampleSet::replaced_member(const std::string& argument, std::string& file,
                                              Location place) {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  if (equals != std::string::npos && is_object_name(name)) {
    file = argument.substr(equals + 1);
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const Member& member) { return member.sample.name.value == name; });
    if (found != members_.end() && !file.empty()) return &*found;
    texts_.add(place, found == members_.end()
                          ? "there is no sample " + in_quotes(name) + did_you_mean(name, names())
                          : "expected a file behind \"=\"");
    return nullptr;
  }
  file = argument;
  if (members_.size() == 1 && !file.empty()) return &members_.front();
  texts_.add(place, file.empty() ? "expected a file"
                                 : "there are several samples: say which, as in \"sample=file\"");
  return nullptr;
}

// ---- what exists

void SampleSet::meet_files() {
  std::vector<std::vector<io::InputLocation>> samples;
  const auto add = [&](const std::vector<MetFile>& met) {
    std::vector<io::InputLocation>& sample = samples.emplace_back();
    for (const MetFile& file : met) sample.push_back(file.input);
  };
  for (Member& member : members_) {
    meet_files_of(member);
    add(member.met);
    for (const std::vector<MetFile>& met : member.met_of_friends) add(met);
  }
  open_possible_chains(samples, opened_);
}

void SampleSet::meet_files_of(Member& member) {
  if (member.opening.end != 0)
    texts_.add(member.opening, "the sample " + in_quotes(member.sample.name.value) +
                                   " needs the key \"files\"" +
                                   (names_in_lists_.empty() ? "" : ": no list of samples has it"));
  member.met = skims::meet_files(member.files, texts_);
  for (const FriendConfig& other : member.sample.friends) {
    std::vector<NamedFile> files;
    for (const Text& file : other.files)
      files.push_back({file.value, texts_.folder(), std::nullopt, std::nullopt, file.location});
    member.met_of_friends.push_back(skims::meet_files(files, texts_));
  }
}

void SampleSet::find_inputs_of(Member& member, const ConfigOptions& options) {
  Sample& sample = member.sample;
  FoundInputs found = find_inputs(member.met, *opened_, texts_);
  sample.inputs = std::move(found.inputs);
  sample.listing_files = std::move(found.chains);
  if (sample.entry_list) read_entry_list(sample, texts_);
  const bool is_limited = options.limit_files && sample.inputs.size() > *options.limit_files;
  sample.lacks_files = is_limited;
  if (is_limited) sample.inputs.resize(static_cast<std::size_t>(*options.limit_files), Input());
  for (std::size_t number = 0; number < sample.friends.size(); ++number) {
    FriendConfig& other = sample.friends[number];
    FoundInputs found_of_friend = find_inputs(member.met_of_friends[number], *opened_, texts_);
    other.inputs = std::move(found_of_friend.inputs);
    sample.listing_files.insert(sample.listing_files.end(), found_of_friend.chains.begin(),
                                found_of_friend.chains.end());
    other.may_be_longer = is_limited;
  }
}

void SampleSet::read_lumi_mask_of(Sample& sample) {
  if (!sample.lumi_mask) return;
  const std::string path = resolved(texts_.folder(), sample.lumi_mask->value).string();
  const auto [mask, is_new] = lumi_masks_.try_emplace(path);
  if (is_new) mask->second = read_lumi_mask(path, sample.lumi_mask->location, texts_);
  sample.certified = mask->second;
}

}  // namespace skimline::skims
