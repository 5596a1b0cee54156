// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/starter_config.h"

#include "base/resolved_path.h"
#include "config/json/located_json.h"
#include "config/json/name_checks.h"
#include "config/read/value_ranges.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/io/field_name.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/root_file.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaximumHistograms = 3;  // of flat columns, and of lists
constexpr int kBins = 50;
constexpr const char* kWeight = "genWeight";

std::string json_of(const std::string& text) { return nlohmann::json(text).dump(); }

// A text that is not taken for a variable.
std::string plain_json_of(std::string text) {
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at + 3))
    text.insert(at, "$");
  return json_of(text);
}

std::string number_text(double value) { return significant_digits(value, 6); }

io::InputLocation named(const std::string& location) {
  io::InputLocation named = io::parse_location(location);
  if (!named.name.empty()) return named;
  const std::vector<std::string> names = io::data_names(io::RootFile(named.path));
  if (std::find(names.begin(), names.end(), "Events") != names.end())
    named.name = "Events";
  else if (names.size() == 1)
    named.name = names.front();
  return named;
}

// What a file name has that the name of a sample may have.
std::string sample_name(const std::string& path) {
  const std::string name = legal_object_name(fs::path(path).stem().string());
  return is_object_name(name) ? name : "sample";
}

bool is_letter_or_digit(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

// What a column's name has that the name of a histogram may have, and no other histogram has.
std::string histogram_name(const std::string& column, std::set<std::string>& taken) {
  const std::string legal = legal_object_name(column);
  const std::string plain = is_object_name(legal) ? legal : "column";
  std::string name = plain;
  for (int number = 2; !taken.insert(name).second; ++number) name = plain + "_" + std::to_string(number);
  return name;
}

class StarterConfig {
 public:
  StarterConfig(const std::string& location, const fs::path& config_path)
      : config_path_(config_path), location_(named(location)), source_(io::open_inputs({location_})) {
    if (source_->schema().columns().empty() && source_->unsupported_fields().empty())
      throw FileError(location_.path, "has no columns in \"" + location_.name + "\"");
    count_ = find_count();
    for (const std::size_t column : best_columns(0)) columns_.push_back(column);
    for (const std::size_t column : best_columns(1)) columns_.push_back(column);
    if (!count_ && columns_.empty() && !has_skim())
      throw FileError(location_.path, "has no columns in \"" + location_.name + "\" to begin a config with");
  }

  std::string text() {
    std::string text = head() + samples() + definitions();
    if (count_) text += selection();
    if (!columns_.empty()) text += histograms();
    if (has_skim()) text += skims();
    return text + output() + "}\n";
  }

 private:
  const std::string& name_of(std::size_t column) const { return source_->schema()[column].name; }

  // A count such as nMuon of lists such as Muon_pt; that of muons, else the first one.
  std::optional<std::string> find_count() const {
    std::optional<std::string> first;
    for (const ColumnInfo& column : source_->schema().columns()) {
      if (column.type.is_jagged() || !is_integer(column.type.scalar) || !column.name.starts_with('n'))
        continue;
      if (!is_unicode(column.name) || !has_lists_of(column.name.substr(1))) continue;
      if (column.name == "nMuon") return column.name;
      if (!first) first = column.name;
    }
    return first;
  }

  bool has_lists_of(const std::string& collection) const {
    const auto& columns = source_->schema().columns();
    return !collection.empty() && std::any_of(columns.begin(), columns.end(), [&](const ColumnInfo& column) {
      return column.type.is_jagged() && column.name.starts_with(collection + "_");
    });
  }

  // Columns of real numbers that are of most interest.
  std::vector<std::size_t> best_columns(int depth) const {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < source_->schema().size(); ++i) {
      const ColumnInfo& column = source_->schema()[i];
      const bool is_real =
          column.type.scalar == ScalarType::kFloat || column.type.scalar == ScalarType::kDouble;
      if (is_real && column.type.depth == depth && column.name != kWeight && is_unicode(column.name))
        columns.push_back(i);
    }
    std::stable_sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) {
      return interest(name_of(a)) > interest(name_of(b));
    });
    columns.resize(std::min(columns.size(), kMaximumHistograms));
    std::sort(columns.begin(), columns.end());
    return columns;
  }

  int interest(const std::string& name) const {
    const bool is_counted = count_ && name.starts_with(count_->substr(1) + "_");
    const std::string last = name.substr(last_word(name));
    const bool is_momentum = last == "pt" || last == "mass";
    const bool is_direction = last == "eta" || last == "phi";
    return (is_counted ? 4 : 0) + (is_momentum ? 2 : is_direction ? 1 : 0);
  }

  // Where "pt" begins in "Muon_pt" and "Muons:pt".
  static std::size_t last_word(const std::string& name) {
    std::size_t begin = name.size();
    while (begin > 0 && is_letter_or_digit(name[begin - 1])) --begin;
    return begin;
  }

  std::string head() const {
    return "// Check this with \"skimline validate\", see what it would do with \"skimline plan\", run it "
           "with\n"
           "// \"skimline run\". docs/config-reference.md has all keys.\n"
           "{\n"
           "  \"$schema\": \"https://skimline.org/schema/skimline-1.schema.json\",\n"
           "  \"schema_version\": 1,\n\n";
  }

  std::string samples() const {
    const auto weight = source_->schema().find(kWeight);
    return "  // What is read. Paths are relative to this file; * ? [] match as in a shell.\n"
           "  \"samples\": {\n    " +
           json_of(sample_name(location_.path)) + ": {\n      \"files\": [" + plain_json_of(input()) +
           "],\n" +
           "      // For simulated events: the cross section, and the weight whose sum it stands for.\n"
           "      // \"cross_section_pb\": 1.0, \"sum_weights\": " +
           json_of(weight ? kWeight : "1") + ",\n    },\n  },\n\n";
  }

  std::string definitions() const {
    const auto list = std::find_if(columns_.begin(), columns_.end(), [&](std::size_t column) {
      return source_->schema()[column].type.is_jagged();
    });
    const std::string expression =
        list != columns_.end() ? "Max(" + in_expression(name_of(*list)) + ")" : "2 * entry_";
    return "  // Names for expressions, which are C++; all that follow may use them.\n"
           "  // \"define\": {\"leading\": " +
           plain_json_of(expression) + "},\n\n";
  }

  std::string selection() const {
    return "  // The steps of the cutflow: an event has to pass all of them.\n"
           "  \"select\": [\n    {\"name\": " +
           plain_json_of("at least one " + count_->substr(1)) +
           ", \"where\": " + plain_json_of(in_expression(*count_) + " > 0") + "},\n  ],\n\n";
  }

  std::string histograms() {
    const std::vector<ValueRange> ranges = usual_ranges(*source_, columns_);
    std::string text =
        "  // Filled with the events that pass; a list fills each of its elements.\n"
        "  \"histograms\": {\n";
    std::set<std::string> names;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      text += "    " + json_of(histogram_name(name_of(columns_[i]), names)) +
              ": {\"x\": {\"value\": " + plain_json_of(in_expression(name_of(columns_[i]))) +
              ", \"bins\": " + std::to_string(kBins) + ", \"range\": [" + number_text(ranges[i].low) + ", " +
              number_text(ranges[i].high) + "]}},\n";
    return text + "  },\n\n";
  }

  std::string skims() const {
    const std::string some = count_ ? count_->substr(1) + "_*" : "*";
    return "  // The events that pass, with all columns or those that \"keep\" names.\n"
           "  \"skims\": {\n    \"selected\": {\n      \"file\": " +
           plain_json_of(output_name("skim.root")) + ",\n      // \"keep\": [" + plain_json_of(some) +
           "],\n" + dropped() + "      \"compression\": \"auto\",\n    },\n  },\n";
  }

  // Members of records lose their dots.
  static bool can_be_written(const std::string& column) {
    return io::is_legal_name(with_underscores(column));
  }

  bool has_skim() const {
    const std::vector<std::string> names = source_->schema().names();
    const std::vector<io::UnsupportedField>& unsupported = source_->unsupported_fields();
    return std::any_of(names.begin(), names.end(), can_be_written) ||
           std::any_of(unsupported.begin(), unsupported.end(),
                       [](const io::UnsupportedField& field) { return field.is_carriable; });
  }

  // Columns whose names no output can have.
  std::string dropped() const {
    std::string names;
    for (const std::string& column : source_->schema().names())
      if (is_unicode(column) && !can_be_written(column))
        names += (names.empty() ? "" : ", ") + plain_json_of(in_expression(column));
    return names.empty() ? names
                         : "      // Names that no output can have.\n      \"drop\": [" + names + "],\n";
  }

  std::string output() const {
    if (columns_.empty()) return "";
    return "\n  \"output\": {\"histograms\": " + plain_json_of(output_name("histograms.root")) + "},\n";
  }

  // As seen from the folder of the config.
  std::string input() const {
    const fs::path path(location_.path);
    std::string text = path.string();
    if (path.is_relative() && !io::is_url(text))
      text = path_from_folder(path, config_path_.parent_path()).string();
    if (text.starts_with('@')) text.insert(0, "./");
    return text + ":" + location_.name;
  }

  // A file beside the config that is not the input.
  std::string output_name(const std::string& ending) const {
    std::string plain = config_path_.stem().string() + "_" + ending;
    while (plain == fs::path(location_.path).filename()) plain.insert(0, "new_");
    return plain;
  }

  fs::path config_path_;
  io::InputLocation location_;
  std::unique_ptr<io::InputSource> source_;
  std::optional<std::string> count_;
  std::vector<std::size_t> columns_;  // that get histograms
};

}  // namespace

std::string starter_config(const std::string& location, const std::string& config_path) {
  return StarterConfig(location, config_path).text();
}

}  // namespace skimline::skims
