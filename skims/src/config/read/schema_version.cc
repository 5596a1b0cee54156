// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/schema_version.h"

#include <string>
#include <utility>

namespace skimline::skims {
namespace {

bool is_version(const JsonValue& value) { return value.kind == JsonKind::kInteger && value.number >= 1; }

}  // namespace

void check_schema_version(const ObjectReader& config, Diagnostics& diagnostics) {
  const std::string key = kSchemaVersionKey, known = std::to_string(kSchemaVersion);
  const JsonValue* version = config.require(kSchemaVersionKey);
  if (!version || (is_version(*version) && version->number == kSchemaVersion)) return;
  std::string message = "\"" + key + "\" must be " + known + ", the only one this program knows";
  if (is_version(*version)) message += "; version " + version->text + " is of a newer one";
  diagnostics.add(version->location, std::move(message));
}

}  // namespace skimline::skims
