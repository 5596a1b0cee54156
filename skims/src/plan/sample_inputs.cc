// SPDX-License-Identifier: BSD-3-Clause
#include "plan/sample_inputs.h"

#include "plan/input_checks.h"
#include "plan/job_source.h"
#include "plan/known_files.h"

#include "skimline/io/arrow_library.h"
#include "skimline/io/bad_files.h"
#include "skimline/io/identities.h"
#include "skimline/io/remote_file.h"
#include "skimline/io/text_digest.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace skimline::skims {
namespace {

// Entries of [first, first + count) that lie in a range.
std::uint64_t overlap(EntryRange range, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t begin = std::max(range.first, first);
  const std::uint64_t end = std::min(range.end(), first + count);
  return end > begin ? end - begin : 0;
}

// The product of two 64-bit numbers over a third, rounded down.
std::uint64_t fraction(std::uint64_t whole, std::uint64_t number, std::uint64_t count) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(whole) * number / count);
}

// The entries of all shards.
EntryRange range_of_parts(const Config& config, std::uint64_t num_entries) {
  const std::uint64_t limited = std::min(num_entries, config.limit_events.value_or(num_entries));
  if (!config.entries) return {0, limited};
  const std::uint64_t first = std::min(config.entries->first, limited);
  return {first, std::min(config.entries->count, limited - first)};
}

// Folders, and what is behind the "?" of a URL, may be others on other machines.
std::string name_of_file(const std::string& path) {
  return std::filesystem::path(io::is_url(path) ? path.substr(0, path.find('?')) : path).filename().string();
}

std::string digest_of(EntryRange parts, const Config& config, const std::vector<io::InputFacts>& files) {
  if (!config.shard) return {};
  std::string text = std::to_string(parts.first) + " " + std::to_string(parts.count) + " in " +
                     std::to_string(config.shard->count);
  for (const io::InputFacts& file : files) {
    text += "\n" + file.uuid + " " + std::to_string(file.num_entries) + " " + file.name;
    // Some writers give all files one UUID.
    if (!io::is_distinctive(file.uuid))
      text += " " + std::to_string(file.file_bytes) + " " + name_of_file(file.path);
  }
  return io::text_digest(text);
}

std::string text_of(std::uint64_t entries) {
  return std::to_string(entries) + (entries == 1 ? " entry" : " entries");
}

// A file of another machine whose server does not answer, fails, or has it no more. Whoever may not read it
// has a mistake to mend, as has whoever names a local file that is not there.
bool is_out_of_reach(const FileError& fault) {
  return io::is_url(fault.path()) && (fault.fault() == FileFault::kStorage ||
                                      dynamic_cast<const io::NoSuchRemoteFile*>(&fault) != nullptr);
}

// As the config names the file, so that records are the same wherever the program starts.
std::string problem_of(const FileError& fault, const std::string& name) {
  std::string problem = fault.what() + io::hint_at_copy(fault);
  if (!problem.starts_with(fault.path())) return problem;
  return name + problem.substr(fault.path().size());
}

// The same fault, with more said of it.
FileError with_addition(const FileError& fault, const std::string& addition) {
  const std::string begin = fault.path() + ": ", text = fault.what();
  return {fault.path(), (text.starts_with(begin) ? text.substr(begin.size()) : text) + addition,
          fault.fault()};
}

}  // namespace

EntryRange limited_range(const Config& config, std::uint64_t num_entries) {
  const EntryRange parts = range_of_parts(config, num_entries);
  if (!config.shard) return parts;
  const auto [number, count] = *config.shard;
  const std::uint64_t begin = fraction(parts.count, number - 1, count);
  return {parts.first + begin, fraction(parts.count, number, count) - begin};
}

SampleInputs::SampleInputs(const Config& config, const Sample& sample)
    : config_(config), sample_(sample), inputs_(sample.inputs) {}

std::unique_ptr<io::InputSource> SampleInputs::open() {
  std::unique_ptr<io::InputSource> source;
  while (!source) {
    try {
      source = open_source(config_, sample_, inputs_);
    } catch (const io::BadFiles& bad) {
      leave_out_each(bad.faults());
    } catch (const FileError& fault) {
      leave_out(fault);
    }
  }
  if (const auto known = config_.known_files.find(sample_.name.value); known != config_.known_files.end())
    check_known_files(known->second, known_files_of(*source), config_.has_all_inputs && skipped_.empty());
  if (!range_) {
    check_copies(config_, {sample_, inputs_, *source});
    check_friends_are_kept(config_, {sample_, inputs_, *source});
  }
  first_entries_ = {0};
  for (const io::InputFacts& file : source->files())
    first_entries_.push_back(first_entries_.back() + file.num_entries);
  if (!range_) {
    range_ = limited_range(config_, source->num_entries());
    const EntryRange parts = range_of_parts(config_, source->num_entries());
    end_of_parts_ = parts.end();
    if (config_.limit_events) limit_events_ = std::min(*config_.limit_events, source->num_entries());
    whole_ = {digest_of(parts, config_, source->files()), parts.count};
  }
  if (config_.entries || config_.limit_events || config_.shard) source->restrict_to(*range_);
  return source;
}

std::unique_ptr<io::InputSource> SampleInputs::open_some(const std::vector<std::size_t>& numbers) const {
  std::vector<Input> some;
  for (const std::size_t number : numbers) some.push_back(inputs_.at(number));
  return open_source(config_, sample_, some);
}

void SampleInputs::expect_to_open(const std::vector<std::size_t>& numbers) const {
  io::OpenedFiles::Group paths;
  for (const std::size_t number : numbers) paths.push_back(inputs_.at(number).location.path);
  config_.opened_files->keep_ends(paths);
}

bool SampleInputs::are_slow() const { return config_.opened_files->is_slow(); }

// Of a file with several trees each may have a fault.
void SampleInputs::leave_out_each(const std::vector<std::exception_ptr>& faults) {
  std::set<std::string> known;
  for (const std::exception_ptr& each : faults) {
    try {
      std::rethrow_exception(each);
    } catch (const FileError& fault) {
      if (known.insert(fault.path()).second) leave_out(fault);
    }
  }
}

// All that is read of the file: what lies beside its trees belongs to all of them.
void SampleInputs::leave_out(const FileError& fault) {
  if (!may_leave_out(fault)) throw;
  const auto is_of_file = [&](const Input& input) { return input.location.path == fault.path(); };
  const auto found = std::find_if(inputs_.begin(), inputs_.end(), is_of_file);
  if (const std::string reason = reason_to_keep(found != inputs_.end()); !reason.empty())
    throw with_addition(fault, "; \"on_bad_file\" does not leave it out: " + reason);
  skipped_.push_back({found->name, problem_of(fault, found->name)});
  const std::size_t num_left =
      inputs_.size() - static_cast<std::size_t>(std::count_if(inputs_.begin(), inputs_.end(), is_of_file));
  const std::size_t num_all = sample_.inputs.size(), num_bad = num_all - num_left;
  if (static_cast<double>(num_bad) > config_.max_bad_fraction * static_cast<double>(num_all) || num_left == 0)
    throw with_addition(fault, too_many(num_bad));
  for (std::size_t input = inputs_.size(); input > 0; --input)
    if (is_of_file(inputs_[input - 1])) erase(input - 1);
}

std::string SampleInputs::too_many(std::size_t num_bad) const {
  return "; " + std::to_string(num_bad) + " of " + std::to_string(sample_.inputs.size()) +
         " files of the sample \"" + sample_.name.value +
         "\" are damaged or out of reach, more than \"max_bad_fraction\" allows";
}

bool SampleInputs::may_leave_out(const FileError& fault) const {
  const bool is_bad = fault.fault() == FileFault::kDamaged || is_out_of_reach(fault);
  return config_.on_bad_file == BadFilePolicy::kSkip && is_bad;
}

// Why a bad file must stay: without it, entries would be those of others.
std::string SampleInputs::reason_to_keep(bool is_input) const {
  if (!is_input) return "it is none of the files of the sample \"" + sample_.name.value + "\" itself";
  for (const FriendConfig& other : sample_.friends)
    if (other.match.empty())
      return "the entries of the friend \"" + other.name.value +
             "\" go together in order with those of all files";
  return sample_.entries_through ? "the list of entries counts them through all files" : "";
}

// The range stays the same entries, but for those of the input. A limit alone is made up for with entries of
// further files, as where damage is found on opening.
void SampleInputs::erase(std::size_t input) {
  const auto position = static_cast<std::ptrdiff_t>(input);
  promised_elsewhere_ += inputs_[input].promised_entries.value_or(range_ ? num_entries(input) : 0);
  if (range_) {
    const std::uint64_t first = first_entries_[input], count = num_entries(input);
    range_ = EntryRange{range_->first - overlap({0, range_->first}, first, count),
                        range_->count - overlap(*range_, first, count)};
    end_of_parts_ -= overlap({0, end_of_parts_}, first, count);
    first_entries_.erase(first_entries_.begin() + position);
    for (std::size_t i = input; i < first_entries_.size(); ++i) first_entries_[i] -= count;
    if (config_.limit_events && !config_.entries && !config_.shard) {
      range_ = limited_range(config_, first_entries_.back());
      end_of_parts_ = range_->end();
      limit_events_ = end_of_parts_;
    } else if (limit_events_) {
      *limit_events_ -= overlap({0, *limit_events_}, first, count);
    }
  }
  inputs_.erase(inputs_.begin() + position);
}

std::vector<InputRecord> SampleInputs::records(const io::InputSource& source) const {
  std::vector<InputRecord> records;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const io::InputFacts& file = source.files()[i];
    InputRecord record{inputs_[i].name, file.name, file.uuid, num_entries(i), {}, file.version, 0};
    if (!file.version.empty()) record.file_bytes = file.remote_bytes;
    if (const EntryRange range = range_of(i); range.count > 0) record.processed.push_back(range);
    records.push_back(std::move(record));
  }
  return records;
}

std::uint64_t SampleInputs::promised_entries() const {
  std::uint64_t promised = promised_elsewhere_;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    promised += inputs_[i].promised_entries.value_or(num_entries(i));
  return limited_range(config_, promised).count;
}

std::vector<std::string> SampleInputs::broken_promises() const {
  std::vector<std::string> broken;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].promised_entries && *inputs_[i].promised_entries != num_entries(i))
      broken.push_back(inputs_[i].name + ": " + text_of(*inputs_[i].promised_entries) + " promised, " +
                       text_of(num_entries(i)) + " found");
  return broken;
}

bool SampleInputs::has_first_entry(std::size_t input) const {
  const std::uint64_t first = first_entries_.at(input);
  const bool is_last_part = !config_.shard || config_.shard->number == config_.shard->count;
  if (first == end_of_parts_) return num_entries(input) == 0 && is_last_part;
  return range_->first <= first && first < range_->end();
}

std::vector<bool> SampleInputs::counted_beside(Beside where) const {
  std::vector<io::InputLocation> locations;
  for (const Input& input : inputs_) locations.push_back(input.location);
  std::vector<bool> counted = are_first_beside(locations, where);
  for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = counted[i] && has_first_entry(i);
  return counted;
}

bool SampleInputs::has_whole_files() const {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (first_entries_.at(i) < end_of_parts_ && end_of_parts_ < first_entries_.at(i + 1)) return false;
  return true;
}

EntryRange SampleInputs::range_of(std::size_t input) const {
  const std::uint64_t first = first_entries_.at(input);
  const std::uint64_t count = overlap(*range_, first, num_entries(input));
  return {count == 0 ? 0 : std::max(range_->first, first) - first, count};
}

}  // namespace skimline::skims
