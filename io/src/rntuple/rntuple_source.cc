// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_source.h"

#include "columns/read_ahead.h"
#include "rntuple/carried_fields.h"
#include "rntuple/ntuple_columns.h"
#include "rntuple/ntuple_slices.h"
#include "rntuple/open_clusters.h"
#include "rntuple/open_ntuple.h"
#include "rntuple/page_fetcher.h"
#include "rntuple/rntuple_slice_reader.h"
#include "storage/at_once.h"
#include "storage/buffer_pool.h"

#include "skimline/io/input_file.h"
#include "skimline/io/opened_files.h"

#include <algorithm>
#include <atomic>
#include <optional>

namespace skimline::io {

class RNTupleSource::Implementation {
 public:
  Implementation(const std::vector<InputLocation>& locations, InputOptions options,
                 std::shared_ptr<ReadAhead> ahead)
      : options_(std::move(options)), slices_(options_) {
    if (locations.empty()) throw ConfigError("no input files");
    const bool releases_files = locations.size() > options_.max_open_files;
    open(locations, releases_files);
    if (options_.requires_checksums) refuse_copies();
    columns_.emplace(files_, options_);
    is_loaded_ = std::make_unique<std::atomic<bool>[]>(columns_->offered().schema.size());
    clusters_ = std::make_unique<OpenClusters>(files_, slices_, releases_files);
    if (!ahead) ahead = std::make_shared<ReadAhead>(options_.read_ahead_bytes);
    read_ahead_ = std::make_unique<AheadSource>(
        std::move(ahead),
        ReadAhead::Slices{
            [this] { return slices_.all().size(); }, [this](std::size_t slice) { return cost_of(slice); },
            [this](std::size_t slice, ReaderThreads& threads) { return fetch_ahead(slice, threads); }});
    slices_.cut(files_);
  }

  std::unique_ptr<SliceReader> open_slice(std::size_t slice) {
    const SlicePlace place = slices_.place(slice);
    const OpenNTuple& file = *files_[place.file];
    if (!keeps_whole(file)) file.root().input().drop_ends();
    file.root().input().end_metadata();
    std::shared_ptr<ClusterPages> pages = clusters_->open(place);
    read_ahead_->note_opened(slice);
    return std::make_unique<RNTupleSliceReader>(
        SliceContext{fetcher_of(file), file, name_of_file(options_, file.root().path()),
                     columns_->offered().defaults, is_loaded_.get(), &loaded_streams_},
        std::move(pages), place.number, [this, place] { clusters_->close(place); });
  }

  void fetch_ahead() { read_ahead_->fetch(); }

  void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
    columns_of_all_.assign(columns.begin(), columns.end());
    read_ahead_->begin(first_slice);
  }

  Carrying carry(const std::vector<std::string>& names) {
    Carrying carrying;
    const std::vector<std::uint32_t> kept = columns_->kept_fields(names, carrying.computed);
    if (kept.empty()) return carrying;
    std::vector<std::string> paths;
    for (const std::unique_ptr<OpenNTuple>& file : files_) paths.push_back(file->root().path());
    auto fields = std::make_shared<CarriedFields>(descriptors_, paths, kept);
    for (std::size_t file = 0; file < files_.size(); ++file) carry(*fields, file);
    slices_.cut(files_);
    carrying.fields = std::move(fields);
    return carrying;
  }

  void expect(const ExpectedReading& reading) {
    slices_.keep(reading.kept_bytes_per_entry);
    for (const std::unique_ptr<OpenNTuple>& file : files_) file->expect(reading.columns);
    slices_.cut(files_);
  }

  std::uint64_t stored_bytes(std::size_t column) const {
    std::uint64_t bytes = 0;
    for (const std::unique_ptr<OpenNTuple>& file : files_) bytes += file->stored_bytes(column);
    return bytes;
  }

  ReadStatistics statistics() const {
    read_ahead_->settle();
    ReadStatistics statistics;
    statistics.bytes_read = metadata_reads_.bytes + counts_.bytes_read;
    statistics.read_calls = metadata_reads_.calls + counts_.read_calls;
    statistics.seconds_waited = 1e-9 * static_cast<double>(counts_.nanoseconds_waited);
    statistics.pages_decoded = counts_.pages_decoded;
    statistics.bytes_decoded = counts_.bytes_decoded;
    statistics.pages_passed = counts_.pages_passed;
    statistics.bytes_passed = counts_.bytes_passed;
    clusters_->add_to(statistics, [this](std::size_t column) { return is_loaded_[column].load(); });
    return statistics;
  }

  void check_unchanged() const {
    for (const std::unique_ptr<OpenNTuple>& file : files_) file->root().input().check_unchanged();
  }

  void restrict_to(EntryRange entries) {
    const std::uint64_t first = std::min(entries.first, total_entries_);
    slices_.restrict_to({first, std::min(entries.count, total_entries_ - first)});
    slices_.cut(files_);
  }

  std::uint64_t num_entries() const {
    return slices_.restriction() ? slices_.restriction()->count : total_entries_;
  }

  const std::vector<EntryRange>& slices() const { return slices_.all(); }
  std::size_t cluster_of(std::size_t slice) const { return slices_.cluster_of(slice); }
  const std::vector<RNTupleDescriptor>& descriptors() const { return descriptors_; }
  const std::vector<InputFacts>& facts() const { return facts_; }
  const NTupleColumns& columns() const { return *columns_; }

 private:
  // Checksums of what was made of a file prove nothing of the file.
  void refuse_copies() const {
    for (const std::unique_ptr<OpenNTuple>& file : files_)
      if (file->root().input().is_copy())
        throw FileError(file->root().path(),
                        "is no ROOT file, whose checksums would be known, and what is read must have one",
                        FileFault::kUnverified);
  }

  // Reads the metadata of several files at once.
  void open(const std::vector<InputLocation>& locations, bool releases_files) {
    descriptors_.resize(locations.size());
    files_.resize(locations.size());
    OpenedFiles* const opened = options_.files.get();
    OpenedFiles::Group paths;
    for (const InputLocation& location : locations) paths.push_back(location.path);
    const auto open_one = [&](std::size_t number) {
      const InputLocation& location = locations[number];
      OpenedFile file = open_file(opened, location.path);
      std::any ahead = opened ? opened->take_metadata(*file.root) : std::any();
      files_[number] = std::make_unique<OpenNTuple>(std::move(file), location.name, options_.checksum_folder,
                                                    std::span(descriptors_), number, std::move(ahead));
      if (releases_files) files_[number]->root().input().release();
    };
    for_each_at_once(locations.size(), opened ? opened->num_readers(paths) : 1, open_one,
                     options_.finds_all_bad_files);
    for (const std::unique_ptr<OpenNTuple>& file : files_) {
      metadata_reads_ = metadata_reads_ + file->metadata_reads();
      file->begin_at(total_entries_);
      total_entries_ += file->descriptor().num_entries();
      facts_.push_back(file->facts());
    }
  }

  void carry(CarriedFields& fields, std::size_t number) {
    std::vector<Stream> streams;
    for (const CarriedColumn& column : fields.columns()) streams.push_back(*column.streams[number]);
    const std::vector<std::size_t> numbers = files_[number]->carry(streams);
    for (std::size_t column = 0; column < numbers.size(); ++column)
      fields.columns()[column].numbers.push_back(numbers[column]);
    columns_->share(*files_[number]);
  }

  PageFetcher fetcher_of(const OpenNTuple& file) {
    const InputFile& input = file.root().input();
    return {input,
            file.descriptor(),
            file.fields().streams,
            options_.coalesce_gap,
            pool_,
            counts_,
            options_.requires_checksums,
            file.checksums(),
            read_ahead_->threads_for(input.cost())};
  }

  // Small files come whole with their metadata: what is in memory need not be read again.
  bool keeps_whole(const OpenNTuple& file) const {
    return options_.read_ahead_bytes > 0 && file.root().input().is_kept_whole();
  }

  ReadingCost cost_of(std::size_t slice) const {
    return files_[slices_.place(slice).file]->root().input().cost();
  }

  // The streams of columns that are loaded of every slice, and of those that were loaded of most so far:
  // before that is known, of all that may be.
  std::vector<bool> likely_streams(const OpenNTuple& file) const {
    std::vector<bool> is_likely(file.fields().streams.size());
    for (const std::size_t column : columns_of_all_)
      if (const FieldColumn* found = file.find(column))
        for (const std::size_t stream : found->streams()) is_likely[stream] = true;
    if (!loaded_streams_.add_likely(is_likely)) file.add_expected(is_likely);
    return is_likely;
  }

  std::uint64_t fetch_ahead(std::size_t slice, ReaderThreads& threads) {
    const SlicePlace& place = slices_.place(slice);
    const OpenNTuple& file = *files_[place.file];
    const std::shared_ptr<ClusterPages> pages = clusters_->peek(place);
    const std::vector<bool> is_likely = likely_streams(file);
    std::vector<Claim> claims;
    for (std::size_t stream = 0; stream < is_likely.size(); ++stream)
      if (is_likely[stream]) pages->claim_ahead(place.number, stream, claims);
    const PageFetcher fetcher = fetcher_of(file);
    std::uint64_t bytes = 0;
    for (const Claim& claim : claims) bytes += stored_size(claim.info());
    for (std::vector<Claim>& together : fetcher.groups(std::move(claims)))
      // Of clusters that nobody reads any more the pages are gone.
      threads.submit([fetcher, held = std::weak_ptr<ClusterPages>(pages), together = std::move(together)] {
        if (const std::shared_ptr<ClusterPages> cluster = held.lock())
          fetcher.fetch_or_fail(cluster->cluster(), together);
      });
    return bytes;
  }

  InputOptions options_;
  BufferPool pool_{options_.max_idle_bytes};
  FetchCounts counts_;
  ReadCounts metadata_reads_;
  std::uint64_t total_entries_ = 0;  // of all files
  std::vector<RNTupleDescriptor> descriptors_;
  std::vector<InputFacts> facts_;
  std::unique_ptr<std::atomic<bool>[]> is_loaded_;  // by column of the source
  NTupleSlices slices_;
  std::vector<std::unique_ptr<OpenNTuple>> files_;
  std::optional<NTupleColumns> columns_;
  std::unique_ptr<OpenClusters> clusters_;
  std::vector<std::size_t> columns_of_all_;  // that are loaded of every slice
  LoadedStreams loaded_streams_;
  std::unique_ptr<AheadSource> read_ahead_;  // uses all of these
};

RNTupleSource::RNTupleSource(const std::vector<InputLocation>& locations, InputOptions options,
                             std::shared_ptr<ReadAhead> ahead)
    : implementation_(std::make_unique<Implementation>(locations, std::move(options), std::move(ahead))) {}

RNTupleSource::~RNTupleSource() = default;

const Schema& RNTupleSource::schema() const { return implementation_->columns().offered().schema; }
std::uint64_t RNTupleSource::num_entries() const { return implementation_->num_entries(); }
const std::vector<EntryRange>& RNTupleSource::slices() const { return implementation_->slices(); }
std::size_t RNTupleSource::cluster_of(std::size_t slice) const { return implementation_->cluster_of(slice); }
std::unique_ptr<SliceReader> RNTupleSource::open_slice(std::size_t slice) {
  return implementation_->open_slice(slice);
}
std::uint64_t RNTupleSource::stored_bytes(std::size_t column) const {
  return implementation_->stored_bytes(column);
}
ReadStatistics RNTupleSource::statistics() const { return implementation_->statistics(); }
const std::vector<RNTupleDescriptor>& RNTupleSource::descriptors() const {
  return implementation_->descriptors();
}
const std::vector<std::string>& RNTupleSource::field_type_names() const {
  return implementation_->columns().offered().type_names;
}
const std::vector<std::string>& RNTupleSource::columns_nowhere() const {
  return implementation_->columns().offered().nowhere;
}
std::vector<std::string> RNTupleSource::columns_with_gaps() const {
  return names_of_defaults(implementation_->columns().offered());
}

const std::vector<UnsupportedField>& RNTupleSource::unsupported_fields() const {
  return implementation_->columns().offered().unsupported;
}
const std::vector<InputFacts>& RNTupleSource::files() const { return implementation_->facts(); }
const std::vector<Collection>& RNTupleSource::collections() const {
  static const std::vector<Collection> kNone;
  return kNone;
}
std::vector<Collection> RNTupleSource::lists_of_equal_sizes() const {
  return implementation_->columns().lists_of_equal_sizes();
}
std::vector<std::vector<std::string>> RNTupleSource::names_of_one_field() const {
  return implementation_->columns().names_of_one_field();
}
std::vector<std::string> RNTupleSource::names_in_records() const {
  return implementation_->columns().names_in_records();
}
const std::vector<std::string>& RNTupleSource::differences() const {
  return implementation_->columns().offered().differences;
}
FieldSize RNTupleSource::field_size(const std::string& name) const {
  return implementation_->columns().field_size(name);
}
void RNTupleSource::check_unchanged() const { implementation_->check_unchanged(); }
void RNTupleSource::read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
  implementation_->read_ahead(columns, first_slice);
}
void RNTupleSource::fetch_ahead() { implementation_->fetch_ahead(); }
void RNTupleSource::restrict_to(EntryRange entries) { implementation_->restrict_to(entries); }
Carrying RNTupleSource::carry(const std::vector<std::string>& names) { return implementation_->carry(names); }
void RNTupleSource::expect(const ExpectedReading& reading) { implementation_->expect(reading); }

}  // namespace skimline::io
