// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/generate/agc_samples.h"

#include "skimline/framework/error.h"

namespace skimline::generate {

const std::vector<AgcSample>& agc_samples() {
  using enum AgcProcess;
  // The varied samples differ as other scales, matrix elements and showers do: by tens of per cent in jets.
  static const std::vector<AgcSample> samples = {
      {"ttbar", "nominal", {kTopPair, 1.2, 1.9, 0.02, 120}},
      {"ttbar", "scaledown", {kTopPair, 1.4, 1.85, 0.02, 116}},
      {"ttbar", "scaleup", {kTopPair, 1.0, 1.95, 0.02, 124}},
      {"ttbar", "ME_var", {kTopPair, 1.1, 1.8, 0.02, 110}},
      {"ttbar", "PS_var", {kTopPair, 1.3, 2.05, 0.03, 116}},
      {"single_top_s_chan", "nominal", {kTopSChannel, 0.8, 2.6, 0.01, 60}},
      {"single_top_t_chan", "nominal", {kTopTChannel, 1.0, 2.1, 0.02, 60}},
      {"single_top_tW", "nominal", {kTopW, 1.2, 1.9, 0.02, 100}},
      {"wjets", "nominal", {kWJets, 1.4, 2.3, 0.02, 10}},
  };
  return samples;
}

std::vector<std::string> agc_sample_names() {
  std::vector<std::string> names;
  for (const AgcSample& sample : agc_samples()) names.push_back(sample.name());
  return names;
}

std::size_t find_agc_sample(std::string_view name) {
  const std::vector<std::string> names = agc_sample_names();
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
    all += (i == 0 ? "\"" : i + 1 == names.size() ? " and \"" : ", \"") + names[i] + "\"";
  }
  if (name.empty()) throw ConfigError("model agc needs one of the samples " + all);
  throw ConfigError("unknown sample \"" + std::string(name) + "\" of model agc" + did_you_mean(name, names) +
                    ": there are " + all);
}

}  // namespace skimline::generate
