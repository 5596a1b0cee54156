// SPDX-License-Identifier: BSD-3-Clause
// Writes RNTuples and histograms, in directories too, to the ROOT file named on the command line. The further
// arguments: the value of the first entry, bytes of empty records between the RNTuples, number of histograms
// in "many".
#include "filled_histogram.h"
#include "rntuple/rntuple_serialization.h"

#include "skimline/io/histogram_writer.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <xxhash.h>

using namespace skimline;

namespace {

constexpr std::uint32_t kEntriesOfCluster = 500;
constexpr std::uint32_t kNumClusters = 3;
const io::CompressionSetting kUncompressed{io::CompressionAlgorithm::kNone, 0};

// One page of consecutive 32-bit numbers, with its checksum.
std::vector<std::byte> page_of(std::int32_t first) {
  std::vector<std::int32_t> values(kEntriesOfCluster);
  std::iota(values.begin(), values.end(), first);
  const auto elements = std::as_bytes(std::span(values));
  std::vector<std::byte> page(elements.begin(), elements.end());
  const std::uint64_t checksum = XXH3_64bits(page.data(), page.size());
  const auto bytes = std::as_bytes(std::span(&checksum, 1));
  page.insert(page.end(), bytes.begin(), bytes.end());
  return page;
}

io::ClusterDescriptor write_cluster(io::RootFileWriter& file, std::uint32_t number, std::int32_t first) {
  const std::vector<std::byte> page = page_of(first);
  const io::ReservedCluster room = file.reserve_cluster(page.size());
  file.write_cluster(room, {page});
  io::ClusterDescriptor cluster;
  cluster.first_entry = number * kEntriesOfCluster;
  cluster.num_entries = kEntriesOfCluster;
  io::ColumnRange& range = cluster.columns.emplace_back();
  range.first_element = cluster.first_entry;
  range.pages.push_back({kEntriesOfCluster, true, {room.offset, page.size() - sizeof(std::uint64_t)}});
  return cluster;
}

io::EnvelopeLink write_envelope(io::RootFileWriter& file, const io::StoredEnvelope& envelope) {
  const std::uint64_t offset = file.reserve_blob(envelope.bytes.size());
  file.write_at(offset, envelope.bytes);
  return {envelope.raw_size, {offset, envelope.bytes.size()}};
}

// An RNTuple with the field "x", whose values begin with `first`.
void write_ntuple(io::RootFileWriter& file, const std::string& path, std::int32_t first) {
  io::RNTupleDescriptor descriptor;
  descriptor.name = path.substr(path.rfind('/') + 1);
  io::FieldDescriptor& field = descriptor.fields.emplace_back();
  field.name = "x";
  field.type_name = "std::int32_t";
  io::ColumnDescriptor& column = descriptor.columns.emplace_back();
  column.type = io::ColumnType::kInt32;
  const io::StoredEnvelope header = make_header(descriptor, kUncompressed);
  const io::EnvelopeLink header_link = write_envelope(file, header);

  std::vector<io::ClusterDescriptor> clusters;
  for (std::uint32_t number = 0; number < kNumClusters; ++number)
    clusters.push_back(
        write_cluster(file, number, first + static_cast<std::int32_t>(number * kEntriesOfCluster)));
  io::ClusterGroup group;
  group.num_entries = kNumClusters * kEntriesOfCluster;
  group.num_clusters = kNumClusters;
  group.page_list = write_envelope(file, make_page_list(clusters, header.checksum, kUncompressed));
  const io::EnvelopeLink footer =
      write_envelope(file, make_footer(std::span(&group, 1), header.checksum, kUncompressed));
  file.add_object({"ROOT::RNTuple", path, "", make_anchor(header_link, footer)});
}

// As many entries as `num_entries` says, in the first bin.
void write_histogram(io::RootFileWriter& file, const std::string& path, std::size_t num_entries) {
  histograms::Histogram histogram =
      io::filled_histogram({histograms::Axis::regular(10, 0, 1)}, histograms::Storage::kCount,
                           {std::vector<double>(num_entries, 0.05)});
  histogram.name = path;
  histogram.title = "a title";
  file.add_object(io::root_object(histogram));
}

// Leaves holes in the file: only the keys are written.
void write_empty_records(io::RootFileWriter& file, std::uint64_t num_bytes) {
  constexpr std::uint64_t kLargestBlob = 1'000'000'000;
  for (std::uint64_t left = num_bytes; left > 0;) {
    const std::uint64_t size = std::min(left, kLargestBlob);
    file.write_cluster(file.reserve_cluster(size), {});
    left -= size;
  }
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments != 6) return 2;
  const std::int32_t first = std::atoi(arguments[2]);
  io::RootFileWriter file(arguments[1], {"ROOT::RNTuple", "TH1D"});
  write_ntuple(file, "Events", first);
  write_histogram(file, "h", 7);
  write_empty_records(file, std::strtoull(arguments[4], nullptr, 10));
  write_ntuple(file, arguments[3], first + 10'000);
  write_histogram(file, "dir/h", 8);
  write_histogram(file, "dir/sub/deep", 9);
  for (int i = 0; i < std::atoi(arguments[5]); ++i) write_histogram(file, "many/h" + std::to_string(i), 1);
  file.commit();
}
