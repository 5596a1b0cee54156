// SPDX-License-Identifier: BSD-3-Clause
// Prints the values of all columns of an RNTuple or TTree as JSON, by name, for the tests against ROOT and
// uproot. Bytes of strings that are not printable ASCII are escaped as if they were Latin-1. Several files,
// with commas between them, are one source.
//
//   io_column_values SOURCE NAME [SLICE_ENTRIES] [BATCH_ENTRIES]

#include "skimline/framework/error.h"
#include "skimline/io/input_source.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace skimline::io {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    const bool is_plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    is_plain ? result.push_back(c) : void(result += escaped);
  }
  return result + "\"";
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  const std::string written = text;
  return written.find_first_of(".e") == std::string::npos ? written + ".0" : written;
}

std::string value_at(const ColumnView& view, std::size_t index) {
  if (view.type.scalar == ScalarType::kString) return quoted(view.data<std::string_view>()[index]);
  return visit_scalar(view.type.scalar, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T value = view.data<T>()[index];
    if constexpr (std::is_same_v<T, bool>)
      return value ? "true" : "false";
    else if constexpr (std::is_floating_point_v<T>)
      return number(value);
    else
      return std::to_string(value);
  });
}

// What is numbered `index` at a depth of lists: 0 is an entry.
std::string item_at(const ColumnView& view, std::size_t index, int depth) {
  if (depth == view.type.depth) return value_at(view, index);
  const std::uint32_t* offsets = depth == 0 ? view.offsets : view.inner_offsets;
  std::string items;
  for (std::uint32_t i = offsets[index]; i < offsets[index + 1]; ++i)
    items += (items.empty() ? "" : ",") + item_at(view, i, depth + 1);
  return "[" + items + "]";
}

void print(int argc, char** argv) {
  InputOptions options;
  if (argc > 3) options.slice_entries = std::stoull(argv[3]);
  const std::uint64_t batch = argc > 4 ? std::stoull(argv[4]) : 4096;
  std::vector<InputLocation> locations;
  std::istringstream paths(argv[1]);
  for (std::string path; std::getline(paths, path, ',');) locations.push_back({path, argv[2]});
  const std::unique_ptr<InputSource> opened = open_inputs(locations, options);
  InputSource& source = *opened;
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
    std::fputs("usage: io_column_values SOURCE NAME [SLICE_ENTRIES] [BATCH_ENTRIES]\n", stderr);
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
