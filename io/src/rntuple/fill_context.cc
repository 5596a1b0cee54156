// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/fill_context.h"

#include "rntuple/cluster_filler.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline::io {

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

FillContext::FillContext(std::unique_ptr<ClusterFiller> cluster) : cluster_(std::move(cluster)) {}
FillContext::~FillContext() = default;

ColumnFiller& FillContext::value_filler(std::string_view name, ScalarType scalar) {
  const WritableColumns& columns = cluster_->columns();
  const std::size_t column = columns.values(name);
  if (columns[column].scalar != scalar)
    throw SchemaError("column \"" + std::string(name) + "\" holds " +
                      std::string(name_of(columns[column].scalar)) + ", not " + std::string(name_of(scalar)));
  return cluster_->column(column);
}

ListFiller& FillContext::list(std::string_view name) {
  return static_cast<ListFiller&>(cluster_->column(cluster_->columns().list(name)));
}

StringFiller FillContext::strings(std::string_view name) {
  const std::size_t column = cluster_->columns().strings(name);
  return {static_cast<ListFiller&>(cluster_->column(column)),
          static_cast<ValueFiller<std::int8_t>&>(cluster_->column(column + 1))};
}

void FillContext::commit_entries(std::uint64_t count) { cluster_->commit_entries(count); }

void FillContext::close() { cluster_->close(); }

}  // namespace skimline::io
