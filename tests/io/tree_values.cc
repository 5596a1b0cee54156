// SPDX-License-Identifier: BSD-3-Clause
// Prints the values of all columns of the TTrees of a file, or of one of them, a line of JSON for each
// column, for the tests against uproot and ROOT. Bytes of strings that are not printable ASCII are escaped as
// if they were Latin-1.
//
//   io_tree_values FILE [TREE]

#include "storage/buffer_pool.h"
#include "ttree/basket_entries.h"
#include "ttree/column_search.h"
#include "value_text.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/root_file.h"
#include "skimline/io/tree_metadata.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace skimline::io {
namespace {

// Reads whole columns of one tree.
class TreeValues {
 public:
  TreeValues(const RootFile& file, const std::string& path)
      : file_(file), tree_(read_tree(file, path)), columns_(find_tree_columns(tree_)) {}

  void print() {
    for (const TreeColumn& column : columns_.columns) print(column);
    for (const UnsupportedField& field : columns_.unsupported)
      std::printf("{\"tree\":%s,\"unsupported\":%s,\"type\":%s,\"reason\":%s}\n", quoted(tree_.path).c_str(),
                  quoted(field.name).c_str(), quoted(field.type_name).c_str(), quoted(field.reason).c_str());
    for (const Collection& collection : columns_.collections) print(collection);
  }

 private:
  void print(const Collection& collection) const {
    std::string names;
    for (const std::string& name : collection.columns) names += (names.empty() ? "" : ",") + quoted(name);
    std::printf("{\"tree\":%s,\"collection\":%s,\"count\":%s,\"columns\":[%s]}\n", quoted(tree_.path).c_str(),
                quoted(collection.name).c_str(), quoted(collection.count).c_str(), names.c_str());
  }

  void print(const TreeColumn& column) {
    std::string values, error;
    try {
      visit_baskets(column, [&](const DecodedBasket& basket) {
        for (std::size_t i = 0; i < basket.view.length; ++i)
          values += (values.empty() ? "" : ",") + item_at(basket.view, i, 0);
      });
    } catch (const Error& caught) {
      error = caught.what();
    }
    std::printf(
        "{\"tree\":%s,\"column\":%s,\"type\":%s,\"type_name\":%s,\"description\":%s,\"error\":%s,"
        "\"branch\":%u,\"path\":%s,\"values\":[%s]}\n",
        quoted(tree_.path).c_str(), quoted(column.name).c_str(), quoted(name_of(column.type)).c_str(),
        quoted(column.type_name).c_str(), quoted(column.description).c_str(), quoted(error).c_str(),
        column.branch, quoted(tree_.branches[column.branch].path).c_str(), values.c_str());
  }

  template <typename Visit>
  void visit_baskets(const TreeColumn& column, Visit visit) {
    for (const TreeBasket& place : tree_.branch_data[column.branch].baskets) {
      std::vector<std::byte> memory;
      std::span<const std::byte> record;
      if (place.is_embedded) {
        record = std::span(tree_.object).subspan(place.offset, place.size);
      } else {
        memory.resize(place.size);
        file_.input().read(place.offset, memory);
        record = memory;
      }
      const UnpackedBasket unpacked = unpack_basket(place, record, sizes_for(column, place), pool_);
      visit(column.decoder->decode(unpacked.entries, pool_));
    }
  }

  EntrySizes sizes_for(const TreeColumn& column, const TreeBasket& place) {
    EntrySizes sizes;
    if (!column.counter) return sizes;
    sizes.bytes_per_element = column.bytes_per_element;
    sizes.counts = [this, &column, &place] {
      const std::vector<std::uint64_t> all = counts(tree_.leaves[*column.counter].branch);
      if (place.end_entry() > all.size()) throw FormatError("the counter has too few entries");
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(place.first_entry);
      return std::vector<std::uint64_t>(begin, begin + static_cast<std::ptrdiff_t>(place.num_entries));
    };
    return sizes;
  }

  std::vector<std::uint64_t> counts(std::uint32_t branch) {
    std::vector<std::uint64_t> result;
    for (const TreeColumn& column : columns_.columns) {
      if (column.branch != branch || column.type.is_jagged()) continue;
      visit_baskets(column, [&](const DecodedBasket& basket) {
        visit_scalar(basket.view.type.scalar, [&](auto tag) {
          using T = typename decltype(tag)::type;
          for (std::size_t i = 0; i < basket.view.length; ++i)
            result.push_back(static_cast<std::uint64_t>(basket.view.data<T>()[i]));
        });
      });
      break;
    }
    return result;
  }

  const RootFile& file_;
  BufferPool pool_{1 << 20};
  TreeDescriptor tree_;
  TreeColumns columns_;
};

}  // namespace
}  // namespace skimline::io

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: io_tree_values FILE [TREE]\n");
    return 2;
  }
  try {
    const skimline::io::RootFile file(argv[1]);
    for (const std::string& name : skimline::io::tree_names(file))
      if (argc == 2 || name == argv[2]) skimline::io::TreeValues(file, name).print();
    return 0;
  } catch (const skimline::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
