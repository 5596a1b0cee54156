// SPDX-License-Identifier: BSD-3-Clause
// What FastFrames knows of data sets beside its config: their files, sums of weights and cross sections.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace skimline::skims {

/// A data set of ATLAS; data have the number 0.
struct DataSet {
  std::int64_t dsid = 0;
  std::string campaign, simulation;

  friend bool operator<(const DataSet& left, const DataSet& right) {
    return std::tie(left.dsid, left.campaign, left.simulation) <
           std::tie(right.dsid, right.campaign, right.simulation);
  }
  bool is_data() const;
  /// "410470 mc20e fullsim"
  std::string text() const;
};

class SampleMetadata {
 public:
  /// Reads a list of files, "dsid campaign simulation path" in each line, and one of sums of weights, "dsid
  /// campaign simulation name sum". Throws ConfigError for files that cannot be read and lines that are
  /// others, with their numbers.
  SampleMetadata(const std::string& files_path, const std::string& sums_path);

  /// Reads cross sections from a file of PMG, or of TopDataPreparation: "dsid cross-section k-factor". Of
  /// lines of PMG for one number that with the latest e-tag counts. Takes only numbers that are `used`.
  /// Throws ConfigError for other lines, and for a cross section that one kind of file gives twice and
  /// differs.
  void add_cross_sections(const std::string& path, const std::set<std::int64_t>& used);

  /// The files in the order of the list; may be none.
  const std::vector<std::string>& files(const DataSet& set) const;
  /// Whether a sum of weights has this name.
  bool has_sum(const DataSet& set, const std::string& name) const;
  /// A sum of weights. Throws ConfigError if it is not there, with the nearest name that is.
  double sum(const DataSet& set, const std::string& name) const;
  /// The cross section in pb, with k-factor and filter efficiency. Throws ConfigError if it is not there,
  /// or the two kinds of files differ.
  double cross_section(const DataSet& set) const;

  /// "; of 410470 there are: mc20d fullsim", or nothing: for messages about files that are missing.
  std::string others_of(const DataSet& set) const;

 private:
  struct CrossSection {
    double value = 0;
    std::int64_t e_tag = 0;  ///< 0 for TopDataPreparation
    std::string place;
  };
  void add_cross_section(std::int64_t dsid, CrossSection found);
  static void check_are_same(std::int64_t dsid, const CrossSection& known, const CrossSection& found);

  std::string files_path_, sums_path_, cross_section_paths_;
  std::map<DataSet, std::vector<std::string>> files_;
  std::map<DataSet, std::map<std::string, double>> sums_;
  std::map<std::int64_t, CrossSection> of_pmg_, of_top_;
};

}  // namespace skimline::skims
