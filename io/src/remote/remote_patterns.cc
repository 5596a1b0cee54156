// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/remote_patterns.h"

#include "remote/folder_listing.h"
#include "remote/remote_schemes.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"

#include <algorithm>

#include <fnmatch.h>

namespace skimline::io {
namespace {

constexpr std::string_view kPatternLetters = "*[";

// A URL around its path.
struct PatternParts {
  std::string before, path, after;
};

PatternParts parts_of(const std::string& name) {
  const std::size_t host = name.find("://") + 3;
  const std::size_t path = std::min(name.find_first_of("/?", host), name.size());
  const std::size_t end = std::min(name.find('?', path), name.size());
  return {name.substr(0, path), name.substr(path, end - path), name.substr(end)};
}

std::vector<std::string> components_of(const std::string& path) {
  std::vector<std::string> components;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    components.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return components;
}

bool has_pattern(const std::string& text) { return text.find_first_of(kPatternLetters) != std::string::npos; }

class PatternSearch {
 public:
  PatternSearch(const std::string& pattern, StopFlag stop)
      : scheme_(scheme_of(pattern)), parts_(parts_of(pattern)), stop_(stop) {
    if (parts_.path.ends_with('/')) parts_.path += "*.root";
    components_ = components_of(parts_.path);
  }

  std::vector<std::string> find() {
    search("", 0);
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  // Goes on from a path, "" or "/a/b", with the component of this number.
  void search(const std::string& path, std::size_t number) {
    std::string longer = path;
    for (; number < components_.size() && !has_pattern(components_[number]); ++number)
      longer += (number > 0 ? "/" : "") + components_[number];
    if (number == components_.size()) return found_.push_back(parts_.before + longer + parts_.after);
    const bool wants_folder = number + 1 < components_.size();
    const std::string folder = longer + "/";
    for (const FolderEntry& entry : scheme_.list(parts_.before + folder + parts_.after, stop_)) {
      if (entry.is_folder != wants_folder ||
          ::fnmatch(components_[number].c_str(), entry.name.c_str(), FNM_PERIOD) != 0)
        continue;
      check_name(parts_.before + folder, entry.name);
      search(folder + (scheme_.encodes_names ? percent_encoded(entry.name, "-._~!$&'()+,;=:@") : entry.name),
             number + 1);
    }
  }

  // As a URL it would name another file, or several.
  void check_name(const std::string& folder, const std::string& name) const {
    const std::size_t at = name.find_first_of(scheme_.no_letters);
    if (at == std::string::npos) return;
    throw FileError(folder + name,
                    std::string("cannot be read, as its name has \"") + name[at] + "\", which in URLs " +
                        (name[at] == '|' ? "stands between copies of a file" : "begins the query"),
                    FileFault::kUnavailable);
  }

  const RemoteScheme& scheme_;
  PatternParts parts_;
  StopFlag stop_;
  std::vector<std::string> components_;
  std::vector<std::string> found_;
};

}  // namespace

void check_scheme(const std::string& name) { scheme_of(name); }

bool is_remote_pattern(const std::string& name) {
  if (!is_url(name) || name.find('|') != std::string::npos) return false;
  const std::string path = parts_of(name).path;
  return has_pattern(path) || path.ends_with('/');
}

std::vector<std::string> find_remote_files(const std::string& pattern, StopFlag stop) {
  return PatternSearch(pattern, stop).find();
}

}  // namespace skimline::io
