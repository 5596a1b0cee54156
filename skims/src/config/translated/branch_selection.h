// SPDX-License-Identifier: BSD-3-Clause
// Files of nanoAOD-tools that say which branches are kept: "keep Muon_*", "drop *".
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

/// The columns of a skim as its config names them.
struct KeptPatterns {
  bool are_all = true;  ///< else those of `keep`
  std::vector<std::string> keep, drop;
};

/// Lines of such files, in their order: of several files each takes from what the ones before have left.
class BranchSelection {
 public:
  /// Adds what a file says. Lines that cannot be used are added to `left_out`. Throws ConfigError if the file
  /// cannot be read.
  void add_file(const std::string& path, std::vector<std::string>& left_out);

  bool is_empty() const { return files_.empty(); }

  /// The last line that matches a column decides, and a list is kept with its number, "nMuon" with "Muon_pt".
  /// Returns patterns that match the same of `names`, of which `lists` are lists, or the names themselves;
  /// without names the patterns of the files, with what they cannot say in `left_out`.
  KeptPatterns patterns(const std::vector<std::string>& names, const std::vector<std::string>& lists,
                        std::vector<std::string>& left_out) const;

 private:
  struct Line {
    bool keeps = true;
    std::string pattern;
    std::string place;  ///< "keep.txt:3"
  };
  struct File {
    std::string path;
    std::vector<Line> lines;
  };
  static bool is_kept(const File& file, const std::string& name);
  bool is_kept(const std::string& name) const;
  KeptPatterns symbolic(std::vector<std::string>& left_out) const;

  std::vector<File> files_;
};

}  // namespace skimline::skims
