// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/open_ntuple.h"

#include "rntuple/field_sizes.h"
#include "rntuple/ntuple_facts.h"

#include "skimline/io/input_file.h"
#include "skimline/io/rntuple_metadata.h"

#include <any>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace skimline::io {

namespace {

RNTupleDescriptor taken_or_read(std::any ahead, const RootFile& file, const std::string& name) {
  if (auto* read = std::any_cast<NTupleMetadata>(&ahead); read && read->path == name)
    return std::move(read->descriptor);
  return read_descriptor(file, name);
}

}  // namespace

OpenNTuple::OpenNTuple(OpenedFile file, const std::string& name, const std::string& checksum_folder,
                       std::span<RNTupleDescriptor> descriptors, std::size_t number, std::any ahead)
    : opened_(std::move(file)),
      checksums_(ChecksumFile::find(root(), checksum_folder)),
      name_(name),
      descriptors_(descriptors),
      number_(number) {
  descriptors[number] = taken_or_read(std::move(ahead), root(), name);
  metadata_reads_ = opened_.reads();
  known_ = known_columns(descriptor());
  descriptors[number].fields = known_->fields;
  descriptors[number].columns = known_->columns;
  descriptors[number].aliases = known_->aliases;
  fields_ = {known_, &known_->found};
}

InputFacts OpenNTuple::facts() const {
  InputFacts facts{root().path(),
                   name_.empty() ? descriptor().name : name_,
                   DataFormat::kRNTuple,
                   descriptor().num_entries(),
                   descriptor().clusters.size(),
                   root().uuid(),
                   size_of_metadata(descriptor())};
  facts.file_bytes = root().input().size();
  facts.version = root().input().version();
  facts.remote_bytes = root().input().remote_bytes();
  facts.has_checksum_file = checksums_ != nullptr;
  add_facts(descriptor(), facts);
  return facts;
}

OpenNTuple::ColumnPlaces OpenNTuple::find_places(const Schema& schema) const {
  std::unordered_map<std::string_view, std::size_t> positions;
  for (std::size_t i = 0; i < fields_->columns.size(); ++i) positions[fields_->columns[i].name] = i;
  auto places = std::make_shared<std::vector<std::size_t>>();
  for (const ColumnInfo& column : schema.columns()) {
    const auto found = positions.find(column.name);
    places->push_back(found == positions.end() ? kDefault : found->second);
  }
  return places;
}

void OpenNTuple::share_with(const OpenNTuple& other) {
  column_of_ = other.column_of_;
  // Columns are those that are known; streams may have been added and changed.
  if (fields_ != other.fields_ && fields_->streams == other.fields_->streams) fields_ = other.fields_;
}

const FieldColumn* OpenNTuple::find(std::size_t column) const {
  const std::size_t here = column_of_->at(column);
  return here == kDefault ? nullptr : &fields_->columns[here];
}

std::uint64_t OpenNTuple::stored_bytes(std::size_t column) const {
  const FieldColumn* here = find(column);
  if (!here) return 0;
  std::uint64_t bytes = 0;
  for (const std::size_t stream : here->streams())
    bytes += bytes_stored(descriptor(), fields_->streams[stream]);
  return bytes;
}

FieldSize OpenNTuple::size_of_column(std::size_t column) const {
  FieldSize size;
  const FieldColumn* here = find(column);
  if (!here) return size;
  for (const std::size_t stream : here->streams())
    size += size_of_stream(descriptor(), fields_->streams[stream]);
  return size;
}

std::vector<std::size_t> OpenNTuple::carry(const std::vector<Stream>& streams) {
  auto fields = std::make_shared<FieldColumns>(*fields_);
  std::vector<std::size_t> numbers;
  for (const Stream& stream : streams) numbers.push_back(stream_number(*fields, stream));
  for (Stream& stream : fields->streams)
    if (stream.is_index && !stream.keeps_stored()) stream.num_keepers = 1;
  is_carried_.resize(fields->streams.size());
  for (const std::size_t number : numbers) is_carried_[number] = true;
  fields_ = std::move(fields);
  return numbers;
}

void OpenNTuple::expect(const std::vector<std::size_t>& columns) {
  for (const std::size_t column : columns) {
    const FieldColumn* here = find(column);
    if (!here) continue;
    is_expected_.resize(fields_->streams.size());
    for (const std::size_t stream : here->streams()) is_expected_[stream] = true;
  }
}

void OpenNTuple::add_expected(std::vector<bool>& is_likely) const {
  for (std::size_t stream = 0; stream < is_expected_.size(); ++stream)
    if (is_expected_[stream]) is_likely[stream] = true;
}

double OpenNTuple::carried_bytes(const ClusterDescriptor& cluster) const {
  double bytes = 0;
  for (std::size_t stream = 0; stream < is_carried_.size(); ++stream)
    if (is_carried_[stream]) bytes += bytes_in_memory(fields_->streams[stream], cluster);
  return bytes;
}

double OpenNTuple::expected_bytes(const ClusterDescriptor& cluster) const {
  double bytes = 0;
  for (std::size_t stream = 0; stream < is_expected_.size(); ++stream)
    if (is_expected_[stream]) bytes += bytes_in_memory(fields_->streams[stream], cluster);
  return bytes;
}

std::vector<bool> OpenNTuple::used_streams(const std::function<bool(std::size_t)>& is_loaded) const {
  std::vector<bool> is_used = is_carried_;
  is_used.resize(fields_->streams.size());
  for (std::size_t column = 0; column < column_of_->size(); ++column) {
    const FieldColumn* here = find(column);
    if (!here || !is_loaded(column)) continue;
    for (const std::size_t stream : here->streams()) is_used[stream] = true;
  }
  return is_used;
}

StoredPages OpenNTuple::used_pages(const std::vector<bool>& is_used, std::size_t cluster) const {
  StoredPages pages;
  for (std::size_t stream = 0; stream < is_used.size(); ++stream) {
    if (!is_used[stream]) continue;
    if (const ColumnRange* range = find_stored(descriptor(), fields_->streams[stream], cluster))
      for (const PageInfo& page : range->pages) pages.add(page);
  }
  return pages;
}

}  // namespace skimline::io
