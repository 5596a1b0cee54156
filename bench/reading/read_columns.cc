// SPDX-License-Identifier: BSD-3-Clause
// Reads columns with RNTupleSource, slices in parallel, and sums the bits of their values:
//
//   read_columns THREADS INPUT COLUMN,COLUMN,...
//
// COLUMN is a name or *, which is all. Prints the seconds, opening included, and then each column with its
// sum.
#include "bit_sum.h"

#include "skimline/framework/error.h"
#include "skimline/io/rntuple_source.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace {

using Sums = std::vector<std::atomic<std::uint64_t>>;

// As many entries as the evaluator takes at once.
constexpr std::uint64_t kBatchEntries = 4096;

std::vector<std::size_t> find_columns(const skimline::Schema& schema, const std::string& names) {
  std::vector<std::size_t> columns;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    if (name == "*") {
      for (std::size_t column = 0; column < schema.size(); ++column) columns.push_back(column);
    } else if (const auto column = schema.find(name)) {
      columns.push_back(*column);
    } else {
      throw skimline::SchemaError("there is no column " + name);
    }
  }
  return columns;
}

std::uint64_t sum_of(const skimline::ColumnView& view) {
  return skimline::visit_scalar(view.type.scalar, [&](auto tag) {
    return bit_sum(view.data<typename decltype(tag)::type>(), view.num_values());
  });
}

void read_slice(skimline::io::RNTupleSource& source, std::size_t slice,
                const std::vector<std::size_t>& columns, Sums& sums) {
  const auto reader = source.open_slice(slice);
  reader->load(columns);
  skimline::ColumnBuffer scratch;
  const std::uint64_t num_entries = source.slices()[slice].count;
  std::vector<std::uint64_t> found(columns.size());
  for (std::uint64_t first = 0; first < num_entries; first += kBatchEntries) {
    const skimline::EntryRange range{first, std::min(kBatchEntries, num_entries - first)};
    for (std::size_t i = 0; i < columns.size(); ++i)
      found[i] += sum_of(reader->view(columns[i], range, scratch));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) sums[i] += found[i];
}

int run(int threads, const std::string& input, const std::string& names) {
  const auto start = std::chrono::steady_clock::now();
  skimline::io::RNTupleSource source({skimline::io::parse_location(input)});
  const std::vector<std::size_t> columns = find_columns(source.schema(), names);
  Sums sums(columns.size());
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena(threads).execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, source.slices().size(),
                              [&](std::size_t slice) { read_slice(source, slice, columns, sums); });
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << elapsed.count() << '\n';
  for (std::size_t i = 0; i < columns.size(); ++i)
    std::cout << source.schema()[columns[i]].name << ' ' << sums[i] << '\n';
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: read_columns THREADS INPUT COLUMN,COLUMN,...\n";
    return 2;
  }
  try {
    return run(std::atoi(arguments[1]), arguments[2], arguments[3]);
  } catch (const skimline::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
