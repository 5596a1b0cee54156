// SPDX-License-Identifier: BSD-3-Clause
#include "config/corrections/correction_reader.h"

#include "base/resolved_path.h"
#include "config/corrections/corrections.h"
#include "config/corrections/resolved_checksums.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"

#include "skimline/io/file_checksum.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using FixedInputs = std::map<std::string, CorrectionInputValue>;

const char* kind_of(ScalarType input) {
  if (input == ScalarType::kString) return "a text";
  return input == ScalarType::kInt64 ? "an integer of 64 bits" : "a number";
}

// The value of an input as the config writes it; nothing if it is not of the type.
std::optional<CorrectionInputValue> value_of(const JsonValue& value, ScalarType type) {
  if (type == ScalarType::kString && value.kind == JsonKind::kString) return value.text;
  if (type == ScalarType::kDouble && (value.kind == JsonKind::kReal || value.kind == JsonKind::kInteger))
    return value.number;
  std::int64_t integer = 0;
  const char* end = value.text.data() + value.text.size();
  if (type == ScalarType::kInt64 && value.kind == JsonKind::kInteger &&
      std::from_chars(value.text.data(), end, integer) == std::from_chars_result{end, std::errc{}})
    return integer;
  return std::nullopt;
}

// Which function of which file it is. Checksums are too short: small changes of a file may have the same.
std::string content_of(const std::string& digest, const std::string& correction, const FixedInputs& fixed) {
  nlohmann::ordered_json content = {digest, correction};
  for (const auto& [name, value] : fixed) {
    content.push_back(name);
    std::visit([&](const auto& each) { content.push_back(each); }, value);
  }
  return content.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

class CorrectionReader {
 public:
  CorrectionReader(const std::filesystem::path& folder, Diagnostics& diagnostics)
      : folder_(folder), diagnostics_(diagnostics) {}

  std::optional<CorrectionConfig> read(const Text& name, const JsonValue& value) {
    const std::size_t num_errors = diagnostics_.size();
    check_identifier(name, "a correction", diagnostics_);
    const ObjectReader object(value, "the correction \"" + name.value + "\"",
                              {"file", "checksum", "correction", "inputs"}, diagnostics_);
    const std::optional<Text> file = object.required_text("file");
    const std::optional<Text> wanted = object.required_text("correction");
    const std::optional<Text> checksum = object.text("checksum");
    const OpenFile* opened = file ? open(*file) : nullptr;
    if (!opened || !wanted) return std::nullopt;
    if (checksum && checksum->value != opened->checksum)
      diagnostics_.add(checksum->location,
                       "\"" + file->value + "\" has the checksum \"" + opened->checksum + "\"");
    const std::vector<std::string> names = opened->corrections->names();
    if (std::find(names.begin(), names.end(), wanted->value) == names.end()) {
      diagnostics_.add(wanted->location, "\"" + file->value + "\" has no correction \"" + wanted->value +
                                             "\"" + diagnostics_.meant(wanted->value, names));
      return std::nullopt;
    }
    if (std::count(names.begin(), names.end(), wanted->value) > 1) {
      diagnostics_.add(wanted->location, "\"" + file->value +
                                             "\" has a correction and a compound correction \"" +
                                             wanted->value + "\": which one is meant cannot be told");
      return std::nullopt;
    }
    FixedInputs fixed;
    if (const JsonValue* inputs = object.find("inputs"))
      fixed = read_inputs(*inputs, wanted->value, opened->corrections->inputs(wanted->value));
    if (diagnostics_.size() != num_errors) return std::nullopt;
    return CorrectionConfig{name, opened->path, opened->checksum,
                            opened->corrections->function(wanted->value, fixed),
                            content_of(opened->corrections->digest(), wanted->value, fixed)};
  }

 private:
  struct OpenFile {
    std::string path;
    std::string checksum;
    std::shared_ptr<const CorrectionFile> corrections;
  };

  // Each file is read once; one that cannot be used is a mistake wherever it is named.
  const OpenFile* open(const Text& file) {
    const std::string path = resolved(folder_, file.value).string();
    try {
      const auto found = files_.find(path);
      if (found != files_.end()) return &found->second;
      OpenFile opened{path, io::file_checksum(path), read_correction_file(path)};
      return &files_.emplace(path, std::move(opened)).first->second;
    } catch (const Error& error) {
      diagnostics_.add(file.location, error.what());
      return nullptr;
    }
  }

  FixedInputs read_inputs(const JsonValue& value, const std::string& correction,
                          const std::vector<CorrectionInput>& inputs) {
    FixedInputs fixed;
    for_each_named(value, "\"inputs\"", diagnostics_, [&](const Text& name, const JsonValue& each) {
      const auto is_named = [&](const CorrectionInput& input) { return input.name == name.value; };
      const auto input = std::find_if(inputs.begin(), inputs.end(), is_named);
      if (input == inputs.end()) return report_unknown(name, correction, inputs);
      if (auto read = value_of(each, input->type))
        fixed.emplace(name.value, std::move(*read));
      else
        diagnostics_.add(each.location, "the input \"" + name.value + "\" of the correction \"" + correction +
                                            "\" must be " + kind_of(input->type) + ", got " +
                                            name_of(each.kind));
    });
    return fixed;
  }

  void report_unknown(const Text& name, const std::string& correction,
                      const std::vector<CorrectionInput>& inputs) {
    std::vector<std::string> names;
    std::string list;
    for (const CorrectionInput& input : inputs) {
      names.push_back(input.name);
      list += (list.empty() ? "" : ", ") + input.name;
    }
    const std::string meant = did_you_mean(name.value, names);
    diagnostics_.add(name.location, "the correction \"" + correction + "\" has no input \"" + name.value +
                                        "\"" + (meant.empty() ? ": it has " + list : meant));
  }

  std::filesystem::path folder_;
  Diagnostics& diagnostics_;
  std::map<std::string, OpenFile> files_;
};

}  // namespace

void read_corrections(const JsonValue& value, const std::filesystem::path& folder, Config& config,
                      Diagnostics& diagnostics) {
  const std::size_t num_errors = diagnostics.size();
  CorrectionReader reader(folder, diagnostics);
  for_each_named(value, "\"corrections\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    if (auto read = reader.read(name, each)) config.corrections.push_back(std::move(*read));
  });
  if (diagnostics.size() != num_errors) return;
  NamedChecksums checksums;
  for (const CorrectionConfig& each : config.corrections)
    checksums.emplace_back(each.name.value, each.checksum);
  add_checksums("corrections", checksums, config.resolved);
}

}  // namespace skimline::skims
