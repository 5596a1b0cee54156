// SPDX-License-Identifier: BSD-3-Clause
// Plain loops: bins by one multiplication, or by bisection between edges; sums of doubles; no statistics, no
// look at values beside an edge. See fill_rounds.h.
#include "fill_rounds.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace {

constexpr int kCells = fills::kBins + 2;
constexpr double kBinsPerUnit = fills::kBins / (fills::kHigh - fills::kLow);

int regular_cell(double x) {
  if (x < fills::kLow) return 0;
  if (!(x < fills::kHigh)) return kCells - 1;
  return static_cast<int>((x - fills::kLow) * kBinsPerUnit) + 1;
}

// Counts one-dimensional fills.
class Counted : public fills::Filled {
 public:
  void fill() override {
    for (const double x : fills::events().x) ++counts_[static_cast<std::size_t>(regular_cell(x))];
  }

  fills::Sums sums() override {
    fills::Sums sums;
    for (std::size_t cell = 0; cell < counts_.size(); ++cell)
      sums.add(cell, static_cast<double>(counts_[cell]), static_cast<double>(counts_[cell]));
    return sums;
  }

 private:
  std::array<std::uint64_t, kCells> counts_{};
};

// Sums weights and their squares, in cells that `cell_of` finds for the number of an event.
template <typename CellOf>
class Weighted : public fills::Filled {
 public:
  Weighted(std::size_t num_cells, CellOf cell_of) : cells_(num_cells), cell_of_(cell_of) {}

  void fill() override {
    const double* const weights = fills::events().weights.data();
    for (std::size_t i = 0; i < fills::kNumValues; ++i) {
      Cell& cell = cells_[static_cast<std::size_t>(cell_of_(i))];
      cell.weight += weights[i];
      cell.squared += weights[i] * weights[i];
    }
  }

  fills::Sums sums() override {
    fills::Sums sums;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell)
      sums.add(cell, cells_[cell].weight, cells_[cell].squared);
    return sums;
  }

 private:
  struct Cell {
    double weight = 0, squared = 0;
  };
  std::vector<Cell> cells_;
  CellOf cell_of_;
};

class Profile : public fills::Filled {
 public:
  void fill() override {
    const fills::Events& events = fills::events();
    for (std::size_t i = 0; i < fills::kNumValues; ++i) {
      Cell& cell = cells_[static_cast<std::size_t>(regular_cell(events.x[i]))];
      const double weight = events.weights[i], value = events.y[i];
      cell.weight += weight;
      cell.squared += weight * weight;
      cell.value += weight * value;
      cell.value_squared += weight * value * value;
    }
  }

  fills::Sums sums() override {
    fills::Sums sums;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell)
      sums.add(cell, cells_[cell].weight, cells_[cell].squared, cells_[cell].value);
    return sums;
  }

 private:
  struct Cell {
    double weight = 0, squared = 0, value = 0, value_squared = 0;
  };
  std::array<Cell, kCells> cells_{};
};

template <typename CellOf>
std::unique_ptr<fills::Filled> weighted(std::size_t num_cells, CellOf cell_of) {
  return std::make_unique<Weighted<CellOf>>(num_cells, cell_of);
}

std::unique_ptr<fills::Filled> make(const std::string& kind) {
  const fills::Events& events = fills::events();
  const double *const x = events.x.data(), *const y = events.y.data(), *const z = events.z.data();
  if (kind == "1d") return std::make_unique<Counted>();
  if (kind == "1d_weighted") return weighted(kCells, [=](std::size_t i) { return regular_cell(x[i]); });
  if (kind == "variable_weighted") {
    const std::vector<double> edges = fills::variable_edges();
    return weighted(edges.size() + 1, [=](std::size_t i) {
      return std::upper_bound(edges.begin(), edges.end(), x[i]) - edges.begin();
    });
  }
  if (kind == "2d_weighted")
    return weighted(kCells * kCells,
                    [=](std::size_t i) { return regular_cell(x[i]) + kCells * regular_cell(y[i]); });
  if (kind == "3d_weighted")
    return weighted(kCells * kCells * kCells, [=](std::size_t i) {
      return regular_cell(x[i]) + kCells * (regular_cell(y[i]) + kCells * regular_cell(z[i]));
    });
  if (kind == "profile") return std::make_unique<Profile>();
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) { return fills::run_program(count, arguments, make); }
