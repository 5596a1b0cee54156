// SPDX-License-Identifier: BSD-3-Clause
// Writes filled histograms of every kind to the ROOT file named on the command line, after as many bytes of
// empty records as the second argument says. A third argument is the compression. test_histograms.py fills
// the same with ROOT.
#include "sample_histograms.h"

#include "skimline/io/histogram_writer.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace skimline;
using histograms::Histogram;

namespace {

// The same histogram under a name in another directory.
std::vector<Histogram> in_directory(const std::string& directory, const std::vector<Histogram>& histograms,
                                    std::initializer_list<const char*> names) {
  std::vector<Histogram> chosen;
  for (const Histogram& histogram : histograms)
    if (std::find(names.begin(), names.end(), histogram.name) != names.end()) {
      chosen.push_back(histogram);
      chosen.back().name.insert(0, directory + "/");
    }
  return chosen;
}

void reserve_blobs(io::RootFileWriter& file, std::uint64_t bytes) {
  constexpr std::uint64_t kLargestBlob = 1'000'000'000;
  for (; bytes > kLargestBlob; bytes -= kLargestBlob) file.reserve_blob(kLargestBlob);
  if (bytes > 0) file.reserve_blob(bytes);
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments < 3) return 2;
  io::HistogramFormat format;
  if (num_arguments > 3) format.compression = io::parse_compression(arguments[3]);
  const std::vector<Histogram> histograms = sample_histograms::filled_histograms();
  io::RootFileWriter file(arguments[1]);
  reserve_blobs(file, std::strtoull(arguments[2], nullptr, 10));
  io::write_histograms(file, histograms, format);
  format.cells = io::CellType::kFloat;
  io::write_histograms(
      file, in_directory("float", histograms, {"weighted", "dir/plane", "dir/sub/cube", "letters"}), format);
  format.cells = io::CellType::kInt;
  io::write_histograms(
      file, in_directory("int", histograms, {"regular", "dir/counted", "dir/sub/counted", "growing"}),
      format);
  file.commit();
}
