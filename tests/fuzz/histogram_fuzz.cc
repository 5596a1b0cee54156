// SPDX-License-Identifier: BSD-3-Clause
// A whole file of histograms: each is read, all objects are verified, and the file is merged with itself.
#include "fuzz_target.h"
#include "memory_file.h"

#include "skimline/io/file_merge.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/object_verification.h"

using namespace skimline;
using namespace skimline::testing;

namespace {

void read_all(const std::string& path) {
  const io::RootFile file(path);
  for (const io::RootKey& key : file.keys())
    is_accepted([&] {
      const histograms::Histogram histogram = io::read_histogram(file, key);
      for (std::size_t sum = 0; sum < num_sums(histogram.storage); ++sum)
        require(histogram.sums[sum].size() == histogram.num_cells(), "a histogram with sums of another size");
    });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(input_bytes(data, size)), same(input_bytes(data, size));
  is_accepted([&] { read_all(file.path()); });
  is_accepted([&] { io::verify_objects(io::RootFile(file.path())); });
  is_accepted([&] {
    io::MergeOptions options;
    options.inputs = {file.path(), same.path()};
    options.output = "/dev/null";
    options.compression = io::parse_compression("none");
    io::merge_files(options);
  });
  return 0;
}
