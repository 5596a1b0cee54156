// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_filler.h"

#include "compression/compression_choice.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

namespace skimline::io {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string counted(std::uint64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::unique_ptr<ColumnFiller> make_filler(ColumnKind kind, ScalarType scalar) {
  if (kind == ColumnKind::kEnds) return std::make_unique<ListFiller>();
  return visit_scalar(scalar, [](auto tag) -> std::unique_ptr<ColumnFiller> {
    return std::make_unique<ValueFiller<typename decltype(tag)::type>>();
  });
}

}  // namespace

void ColumnFiller::make_room() { cluster_->make_room(*this); }

void ColumnFiller::put_all(const std::byte* elements, std::size_t count) {
  cluster_->put_all(*this, elements, count);
}

void ListFiller::append(std::span<const std::uint32_t> sizes) {
  while (!sizes.empty()) {
    if (next_ == end_) make_room();
    const std::size_t room = static_cast<std::size_t>(end_ - next_) / sizeof end_of_list_;
    const std::size_t count = std::min(room, sizes.size());
    const std::uint64_t before = end_of_list_;
    for (std::size_t i = 0; i < count; ++i) {
      end_of_list_ += sizes[i];
      std::memcpy(next_ + i * sizeof end_of_list_, &end_of_list_, sizeof end_of_list_);
    }
    if (end_of_list_ < before) fail();
    next_ += count * sizeof end_of_list_;
    sizes = sizes.subspan(count);
  }
}

void ListFiller::fail() { cluster().fail_list_size(*this); }

ClusterFiller::ClusterFiller(const WritableColumns& columns, WriterSizes sizes, BufferPool& pool,
                             ClusterTarget& target, std::uint64_t ticket)
    : columns_(columns),
      sizes_(sizes),
      pool_(pool),
      target_(target),
      ticket_(ticket),
      states_(columns.size()),
      counts_(columns.size()) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::size_t size = size_of(columns[i].scalar);
    states_[i].compression = columns[i].compression;
    states_[i].filler = make_filler(columns.schema().columns()[i].kind, columns[i].scalar);
    states_[i].filler->cluster_ = this;
    states_[i].filler->column_ = i;
    states_[i].filler->element_size_ = size;
    states_[i].filler->size_log2_ = std::countr_zero(size);
    states_[i].elements_per_page = std::max<std::uint64_t>(1, sizes.page_bytes / size);
    counts_[i].filler = states_[i].filler.get();
    counts_[i].size_log2 = std::countr_zero(size);
    const std::size_t level = columns.schema().columns()[i].level;
    counts_[i].expected =
        level == 0 ? &num_entries_
                   : &static_cast<ListFiller&>(*states_[columns.schema().levels()[level].column].filler)
                          .end_of_list_;
  }
}

ClusterFiller::~ClusterFiller() {
  if (state_ != State::kClosed) target_.abandon();
}

template <typename Action>
void ClusterFiller::act(Action action) {
  check_open();
  try {
    action();
  } catch (...) {
    state_ = State::kFailed;
    throw;
  }
}

void ClusterFiller::check_open() const {
  if (state_ == State::kClosed) throw Error("the fill context is closed");
  if (state_ == State::kFailed)
    throw Error("the fill context cannot be used after an error: its entries would not be complete");
}

// Replaces the memory of the open page.
void ClusterFiller::set_memory(std::size_t column, std::uint64_t capacity, std::uint64_t num_kept) {
  ColumnState& state = states_[column];
  ColumnFiller& filler = *state.filler;
  BufferPool::Buffer memory = pool_.take(capacity * filler.element_size_);
  if (num_kept != 0) std::memcpy(memory.get(), filler.begin_, num_kept * filler.element_size_);
  state.memory = std::move(memory);
  filler.begin_ = state.memory.get();
  filler.next_ = filler.begin_ + num_kept * filler.element_size_;
  filler.end_ = filler.begin_ + capacity * filler.element_size_;
  set_origin(column);
}

void ClusterFiller::drop_memory(std::size_t column) {
  ColumnFiller& filler = *states_[column].filler;
  filler.begin_ = filler.next_ = filler.end_ = nullptr;
  states_[column].memory.reset();
  set_origin(column);
}

void ClusterFiller::set_origin(std::size_t column) {
  const ColumnFiller& filler = *states_[column].filler;
  counts_[column].origin =
      reinterpret_cast<std::uintptr_t>(filler.begin_) - states_[column].num_sealed * filler.element_size_;
}

void ClusterFiller::make_room(ColumnFiller& filler) {
  act([&] {
    ColumnState& state = states_[filler.column_];
    const std::uint64_t num_open = filler.num_open();
    if (num_open == state.elements_per_page) {
      state.fills_pages = true;
      seal_open_page(filler.column_);
      if (filler.begin_ == nullptr) set_memory(filler.column_, state.elements_per_page, 0);
      return;
    }
    const std::uint64_t wanted =
        state.fills_pages ? state.elements_per_page
                          : std::max<std::uint64_t>(2 * num_open, kFirstPageBytes / filler.element_size_);
    set_memory(filler.column_, std::min(wanted, state.elements_per_page), num_open);
  });
}

void ClusterFiller::put_all(ColumnFiller& filler, const std::byte* elements, std::uint64_t count) {
  ColumnState& state = states_[filler.column_];
  const std::size_t size = filler.element_size_;
  while (count > 0) {
    if (filler.num_open() == 0 && count >= state.elements_per_page) {
      act([&] { seal(filler.column_, elements, state.elements_per_page); });
      elements += state.elements_per_page * size;
      count -= state.elements_per_page;
      continue;
    }
    if (filler.next_ == filler.end_) make_room(filler);
    const auto room = static_cast<std::uint64_t>(filler.end_ - filler.next_) >> filler.size_log2_;
    const std::uint64_t taken = std::min(count, room);
    std::memcpy(filler.next_, elements, taken * size);
    filler.next_ += taken * size;
    elements += taken * size;
    count -= taken;
  }
}

void ClusterFiller::fail_list_size(const ColumnFiller& filler) {
  state_ = State::kFailed;
  throw SchemaError("the lists of column \"" + columns_[filler.column_].name +
                    "\" have together more values than can be counted");
}

bool ClusterFiller::is_stored_as_in_memory(std::size_t column) const {
  return !may_compress(columns_[column].compression) &&
         is_plain(columns_.schema().columns()[column].encoding, columns_[column].scalar);
}

void ClusterFiller::seal_open_page(std::size_t column) {
  ColumnState& state = states_[column];
  ColumnFiller& filler = *state.filler;
  const std::uint64_t count = filler.num_open();
  if (is_stored_as_in_memory(column)) {
    const auto start = Clock::now();
    SealedBytes stored(std::move(state.memory), count * filler.element_size_);
    drop_memory(column);
    note_page(column, count, std::move(stored));
    seconds_sealing_ += seconds_since(start);
  } else {
    seal(column, filler.begin_, count);
    filler.next_ = filler.begin_;
  }
}

void ClusterFiller::seal(std::size_t column, const std::byte* elements, std::uint64_t count) {
  const auto start = Clock::now();
  SealedBytes stored;
  if (is_stored_as_in_memory(column)) {
    const std::size_t size = encoded_size(columns_.schema().columns()[column].encoding, count);
    stored = seal_encoded({elements, size}, {CompressionAlgorithm::kNone, 0}, pool_);
  } else {
    thread_local std::vector<std::byte> encoded;
    const CompressionSetting compression = compression_of(column, elements, count);
    encode(column, elements, count, encoded);
    stored = seal_encoded(encoded, compression, pool_);
  }
  note_page(column, count, std::move(stored));
  seconds_sealing_ += seconds_since(start);
}

CompressionSetting ClusterFiller::compression_of(std::size_t column, const std::byte* elements,
                                                 std::uint64_t count) {
  std::optional<CompressionSetting>& compression = states_[column].compression;
  if (!compression) {
    std::vector<std::byte> encoded;
    encode(column, elements, std::min(count, sample_elements(size_of(columns_[column].scalar))), encoded);
    compression = choose_compression(encoded);
  }
  return *compression;
}

void ClusterFiller::encode(std::size_t column, const std::byte* elements, std::uint64_t count,
                           std::vector<std::byte>& encoded) const {
  const PageEncoding& encoding = columns_.schema().columns()[column].encoding;
  encoded.resize(encoded_size(encoding, count));
  try {
    encode_page(encoding, columns_[column].scalar, elements, count, encoded.data());
  } catch (const ValueRangeError& error) {
    throw ConfigError("column \"" + columns_[column].name + "\", value number " +
                      std::to_string(states_[column].num_sealed + error.element()) +
                      " of the cluster that begins with entry " + std::to_string(num_entries_before_) +
                      " of its fill context: " + error.what());
  }
}

void ClusterFiller::note_page(std::size_t column, std::uint64_t count, SealedBytes stored) {
  states_[column].pages.push_back({static_cast<std::uint32_t>(count), std::move(stored)});
  states_[column].num_sealed += count;
  set_origin(column);
}

void ClusterFiller::commit_entries(std::uint64_t count) {
  if (state_ != State::kOpen) check_open();
  num_entries_ += count;
  std::uint64_t difference = 0;
  std::uint64_t bytes = 0;
  for (const ColumnCount& column : counts_) {
    difference |= column.num_elements() ^ *column.expected;
    bytes += column.num_bytes();
  }
  if (difference != 0) act([&] { fail_count(); });
  if (bytes >= sizes_.cluster_bytes && num_entries_ > 0) act([&] { write_cluster(); });
}

void ClusterFiller::fail_count() const {
  const auto is_wrong = [](const ColumnCount& count) { return count.num_elements() != *count.expected; };
  const auto wrong = std::find_if(counts_.begin(), counts_.end(), is_wrong);
  const auto column = static_cast<std::size_t>(wrong - counts_.begin());
  const std::uint64_t has = wrong->num_elements(), wants = *wrong->expected;
  const bool is_list = columns_.schema().columns()[column].kind == ColumnKind::kEnds;
  throw SchemaError("column \"" + columns_[column].name + "\" has " +
                    counted(has < wants ? wants - has : has - wants, is_list ? "list" : "value",
                            is_list ? "lists" : "values") +
                    (has < wants ? " too few" : " too many") + " for the " +
                    counted(num_entries_before_ + num_entries_, "entry", "entries") + " of its fill context");
}

void ClusterFiller::write_cluster() {
  ClusterEnd end;
  end.num_entries = num_entries_;
  std::vector<std::vector<SealedPage>> pages;
  std::vector<CompressionSetting> compressions;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    ColumnState& state = states_[i];
    if (state.filler->num_open() > 0) seal_open_page(i);
    end.num_elements.push_back(std::exchange(state.num_sealed, 0));
    set_origin(i);
    pages.push_back(std::move(state.pages));
    compressions.push_back(state.compression.value_or(CompressionSetting{}));
    state.pages.clear();
    if (columns_.schema().columns()[i].kind == ColumnKind::kEnds)
      static_cast<ListFiller&>(*state.filler).end_of_list_ = 0;
  }
  num_entries_before_ += std::exchange(num_entries_, 0);
  target_.take(ticket_, {std::move(end), std::move(pages), std::move(compressions)},
               std::exchange(seconds_sealing_, 0));
}

void ClusterFiller::close() {
  if (state_ == State::kClosed) return;
  commit_entries(0);  // complains of values that belong to no entry
  act([&] {
    if (num_entries_ > 0) write_cluster();
    for (std::size_t i = 0; i < states_.size(); ++i) drop_memory(i);
    target_.close(ticket_);
    state_ = State::kClosed;
  });
}

}  // namespace skimline::io
