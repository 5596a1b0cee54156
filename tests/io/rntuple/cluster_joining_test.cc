// SPDX-License-Identifier: BSD-3-Clause
// Clusters laid out and joined: what files hold in several clusters against the same in one.
#include "rntuple/cluster_joining.h"

#include "rntuple/cluster_cuts.h"
#include "written_entries.h"

#include <memory>

namespace skimline::io {
namespace {

using namespace testing;

class JoinedClusters : public WriterTest {
 protected:
  // A file with these entries in one cluster.
  void write(const std::string& name, std::uint64_t first, std::uint64_t count) {
    ParallelWriterOptions options = small_pages();
    options.settings.cluster_bytes = std::uint64_t{1} << 30;
    ParallelWriter writer(path(name), sample_fields(), options);
    const auto context = writer.make_context();
    write_rows(*context, first, count);
    context->close();
    writer.finish();
  }

  struct Input {
    explicit Input(const std::string& path) : file(path), descriptor(descriptor_of(path)) {}
    InputFile file;
    RNTupleDescriptor descriptor;
    std::vector<ClusterColumn> columns;
  };

  // The pages of all files' clusters together.
  std::vector<std::vector<std::byte>> joined(const std::vector<std::string>& names) {
    std::vector<std::unique_ptr<Input>> inputs;
    SchemaUnion schemas;
    for (const std::string& name : names) {
      inputs.push_back(std::make_unique<Input>(path(name)));
      EXPECT_EQ(schemas.add(inputs.back()->descriptor, name), 0u);
    }
    const MergeSchema schema(schemas.unite(MissingFields::kRefuse));
    std::vector<ClusterToJoin> parts;
    for (const auto& input : inputs) {
      const SourceCluster source{input->descriptor.clusters.at(0), schema.columns_of(0)};
      input->columns = columns_of_cluster(schema, source);
      parts.push_back({input->file, {"Events", 0, 0}, source, input->columns});
    }
    BufferPool pool(0);
    PageCounts counts;
    const JoinedCluster cluster = join(schema, parts, {pool, std::nullopt, 4096, {}}, counts);
    EXPECT_GT(counts.verified, 0u);
    return pages_of(cluster);
  }

  static std::vector<std::vector<std::byte>> pages_of(const JoinedCluster& cluster) {
    std::vector<std::vector<std::byte>> pages;
    for (const std::vector<SealedPage>& column : cluster.pages)
      for (const SealedPage& page : column)
        pages.emplace_back(page.stored.bytes().begin(), page.stored.bytes().end());
    return pages;
  }
};

TEST_F(JoinedClusters, AreTheOneClusterOfAllEntries) {
  write("1.root", 0, 700);
  write("2.root", 700, 1);
  write("3.root", 701, 1299);
  write("all.root", 0, 2000);
  const auto parts = joined({"1.root", "2.root", "3.root"});
  EXPECT_GT(parts.size(), 20u);
  EXPECT_EQ(parts, joined({"all.root"}));
  EXPECT_NE(parts, joined({"2.root", "1.root", "3.root"}));
}

// A cluster that is cut anywhere is the same when it is joined again, and so is one that is cut of two.
TEST_F(JoinedClusters, PartsOfCutClustersAreTheOneCluster) {
  write("all.root", 0, 2000);
  const Input input(path("all.root"));
  SchemaUnion schemas;
  schemas.add(input.descriptor, "all.root");
  const MergeSchema schema(schemas.unite(MissingFields::kRefuse));
  const SourceCluster source{input.descriptor.clusters.at(0), schema.columns_of(0)};
  const std::vector<ClusterColumn> columns = columns_of_cluster(schema, source);
  const ClusterToJoin whole{input.file, {"Events", 0, 0}, source, columns};
  const ClusterCuts cuts(schema, whole);
  const std::vector<std::vector<std::byte>> expected = joined({"all.root"});
  for (const std::vector<std::uint64_t>& borders :
       {std::vector<std::uint64_t>{0, 2000}, {0, 1, 7, 8, 699, 700, 1999, 2000}, {0, 1000, 2000}}) {
    std::vector<EntriesOfCluster> chosen;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i)
      chosen.push_back(cuts.entries(borders[i], borders[i + 1]));
    std::vector<ClusterToJoin> parts;
    for (const EntriesOfCluster& each : chosen)
      parts.push_back({input.file, {"Events", 0, 0}, source, columns, &each});
    BufferPool pool(0);
    PageCounts counts;
    const JoinedCluster cluster = join(schema, parts, {pool, std::nullopt, 4096, {}}, counts);
    EXPECT_EQ(cluster.num_entries, 2000u);
    EXPECT_EQ(pages_of(cluster), expected);
    std::uint64_t num_pages = 0;
    for (const ColumnRange& range : source.cluster.columns) num_pages += range.pages.size();
    EXPECT_EQ(counts.verified, num_pages);
  }
}

// Of each entry: the number, the end of its hits and of its muons, a bit in a byte; of each hit a float; of
// each muon a float and the end of its tags; of each tag the end of its text and the text.
TEST_F(JoinedClusters, SizesOfEntriesAreThoseOfTheirElements) {
  write("all.root", 0, 300);
  const Input input(path("all.root"));
  SchemaUnion schemas;
  schemas.add(input.descriptor, "all.root");
  const MergeSchema schema(schemas.unite(MissingFields::kRefuse));
  const SourceCluster source{input.descriptor.clusters.at(0), schema.columns_of(0)};
  const std::vector<ClusterColumn> columns = columns_of_cluster(schema, source);
  const ClusterCuts cuts(schema, {input.file, {"Events", 0, 0}, source, columns});
  std::uint64_t bytes = 0;
  for (std::uint64_t entry = 0; entry < 300; ++entry) {
    ASSERT_EQ(cuts.bytes_before(entry), bytes) << entry;
    bytes += 3 * 8 + 1 + 4 * num_hits(entry) + (4 + 8) * num_muons(entry);
    for (std::uint64_t i = 0; i < num_muons(entry); ++i)
      for (std::uint64_t k = 0; k <= i; ++k) bytes += 8 + std::to_string(scrambled(entry + k) % 1000).size();
  }
  EXPECT_EQ(cuts.bytes_before(300), bytes);
  EXPECT_EQ(bytes_in_memory(schema, columns), bytes);
}

// Places of the layout lead to the bytes of the pages, in any packing.
TEST_F(JoinedClusters, LayoutsLeadToAllPages) {
  write("1.root", 0, 3000);
  const Input input(path("1.root"));
  SchemaUnion schemas;
  schemas.add(input.descriptor, "1.root");
  const MergeSchema schema(schemas.unite(MissingFields::kRefuse));
  const SourceCluster source{input.descriptor.clusters.at(0), schema.columns_of(0)};
  const std::vector<ClusterColumn> columns = columns_of_cluster(schema, source);
  BufferPool pool(0);
  const ZeroPages zeros(schema, {}, pool);
  for (const Packing packing : {Packing::kDense, Packing::kShared}) {
    const ClusterLayout layout = layout_of(source, columns, zeros, packing);
    EXPECT_EQ(layout.num_entries, 3000u);
    EXPECT_EQ(layout.region.has_value(), packing == Packing::kShared);
    ASSERT_EQ(layout.blob_sizes.size(), 1u);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const PageInfos& from = source.cluster.columns[column].pages;
      const PageInfos& to = layout.columns[column].pages;
      ASSERT_EQ(from.size(), to.size());
      for (std::size_t page = 0; page < from.size(); ++page) {
        const auto extent =
            std::find_if(layout.extents.begin(), layout.extents.end(), [&](const SourceExtent& each) {
              return from[page].locator.offset >= each.begin &&
                     from[page].locator.offset < each.begin + each.size;
            });
        ASSERT_NE(extent, layout.extents.end());
        EXPECT_EQ(to[page].locator.offset, extent->place + (from[page].locator.offset - extent->begin));
        EXPECT_LE(to[page].locator.offset + to[page].locator.size, layout.blob_sizes[0]);
      }
    }
  }
}

TEST_F(JoinedClusters, MissingColumnsAreZeros) {
  write("1.root", 0, 100);
  const Input input(path("1.root"));
  RNTupleDescriptor more = input.descriptor;
  FieldDescriptor field;
  field.parent = static_cast<std::uint32_t>(more.fields.size());
  field.name = "late";
  field.type_name = "float";
  more.fields.push_back(field);
  ColumnDescriptor column;
  column.field = field.parent;
  more.columns.push_back(column);
  SchemaUnion schemas;
  schemas.add(input.descriptor, "1.root");
  schemas.add(more, "2.root");
  const MergeSchema schema(schemas.unite(MissingFields::kDefault));
  const SourceCluster source{input.descriptor.clusters.at(0), schema.columns_of(0)};
  const std::vector<ClusterColumn> columns = columns_of_cluster(schema, source);
  EXPECT_EQ(columns.back().num_zeros, 100u);
  EXPECT_EQ(columns.back().stored, nullptr);
  BufferPool pool(0);
  const ClusterLayout layout = layout_of(source, columns, ZeroPages(schema, {}, pool), Packing::kDense);
  ASSERT_EQ(layout.columns.back().pages.size(), 1u);
  EXPECT_EQ(layout.columns.back().pages[0].num_elements, 100u);
  ASSERT_EQ(layout.made.size(), 1u);
  EXPECT_EQ(layout.made[0].place, layout.columns.back().pages[0].locator.offset);
}

}  // namespace
}  // namespace skimline::io
