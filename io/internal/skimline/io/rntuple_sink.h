// SPDX-License-Identifier: BSD-3-Clause
// Writes one RNTuple into one new ROOT file: pages are sealed in parallel, entries keep the order of the
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
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

struct RNTupleSinkOptions {
  std::string path;
  std::string ntuple_name = "Events";  ///< with the directories it lies in, "dir/Events"
  std::string description;
  WriterSettings settings;
  /// Memory that is kept for further pages while none needs it.
  std::size_t max_idle_bytes = 64 * 1024 * 1024;
  /// Which of the columns belong together; other names in them do not matter.
  std::vector<Collection> collections{};
  /// Into files that are committed by whoever makes them.
  OutputSplit split{};
  /// Makes seal() and finish() throw Interrupted, between two pages, once it is set.
  StopFlag stop;
};

/// What was written, valid after finish().
struct WriteStatistics {
  std::uint64_t num_entries = 0;
  std::uint64_t num_clusters = 0;
  std::uint64_t num_pages = 0;
  std::uint64_t num_pages_copied = 0;  ///< pages of the source that were copied as they are stored
  std::uint64_t bytes_in_memory = 0;
  std::uint64_t file_bytes = 0;  ///< 0 if the file has a writer of its own
  /// How many columns each compression was chosen for, by ROOT's number.
  std::map<int, std::size_t> compressions;
};

/// Flat columns become fundamental or std::string fields, jagged and doubly jagged ones std::vector fields of
/// these and std::vector fields of such, in schema order. A dot in a column name becomes an underscore.
/// Jagged columns of a collection become members of an untyped collection, with projected fields of their own
/// names. The file is written under a temporary name beside `path` and renamed by finish(); without finish()
/// nothing remains. Dates and UUID in the file are fixed or derived from its content.
class RNTupleSink : public Sink {
 public:
  /// Creates the temporary file. Throws FileError if that fails, SchemaError for a name no field may have
  /// and for Lorentz vectors.
  RNTupleSink(const Schema& schema, RNTupleSinkOptions options);

  /// Writes carried fields first, as they are stored in the source they are of, which must outlive the sink:
  /// with their types, names and encodings. Pages that survive whole and are compressed as asked for are
  /// copied without being decoded. `computed` are the columns handed to append().
  RNTupleSink(std::shared_ptr<const CarriedFields> carried, const Schema& computed,
              RNTupleSinkOptions options);

  /// Writes into a file that may get other RNTuples and objects, of whose classes "ROOT::RNTuple" is one; the
  /// path of the options is not used. The file must outlive the sink and be committed after finish(), with
  /// the hash of the content.
  RNTupleSink(RootFileWriter& file, std::shared_ptr<const CarriedFields> carried, const Schema& computed,
              RNTupleSinkOptions options);
  ~RNTupleSink() override;

  std::unique_ptr<Portion> begin() const override;
  void append(Portion& portion, const Survivors& survivors,
              std::span<const ColumnView> columns) const override;
  void gather(Portion& portion, SliceReader& reader) const override;
  void stitch(Portion& portion) override;
  void seal(Portion& portion) const override;
  void commit(Portion& portion) override;
  void write(Portion& portion) override;
  void finish() override;

  const WriteStatistics& statistics() const;
  /// A hash of all pages, of the first file, valid after finish().
  std::uint64_t content_hash() const;
  /// Of all files, the first included, valid after finish().
  const std::vector<FileContent>& files() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
