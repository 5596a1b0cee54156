// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/matched_fields.h"

#include "columns/offered_columns.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace skimline::io {
namespace {

// Files with the same columns, which most have of many.
struct Kind {
  const FieldColumns& fields;
  std::size_t first_file = 0;
  std::size_t num_files = 0;
};

// In the order of their first files.
std::vector<Kind> kinds_of(const std::vector<ColumnsOfFile>& files) {
  std::vector<Kind> kinds;
  std::unordered_map<const FieldColumns*, std::size_t> numbers;
  for (std::size_t file = 0; file < files.size(); ++file) {
    const auto [number, is_new] = numbers.emplace(&files[file].fields, kinds.size());
    if (is_new) kinds.push_back({files[file].fields, file, 0});
    ++kinds[number->second].num_files;
  }
  return kinds;
}

// Which of the kinds have a name.
class KindsWithName {
 public:
  /// Kinds are added in their order; returns false if this one was already.
  bool add(std::size_t kind) {
    if (num_ > 0 && last_ == kind) return false;
    if (num_ < kind && !without_) without_ = num_;
    last_ = kind;
    ++num_;
    return true;
  }
  /// The first of `num_kinds` that lacks it.
  std::optional<std::size_t> first_without(std::size_t num_kinds) const {
    return without_ || num_ == num_kinds ? without_ : num_;
  }

 private:
  std::size_t num_ = 0, last_ = 0;
  std::optional<std::size_t> without_;
};

// Fields of one name that no column shows.
struct MatchedUnsupported {
  UnsupportedField field;  // of the first file
  std::size_t file = 0;    // this file
  std::size_t num_files = 0;
  KindsWithName kinds{};
};

// Goes through the kinds of files in order.
class Matcher {
 public:
  explicit Matcher(const std::vector<ColumnsOfFile>& files) : files_(files), kinds_(kinds_of(files)) {}

  MatchedFields match() {
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      for (const FieldColumn& column : kinds_[kind].fields.columns) add(column, kind);
      for (const UnsupportedField& field : kinds_[kind].fields.unsupported) add(field, kind);
    }
    for (std::size_t column = 0; column < found_.columns.size(); ++column)
      found_.columns[column].without = first_file_without(kinds_with_column_[column]);
    find_second_names();
    for (MatchedColumn& column : found_.columns) find_unreadable_parents(column);
    for (MatchedUnsupported& each : unsupported_) settle(each);
    return std::move(found_);
  }

 private:
  void add(const FieldColumn& column, std::size_t kind) {
    const std::size_t file = kinds_[kind].first_file;
    const auto [number, is_new] = columns_.emplace(column.name, found_.columns.size());
    if (is_new) {
      found_.columns.push_back({&column, file, 0, std::nullopt, {}, {}, false});
      kinds_with_column_.emplace_back();
    }
    MatchedColumn& matched = found_.columns[number->second];
    if (!kinds_with_column_[number->second].add(kind))
      throw SchemaError("column \"" + column.name + "\" exists twice");
    matched.num_files += kinds_[kind].num_files;
    note_description(column.description, matched.column->description, matched.other_descriptions);
    if (column.type != matched.column->type && matched.problem.empty())
      matched.problem = "it is " + name_of(matched.column->type) + " in " + files_[matched.file].path +
                        " and " + name_of(column.type) + " in " + files_[file].path;
  }

  void add(const UnsupportedField& field, std::size_t kind) {
    const auto [number, is_new] = numbers_.emplace(field.name, unsupported_.size());
    if (is_new) unsupported_.push_back({field, kinds_[kind].first_file});
    MatchedUnsupported& matched = unsupported_[number->second];
    if (matched.kinds.add(kind))  // else another part of the same field
      matched.num_files += kinds_[kind].num_files;
  }

  std::optional<std::size_t> first_file_without(const KindsWithName& name) const {
    const std::optional<std::size_t> kind = name.first_without(kinds_.size());
    if (!kind) return std::nullopt;
    return kinds_[*kind].first_file;
  }

  // Names that differ in dots only mean the same unless some file has other values under them. It matters for
  // columns that are not offered.
  void find_second_names() {
    const bool all_are_offered =
        std::all_of(found_.columns.begin(), found_.columns.end(),
                    [](const MatchedColumn& column) { return !column.without && column.problem.empty(); });
    if (all_are_offered) return;
    std::unordered_set<std::string> separate;
    for (const Kind& kind : kinds_) add_separate_names(kind.fields, separate);
    for (MatchedColumn& column : found_.columns)
      column.is_second_name = !separate.contains(with_underscores(column.column->name));
    for (const Kind& kind : kinds_) find_other_spellings(files_[kind.first_file]);
  }

  // Values that are there under the other spelling are not missing.
  void find_other_spellings(const ColumnsOfFile& file) {
    std::unordered_map<std::string, std::string_view> spelt;
    std::unordered_set<std::string_view> names;
    for (const FieldColumn& column : file.fields.columns) {
      spelt.emplace(with_underscores(column.name), column.name);
      names.insert(column.name);
    }
    for (MatchedColumn& matched : found_.columns) {
      const std::string& name = matched.column->name;
      if (!matched.without || !matched.problem.empty() || !matched.is_second_name || names.contains(name))
        continue;
      if (const auto other = spelt.find(with_underscores(name)); other != spelt.end())
        matched.problem = "it is called \"" + std::string(other->second) + "\" in " + file.path;
    }
  }

  static void add_separate_names(const FieldColumns& fields, std::unordered_set<std::string>& separate) {
    std::unordered_map<std::string, const FieldColumn*> first;
    for (const FieldColumn& column : fields.columns) {
      const auto [same, is_new] = first.emplace(with_underscores(column.name), &column);
      const FieldColumn& other = *same->second;
      if (!is_new && (column.type != other.type || column.streams() != other.streams()))
        separate.insert(same->first);
    }
  }

  // Nor are they where some file has all of what they are in as one that cannot be read.
  void find_unreadable_parents(MatchedColumn& matched) const {
    const std::string_view name = matched.column->name;
    if (!matched.without) return;
    for (std::size_t end = name.find('.'); end != std::string_view::npos && matched.problem.empty();
         end = name.find('.', end + 1))
      if (const auto parent = numbers_.find(name.substr(0, end)); parent != numbers_.end()) {
        const MatchedUnsupported& each = unsupported_[parent->second];
        matched.problem =
            "in " + files_[each.file].path + ": \"" + each.field.name + "\": " + each.field.reason;
      }
  }

  // Values that are there but cannot be read are not missing.
  void settle(MatchedUnsupported& each) {
    if (const auto column = columns_.find(each.field.name); column != columns_.end()) {
      MatchedColumn& matched = found_.columns[column->second];
      if (matched.num_files < files_.size()) {
        if (matched.problem.empty())
          matched.problem = "in " + files_[each.file].path + ": " + each.field.reason;
        return;
      }
    }
    if (each.num_files < files_.size()) {
      const std::size_t without = first_file_without(each.kinds).value();
      each.field.is_carriable = false;
      each.field.is_different = true;
      each.field.reason = missing_text(files_[without].path, files_.size() - each.num_files);
    }
    found_.unsupported.push_back(std::move(each.field));
  }

  const std::vector<ColumnsOfFile>& files_;
  std::vector<Kind> kinds_;
  MatchedFields found_;
  std::vector<KindsWithName> kinds_with_column_;  // by column
  std::unordered_map<std::string_view, std::size_t> columns_;
  std::vector<MatchedUnsupported> unsupported_;
  std::unordered_map<std::string_view, std::size_t> numbers_;  // of these
};

}  // namespace

MatchedFields match_fields(const std::vector<ColumnsOfFile>& files) { return Matcher(files).match(); }

}  // namespace skimline::io
