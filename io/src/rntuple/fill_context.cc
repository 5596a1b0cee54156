// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/fill_context.h"

#include "rntuple/cluster_filler.h"

#include "skimline/framework/error.h"

#include <string>
#include <utility>

namespace skimline::io {

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
