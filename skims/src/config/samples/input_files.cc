// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/input_files.h"

#include "base/canonical_paths.h"
#include "base/interruption.h"
#include "base/resolved_path.h"
#include "base/text_table.h"
#include "config/samples/chain_files.h"
#include "config/samples/matching_paths.h"

#include "skimline/framework/error.h"
#include "skimline/io/remote_patterns.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSpecial = "*?[";

bool has_special(const std::string& pattern) { return pattern.find_first_of(kSpecial) != std::string::npos; }

std::string without_escapes(const std::string& pattern) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    text += pattern[at];
  }
  return text;
}

std::vector<std::string> find_files(const fs::path& folder, const std::string& pattern) {
  std::error_code ignored;
  const fs::path plain = resolved(folder, pattern);
  if (fs::exists(plain, ignored)) return {plain.string()};
  if (!has_special(pattern)) return {};
  if (const fs::path named = resolved(folder, without_escapes(pattern)); fs::exists(named, ignored))
    return {named.string()};
  return matching_paths(fs::path(pattern).is_absolute()
                            ? pattern
                            : resolved(pattern_of_folder(folder.string()), pattern).string());
}

bool leads_somewhere(const fs::path& folder, const std::string& pattern) {
  try {
    return !find_files(folder, pattern).empty();
  } catch (const FileError&) {  // nobody knows
    return false;
  }
}

// A single file of another machine is looked for when it is opened.
std::vector<std::string> find_remote(const std::string& name) {
  io::check_scheme(name);
  if (!io::is_remote_pattern(name)) return {name};
  return io::find_remote_files(name, current_stop());
}

// The name of the file in a folder that is nearest to one that is not there, by what does not say its format;
// empty if none is near.
std::string nearest_file(const fs::path& folder, const fs::path& name) {
  constexpr std::size_t kMost = 10000;
  const std::string ending = name.extension().string();
  std::vector<std::string> stems;
  std::error_code error;
  fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, error);
  for (const fs::directory_iterator end; !error && at != end && stems.size() < kMost; at.increment(error))
    if (const fs::path each = at->path().filename(); each.extension() == ending)
      stems.push_back(each.stem().string());
  const std::string nearest = nearest_name(name.stem().string(), stems);
  return nearest.empty() ? nearest : nearest + ending;
}

// Paths are often meant to begin where the program is started, and not where the config is.
std::string hint_at_folder(const fs::path& folder, const std::string& pattern) {
  if (fs::path(pattern).is_absolute()) return {};
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error || !leads_somewhere(here, pattern)) return {};
  const std::string path = path_from_folder(here / pattern, folder).string();
  return ": paths are relative to the folder of the config; write " + in_quotes(path);
}

std::string hint_at_name(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = path.parent_path();
  if (fs::is_symlink(path, ignored))
    return ": the link leads to " + in_quotes(fs::read_symlink(path, ignored).string());
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    return ": there is no folder " + in_quotes(folder.string());
  const std::string nearest = nearest_file(folder, path.filename());
  return nearest.empty() ? "" : " (did you mean " + in_quotes((folder / nearest).string()) + "?)";
}

// What is wrong with a pattern that leads to no file.
std::string problem_of(const fs::path& folder, const std::string& pattern) {
  if (io::is_url(pattern)) return "no file matches " + in_quotes(pattern);
  const std::string hint = hint_at_folder(folder, pattern);
  if (has_special(pattern)) return "no file matches " + in_quotes(pattern) + hint;
  const fs::path path = resolved(folder, pattern);
  return "there is no file " + in_quotes(path.string()) + (hint.empty() ? hint_at_name(path) : hint);
}

// A path as records give it: relative to the config, wherever the program was started.
std::string name_of_input(const std::string& pattern, const std::string& path,
                          const fs::path& config_folder) {
  if (fs::path(pattern).is_absolute() || io::is_url(path)) return path;
  const fs::path folder = plain_path(config_folder), whole(path);
  const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end());
  fs::path below;
  for (auto part = in_path; part != whole.end(); ++part) below /= *part;
  if (in_folder == folder.end() && *below.begin() != "..") return below.string();
  return path_from_folder(whole, folder).string();
}

// From what is given to what is there.
class FileMeeting {
 public:
  explicit FileMeeting(InputTexts& texts) : texts_(texts) {}

  void meet(const NamedFile& file) {
    if (file.may_be_list && file.text.starts_with('@')) return meet_listed(file);
    io::InputLocation location{file.text, ""};
    if (file.ntuple_name)
      location.name = *file.ntuple_name;
    else
      location = io::parse_location(file.text);
    // Secrets may have come in by variables.
    location.path = io::hide_secrets(location.path);
    try {
      const std::vector<std::string> paths =
          io::is_url(location.path) ? find_remote(location.path) : find_files(file.folder, location.path);
      if (paths.empty()) texts_.add(file.place, problem_of(file.folder, location.path));
      for (const std::string& path : paths) add(file, location, path, paths.size() == 1);
    } catch (const FileError& error) {  // a folder that cannot be listed
      texts_.add(file.place, error.what());
    }
  }

  std::vector<MetFile> take() { return std::move(met_); }

 private:
  void add(const NamedFile& file, const io::InputLocation& location, const std::string& path,
           bool is_only_match) {
    throw_if_interrupted();
    std::error_code ignored;
    if (!io::is_url(path) && fs::is_directory(path, ignored))
      return texts_.add(file.place, in_quotes(path) + " is a folder: give the files in it, as in " +
                                        in_quotes((fs::path(location.path) / "*.root").string()));
    met_.push_back({file, location.path, {path, location.name}, is_only_match});
  }

  void meet_listed(const NamedFile& list) {
    const io::InputLocation location = io::parse_location(list.text.substr(1));
    const std::string path = resolved(list.folder, location.path).string();
    const std::optional<InputTexts::Part> text = texts_.read(path, list.place);
    if (!text) return;
    NamedFile line;
    line.folder = fs::path(path).parent_path();
    if (meet_lines(*text, line, location.name) == 0)
      texts_.add(list.place, "the list " + in_quotes(path) + " names no file");
  }

  // Returns how many files a list names; `line` has what they have in common.
  std::size_t meet_lines(const InputTexts::Part& list, NamedFile line, const std::string& ntuple_name) {
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < list.text.size();) {
      const std::size_t end = std::min(list.text.find('\n', begin), list.text.size());
      const Location part = trimmed(list.text, {begin, end});
      begin = end + 1;
      if (part.begin == part.end) continue;
      line.text = list.text.substr(part.begin, part.end - part.begin);
      line.place = {list.location.begin + part.begin, list.location.begin + part.end};
      line.ntuple_name.reset();
      ++count;
      if (line.text.starts_with('@')) {
        texts_.add(line.place, "a list cannot name another list");
        continue;
      }
      if (!ntuple_name.empty() && io::parse_location(line.text).name.empty()) line.ntuple_name = ntuple_name;
      meet(line);
    }
    return count;
  }

  // A line without comment and without blanks around it.
  static Location trimmed(std::string_view text, Location line) {
    constexpr std::string_view kBlanks = " \t\r";
    const auto is_blank = [&](std::size_t at) { return kBlanks.find(text[at]) != std::string_view::npos; };
    for (std::size_t at = line.begin; at < line.end; ++at)
      if (text[at] == '#' && (at == line.begin || is_blank(at - 1))) line.end = at;
    while (line.begin < line.end && is_blank(line.begin)) ++line.begin;
    while (line.end > line.begin && is_blank(line.end - 1)) --line.end;
    return line;
  }

  InputTexts& texts_;
  std::vector<MetFile> met_;
};

// Files that are met, each once.
class InputFinder {
 public:
  InputFinder(io::OpenedFiles& opened, InputTexts& texts) : opened_(opened), texts_(texts) {}

  void find(const MetFile& file) {
    throw_if_interrupted();
    try {
      if (const std::optional<io::FileChain> chain = find_chain(file.input, opened_))
        return add_chain(file, *chain);
    } catch (const FileError& error) {
      return texts_.add(file.named_by.place, error.what());
    }
    add(file);
  }

  FoundInputs take() { return {std::move(inputs_), std::move(chains_)}; }

 private:
  void add(const MetFile& file) {
    const std::string& path = file.input.path;
    const Location place = file.named_by.place;
    if (!is_new(file.input)) return texts_.add(place, "the file " + in_quotes(path) + " is given twice");
    inputs_.push_back({file.input, name_of_input(file.pattern, path, texts_.folder()),
                       file.is_only_match ? file.named_by.num_entries : std::nullopt, place});
  }

  // What a chain names is no pattern, no list and no other chain.
  void add_chain(const MetFile& file, const io::FileChain& chain) {
    const Location place = file.named_by.place;
    const std::string called = "the TChain " + in_quotes(chain.name) + " in " + in_quotes(file.input.path);
    chains_.push_back(file.input.path);
    if (chain.files.empty()) texts_.add(place, called + " has no files");
    for (const std::string& other : chain.others)
      texts_.warn(place, "the " + other + " of " + called + " are left out");
    std::vector<std::string> missing;
    for (const io::ChainedFile& each : chain.files) {
      std::error_code ignored;
      const std::string name = io::hide_secrets(each.location.path);
      if (!io::is_url(name) && !fs::exists(name, ignored)) {
        missing.push_back(in_quotes(name));
        continue;
      }
      if (io::is_url(name)) io::check_scheme(name);
      MetFile chained{file.named_by, name, {name, each.location.name}};
      chained.named_by.num_entries = each.num_entries;
      add(chained);
    }
    if (!missing.empty())
      texts_.add(place, called + " names " + first_few(missing) + ", which " +
                            (missing.size() == 1 ? "does" : "do") +
                            " not exist; relative paths in it are seen from the folder in which Skimline "
                            "runs, as in ROOT");
  }

  // No name means the only RNTuple, so it equals any name.
  bool is_new(const io::InputLocation& input) {
    std::set<std::string>& names = seen_[paths_.of(input.path)];
    if (!names.empty() && (input.name.empty() || names.count("") != 0)) return false;
    return names.insert(input.name).second;
  }

  io::OpenedFiles& opened_;
  InputTexts& texts_;
  std::vector<Input> inputs_;
  std::vector<std::string> chains_;
  CanonicalPaths paths_;
  std::map<std::string, std::set<std::string>> seen_;  // names given for the RNTuples, by canonical path
};

}  // namespace

bool is_file_pattern(const std::string& path) { return has_special(path); }

std::string pattern_of_folder(const std::string& folder) {
  std::string text;
  for (const char letter : folder) {
    if (kSpecial.find(letter) != std::string_view::npos || letter == '\\') text += '\\';
    text += letter;
  }
  return text;
}

std::vector<MetFile> meet_files(const std::vector<NamedFile>& files, InputTexts& texts) {
  FileMeeting meeting(texts);
  for (const NamedFile& file : files) meeting.meet(file);
  return meeting.take();
}

FoundInputs find_inputs(const std::vector<MetFile>& files, io::OpenedFiles& opened, InputTexts& texts) {
  InputFinder finder(opened, texts);
  for (const MetFile& file : files) finder.find(file);
  return finder.take();
}

}  // namespace skimline::skims
