// SPDX-License-Identifier: BSD-3-Clause
// Prints the values of all columns of an RNTuple or TTree as JSON, by name, for the tests against ROOT and
// uproot. Bytes of strings that are not printable ASCII are escaped as if they were Latin-1. Several files,
// with commas between them, are one source.
//
//   io_column_values SOURCE NAME [SLICE_ENTRIES] [BATCH_ENTRIES] [EXPECTED]
//
// Of the columns, only EXPECTED is announced to the source.

#include "value_text.h"

#include "skimline/framework/error.h"
#include "skimline/io/open_inputs.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace skimline::io {
namespace {

void print(int argc, char** argv) {
  InputOptions options;
  if (argc > 3) options.slice_entries = std::stoull(argv[3]);
  const std::uint64_t batch = argc > 4 ? std::stoull(argv[4]) : 4096;
  std::vector<InputLocation> locations;
  std::istringstream paths(argv[1]);
  for (std::string path; std::getline(paths, path, ',');) locations.push_back({path, argv[2]});
  const std::unique_ptr<InputSource> opened = open_inputs(locations, options);
  InputSource& source = *opened;
  if (argc > 5) source.expect({{source.schema().find(argv[5]).value()}, 0});
  std::vector<std::string> values(source.schema().size());
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < values.size(); ++column) columns.push_back(column);
    reader->load(columns);
    const std::uint64_t count = source.slices()[slice].count;
    std::vector<ColumnBuffer> scratch(values.size());
    for (std::uint64_t first = 0; first < count; first += batch) {
      const EntryRange range{first, std::min(batch, count - first)};
      // All views of a batch live together.
      std::vector<ColumnView> views;
      for (const std::size_t column : columns) views.push_back(reader->view(column, range, scratch[column]));
      for (const std::size_t column : columns)
        for (std::size_t entry = 0; entry < range.count; ++entry)
          values[column] += (values[column].empty() ? "" : ",") + item_at(views[column], entry, 0);
    }
  }
  std::puts("{");
  for (std::size_t column = 0; column < values.size(); ++column)
    std::printf("%s%s: {\"type\": \"%s\", \"values\": [%s]}\n", column == 0 ? "" : ",",
                quoted(source.schema()[column].name).c_str(), name_of(source.schema()[column].type).c_str(),
                values[column].c_str());
  std::puts("}");
}

}  // namespace
}  // namespace skimline::io

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: io_column_values SOURCE NAME [SLICE_ENTRIES] [BATCH_ENTRIES] [EXPECTED]\n", stderr);
    return 2;
  }
  try {
    skimline::io::print(argc, argv);
    return 0;
  } catch (const skimline::Error& error) {
    std::fprintf(stderr, "io_column_values: %s\n", error.what());
    return 1;
  }
}
