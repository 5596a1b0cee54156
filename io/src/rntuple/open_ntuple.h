// SPDX-License-Identifier: BSD-3-Clause
// One RNTuple of a source: its file, what its metadata say, and what runs have asked of it.
#pragma once

#include "rntuple/cluster_pages.h"
#include "rntuple/field_columns.h"
#include "rntuple/known_columns.h"
#include "root/checksum_file.h"

#include "skimline/framework/schema.h"
#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/rntuple_descriptor.h"

#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

/// The place of a column that a file lacks.
inline constexpr std::size_t kDefault = std::numeric_limits<std::size_t>::max();

/// Columns are given by their numbers in the source.
class OpenNTuple {
 public:
  /// Reads the metadata into `descriptors[number]`, which must outlive it, or takes what was read `ahead` of
  /// the same RNTuple. Throws FileError if the file cannot be read or trusted.
  OpenNTuple(OpenedFile file, const std::string& name, const std::string& checksum_folder,
             std::span<RNTupleDescriptor> descriptors, std::size_t number, std::any ahead = {});

  const RootFile& root() const { return *opened_.root; }
  /// What opening it has cost.
  ReadCounts metadata_reads() const { return metadata_reads_; }
  const ChecksumFile* checksums() const { return checksums_.get(); }
  /// Its number in the source.
  std::size_t number() const { return number_; }
  const RNTupleDescriptor& descriptor() const { return descriptors_[number_]; }
  const FieldColumns& fields() const { return *fields_; }
  /// The number of its first entry in the source.
  std::uint64_t first_entry() const { return first_entry_; }
  void begin_at(std::uint64_t first_entry) { first_entry_ = first_entry; }
  InputFacts facts() const;

  /// Where the columns of a source are, of which a file may lack some.
  using ColumnPlaces = std::shared_ptr<const std::vector<std::size_t>>;
  /// Finds them by their names.
  ColumnPlaces find_places(const Schema& schema) const;
  void map_columns(ColumnPlaces places) { column_of_ = std::move(places); }
  /// Files of one kind have the same schema, and the same object here.
  const std::shared_ptr<const KnownColumns>& kind() const { return known_; }
  /// Keeps together with another file of the same kind how columns of the source are found, and what is asked
  /// of fields where it is the same.
  void share_with(const OpenNTuple& other);
  /// Positions in `fields().columns`, or kDefault.
  const std::vector<std::size_t>& column_of() const { return *column_of_; }
  /// The column as it is here; nullptr if it has its default.
  const FieldColumn* find(std::size_t column) const;

  std::uint64_t stored_bytes(std::size_t column) const;
  FieldSize size_of_column(std::size_t column) const;

  /// Notes streams that are carried, and returns their numbers. Which of several equal columns of collection
  /// ends is read depends on which is needed first: all keep their stored bytes.
  std::vector<std::size_t> carry(const std::vector<Stream>& streams);
  /// Notes columns that will be read.
  void expect(const std::vector<std::size_t>& columns);

  /// Adds the streams of these to those that are likely to be read.
  void add_expected(std::vector<bool>& is_likely) const;

  /// Bytes in memory of what was asked for of a cluster.
  double carried_bytes(const ClusterDescriptor& cluster) const;
  double expected_bytes(const ClusterDescriptor& cluster) const;

  /// Whether a stream is carried, or a column needs it that was loaded.
  std::vector<bool> used_streams(const std::function<bool(std::size_t)>& is_loaded) const;
  /// The pages of a cluster in such streams.
  StoredPages used_pages(const std::vector<bool>& is_used, std::size_t cluster) const;

 private:
  OpenedFile opened_;
  std::shared_ptr<const ChecksumFile> checksums_;
  std::string name_;  // as it was asked for, with directories and cycle
  std::span<const RNTupleDescriptor> descriptors_;
  std::size_t number_;
  ReadCounts metadata_reads_;
  std::uint64_t first_entry_ = 0;
  std::shared_ptr<const KnownColumns> known_;
  std::shared_ptr<const FieldColumns> fields_;  // the same, with what is asked of them here
  ColumnPlaces column_of_ = std::make_shared<const std::vector<std::size_t>>();
  std::vector<bool> is_carried_;   // by stream; may be shorter
  std::vector<bool> is_expected_;  // by stream: whether columns that will be read need it; may be shorter
};

}  // namespace skimline::io
