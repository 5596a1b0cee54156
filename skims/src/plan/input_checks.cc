// SPDX-License-Identifier: BSD-3-Clause
#include "plan/input_checks.h"

#include "base/canonical_paths.h"
#include "base/expansion.h"
#include "base/text_table.h"
#include "config/read/run_files.h"

#include "skimline/framework/number_text.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/input_copies.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

// One input of one sample.
struct OpenedInput {
  const Sample* sample;
  const Input* input;
  const io::InputFacts* facts;
};

std::vector<OpenedInput> inputs_of(const OpenedSample& opened) {
  std::vector<OpenedInput> inputs;
  for (std::size_t i = 0; i < opened.inputs.size(); ++i)
    inputs.push_back({&opened.sample, &opened.inputs[i], &opened.source.files()[i]});
  return inputs;
}

// Inputs with the number of the first one that has the same events, by its place or by its content.
class SameEvents {
 public:
  explicit SameEvents(const std::vector<OpenedSample>& samples) {
    for (const OpenedSample& sample : samples)
      for (const OpenedInput& input : inputs_of(sample)) add(input);
    const std::vector<std::size_t> copies = io::find_copies(files_);
    for (std::size_t& number : same_as_) number = copies[number];
  }

  const std::vector<OpenedInput>& inputs() const { return inputs_; }
  /// The same number for the same events.
  std::size_t events_of(std::size_t input) const { return same_as_[input]; }
  const std::string& file_of(std::size_t input) const { return paths_[input]; }

 private:
  // A file that several samples name is looked at once.
  void add(const OpenedInput& input) {
    paths_.push_back(canonical_.of(input.facts->path));
    const auto [found, is_new] = known_.try_emplace({paths_.back(), input.facts->name}, files_.size());
    if (is_new) files_.push_back(*input.facts);
    inputs_.push_back(input);
    same_as_.push_back(found->second);
  }

  CanonicalPaths canonical_;
  std::vector<OpenedInput> inputs_;
  std::vector<std::string> paths_;     // by input
  std::vector<std::size_t> same_as_;   // by input
  std::vector<io::InputFacts> files_;  // each once
  std::map<std::pair<std::string, std::string>, std::size_t> known_;
};

std::optional<std::string> warning_of_sum(const Config& config, const SampleSum& sum,
                                          const SameEvents& events) {
  std::set<std::string> parts;
  for (const SampleSum::Part& part : sum.parts) parts.insert(part.sample.value);
  std::map<std::size_t, std::size_t> first_with;
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < events.inputs().size(); ++i) {
    const OpenedInput& input = events.inputs()[i];
    if (!parts.contains(input.sample->name.value)) continue;
    const auto [first, is_new] = first_with.try_emplace(events.events_of(i), i);
    const Sample& other = *events.inputs()[first->second].sample;
    if (!is_new && &other != input.sample)
      pairs.push_back(in_quotes(input.input->name) + " of the samples " + in_quotes(other.name.value) +
                      " and " + in_quotes(input.sample->name.value));
  }
  if (pairs.empty()) return std::nullopt;
  return marked_message(*config.source, sum.name.location, "warning",
                        "the sum " + in_quotes(sum.name.value) + " adds up samples with the same events, " +
                            "which it counts twice unless they select different ones: " + first_few(pairs));
}

// The same file in two samples is meant so, a copy of it perhaps not.
std::optional<std::string> warning_of_copies(const Config& config, const SameEvents& events) {
  std::map<std::size_t, std::size_t> first_with;
  std::vector<std::string> pairs;
  Location place;
  for (std::size_t i = 0; i < events.inputs().size(); ++i) {
    const OpenedInput& input = events.inputs()[i];
    const std::size_t other = first_with.try_emplace(events.events_of(i), i).first->second;
    const OpenedInput& first = events.inputs()[other];
    if (first.sample == input.sample || events.file_of(other) == events.file_of(i)) continue;
    if (pairs.empty()) place = input.input->place;
    pairs.push_back(in_quotes(input.input->name) + " of " + in_quotes(input.sample->name.value) + " is " +
                    in_quotes(first.input->name) + " of " + in_quotes(first.sample->name.value));
  }
  if (pairs.empty()) return std::nullopt;
  return marked_message(*config.source, place, "warning",
                        counted(pairs.size(), "file") + (pairs.size() == 1 ? " is a copy" : " are copies") +
                            " of what another sample reads: " + first_few(pairs));
}

// A file that a sample reads, its friends' too, as messages call it.
struct FileRead {
  std::string name;
  Location place;
  io::InputFacts facts;
};

std::vector<FileRead> files_read(const OpenedSample& opened) {
  std::vector<FileRead> files;
  for (const OpenedInput& input : inputs_of(opened))
    files.push_back({input.input->name, input.input->place, *input.facts});
  for (io::InputFacts& facts : opened.source.friend_files())
    files.push_back({facts.path, opened.sample.name.location, std::move(facts)});
  return files;
}

struct Verb {
  const char* of_one;
  const char* of_many;
  const char* object;
};

// Warns of the files of which `problem_of` says something.
template <typename ProblemOf>
std::optional<std::string> warning_of_files(const Config& config, const OpenedSample& opened,
                                            const Verb& verb, ProblemOf problem_of) {
  std::vector<std::string> problems;
  Location place;
  for (const FileRead& file : files_read(opened)) {
    const std::optional<std::string> problem = problem_of(file);
    if (!problem) continue;
    if (problems.empty()) place = file.place;
    problems.push_back(*problem);
  }
  if (problems.empty()) return std::nullopt;
  return marked_message(
      *config.source, place, "warning",
      counted(problems.size(), "file") + " of the sample " + in_quotes(opened.sample.name.value) +
          (problems.size() == 1 ? verb.of_one : verb.of_many) + verb.object + ": " + first_few(problems));
}

std::optional<std::string> warning_of_checksums(const Config& config, const OpenedSample& opened) {
  constexpr Verb kHave{" has", " have", " RNTuple pages without checksums, in which damage may go unnoticed"};
  return warning_of_files(config, opened, kHave, [](const FileRead& file) {
    return file.facts.num_unchecked_pages > 0 ? std::optional(in_quotes(file.name)) : std::nullopt;
  });
}

std::optional<std::string> warning_of_sizes(const Config& config, const OpenedSample& opened) {
  constexpr Verb kStand{" stands", " stand", " for far more values than files of experiments do"};
  return warning_of_files(config, opened, kStand, [](const FileRead& file) {
    std::optional<std::string> expansion = expansion_of(file.facts);
    if (expansion) expansion = in_quotes(file.name) + ", " + *expansion;
    return expansion;
  });
}

std::optional<std::string> warning_of_unclosed(const Config& config, const OpenedSample& opened) {
  constexpr Verb kWere{
      " was", " were",
      " never closed, so that what came behind the last save is not read (\"skimline recover\" "
      "makes a file of it)"};
  return warning_of_files(config, opened, kWere, [](const FileRead& file) {
    return file.facts.was_never_closed ? std::optional(in_quotes(file.name)) : std::nullopt;
  });
}

// TTree::Draw multiplies by them, RDataFrame does not.
std::optional<std::string> warning_of_weights(const Config& config, const OpenedSample& opened) {
  constexpr Verb kHave{" has", " have",
                       " a TTree with a weight of its own (TTree::SetWeight), which is not applied"};
  return warning_of_files(config, opened, kHave, [](const FileRead& file) {
    return file.facts.weight != 1
               ? std::optional(in_quotes(file.name) + ", " + significant_digits(file.facts.weight, 6))
               : std::nullopt;
  });
}

std::optional<std::string> warning_of_friends(const Config& config, const OpenedSample& opened) {
  std::vector<std::string> problems;
  for (const io::TreeFriend& each : opened.source.unused_friends())
    problems.push_back(in_quotes(each.alias) + " (" + each.problem + ")");
  if (problems.empty()) return std::nullopt;
  return marked_message(*config.source, opened.sample.name.location, "warning",
                        "the sample " + in_quotes(opened.sample.name.value) + " is read without " +
                            counted(problems.size(), "friend") +
                            " that its files name: " + first_few(problems));
}

}  // namespace

void check_copies(const Config& config, const OpenedSample& opened) {
  if (config.allows_duplicates) return;
  const std::vector<OpenedInput> inputs = inputs_of(opened);
  const std::vector<std::size_t> first_of = io::find_copies(opened.source.files());
  std::vector<std::string> pairs;
  Location place;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (first_of[i] == i) continue;
    if (pairs.empty()) place = inputs[i].input->place;
    pairs.push_back(in_quotes(inputs[i].input->name) + " of " + in_quotes(inputs[first_of[i]].input->name));
  }
  if (pairs.empty()) return;
  Diagnostics diagnostics(config.source);
  diagnostics.add(place, "the sample " + in_quotes(opened.sample.name.value) +
                             " would count events twice, as " + counted(pairs.size(), "file") +
                             (pairs.size() == 1 ? " is a copy" : " are copies") + " of another: " +
                             first_few(pairs) + "; \"allow_duplicates\": true counts them all the same");
  diagnostics.throw_if_any();
}

void check_friends_are_kept(const Config& config, const OpenedSample& opened) {
  const std::vector<io::InputFacts> friends = opened.source.friend_files();
  if (friends.empty()) return;
  io::FilesInUse read;
  for (const io::InputFacts& file : friends) read.add(file.path, "a file of a friend that is read");
  Diagnostics diagnostics(config.source);
  for (const WrittenFile& file : written_files(config))
    if (const auto use = read.find(file.path)) diagnostics.add(file.place, "this file is also " + *use);
  diagnostics.throw_if_any();
}

std::vector<std::string> warnings_of_inputs(const Config& config, const std::vector<OpenedSample>& samples) {
  std::vector<std::string> warnings;
  const auto add = [&](std::optional<std::string> warning) {
    if (warning) warnings.push_back(std::move(*warning));
  };
  const SameEvents events(samples);
  for (const SampleSum& sum : config.sums) add(warning_of_sum(config, sum, events));
  if (!config.allows_duplicates) add(warning_of_copies(config, events));
  for (const OpenedSample& sample : samples) {
    add(warning_of_checksums(config, sample));
    add(warning_of_sizes(config, sample));
    add(warning_of_unclosed(config, sample));
    add(warning_of_weights(config, sample));
    add(warning_of_friends(config, sample));
  }
  return warnings;
}

}  // namespace skimline::skims
