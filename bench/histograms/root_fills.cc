// SPDX-License-Identifier: BSD-3-Clause
// ROOT's histograms, filled one by one, or by FillN where the kind is named with "_n" behind it: see
// fill_rounds.h.
#include "fill_rounds.h"

#include <memory>

#include <TH1D.h>
#include <TH2D.h>
#include <TH3D.h>
#include <TProfile.h>

namespace {

using fills::kBins;
using fills::kHigh;
using fills::kLow;
using fills::kNumValues;

double content_of(const TH1& histogram, int cell) { return histogram.GetBinContent(cell); }
double variance_of(const TH1& histogram, int cell) {
  return histogram.GetSumw2N() > 0 ? histogram.GetSumw2()->At(cell) : histogram.GetBinContent(cell);
}
double value_of(const TH1&, int) { return 0; }
double content_of(const TProfile& profile, int cell) { return profile.GetBinEntries(cell); }
double variance_of(const TProfile& profile, int cell) {
  return const_cast<TProfile&>(profile).GetBinSumw2()->At(cell);
}
double value_of(const TProfile& profile, int cell) { return profile.GetArray()[cell]; }

template <typename Histogram, typename Fill>
class RootFilled : public fills::Filled {
 public:
  RootFilled(std::unique_ptr<Histogram> histogram, Fill fill)
      : histogram_(std::move(histogram)), fill_(fill) {}

  void fill() override { fill_(*histogram_); }

  fills::Sums sums() override {
    fills::Sums sums;
    for (int cell = 0; cell < histogram_->GetNcells(); ++cell)
      sums.add(static_cast<std::size_t>(cell), content_of(*histogram_, cell), variance_of(*histogram_, cell),
               value_of(*histogram_, cell));
    return sums;
  }

 private:
  std::unique_ptr<Histogram> histogram_;
  Fill fill_;
};

template <typename Histogram, typename Fill>
std::unique_ptr<fills::Filled> filled(std::unique_ptr<Histogram> histogram, Fill fill) {
  return std::make_unique<RootFilled<Histogram, Fill>>(std::move(histogram), fill);
}

template <typename Histogram>
std::unique_ptr<Histogram> with_squares(std::unique_ptr<Histogram> histogram) {
  histogram->Sumw2();
  return histogram;
}

std::unique_ptr<TH1D> regular() { return std::make_unique<TH1D>("h", "", kBins, kLow, kHigh); }
std::unique_ptr<TH1D> variable() {
  const std::vector<double> edges = fills::variable_edges();
  return with_squares(std::make_unique<TH1D>("h", "", static_cast<int>(edges.size()) - 1, edges.data()));
}
std::unique_ptr<TH2D> square() {
  return with_squares(std::make_unique<TH2D>("h", "", kBins, kLow, kHigh, kBins, kLow, kHigh));
}
std::unique_ptr<TH3D> cube() {
  return with_squares(
      std::make_unique<TH3D>("h", "", kBins, kLow, kHigh, kBins, kLow, kHigh, kBins, kLow, kHigh));
}
std::unique_ptr<TProfile> profile() {
  return with_squares(std::make_unique<TProfile>("h", "", kBins, kLow, kHigh));
}

std::unique_ptr<fills::Filled> make_one_by_one(const std::string& kind) {
  const fills::Events& events = fills::events();
  const double *const x = events.x.data(), *const y = events.y.data(), *const z = events.z.data();
  const double* const weights = events.weights.data();
  const auto each = [](auto fill) {
    return [fill](auto& histogram) {
      for (std::size_t i = 0; i < kNumValues; ++i) fill(histogram, i);
    };
  };
  const auto fill_x = each([=](TH1D& histogram, std::size_t i) { histogram.Fill(x[i], weights[i]); });
  if (kind == "1d")
    return filled(regular(), each([=](TH1D& histogram, std::size_t i) { histogram.Fill(x[i]); }));
  if (kind == "1d_weighted") return filled(with_squares(regular()), fill_x);
  if (kind == "variable_weighted") return filled(variable(), fill_x);
  if (kind == "2d_weighted")
    return filled(square(),
                  each([=](TH2D& histogram, std::size_t i) { histogram.Fill(x[i], y[i], weights[i]); }));
  if (kind == "3d_weighted")
    return filled(
        cube(), each([=](TH3D& histogram, std::size_t i) { histogram.Fill(x[i], y[i], z[i], weights[i]); }));
  if (kind == "profile")
    return filled(profile(),
                  each([=](TProfile& histogram, std::size_t i) { histogram.Fill(x[i], y[i], weights[i]); }));
  return nullptr;
}

// TH3D has no FillN.
std::unique_ptr<fills::Filled> make_at_once(const std::string& kind) {
  const fills::Events& events = fills::events();
  const double *const x = events.x.data(), *const y = events.y.data(), *const weights = events.weights.data();
  constexpr int kNumber = kNumValues;
  const auto fill_x = [=](TH1D& histogram) { histogram.FillN(kNumber, x, weights); };
  if (kind == "1d_n")
    return filled(regular(), [=](TH1D& histogram) { histogram.FillN(kNumber, x, nullptr); });
  if (kind == "1d_weighted_n") return filled(with_squares(regular()), fill_x);
  if (kind == "variable_weighted_n") return filled(variable(), fill_x);
  if (kind == "2d_weighted_n")
    return filled(square(), [=](TH2D& histogram) { histogram.FillN(kNumber, x, y, weights); });
  if (kind == "profile_n")
    return filled(profile(), [=](TProfile& histogram) { histogram.FillN(kNumber, x, y, weights); });
  return nullptr;
}

std::unique_ptr<fills::Filled> make(const std::string& kind) {
  TH1::AddDirectory(false);
  auto one_by_one = make_one_by_one(kind);
  return one_by_one ? std::move(one_by_one) : make_at_once(kind);
}

}  // namespace

int main(int count, char** arguments) { return fills::run_program(count, arguments, make); }
