// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/config_parts.h"

#include "base/resolved_path.h"
#include "base/text_file.h"
#include "config/json/object_reader.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <map>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaximumDepth = 64;

std::string identity(const fs::path& path) {
  std::error_code ignored;
  // A relative path of which nothing exists yet would stay relative.
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
}

class PartReader {
 public:
  PartReader(ConfigText& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics), folder_(folder_of(source.path)) {}

  std::vector<ParsedPart> read(const std::string& text) {
    read_part(source_.path, text, {});
    return std::move(parts_);
  }

 private:
  // Returns the numbers of the part and of all that it includes.
  std::set<std::size_t> read_part(const std::string& path, const std::string& text, const fs::path& folder) {
    ParsedPart part;
    part.number = source_.parts.size();
    part.folder = folder;
    part.root = parse_located_json(
        text, diagnostics_, append_part(source_, {.path = path, .is_included = part.number > 0}, text));
    if (part.number > 0 && part.root.kind != JsonKind::kObject && diagnostics_.empty())
      diagnostics_.add(part.root.location, "the config must be an object, got " + name_of(part.root.kind));
    open_.push_back({identity(path), path});
    if (const auto include = part.root.take("include"))
      for (const Text& file : files_of(*include))
        for (const std::size_t number : read_included(file, folder)) part.is_built_on.insert(number);
    std::set<std::size_t> numbers = part.is_built_on;
    numbers.insert(part.number);
    known_.emplace(open_.back().identity, numbers);
    open_.pop_back();
    parts_.push_back(std::move(part));
    return numbers;
  }

  std::vector<Text> files_of(const JsonValue& include) {
    if (include.kind == JsonKind::kList) return read_texts(include, "\"include\"", diagnostics_);
    if (include.kind == JsonKind::kString) {
      const auto file = read_text(include, "\"include\"", diagnostics_);
      return file ? std::vector<Text>{*file} : std::vector<Text>{};
    }
    diagnostics_.add(include.location,
                     "\"include\" must be a path or a list of paths, got " + name_of(include.kind));
    return {};
  }

  std::set<std::size_t> read_included(const Text& file, const fs::path& folder) {
    const fs::path relative = plain_path(folder / file.value, folder_);
    const std::string path =
        io::is_url(file.value) ? file.value : resolved(folder_, relative.string()).string();
    const std::string id = identity(path);
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    if (is_open(id) || open_.size() == kMaximumDepth) {
      diagnostics_.add(file.location, is_open(id) ? "this file includes itself: " + chain(id, path)
                                                  : "files that include each other are too many (over 64)");
      return {};
    }
    try {
      const std::string text = read_text_file(path);
      if (source_.text.size() + text.size() > kLargestConfig) {
        diagnostics_.add(file.location, "with this file the config is larger than " +
                                            std::to_string(kLargestConfig >> 20) + " MiB");
        return {};
      }
      return read_part(path, text, relative.parent_path());
    } catch (const ConfigError& error) {
      diagnostics_.add(file.location, error.what());
    }
    return {};
  }

  bool is_open(const std::string& id) const {
    return std::any_of(open_.begin(), open_.end(), [&](const OpenFile& file) { return file.identity == id; });
  }

  // "a.json includes b.json includes a.json"
  std::string chain(const std::string& id, const std::string& path) const {
    auto at =
        std::find_if(open_.begin(), open_.end(), [&](const OpenFile& each) { return each.identity == id; });
    std::string text;
    for (; at != open_.end(); ++at) text += at->path + " includes ";
    return text + path;
  }

  struct OpenFile {
    std::string identity, path;
  };
  ConfigText& source_;
  Diagnostics& diagnostics_;
  fs::path folder_;
  std::vector<ParsedPart> parts_;
  std::vector<OpenFile> open_;
  std::map<std::string, std::set<std::size_t>> known_;  // by identity
};

}  // namespace

std::vector<ParsedPart> read_parts(ConfigText& source, const std::string& text, Diagnostics& diagnostics) {
  return PartReader(source, diagnostics).read(text);
}

}  // namespace skimline::skims
