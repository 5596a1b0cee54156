// SPDX-License-Identifier: BSD-3-Clause
// What is drawn of the histograms of a run: those of all samples in one region together.
#pragma once

#include "skimline/skims/histogram_catalogue.h"
#include "skimline/skims/histogram_file.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

enum class SeriesKind { kBackground, kSignal, kData };

/// Samples that are drawn as one: nominal contents of all bins without flow cells, of profiles means.
struct FigureSeries {
  std::string label;
  std::string colour;  ///< of the config, or empty
  SeriesKind kind = SeriesKind::kBackground;
  double scale = 1;                     ///< by which the contents are multiplied already
  std::vector<std::string> histograms;  ///< in the file
  std::vector<double> values, variances;
};

/// The sum of all backgrounds in one variation. What does not have it is nominal.
struct FigureVariation {
  std::string variation, systematic;
  std::vector<std::string> histograms;
  std::vector<double> values;
};

struct Figure {
  std::string histogram, region;  ///< in the config; the region may be empty
  std::string title;
  std::vector<histograms::Axis> axes;
  std::vector<histograms::Axis> grown_axes;  ///< with the categories of all histograms, where these grow
  std::string value_title;
  bool is_profile = false;
  bool is_stack = false;  ///< whether backgrounds stand on each other
  bool has_ratio = false;
  bool log_x = false, log_y = false;
  std::vector<FigureSeries> series;
  std::vector<FigureVariation> variations;
};

/// All figures of a file, each of which is read when it is asked for.
class Figures {
 public:
  /// Samples in groups, as the "plots" of the config say; without them all samples, as a stack if the
  /// backgrounds are normalised, else beside each other.
  Figures(const HistogramFile& file, const HistogramCatalogue& catalogue, bool are_normalised);

  std::size_t size() const { return places_.size(); }
  /// Without series if the histograms of its samples have different bins. Throws FileError.
  Figure read(std::size_t number) const;

 private:
  struct Group {
    std::string label, colour;
    SeriesKind kind = SeriesKind::kBackground;
    double scale = 1;
    std::vector<std::string> samples;
  };
  using Place = std::pair<std::string, std::string>;  // histogram and region
  using Filled = std::vector<const CataloguedHistogram*>;
  void read_groups();
  void add_members(const std::string& pattern, Group& group) const;
  void add_ungrouped();
  std::vector<histograms::Axis> grown_axes(const Filled& filled) const;
  histograms::Histogram read(const std::string& name, const std::vector<histograms::Axis>& grown) const;
  bool add_series(const Group& group, const Filled& filled, Figure& figure) const;
  void add_variations(const Filled& filled, Figure& figure) const;
  bool is_background(const std::string& sample) const;

  const HistogramFile& file_;
  const HistogramCatalogue& catalogue_;
  std::string plots_;
  bool are_normalised_;
  std::vector<Group> groups_;
  std::map<Place, Filled> filled_;
  std::vector<Place> places_;
};

/// Contents of the bins without flow cells, the first axis running fastest; of profiles means.
std::vector<double> bin_values(const histograms::Histogram& histogram);
/// The squares of their errors.
std::vector<double> bin_variances(const histograms::Histogram& histogram);

}  // namespace skimline::skims
