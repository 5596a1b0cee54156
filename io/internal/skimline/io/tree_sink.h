// SPDX-License-Identifier: BSD-3-Clause
// Writes one TTree into one new ROOT file: baskets are sealed in parallel, entries keep the order of the
// input, and the bytes of the file do not depend on the number of threads.
#pragma once

#include "skimline/framework/schema.h"
#include "skimline/framework/sink.h"
#include "skimline/framework/stop_flag.h"
#include "skimline/io/input_source.h"
#include "skimline/io/output_split.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/io/writer_settings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace skimline::io {

struct TreeSinkOptions {
  std::string path;
  std::string tree_name = "Events";  ///< with the directories it lies in, "dir/Events"
  std::string description;           ///< the tree's title; empty for its name
  WriterSettings settings;           ///< baskets also end where clusters do
  /// Lists that share one branch of counts, because their sizes are equal in every entry.
  std::vector<Collection> collections{};
  /// Columns that are not of the input, or not of all its files: they do not count its lists, nor do columns
  /// of the input count them.
  std::set<std::string> computed{};
  /// Into files that are committed by whoever makes them. All have the same branches.
  OutputSplit split{};
  /// Memory that is kept for further baskets while none needs it.
  std::size_t max_idle_bytes = 64 * 1024 * 1024;
  /// Makes seal() and finish() throw Interrupted, between two baskets, once it is set.
  StopFlag stop;
};

/// What was written, valid after finish().
struct TreeStatistics {
  std::uint64_t num_entries = 0;
  std::uint64_t num_clusters = 0;
  std::uint64_t num_baskets = 0;
  std::uint64_t bytes_in_memory = 0;
  std::uint64_t file_bytes = 0;  ///< 0 if the file has a writer of its own
};

/// The classes that a tree written here, and what is in it, may be of: for RootFileWriter.
std::vector<std::string> tree_classes();

/// Returns why a TTree cannot hold a column of this type, or nothing.
std::string problem_in_tree(Type type);

/// Flat columns of numbers become branches of one leaf. Lists of numbers become arrays that a branch of
/// counts, in front of them, is the size of: one for the lists of each collection, else one for each list.
/// A column that holds the counts of a collection is that branch; others are called as the collection says,
/// or "n" and the name of the collection or column, with underscores behind it while the name is taken. Where
/// a column of integers has that name, or that of what is in front of an underscore, as "nMuon" for
/// "Muon_pt", and its values are the sizes in all entries that are written, it is the branch of counts.
///
/// Strings, lists of strings and lists of lists of numbers are branches of std::string and std::vector: a
/// leaf of characters would end at a zero byte, and RDataFrame does not offer it as a string. A dot in a
/// column name becomes an underscore.
///
/// The file is written under a temporary name beside `path` and renamed by finish(); without finish() nothing
/// remains. Dates and UUID in the file are fixed or derived from its content.
///
/// stitch() throws Error for an entry in which lists of one collection, or their column of counts, differ,
/// seal() for one with 1 GiB or more in one column.
class TreeSink : public Sink {
 public:
  /// Creates the temporary file. Throws FileError if that fails, SchemaError for names no branch may have and
  /// for types of problem_in_tree().
  TreeSink(const Schema& schema, TreeSinkOptions options);

  /// Writes into a file that may get other trees and objects, of whose classes tree_classes() are some; the
  /// path of the options is not used. The file must outlive the sink and be committed after finish(), with
  /// the hash of the content.
  TreeSink(RootFileWriter& file, const Schema& schema, TreeSinkOptions options);
  ~TreeSink() override;

  std::unique_ptr<Portion> begin() const override;
  void append(Portion& portion, const Survivors& survivors,
              std::span<const ColumnView> columns) const override;
  void gather(Portion& portion, SliceReader& reader) const override;
  void stitch(Portion& portion) override;
  void seal(Portion& portion) const override;
  void commit(Portion& portion) override;
  void write(Portion& portion) override;
  void finish() override;

  const TreeStatistics& statistics() const;
  /// A hash of all baskets, of the first file, valid after finish().
  std::uint64_t content_hash() const;
  /// Of all files, the first included, valid after finish().
  const std::vector<FileContent>& files() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
