// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_source.h"

#include "columns/offered_columns.h"
#include "columns/read_ahead.h"
#include "rntuple/carried_fields.h"
#include "rntuple/equal_ends.h"
#include "rntuple/field_sizes.h"
#include "rntuple/matched_fields.h"
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
#include <map>
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
    find_columns();
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
        SliceContext{fetcher_of(file), file, name_of_file(options_, file.root().path()), offered_.defaults,
                     is_loaded_.get(), &loaded_streams_},
        std::move(pages), place.number, [this, place] { clusters_->close(place); });
  }

  void fetch_ahead() { read_ahead_->fetch(); }

  void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
    columns_of_all_.assign(columns.begin(), columns.end());
    read_ahead_->begin(first_slice);
  }

  Carrying carry(const std::vector<std::string>& names) {
    Carrying carrying;
    const std::vector<std::uint32_t> kept = kept_fields(names, carrying.computed);
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

  FieldSize field_size(const std::string& name) const {
    FieldSize size;
    const std::optional<std::size_t> column = offered_.schema.find(name);
    for (const std::unique_ptr<OpenNTuple>& file : files_)
      size += column ? file->size_of_column(*column) : size_of_field(file->descriptor(), name);
    return size;
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

  // Lists of one collection have the same stream of ends, in every file.
  std::vector<Collection> lists_of_equal_sizes() const {
    std::vector<std::vector<EndsColumn>> by_kind;
    for (const OpenNTuple* file : kinds_) {
      std::vector<EndsColumn>& ends = by_kind.emplace_back();
      for (std::size_t column = 0; column < offered_.schema.size(); ++column) {
        const FieldColumn* here = file->find(column);
        ends.push_back(here ? ends_of(*here) : EndsColumn{});
      }
    }
    return columns_with_equal_ends(offered_.schema, by_kind);
  }

  // They have the same streams in every file.
  std::vector<std::vector<std::string>> names_of_one_field() const {
    std::map<std::vector<std::size_t>, std::vector<std::string>> names;
    for (std::size_t column = 0; column < offered_.schema.size(); ++column) {
      if (is_lacking(column)) continue;
      std::vector<std::size_t> streams{static_cast<std::size_t>(offered_.schema[column].type.scalar)};
      for (const OpenNTuple* file : kinds_) {
        const std::vector<std::size_t> here = file->find(column)->streams();
        streams.push_back(here.size());
        streams.insert(streams.end(), here.begin(), here.end());
      }
      names[streams].push_back(offered_.schema[column].name);
    }
    std::vector<std::vector<std::string>> several;
    for (auto& [streams, all] : names)
      if (all.size() > 1) several.push_back(std::move(all));
    return several;
  }

  // Of the first file, whose fields are carried.
  std::vector<std::string> names_in_records() const {
    const std::vector<bool> is_in_record = fields_in_records(descriptors_.front());
    std::vector<std::string> names;
    for (std::size_t column = 0; column < offered_.schema.size(); ++column)
      if (const FieldColumn* here = files_.front()->find(column); here && is_in_record[here->field])
        names.push_back(offered_.schema[column].name);
    for (const UnsupportedField& field : offered_.unsupported)
      if (field.is_carriable && is_in_record.at(field.field)) names.push_back(field.name);
    return names;
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
  const OfferedColumns& offered() const { return offered_; }

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
    share(*files_[number]);
  }

  // Of thousands of files, what follows from their schemas would be too much to keep for each.
  // Returns whether there is a file of this kind before it.
  bool share(OpenNTuple& file) {
    const auto [first, is_new] = first_of_kind_.emplace(file.kind(), &file);
    if (is_new) kinds_.push_back(&file);
    if (first->second == &file) return false;
    file.share_with(*first->second);
    return true;
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

  // The columns that all files have, or that have a default, in the order of the files.
  void find_columns() {
    std::vector<ColumnsOfFile> all;
    for (const std::unique_ptr<OpenNTuple>& file : files_)
      all.push_back({file->root().path(), file->fields()});
    MatchedFields matched = match_fields(all);
    OfferedColumnsBuilder builder(options_, files_.size());
    for (const MatchedColumn& column : matched.columns) builder.add(found(column));
    for (UnsupportedField& field : matched.unsupported) builder.reject(std::move(field));
    offered_ = builder.finish();
    is_loaded_ = std::make_unique<std::atomic<bool>[]>(offered_.schema.size());
    for (const std::unique_ptr<OpenNTuple>& file : files_)
      if (!share(*file)) file->map_columns(offered_.schema);
  }

  FoundColumn found(const MatchedColumn& matched) const {
    const FieldColumn& column = *matched.column;
    FoundColumn found{{column.name, column.type, column.description},
                      column.field_type,
                      files_[matched.file]->root().path()};
    found.num_without = files_.size() - matched.num_files;
    if (matched.without) found.path_without = files_[*matched.without]->root().path();
    found.problem = matched.problem;
    found.is_second_name = matched.is_second_name;
    return found;
  }

  // Returns the fields to carry. What has to be computed instead is added to `computed`.
  std::vector<std::uint32_t> kept_fields(const std::vector<std::string>& names,
                                         std::vector<std::string>& computed) const {
    std::vector<std::uint32_t> kept, counts;
    std::map<std::uint32_t, std::string> name_of_count;
    for (const std::string& name : names) {
      const std::optional<std::size_t> number = offered_.schema.find(name);
      if (number && (is_lacking(*number) || is_count_in_some(*number))) {
        computed.push_back(name);
        continue;
      }
      const FieldColumn* column = number ? files_.front()->find(*number) : nullptr;
      const std::uint32_t field = column ? column->field : unsupported_field(name);
      const bool is_count = column && column->is_count();
      (is_count ? counts : kept).push_back(field);
      if (is_count) name_of_count[field] = column->name;
    }
    const std::vector<std::uint32_t> without = counts_without_items(descriptors_.front(), kept, counts);
    for (const std::uint32_t field : without) computed.push_back(name_of_count[field]);
    for (const std::uint32_t field : counts)
      if (std::find(without.begin(), without.end(), field) == without.end()) kept.push_back(field);
    return kept;
  }

  // Whether a file lacks a column, which then has a default.
  bool is_lacking(std::size_t column) const {
    return std::any_of(kinds_.begin(), kinds_.end(),
                       [&](const OpenNTuple* file) { return !file->find(column); });
  }

  // Whether it is the sizes of a collection in some files, and numbers by themselves in others; none may lack
  // it.
  bool is_count_in_some(std::size_t column) const {
    return std::any_of(kinds_.begin(), kinds_.end(), [&](const OpenNTuple* file) {
      return file->find(column)->is_count() != kinds_.front()->find(column)->is_count();
    });
  }

  std::uint32_t unsupported_field(const std::string& name) const {
    for (const UnsupportedField& field : offered_.unsupported)
      if (field.name == name && field.is_carriable) return field.field;
    throw SchemaError("there is no field \"" + name + "\"");
  }

  InputOptions options_;
  BufferPool pool_{options_.max_idle_bytes};
  FetchCounts counts_;
  ReadCounts metadata_reads_;
  std::uint64_t total_entries_ = 0;  // of all files
  std::vector<RNTupleDescriptor> descriptors_;
  std::vector<InputFacts> facts_;
  OfferedColumns offered_;
  std::unique_ptr<std::atomic<bool>[]> is_loaded_;  // by column of the source
  NTupleSlices slices_;
  std::vector<std::unique_ptr<OpenNTuple>> files_;
  std::map<const void*, const OpenNTuple*> first_of_kind_;
  std::vector<const OpenNTuple*> kinds_;  // the first of each
  std::unique_ptr<OpenClusters> clusters_;
  std::vector<std::size_t> columns_of_all_;  // that are loaded of every slice
  LoadedStreams loaded_streams_;
  std::unique_ptr<AheadSource> read_ahead_;  // uses all of these
};

RNTupleSource::RNTupleSource(const std::vector<InputLocation>& locations, InputOptions options,
                             std::shared_ptr<ReadAhead> ahead)
    : implementation_(std::make_unique<Implementation>(locations, std::move(options), std::move(ahead))) {}

RNTupleSource::~RNTupleSource() = default;

const Schema& RNTupleSource::schema() const { return implementation_->offered().schema; }
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
  return implementation_->offered().type_names;
}
const std::vector<std::string>& RNTupleSource::columns_nowhere() const {
  return implementation_->offered().nowhere;
}
std::vector<std::string> RNTupleSource::columns_with_gaps() const {
  const OfferedColumns& offered = implementation_->offered();
  std::vector<std::string> names;
  for (const auto& [column, value] : offered.defaults) names.push_back(offered.schema[column].name);
  return names;
}

const std::vector<UnsupportedField>& RNTupleSource::unsupported_fields() const {
  return implementation_->offered().unsupported;
}
const std::vector<InputFacts>& RNTupleSource::files() const { return implementation_->facts(); }
const std::vector<Collection>& RNTupleSource::collections() const {
  static const std::vector<Collection> kNone;
  return kNone;
}
std::vector<Collection> RNTupleSource::lists_of_equal_sizes() const {
  return implementation_->lists_of_equal_sizes();
}
std::vector<std::vector<std::string>> RNTupleSource::names_of_one_field() const {
  return implementation_->names_of_one_field();
}
std::vector<std::string> RNTupleSource::names_in_records() const {
  return implementation_->names_in_records();
}
const std::vector<std::string>& RNTupleSource::differences() const {
  return implementation_->offered().differences;
}
FieldSize RNTupleSource::field_size(const std::string& name) const {
  return implementation_->field_size(name);
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
