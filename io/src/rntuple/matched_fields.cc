// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/matched_fields.h"

#include "columns/offered_columns.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace skimline::io {
namespace {

constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

// Fields of one name that no column shows.
struct MatchedUnsupported {
  UnsupportedField field;  // of the first file
  std::size_t file = 0;    // this file
  std::size_t num_files = 0;
  std::size_t last = kUnmatched;       // file
  std::optional<std::size_t> without;  // the first file that lacks it
};

// Goes through the files in order.
class Matcher {
 public:
  explicit Matcher(const std::vector<ColumnsOfFile>& files) : files_(files) {}

  MatchedFields match() {
    for (std::size_t file = 0; file < files_.size(); ++file) {
      for (const FieldColumn& column : files_[file].fields.columns) add(column, file);
      for (const UnsupportedField& field : files_[file].fields.unsupported) add(field, file);
    }
    for (MatchedColumn& column : found_.columns)
      if (column.num_files < files_.size() && !column.without) column.without = column.num_files;
    find_second_names();
    for (MatchedUnsupported& each : unsupported_) settle(each);
    return std::move(found_);
  }

 private:
  void add(const FieldColumn& column, std::size_t file) {
    const auto [number, is_new] = columns_.emplace(column.name, found_.columns.size());
    if (is_new) {
      found_.columns.push_back({&column, file, 0, std::nullopt, {}, false});
      last_.push_back(kUnmatched);
    }
    MatchedColumn& matched = found_.columns[number->second];
    if (last_[number->second] == file) throw SchemaError("column \"" + column.name + "\" exists twice");
    last_[number->second] = file;
    if (matched.num_files < file && !matched.without) matched.without = matched.num_files;
    ++matched.num_files;
    if (column.type != matched.column->type && matched.problem.empty())
      matched.problem = "it is " + name_of(matched.column->type) + " in " + files_[matched.file].path +
                        " and " + name_of(column.type) + " in " + files_[file].path;
  }

  void add(const UnsupportedField& field, std::size_t file) {
    const auto [number, is_new] = numbers_.emplace(field.name, unsupported_.size());
    if (is_new) unsupported_.push_back({field, file, 0, kUnmatched, std::nullopt});
    MatchedUnsupported& matched = unsupported_[number->second];
    if (matched.last == file) return;  // another part of the same field
    matched.last = file;
    if (matched.num_files < file && !matched.without) matched.without = matched.num_files;
    ++matched.num_files;
  }

  // Names that differ in dots only mean the same unless some file has other values under them. It matters for
  // columns that are not offered.
  void find_second_names() {
    const bool all_are_offered =
        std::all_of(found_.columns.begin(), found_.columns.end(),
                    [](const MatchedColumn& column) { return !column.without && column.problem.empty(); });
    if (all_are_offered) return;
    std::set<const FieldColumns*> known;
    std::unordered_set<std::string> separate;
    for (const ColumnsOfFile& file : files_)
      if (known.insert(&file.fields).second) add_separate_names(file.fields, separate);
    for (MatchedColumn& column : found_.columns)
      column.is_second_name = !separate.contains(with_underscores(column.column->name));
    known.clear();
    for (const ColumnsOfFile& file : files_)
      if (known.insert(&file.fields).second) find_other_spellings(file);
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
      const std::size_t without = each.without.value_or(each.num_files);
      each.field.is_carriable = false;
      each.field.is_different = true;
      each.field.reason = missing_text(files_[without].path, files_.size() - each.num_files);
    }
    found_.unsupported.push_back(std::move(each.field));
  }

  const std::vector<ColumnsOfFile>& files_;
  MatchedFields found_;
  std::vector<std::size_t> last_;  // by column, the file that had it last
  std::unordered_map<std::string_view, std::size_t> columns_;
  std::vector<MatchedUnsupported> unsupported_;
  std::unordered_map<std::string_view, std::size_t> numbers_;  // of these
};

}  // namespace

MatchedFields match_fields(const std::vector<ColumnsOfFile>& files) { return Matcher(files).match(); }

}  // namespace skimline::io
