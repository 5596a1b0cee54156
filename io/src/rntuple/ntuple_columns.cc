// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/ntuple_columns.h"

#include "rntuple/carried_fields.h"
#include "rntuple/equal_ends.h"
#include "rntuple/field_sizes.h"
#include "rntuple/held_values.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skimline::io {

NTupleColumns::NTupleColumns(const std::vector<std::unique_ptr<OpenNTuple>>& files,
                             const InputOptions& options)
    : files_(files) {
  const std::shared_ptr<const KnownColumns>& kind = files_.front()->kind();
  const bool is_kept =
      options.defaults.empty() &&
      std::all_of(files_.begin(), files_.end(), [&](const auto& file) { return file->kind() == kind; });
  static HeldValues<Offer> held;
  const auto is_ours = [&](const Offer& offer) { return offer.kind == kind; };
  if (is_kept) offer_ = held.find(is_ours);
  if (offer_)
    map_columns(offer_->columns.schema, offer_->places);
  else if (is_kept)
    offer_ = held.add(make_offer(options, kind), is_ours);
  else
    offer_ = make_offer(options, nullptr);
}

std::shared_ptr<const NTupleColumns::Offer> NTupleColumns::make_offer(
    const InputOptions& options, std::shared_ptr<const KnownColumns> kind) {
  auto made = std::make_shared<Offer>();
  made->kind = std::move(kind);
  made->columns = find_columns(options);
  made->places = files_.front()->find_places(made->columns.schema);
  map_columns(made->columns.schema, made->places);
  made->names_of_one_field = find_names_of_one_field(made->columns.schema);
  return made;
}

OfferedColumns NTupleColumns::find_columns(const InputOptions& options) const {
  std::vector<ColumnsOfFile> all;
  for (const std::unique_ptr<OpenNTuple>& file : files_) all.push_back({file->root().path(), file->fields()});
  MatchedFields matched = match_fields(all);
  OfferedColumnsBuilder builder(options, files_.size());
  for (const MatchedColumn& column : matched.columns) builder.add(found(column));
  for (UnsupportedField& field : matched.unsupported) builder.reject(std::move(field));
  return builder.finish();
}

void NTupleColumns::map_columns(const Schema& schema, OpenNTuple::ColumnPlaces in_first) {
  files_.front()->map_columns(std::move(in_first));
  for (const std::unique_ptr<OpenNTuple>& file : files_)
    if (!share(*file) && file != files_.front()) file->map_columns(file->find_places(schema));
}

FoundColumn NTupleColumns::found(const MatchedColumn& matched) const {
  const FieldColumn& column = *matched.column;
  FoundColumn found{{column.name, column.type, column.description, matched.other_descriptions},
                    column.field_type,
                    files_[matched.file]->root().path()};
  found.num_without = files_.size() - matched.num_files;
  if (matched.without) found.path_without = files_[*matched.without]->root().path();
  found.problem = matched.problem;
  found.is_second_name = matched.is_second_name;
  return found;
}

bool NTupleColumns::share(OpenNTuple& file) {
  const auto [first, is_new] = first_of_kind_.emplace(file.kind().get(), &file);
  if (is_new) kinds_.push_back(&file);
  if (first->second == &file) return false;
  file.share_with(*first->second);
  return true;
}

FieldSize NTupleColumns::field_size(const std::string& name) const {
  FieldSize size;
  const std::optional<std::size_t> column = offered().schema.find(name);
  for (const std::unique_ptr<OpenNTuple>& file : files_)
    size += column ? file->size_of_column(*column) : size_of_field(file->descriptor(), name);
  return size;
}

// Lists of one collection have the same stream of ends, in every file.
std::vector<Collection> NTupleColumns::lists_of_equal_sizes() const {
  std::vector<std::vector<EndsColumn>> by_kind;
  for (const OpenNTuple* file : kinds_) {
    std::vector<EndsColumn>& ends = by_kind.emplace_back();
    for (std::size_t column = 0; column < offered().schema.size(); ++column) {
      const FieldColumn* here = file->find(column);
      ends.push_back(here ? ends_of(*here) : EndsColumn{});
    }
  }
  return columns_with_equal_ends(offered().schema, by_kind);
}

// They have the same streams in every file.
std::vector<std::vector<std::string>> NTupleColumns::find_names_of_one_field(const Schema& schema) const {
  std::map<std::vector<std::size_t>, std::vector<std::string>> names;
  for (std::size_t column = 0; column < schema.size(); ++column) {
    if (is_lacking(column)) continue;
    std::vector<std::size_t> streams{static_cast<std::size_t>(schema[column].type.scalar)};
    for (const OpenNTuple* file : kinds_) {
      const std::vector<std::size_t> here = file->find(column)->streams();
      streams.push_back(here.size());
      streams.insert(streams.end(), here.begin(), here.end());
    }
    names[streams].push_back(schema[column].name);
  }
  std::vector<std::vector<std::string>> several;
  for (auto& [streams, all] : names)
    if (all.size() > 1) several.push_back(std::move(all));
  return several;
}

std::vector<std::string> NTupleColumns::names_in_records() const {
  const std::vector<bool> is_in_record = fields_in_records(files_.front()->descriptor());
  std::vector<std::string> names;
  for (std::size_t column = 0; column < offered().schema.size(); ++column)
    if (const FieldColumn* here = files_.front()->find(column); here && is_in_record[here->field])
      names.push_back(offered().schema[column].name);
  for (const UnsupportedField& field : offered().unsupported)
    if (field.is_carriable && is_in_record.at(field.field)) names.push_back(field.name);
  return names;
}

std::vector<std::uint32_t> NTupleColumns::kept_fields(const std::vector<std::string>& names,
                                                      std::vector<std::string>& computed) const {
  std::vector<std::uint32_t> kept, counts;
  std::map<std::uint32_t, std::string> name_of_count;
  for (const std::string& name : names) {
    const std::optional<std::size_t> number = offered().schema.find(name);
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
  const std::vector<std::uint32_t> without = counts_without_items(files_.front()->descriptor(), kept, counts);
  for (const std::uint32_t field : without) computed.push_back(name_of_count[field]);
  for (const std::uint32_t field : counts)
    if (std::find(without.begin(), without.end(), field) == without.end()) kept.push_back(field);
  return kept;
}

bool NTupleColumns::is_lacking(std::size_t column) const {
  return std::any_of(kinds_.begin(), kinds_.end(),
                     [&](const OpenNTuple* file) { return !file->find(column); });
}

bool NTupleColumns::is_count_in_some(std::size_t column) const {
  return std::any_of(kinds_.begin(), kinds_.end(), [&](const OpenNTuple* file) {
    return file->find(column)->is_count() != kinds_.front()->find(column)->is_count();
  });
}

std::uint32_t NTupleColumns::unsupported_field(const std::string& name) const {
  for (const UnsupportedField& field : offered().unsupported)
    if (field.name == name && field.is_carriable) return field.field;
  throw SchemaError("there is no field \"" + name + "\"");
}

}  // namespace skimline::io
