// SPDX-License-Identifier: BSD-3-Clause
#include "parts/part_keys.h"

#include "base/resolved_path.h"

#include "skimline/framework/number_text.h"
#include "skimline/framework/version.h"
#include "skimline/io/identities.h"
#include "skimline/io/text_digest.h"
#include "skimline/io/url.h"
#include "skimline/skims/commit.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <variant>

namespace skimline::skims {
namespace {

// Counts how often what results mean, or how they are kept, has changed within a version.
constexpr const char* kFormat = "skimline results 3";

void add(std::string& text, const std::string& value) { text += std::to_string(value.size()) + ':' + value; }
void add(std::string& text, std::uint64_t value) { add(text, std::to_string(value)); }

// Of files on this machine; those of others have a version.
void add_times(std::string& text, const std::string& path) {
  std::error_code problem;
  const auto changed = std::filesystem::last_write_time(path, problem);
  if (!problem) add(text, std::to_string(static_cast<std::int64_t>(changed.time_since_epoch().count())));
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (!problem) add(text, std::uint64_t{size});
}

// What is behind the "?" of a URL may change.
std::string place_of(const std::string& path) {
  if (io::is_url(path)) return path.substr(0, path.find('?'));
  std::error_code ignored;
  return plain_path(std::filesystem::absolute(path, ignored)).string();
}

void add_file(std::string& text, const io::InputFacts& file) {
  add(text, file.uuid);
  add(text, file.version);
  add(text, file.name);
  add(text, static_cast<std::uint64_t>(file.format));
  add(text, file.num_entries);
  add(text, file.file_bytes);
  add(text, file.data_begin);
  add(text, file.data_end);
  add_times(text, file.path);
  // Files of one UUID, as large as each other, may have come out of an archive in the same second.
  if (!io::is_distinctive(file.uuid)) add(text, place_of(file.path));
  if (file.has_checksum_file) add(text, std::string("file of checksums"));
}

void add(std::string& text, bool value) { add(text, std::string(value ? "true" : "false")); }
void add(std::string& text, std::int64_t value) { add(text, "integer " + std::to_string(value)); }
void add(std::string& text, double value) { add(text, "real " + all_bits(value)); }
void add(std::string& text, const io::DefaultList& list) {
  add(text, std::uint64_t{list.values.size()});
  for (const io::DefaultScalar& value : list.values)
    std::visit([&](const auto& each) { add(text, each); }, value);
}

// What stands for columns that a file lacks.
void add_default(std::string& text, const DefaultConfig& given) {
  add(text, given.name.value);
  add(text, std::uint64_t{given.value.index()});
  std::visit([&](const auto& each) { add(text, each); }, given.value);
}

// How entries of friends are found, and which files are whose.
void add_friend(std::string& text, const FriendConfig& other) {
  add(text, other.name.value);
  add(text, std::uint64_t{other.inputs.size()});
  add(text, other.may_be_longer);
  for (const Text& column : other.match) add(text, column.value);
}

// Inputs that were left out are not among the files.
std::string name_of(const io::InputFacts& file, std::size_t number, const Sample& sample) {
  const auto is_it = [&](const Input& input) { return input.location.path == file.path; };
  if (number < sample.inputs.size() && is_it(sample.inputs[number])) return sample.inputs[number].name;
  const auto input = std::find_if(sample.inputs.begin(), sample.inputs.end(), is_it);
  return input == sample.inputs.end() ? file.path : input->name;
}

}  // namespace

PartKeys::PartKeys(const Config& config, const Sample& sample, const io::InputSource& source,
                   const Part& part)
    : first_entry_(std::to_string(part.entries.first)),
      file_(name_of(source.files()[part.file], part.file, sample)) {
  std::string text = kFormat;
  add(text, std::string(kVersion));
  add(text, std::string(commit()));  // versions in the making give other results without another number
  add_file(text, source.files()[part.file]);
  add(text, part.entries_of_file().first);
  add(text, part.entries.count);
  for (const DefaultConfig& each : config.defaults) add_default(text, each);
  for (const FriendConfig& each : sample.friends) add_friend(text, each);
  const std::vector<io::InputFacts> friends = source.friend_files();
  for (const io::InputFacts& file : friends) add_file(text, file);
  if (!friends.empty()) add(text, part.entries.first);
  if (config.requires_checksums) add(text, std::string("checksums are required"));
  part_ = io::text_digest(text);
}

std::string PartKeys::whole() const {
  std::string text = part_;
  add(text, first_entry_);
  add(text, file_);
  return text;
}

std::optional<std::string> PartKeys::of(const ValueContent& content) const {
  if (!content.is_known) return std::nullopt;
  std::string text = part_;
  if (content.uses_entry) add(text, first_entry_);
  if (content.uses_file) add(text, file_);
  return io::text_digest(text + content.text);
}

}  // namespace skimline::skims
