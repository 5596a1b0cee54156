// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_source.h"

#include "columns/default_values.h"
#include "columns/equal_slices.h"
#include "rntuple/carried_fields.h"
#include "rntuple/cluster_pages.h"
#include "rntuple/equal_ends.h"
#include "rntuple/field_columns.h"
#include "rntuple/field_sizes.h"
#include "rntuple/matched_fields.h"
#include "rntuple/ntuple_facts.h"
#include "rntuple/page_fetcher.h"
#include "rntuple/rntuple_slice_reader.h"
#include "rntuple/stored_page.h"
#include "storage/buffer_pool.h"

#include "skimline/io/format_error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/rntuple_metadata.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace skimline::io {
namespace {

struct OpenFile {
  explicit OpenFile(OpenedFile file) : opened(std::move(file)) {}

  OpenedFile opened;
  const RootFile& root = *opened.root;
  std::shared_ptr<const ChecksumFile> checksums;
  FieldColumns fields;
  std::vector<std::size_t> column_of;  // by column of the source
  std::vector<bool> is_read;           // by cluster: all slices were opened and closed
  std::uint64_t first_entry = 0;
  std::size_t num_readers = 0;
  std::vector<bool> is_carried;                                   // by stream; may be shorter
  std::set<std::size_t> expected;                                 // streams of columns that will be read
  std::map<std::size_t, std::shared_ptr<ClusterPages>> clusters;  // those being read
};

struct SlicePlace {
  std::size_t file = 0;
  std::size_t cluster = 0;
  std::size_t number = 0;  // in the cluster
};

void check_layouts(const std::string& path, const RNTupleDescriptor& descriptor, const Stream& stream) {
  for (std::size_t cluster = 0; cluster < descriptor.clusters.size(); ++cluster) {
    try {
      find_layout(descriptor, stream, cluster);
    } catch (const FormatError& problem) {
      throw FileError(path, "RNTuple \"" + descriptor.name + "\", column \"" + stream.name + "\", cluster " +
                                std::to_string(cluster) + ": " + problem.what());
    }
  }
}

}  // namespace

class RNTupleSource::Implementation {
 public:
  Implementation(const std::vector<InputLocation>& locations, InputOptions options) : options_(options) {
    if (locations.empty()) throw ConfigError("no input files");
    if (options_.slice_entries == 0 || options_.slice_bytes == 0)
      throw ConfigError("slices must have at least one entry");
    for (const InputLocation& location : locations) {
      open(location);
      if (locations.size() > options_.max_open_files) files_.back()->root.input().release();
    }
    releases_files_ = locations.size() > options_.max_open_files;
    make_schema();
    cut_slices();
  }

  std::unique_ptr<SliceReader> open_slice(std::size_t slice) {
    const SlicePlace place = places_.at(slice);
    OpenFile& file = *files_[place.file];
    std::shared_ptr<ClusterPages> pages = open_cluster(file, place);
    const PageFetcher fetcher{
        file.root.input(), descriptors_[place.file],    file.fields.streams, options_.coalesce_gap, pool_,
        counts_,           options_.requires_checksums, file.checksums.get()};
    return std::make_unique<RNTupleSliceReader>(
        SliceContext{fetcher, place.file, file.fields.columns, file.column_of, defaults_, is_loaded_.get()},
        std::move(pages), place.number, [this, place] { close_slice(place); });
  }

  Carrying carry(const std::vector<std::string>& names) {
    Carrying carrying;
    const RNTupleDescriptor& first = descriptors_.front();
    std::vector<std::uint32_t> kept, counts;
    std::map<std::uint32_t, std::string> name_of_count;
    for (const std::string& name : names) {
      if (is_lacking(name)) {
        carrying.computed.push_back(name);
        continue;
      }
      const FieldColumn* column = find_column(name);
      const std::uint32_t field = column ? column->field : unsupported_field(name);
      const bool is_count = column && column->is_count();
      (is_count ? counts : kept).push_back(field);
      if (is_count) name_of_count[field] = column->name;
    }
    const std::vector<std::uint32_t> without = counts_without_items(first, kept, counts);
    for (const std::uint32_t field : without) carrying.computed.push_back(name_of_count[field]);
    for (const std::uint32_t field : counts)
      if (std::find(without.begin(), without.end(), field) == without.end()) kept.push_back(field);
    if (kept.empty()) return carrying;

    std::vector<std::string> paths;
    for (const std::unique_ptr<OpenFile>& file : files_) paths.push_back(file->root.path());
    auto fields = std::make_shared<CarriedFields>(descriptors_, paths, kept);
    for (CarriedColumn& column : fields->columns())
      for (std::size_t file = 0; file < files_.size(); ++file)
        column.numbers.push_back(add_stream(file, column.streams[file]));
    // Which of several equal index columns is read depends on which is needed first.
    for (const std::unique_ptr<OpenFile>& file : files_)
      for (Stream& stream : file->fields.streams) stream.keeps_stored |= stream.is_index;
    cut_slices();
    carrying.fields = std::move(fields);
    return carrying;
  }

  void expect(const ExpectedReading& reading) {
    kept_bytes_per_entry_ = reading.kept_bytes_per_entry;
    for (const std::unique_ptr<OpenFile>& file : files_)
      for (const std::size_t column : reading.columns) {
        const std::size_t here = file->column_of.at(column);
        if (here == kDefault) continue;
        for (const std::size_t stream : file->fields.columns[here].streams()) file->expected.insert(stream);
      }
    cut_slices();
  }

  std::uint64_t stored_bytes(std::size_t column) const {
    std::uint64_t bytes = 0;
    for (std::size_t file = 0; file < files_.size(); ++file) {
      const FieldColumns& fields = files_[file]->fields;
      if (files_[file]->column_of.at(column) == kDefault) continue;
      const FieldColumn& here = fields.columns[files_[file]->column_of[column]];
      for (const std::size_t stream : here.streams())
        bytes += bytes_stored(descriptors_[file], fields.streams[stream]);
    }
    return bytes;
  }

  FieldSize field_size(const std::string& name) const {
    FieldSize size;
    const std::optional<std::size_t> column = schema_.find(name);
    for (std::size_t file = 0; file < files_.size(); ++file) {
      if (!column) {
        size += size_of_field(descriptors_[file], name);
        continue;
      }
      const FieldColumns& fields = files_[file]->fields;
      if (files_[file]->column_of.at(*column) == kDefault) continue;
      for (const std::size_t stream : fields.columns[files_[file]->column_of[*column]].streams())
        size += size_of_stream(descriptors_[file], fields.streams[stream]);
    }
    return size;
  }

  ReadStatistics statistics() const {
    ReadStatistics statistics;
    statistics.bytes_read = metadata_.bytes + counts_.bytes_read;
    statistics.read_calls = metadata_.calls + counts_.read_calls;
    statistics.pages_decoded = counts_.pages_decoded;
    statistics.bytes_decoded = counts_.bytes_decoded;
    statistics.pages_passed = counts_.pages_passed;
    statistics.bytes_passed = counts_.bytes_passed;
    count_used(statistics);
    return statistics;
  }

  // Lists of one collection have the same stream of ends, in every file.
  std::vector<Collection> lists_of_equal_sizes() const {
    std::vector<std::vector<EndsColumn>> by_file;
    for (const std::unique_ptr<OpenFile>& file : files_) {
      std::vector<EndsColumn>& ends = by_file.emplace_back();
      for (const std::size_t column : file->column_of)
        ends.push_back(column == kDefault ? EndsColumn{} : ends_of(file->fields.columns[column]));
    }
    return columns_with_equal_ends(schema_, by_file);
  }

  void check_unchanged() const {
    for (const std::unique_ptr<OpenFile>& file : files_) file->root.input().check_unchanged();
  }

  void restrict_to(EntryRange entries) {
    const std::uint64_t first = std::min(entries.first, total_entries_);
    restriction_ = EntryRange{first, std::min(entries.count, total_entries_ - first)};
    cut_slices();
  }

  const Schema& schema() const { return schema_; }
  std::uint64_t num_entries() const { return restriction_ ? restriction_->count : total_entries_; }
  const std::vector<EntryRange>& slices() const { return slices_; }
  const std::vector<RNTupleDescriptor>& descriptors() const { return descriptors_; }
  const std::vector<InputFacts>& facts() const { return facts_; }
  const std::vector<std::string>& field_type_names() const { return field_type_names_; }
  const std::vector<std::string>& columns_nowhere() const { return columns_nowhere_; }
  const std::vector<UnsupportedField>& unsupported() const { return unsupported_; }
  const std::vector<std::string>& differences() const { return differences_; }

 private:
  void open(const InputLocation& location) {
    auto file = std::make_unique<OpenFile>(open_file(options_.files.get(), location.path));
    file->checksums = ChecksumFile::find(file->root, options_.checksum_folder);
    descriptors_.push_back(read_descriptor(file->root, location.name));
    const RNTupleDescriptor& descriptor = descriptors_.back();
    file->fields = find_field_columns(descriptor);
    for (const Stream& stream : file->fields.streams) check_layouts(location.path, descriptor, stream);
    metadata_ = metadata_ + file->opened.reads();
    file->first_entry = total_entries_;
    total_entries_ += descriptor.num_entries();
    facts_.push_back({location.path, descriptor.name, DataFormat::kRNTuple, descriptor.num_entries(),
                      descriptor.clusters.size(), file->root.uuid(), size_of_metadata(descriptor)});
    facts_.back().file_bytes = file->root.input().size();
    facts_.back().has_checksum_file = file->checksums != nullptr;
    add_facts(descriptor, facts_.back());
    files_.push_back(std::move(file));
  }

  void add_column(const FieldColumn& column) {
    schema_.add({column.name, column.type, column.description});
    field_type_names_.push_back(column.field_type);
  }

  // The columns that all files have, or that have a default, in the order of the files.
  void make_schema() {
    std::vector<ColumnsOfFile> all;
    for (const std::unique_ptr<OpenFile>& file : files_) all.push_back({file->root.path(), file->fields});
    MatchedFields matched = match_fields(all);
    DefaultValues defaults(options_);
    for (const MatchedColumn& column : matched.columns) add(column, defaults);
    for (UnsupportedField& field : matched.unsupported) reject(std::move(field), defaults);
    add_nowhere(defaults);
    defaults.throw_if_wrong();
    is_loaded_ = std::make_unique<std::atomic<bool>[]>(schema_.size());
    for (const std::unique_ptr<OpenFile>& file : files_) map_columns(*file);
  }

  void add(const MatchedColumn& matched, DefaultValues& defaults) {
    const FieldColumn& column = *matched.column;
    const std::string& path = files_[matched.file]->root.path();
    UnsupportedField rejected{column.name, column.field_type, matched.problem};
    rejected.is_different = true;
    if (!matched.problem.empty()) return reject(std::move(rejected), defaults);
    if (!matched.without) {
      defaults.check(column.name, column.type, path);
      return add_column(column);
    }
    const std::size_t num_without = files_.size() - matched.num_files;
    const std::string& without = files_[*matched.without]->root.path();
    if (auto value = defaults.for_missing(column.name, column.type, path)) {
      defaults_.emplace(schema_.size(), std::move(*value));
      differences_.push_back(default_text(column.name, num_without, files_.size(), without));
      return add_column(column);
    }
    rejected.reason = missing_text(without, num_without) + ", and has no default";
    reject(std::move(rejected), defaults);
  }

  void reject(UnsupportedField field, DefaultValues& defaults) {
    defaults.refuse(field.name, field.reason);
    unsupported_.push_back(std::move(field));
  }

  void add_nowhere(const DefaultValues& defaults) {
    for (const auto& [name, value] : defaults.nowhere()) {
      FieldColumn nowhere;
      nowhere.name = name;
      nowhere.type = ColumnDefault::natural_type(value);
      nowhere.field_type = name_of(nowhere.type);
      defaults_.emplace(schema_.size(), ColumnDefault(name, value, nowhere.type, "no file"));
      add_column(nowhere);
      columns_nowhere_.push_back(name);
    }
  }

  void map_columns(OpenFile& file) const {
    std::unordered_map<std::string_view, std::size_t> positions;
    for (std::size_t i = 0; i < file.fields.columns.size(); ++i) positions[file.fields.columns[i].name] = i;
    for (const ColumnInfo& column : schema_.columns()) {
      const auto found = positions.find(column.name);
      file.column_of.push_back(found == positions.end() ? kDefault : found->second);
    }
  }

  const FieldColumn* find_column(const std::string& name) const {
    const std::optional<std::size_t> number = schema_.find(name);
    return number ? &files_.front()->fields.columns[files_.front()->column_of[*number]] : nullptr;
  }

  // Whether a file lacks a column, which then has a default.
  bool is_lacking(const std::string& name) const {
    const std::optional<std::size_t> number = schema_.find(name);
    return number && std::any_of(files_.begin(), files_.end(), [&](const std::unique_ptr<OpenFile>& file) {
             return file->column_of[*number] == kDefault;
           });
  }

  std::uint32_t unsupported_field(const std::string& name) const {
    for (const UnsupportedField& field : unsupported_)
      if (field.name == name && field.is_carriable) return field.field;
    throw SchemaError("there is no field \"" + name + "\"");
  }

  std::size_t add_stream(std::size_t file, const Stream& stream) {
    OpenFile& to = *files_[file];
    const std::size_t number = stream_number(to.fields, stream);
    check_layouts(to.root.path(), descriptors_[file], stream);
    if (number >= to.is_carried.size()) to.is_carried.resize(number + 1);
    to.is_carried[number] = true;
    return number;
  }

  // Which streams of a file a run has asked for.
  std::vector<bool> used_streams(const OpenFile& file) const {
    std::vector<bool> is_used = file.is_carried;
    is_used.resize(file.fields.streams.size());
    for (std::size_t column = 0; column < file.column_of.size(); ++column)
      if (is_loaded_[column] && file.column_of[column] != kDefault)
        for (const std::size_t stream : file.fields.columns[file.column_of[column]].streams())
          is_used[stream] = true;
    return is_used;
  }

  // What was verified, and pages that a run could have needed and did not.
  void count_used(ReadStatistics& statistics) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t file = 0; file < files_.size(); ++file) {
      const std::vector<bool> is_used = used_streams(*files_[file]);
      for (std::size_t cluster = 0; cluster < files_[file]->is_read.size(); ++cluster) {
        if (!files_[file]->is_read[cluster]) continue;
        const StoredPages pages = pages_of(file, cluster, is_used);
        statistics.pages_skipped += pages.count();
        statistics.bytes_skipped += pages.bytes();
      }
    }
    statistics.pages_skipped -= std::min(statistics.pages_skipped, pages_used_);
    statistics.bytes_skipped -= std::min(statistics.bytes_skipped, bytes_used_);
    statistics.bytes_verified = bytes_verified_;
    statistics.bytes_unverified = bytes_unverified_;
  }

  StoredPages pages_of(std::size_t file, std::size_t cluster, const std::vector<bool>& is_used) const {
    StoredPages pages;
    for (std::size_t stream = 0; stream < is_used.size(); ++stream) {
      if (!is_used[stream]) continue;
      const StreamLayout layout =
          find_layout(descriptors_[file], files_[file]->fields.streams[stream], cluster);
      if (layout.range == nullptr) continue;
      for (const PageInfo& page : layout.range->pages) pages.add(page);
    }
    return pages;
  }

  // Slices may be read again: what a cluster had of use the first time is what counts.
  void note_read(OpenFile& file, std::size_t cluster, ClusterPages& pages) {
    if (file.is_read.size() <= cluster) file.is_read.resize(cluster + 1);
    if (file.is_read[cluster]) return;
    file.is_read[cluster] = true;
    StoredPages used, verified;
    pages.add_used(used, verified);
    pages_used_ += used.count();
    bytes_used_ += used.bytes();
  }

  // Once nobody needs the pages: sinks verify those that they copy after the slices are closed.
  void count_verified(const OpenFile& file, ClusterPages& pages) {
    StoredPages used, verified;
    pages.add_used(used, verified);
    const std::uint64_t bytes = file.checksums ? used.bytes() : verified.bytes();
    bytes_verified_ += bytes;
    bytes_unverified_ += used.bytes() - bytes;
  }

  void cut_slices() {
    slices_.clear();
    places_.clear();
    for (std::size_t file = 0; file < files_.size(); ++file) add_slices(file);
  }

  // The entries of a cluster that are to be read, counted from its start.
  EntryRange wanted_of(std::size_t file, std::size_t cluster) const {
    const ClusterDescriptor& where = descriptors_[file].clusters[cluster];
    if (!restriction_) return {0, where.num_entries};
    const std::uint64_t begin = files_[file]->first_entry + where.first_entry;
    const std::uint64_t end = begin + where.num_entries;
    const std::uint64_t first = std::clamp(restriction_->first, begin, end);
    const std::uint64_t last = std::clamp(restriction_->end(), begin, end);
    return {first - begin, last - first};
  }

  // Entry ranges of the slices of a cluster, counted from its start.
  std::vector<EntryRange> slices_of(std::size_t file, std::size_t cluster) const {
    const ClusterDescriptor& where = descriptors_[file].clusters[cluster];
    const OpenFile& from = *files_[file];
    double kept = kept_bytes_per_entry_ * static_cast<double>(where.num_entries), read = 0;
    for (std::size_t stream = 0; stream < from.is_carried.size(); ++stream)
      if (from.is_carried[stream]) kept += bytes_in_memory(from.fields.streams[stream], where);
    for (const std::size_t stream : from.expected)
      read += bytes_in_memory(from.fields.streams[stream], where);
    const double full_slices = std::min(std::max(kept / static_cast<double>(options_.slice_bytes),
                                                 read / static_cast<double>(options_.slice_read_bytes)),
                                        static_cast<double>(where.num_entries));
    const std::uint64_t count = static_cast<std::uint64_t>(full_slices) + 1;
    const std::uint64_t entries = (where.num_entries + count - 1) / count;
    return cut(wanted_of(file, cluster), std::clamp<std::uint64_t>(entries, 1, options_.slice_entries));
  }

  void add_slices(std::size_t file) {
    const std::vector<ClusterDescriptor>& clusters = descriptors_[file].clusters;
    for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster) {
      const std::uint64_t first = files_[file]->first_entry + clusters[cluster].first_entry;
      const std::vector<EntryRange> ranges = slices_of(file, cluster);
      for (std::size_t number = 0; number < ranges.size(); ++number) {
        slices_.push_back({first + ranges[number].first, ranges[number].count});
        places_.push_back({file, cluster, number});
      }
    }
  }

  std::shared_ptr<ClusterPages> open_cluster(OpenFile& file, const SlicePlace& place) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<ClusterPages>& pages = file.clusters[place.cluster];
    if (!pages) {
      const RNTupleDescriptor& descriptor = descriptors_[place.file];
      const bool is_read = place.cluster < file.is_read.size() && file.is_read[place.cluster];
      pages = {new ClusterPages(descriptor, file.fields.streams, place.cluster,
                                slices_of(place.file, place.cluster)),
               [this, is_read, &file](ClusterPages* done) {
                 if (!is_read) count_verified(file, *done);
                 delete done;
               }};
    }
    ++file.num_readers;
    return pages;
  }

  void close_slice(const SlicePlace& place) {
    const std::lock_guard lock(mutex_);
    OpenFile& file = *files_[place.file];
    const auto found = file.clusters.find(place.cluster);
    if (found != file.clusters.end() && found->second->close(place.number)) {
      note_read(file, place.cluster, *found->second);
      file.clusters.erase(found);
    }
    if (--file.num_readers == 0 && releases_files_) file.root.input().release();
  }

  InputOptions options_;
  BufferPool pool_{options_.max_idle_bytes};
  FetchCounts counts_;
  ReadCounts metadata_;
  bool releases_files_ = false;
  std::vector<RNTupleDescriptor> descriptors_;
  std::vector<InputFacts> facts_;
  Schema schema_;
  std::map<std::size_t, ColumnDefault> defaults_;  // by column of the schema
  std::vector<std::string> columns_nowhere_;
  std::vector<UnsupportedField> unsupported_;
  std::vector<std::string> differences_;
  std::vector<std::string> field_type_names_;
  std::uint64_t total_entries_ = 0;  // of all files
  std::optional<EntryRange> restriction_;
  double kept_bytes_per_entry_ = 0;  // of what is computed and written
  std::vector<EntryRange> slices_;
  std::vector<SlicePlace> places_;
  mutable std::mutex mutex_;
  std::unique_ptr<std::atomic<bool>[]> is_loaded_;  // by column of the source
  std::uint64_t pages_used_ = 0, bytes_used_ = 0;   // decoded or passed
  std::atomic<std::uint64_t> bytes_verified_{0}, bytes_unverified_{0};
  std::vector<std::unique_ptr<OpenFile>> files_;
};

RNTupleSource::RNTupleSource(const std::vector<InputLocation>& locations, InputOptions options)
    : implementation_(std::make_unique<Implementation>(locations, options)) {}

RNTupleSource::~RNTupleSource() = default;

const Schema& RNTupleSource::schema() const { return implementation_->schema(); }
std::uint64_t RNTupleSource::num_entries() const { return implementation_->num_entries(); }
const std::vector<EntryRange>& RNTupleSource::slices() const { return implementation_->slices(); }
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
  return implementation_->field_type_names();
}
const std::vector<std::string>& RNTupleSource::columns_nowhere() const {
  return implementation_->columns_nowhere();
}

const std::vector<UnsupportedField>& RNTupleSource::unsupported_fields() const {
  return implementation_->unsupported();
}
const std::vector<InputFacts>& RNTupleSource::files() const { return implementation_->facts(); }
const std::vector<Collection>& RNTupleSource::collections() const {
  static const std::vector<Collection> kNone;
  return kNone;
}
std::vector<Collection> RNTupleSource::lists_of_equal_sizes() const {
  return implementation_->lists_of_equal_sizes();
}
const std::vector<std::string>& RNTupleSource::differences() const { return implementation_->differences(); }
FieldSize RNTupleSource::field_size(const std::string& name) const {
  return implementation_->field_size(name);
}
void RNTupleSource::check_unchanged() const { implementation_->check_unchanged(); }
void RNTupleSource::restrict_to(EntryRange entries) { implementation_->restrict_to(entries); }
Carrying RNTupleSource::carry(const std::vector<std::string>& names) { return implementation_->carry(names); }
void RNTupleSource::expect(const ExpectedReading& reading) { implementation_->expect(reading); }

}  // namespace skimline::io
