// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/moved_paths.h"

#include "base/resolved_path.h"
#include "config/samples/input_files.h"

#include <array>
#include <span>
#include <string_view>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

// Keys that lead to a path or a list of paths; "*" stands for each key.
using Keys = std::vector<std::string_view>;
const std::array<Keys, 16> kPaths{Keys{"corrections", "*", "file"},
                                  Keys{"models", "*", "file"},
                                  Keys{"samples", "*", "files"},
                                  Keys{"samples", "*", "friends", "*", "files"},
                                  Keys{"samples", "*", "lumi_mask"},
                                  Keys{"samples", "*", "entry_list"},
                                  Keys{"samples_from"},
                                  Keys{"samples_from", "file"},
                                  Keys{"samples_from", "replace", "*"},
                                  Keys{"checksum_folder"},
                                  Keys{"cache"},
                                  Keys{"skims", "*", "file"},
                                  Keys{"output", "histograms"},
                                  Keys{"output", "histograms", "file"},
                                  Keys{"output", "report"},
                                  Keys{"output", "cutflow"}};

class PathMover {
 public:
  PathMover(const std::vector<fs::path>& folders, const ConfigText& source, bool may_be_patterns)
      : folders_(folders),
        source_(source),
        folder_of_config_(folder_of(source.path)),
        may_be_patterns_(may_be_patterns) {}

  void move(JsonValue& value, std::span<const std::string_view> keys) const {
    if (keys.empty()) return move_texts(value);
    for (JsonValue& item : value.items)
      if (value.kind == JsonKind::kList) move(item, keys);
    for (std::size_t i = 0; i < value.keys.size(); ++i)
      if (keys.front() == "*" || keys.front() == value.keys[i].value) move(value.items[i], keys.subspan(1));
  }

 private:
  void move_texts(JsonValue& value) const {
    if (value.kind == JsonKind::kString) move_text(value);
    if (value.kind != JsonKind::kList) return;
    for (JsonValue& item : value.items)
      if (item.kind == JsonKind::kString) move_text(item);
  }

  // "@" marks a file that lists others.
  void move_text(JsonValue& text) const {
    const fs::path& folder = folders_[part_of(source_, text.location)];
    const bool is_list = text.text.starts_with('@');
    const std::string path = text.text.substr(is_list ? 1 : 0);
    const bool is_blank = path.find_first_not_of(" \t\r\n") == std::string::npos;
    if (folder.empty() || is_blank || path.find("://") != std::string::npos) return;
    // The folder of a pattern is none itself.
    const bool is_pattern = may_be_patterns_ && !is_list && is_file_pattern(path);
    const fs::path front = is_pattern ? fs::path(pattern_of_folder(folder.string())) : folder;
    text.text = (is_list ? "@" : "") + plain_path(front / path, folder_of_config_).string();
  }

  const std::vector<fs::path>& folders_;
  const ConfigText& source_;
  fs::path folder_of_config_;
  bool may_be_patterns_;
};

}  // namespace

void move_paths(JsonValue& root, const std::vector<fs::path>& folders, const ConfigText& source) {
  for (const Keys& keys : kPaths) PathMover(folders, source, keys.back() == "files").move(root, keys);
}

}  // namespace skimline::skims
