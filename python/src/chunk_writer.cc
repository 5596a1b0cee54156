// SPDX-License-Identifier: BSD-3-Clause
#include "chunk_writer.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/root_file.h"
#include "skimline/skims/record_objects.h"

#include <optional>
#include <utility>

namespace skimline::python {
namespace {

std::vector<io::RootObject> record_of_file(const std::string& path) {
  if (path.empty()) return {};
  const std::optional<skims::RunRecord> record = skims::read_record(io::RootFile(path));
  return record ? skims::record_objects(*record) : std::vector<io::RootObject>();
}

std::vector<std::string> classes_of(const std::vector<io::RootObject>& objects) {
  std::vector<std::string> classes{"ROOT::RNTuple"};
  if (objects.empty()) return classes;
  const std::vector<std::string> of_record = skims::record_classes();
  classes.insert(classes.end(), of_record.begin(), of_record.end());
  return classes;
}

// About a page.
constexpr std::uint64_t kBytesAtOnce = 1 << 20;

int number_of(int threads) { return threads > 0 ? threads : default_threads(); }

}  // namespace

ChunkWriter::ChunkWriter(const std::string& path, const std::vector<io::OutputField>& fields,
                         io::ParallelWriterOptions options, int threads, const std::string& record_of)
    : nodes_(nodes_of(fields)),
      cluster_bytes_(options.settings.sizes(io::kRNTupleSizes).cluster_bytes),
      bytes_in_flight_(static_cast<std::uint64_t>(number_of(threads)) * cluster_bytes_),
      objects_(record_of_file(record_of)),
      file_(path, classes_of(objects_)),
      writer_(std::make_unique<io::ParallelWriter>(file_, fields, std::move(options))),
      queue_(number_of(threads)) {}

ChunkWriter::~ChunkWriter() {
  is_cancelled_ = true;
  queue_.cancel();
}

void ChunkWriter::check_usable() const {
  if (is_finished_) throw Error("the writer is closed");
  if (has_failed_) throw Error("the writer cannot be used after an error: its entries would not be complete");
}

void ChunkWriter::extend(const std::vector<ColumnData>& columns, std::uint64_t num_entries, StopFlag stop) {
  const std::lock_guard lock(mutex_);
  check_usable();
  for (std::size_t i = 0; i < nodes_.size(); ++i) check_data(nodes_[i], columns.at(i), num_entries);
  try {
    take(columns, num_entries, stop);
  } catch (...) {
    has_failed_ = true;
    is_cancelled_ = true;
    queue_.cancel();
    throw;
  }
}

void ChunkWriter::take(const std::vector<ColumnData>& columns, std::uint64_t num_entries, StopFlag stop) {
  ElementRange rest{0, num_entries};
  const bool is_large = bytes_of_entries(columns, rest) > bytes_in_flight_;
  while (rest.size() > 0) {
    const std::uint64_t end = end_of_block(columns, rest);
    const ElementRange range{rest.begin, end};
    block_.bytes += bytes_of_entries(columns, range);
    const bool is_complete = block_.bytes >= cluster_bytes_;
    if (is_large && is_complete) {
      block_.columns = columns;
      block_.range = range;
    } else {
      add_copy(columns, range);
    }
    if (is_complete) submit(stop);
    rest.begin = end;
  }
  if (is_large) queue_.wait(stop);
}

// The first entry with which the open block is complete is the last one of it.
std::uint64_t ChunkWriter::end_of_block(const std::vector<ColumnData>& columns, ElementRange rest) const {
  std::uint64_t end = rest.begin + 1, last = rest.end;
  while (end < last) {
    const std::uint64_t middle = end + (last - end) / 2;
    if (block_.bytes + bytes_of_entries(columns, {rest.begin, middle}) >= cluster_bytes_)
      last = middle;
    else
      end = middle + 1;
  }
  return last;
}

std::uint64_t ChunkWriter::bytes_of_entries(const std::vector<ColumnData>& columns,
                                            ElementRange range) const {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) bytes += bytes_of(nodes_[i], columns[i], range);
  return bytes;
}

void ChunkWriter::add_copy(const std::vector<ColumnData>& columns, ElementRange range) {
  block_.copies.resize(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) block_.copies[i].add(nodes_[i], columns[i], range);
  block_.num_copied += range.size();
}

void ChunkWriter::submit(StopFlag stop) {
  // The queue wants what can be copied.
  auto block = std::make_shared<const Block>(std::exchange(block_, {}));
  queue_.add([this, block, ticket = next_ticket_++] { write(ticket, *block); }, stop);
}

void ChunkWriter::write(std::uint64_t ticket, const Block& block) {
  const auto context = writer_->make_context(ticket);
  if (block.num_copied > 0) {
    std::vector<ColumnData> copies;
    for (const ColumnCopy& copy : block.copies) copies.push_back(copy.view());
    append_all(*context, copies, {0, block.num_copied});
  }
  if (block.range.size() > 0) append_all(*context, block.columns, block.range);
  context->commit_entries(block.num_copied + block.range.size());
  context->close();
}

void ChunkWriter::append_all(io::FillContext& context, const std::vector<ColumnData>& columns,
                             ElementRange range) const {
  // Pages are compressed as they fill: one by one, so that no more than that of each thread is waited for.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::uint64_t num_pages = bytes_of(nodes_[i], columns[i], range) / kBytesAtOnce + 1;
    for (std::uint64_t page = 0; page < num_pages; ++page) {
      if (is_cancelled_) throw Interrupted();
      append(context, nodes_[i], columns[i],
             {range.begin + range.size() * page / num_pages,
              range.begin + range.size() * (page + 1) / num_pages});
    }
  }
}

void ChunkWriter::finish(StopFlag stop) {
  const std::lock_guard lock(mutex_);
  check_usable();
  try {
    if (block_.num_copied > 0) submit(stop);
    queue_.wait(stop);
    const std::uint64_t hash = writer_->finish();
    for (const io::RootObject& object : objects_) file_.add_object(object);
    file_bytes_ = file_.commit(hash);
    is_finished_ = true;
  } catch (...) {
    has_failed_ = true;
    throw;
  }
}

io::ParallelWriterStatistics ChunkWriter::statistics() const {
  io::ParallelWriterStatistics statistics = writer_->statistics();
  statistics.file_bytes = file_bytes_;
  return statistics;
}

}  // namespace skimline::python
