// SPDX-License-Identifier: BSD-3-Clause
#include "record/record_steps.h"

#include <cmath>

namespace skimline::skims {
namespace {

std::string step_name(const histograms::Axis& axis, std::size_t step) {
  return axis.names().empty() ? "step " + std::to_string(step + 1) : axis.names()[step];
}

}  // namespace

std::string cutflow_path(const std::string& sample) {
  return std::string(kRecordDirectory) + "/cutflow/" + sample;
}

std::string weighted_cutflow_path(const std::string& sample) {
  return std::string(kRecordDirectory) + "/weighted_cutflow/" + sample;
}

std::vector<histograms::Histogram> named_cutflows(const RunRecord& record) {
  std::vector<histograms::Histogram> cutflows;
  for (const SampleRecord& sample : record.samples) {
    cutflows.push_back(sample.cutflow);
    cutflows.back().name = cutflow_path(sample.name);
  }
  for (const SampleRecord& sample : record.samples) {
    cutflows.push_back(sample.weighted_cutflow);
    cutflows.back().name = weighted_cutflow_path(sample.name);
  }
  return cutflows;
}

std::vector<RecordedStep> steps_of(const SampleRecord& sample) {
  if (sample.cutflow.axes.size() != 1 || sample.weighted_cutflow.axes.size() != 1 ||
      !have_same_bins(sample.cutflow.axes[0], sample.weighted_cutflow.axes[0]))
    return {};
  const histograms::Axis& axis = sample.cutflow.axes[0];
  std::vector<RecordedStep> steps;
  for (std::size_t i = 0; i < static_cast<std::size_t>(axis.num_bins()); ++i)
    steps.push_back({step_name(axis, i), sample.cutflow.contents()[i + 1],
                     sample.weighted_cutflow.contents()[i + 1],
                     std::sqrt(sample.weighted_cutflow.variances()[i + 1])});
  return steps;
}

std::optional<double> scale_per_inverse_pb(const SampleRecord& sample,
                                           const std::vector<RecordedStep>& steps) {
  if (!sample.cross_section_pb || steps.empty() || !(steps.front().sum_weights > 0)) return std::nullopt;
  return *sample.cross_section_pb / steps.front().sum_weights;
}

}  // namespace skimline::skims
