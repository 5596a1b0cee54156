// SPDX-License-Identifier: BSD-3-Clause
#include "plan/nano_runs.h"

#include "base/canonical_paths.h"

#include "skimline/framework/error.h"
#include "skimline/io/identities.h"
#include "skimline/io/input_source.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/opened_files.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

namespace skimline::skims {
namespace {

// In a ROOT file, with a slash behind it, of a tree in it.
std::string folder_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

std::optional<std::size_t> find_sum(const Schema& schema, const std::string& name) {
  const std::optional<std::size_t> column = schema.find(name);
  return column ? column : schema.find(name + "_");
}

// Calls `visit` with the numbers of a column, as they are stored.
template <typename Visit>
void for_each_value(io::InputSource& source, const std::string& path, std::size_t column, Visit visit) {
  const ColumnInfo& info = source.schema()[column];
  if (info.type.is_jagged() || !is_number(info.type.scalar) || info.type.scalar == ScalarType::kBool)
    throw FileError(path, "column \"" + info.name + "\" of Runs is " + name_of(info.type) +
                              ": it must be one number per entry");
  ColumnBuffer scratch;
  const std::size_t columns[] = {column};
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
    reader->load(columns);
    const ColumnView view = reader->view(column, {0, source.slices()[slice].count}, scratch);
    visit_scalar(info.type.scalar, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::size_t i = 0; i < view.length; ++i) visit(view.data<T>()[view.is_constant ? 0 : i]);
    });
  }
}

histograms::ExactSum sum_of(io::InputSource& source, const std::string& path, std::size_t column) {
  std::vector<double> values;
  for_each_value(source, path, column, [&](auto value) { values.push_back(static_cast<double>(value)); });
  for (const double value : values)
    if (!std::isfinite(value))
      throw FileError(
          path, "column \"" + source.schema()[column].name + "\" of Runs has a value that is not finite");
  histograms::ExactSum sum;
  sum.add(values);
  return sum;
}

std::uint64_t count_of(io::InputSource& source, const std::string& path, std::size_t column) {
  const auto fail = [&] {
    throw FileError(path,
                    "column \"" + source.schema()[column].name + "\" of Runs has a value that is no count");
  };
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 53;
  std::uint64_t count = 0;
  for_each_value(source, path, column, [&](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      if (!(value >= 0 && value < 0x1p53 && value == std::floor(value))) fail();
    } else if constexpr (std::is_signed_v<decltype(value)>) {
      if (value < 0) fail();
    }
    const auto events =
        static_cast<std::uint64_t>(value);  // NOLINT(bugprone-signed-char-misuse): not negative
    if (events > kLargest || count > kLargest - events) fail();
    count += events;
  });
  return count;
}

}  // namespace

std::optional<io::InputLocation> beside(const io::InputLocation& events, const std::string& name,
                                        io::OpenedFiles* opened) {
  io::InputLocation location{events.path, folder_of(events.name) + name};
  const std::vector<std::string> names = io::data_names(*io::open_file(opened, location.path).root);
  if (std::find(names.begin(), names.end(), location.name) == names.end()) return std::nullopt;
  return location;
}

std::vector<bool> are_first_beside(const std::vector<io::InputLocation>& inputs, Beside where) {
  std::vector<bool> are_first;
  CanonicalPaths canonical;
  std::map<std::pair<std::string, std::string>, std::size_t> times_read;
  std::set<std::tuple<std::string, std::string, std::size_t>> known;
  for (const io::InputLocation& input : inputs) {
    const std::string path = canonical.of(input.path);
    const std::size_t time = times_read[{path, std::string(io::without_cycle(input.name))}]++;
    are_first.push_back(
        known.emplace(path, where == Beside::kFolder ? folder_of(input.name) : "", time).second);
  }
  return are_first;
}

void RunsSums::add(const RunsSums& other) {
  num_events += other.num_events;
  sum_weights.add(other.sum_weights);
  sum_of_squares.add(other.sum_of_squares);
}

std::optional<RunsSums> sums_of_runs(const io::InputLocation& events, const io::InputOptions& options) {
  const std::optional<io::InputLocation> location = beside(events, "Runs", options.files.get());
  if (!location) return std::nullopt;
  const std::unique_ptr<io::InputSource> opened = io::open_inputs({*location}, options);
  io::InputSource& source = *opened;
  const std::optional<std::size_t> count = find_sum(source.schema(), "genEventCount");
  const std::optional<std::size_t> weights = find_sum(source.schema(), "genEventSumw");
  const std::optional<std::size_t> squares = find_sum(source.schema(), "genEventSumw2");
  if (!count || !weights || !squares) return std::nullopt;
  RunsSums sums;
  sums.num_events = count_of(source, location->path, *count);
  sums.sum_weights = sum_of(source, location->path, *weights);
  sums.sum_of_squares = sum_of(source, location->path, *squares);
  if (sums.sum_of_squares.value() < 0)
    throw FileError(location->path, "the squares of weights in Runs have a negative sum");
  return sums;
}

}  // namespace skimline::skims
