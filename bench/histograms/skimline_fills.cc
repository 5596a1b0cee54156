// SPDX-License-Identifier: BSD-3-Clause
// HistogramSet::fill in batches, statistics included: see fill_rounds.h.
#include "fill_rounds.h"
#include "skimline_kinds.h"

#include <algorithm>
#include <memory>

namespace {

class SkimlineFilled : public fills::Filled {
 public:
  explicit SkimlineFilled(fills::Kind kind) : kind_(std::move(kind)) { set_.add(kind_.spec); }

  void fill() override { fills::fill_all(set_, kind_); }

  fills::Sums sums() override {
    const auto histogram = set_.reduce(0);
    const std::vector<double>& values = histogram.sums[skimline::histograms::kWeightedValue];
    fills::Sums sums;
    for (std::size_t cell = 0; cell < histogram.num_cells(); ++cell)
      sums.add(cell, histogram.contents()[cell], histogram.variances()[cell],
               values.empty() ? 0 : values[cell]);
    return sums;
  }

 private:
  skimline::histograms::HistogramSet set_;
  fills::Kind kind_;
};

std::unique_ptr<fills::Filled> make(const std::string& name) {
  const std::vector<fills::Kind> kinds = fills::kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const fills::Kind& one) { return one.name == name; });
  return kind == kinds.end() ? nullptr : std::make_unique<SkimlineFilled>(*kind);
}

}  // namespace

int main(int count, char** arguments) { return fills::run_program(count, arguments, make); }
