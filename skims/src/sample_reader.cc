// SPDX-License-Identifier: BSD-3-Clause
#include "sample_reader.h"

#include "input_files.h"
#include "name_checks.h"
#include "object_reader.h"

#include <cmath>

namespace skimline::skims {
namespace {

void read_metadata(const JsonValue& value, Sample& sample, Diagnostics& diagnostics) {
  for_each_named(value, "\"metadata\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    check_identifier(name, "a value", diagnostics);
    if (auto read = read_constant(each, "a value", diagnostics))
      sample.metadata.push_back({name, std::move(*read)});
  });
}

}  // namespace

std::optional<ConstantValue> read_constant(const JsonValue& value, const std::string& what,
                                           Diagnostics& diagnostics) {
  if (value.kind == JsonKind::kBool) return value.boolean;
  if (value.kind == JsonKind::kReal) return value.number;
  if (value.kind == JsonKind::kString) return value.text;
  if (value.kind == JsonKind::kInteger && std::abs(value.number) <= kLargestInteger)
    return static_cast<std::int64_t>(value.number);
  diagnostics.add(
      value.location,
      what + " must be true, false, a number (integers up to 2^53) or a text, got " + name_of(value.kind));
  return std::nullopt;
}

Sample read_sample(const Text& name, const JsonValue& value, const std::filesystem::path& folder,
                   Diagnostics& diagnostics) {
  const ObjectReader object(value, "the sample \"" + name.value + "\"", {"files", "metadata"}, diagnostics);
  Sample sample;
  sample.name = name;
  if (object.require("files")) sample.files = object.texts("files");
  if (const JsonValue* metadata = object.find("metadata")) read_metadata(*metadata, sample, diagnostics);
  find_inputs(folder, sample, diagnostics);
  return sample;
}

}  // namespace skimline::skims
