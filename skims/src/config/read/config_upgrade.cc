// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/config_upgrade.h"

#include "config/json/located_json.h"
#include "config/read/schema_version.h"

#include "skimline/skims/config_options.h"
#include "skimline/skims/config_reader.h"

#include <memory>

namespace skimline::skims {
namespace {

// Configs without a number, such as those of before there were numbers, mean what version 1 does.
ConfigChange number_config(const std::string& text, const JsonValue& root) {
  const std::size_t begin = root.location.begin + 1;
  const std::size_t first = text.find_first_not_of(" \t\r\n", begin);
  const std::string blanks = text.substr(begin, first - begin);
  return {{begin, begin},
          blanks + "\"" + kSchemaVersionKey + "\": " + std::to_string(kSchemaVersion) +
              (root.items.empty() ? "" : ",") + (blanks.empty() ? " " : ""),
          "the version of the schema is named"};
}

std::string applied(const std::string& text, const std::vector<ConfigChange>& changes) {
  std::string changed;
  std::size_t place = 0;
  for (const ConfigChange& change : changes) {
    changed.append(text, place, change.location.begin - place).append(change.text);
    place = change.location.end;
  }
  return changed.append(text, place);
}

}  // namespace

UpgradedConfig upgrade_config(const std::string& path, const std::string& text) {
  const auto source = std::make_shared<ConfigText>(text_of_one_part(path, text));
  Diagnostics diagnostics(source);
  const JsonValue root = parse_located_json(text, diagnostics);
  diagnostics.throw_if_any();
  UpgradedConfig upgraded;
  // Mistakes are told with their places in the file as it is.
  ConfigOptions options;
  options.finds_inputs = false;
  if (root.kind == JsonKind::kObject && !root.find(kSchemaVersionKey)) {
    upgraded.changes.push_back(number_config(text, root));
    options.sets.push_back(kSchemaVersionKey + ("=" + std::to_string(kSchemaVersion)));
  }
  parse_config(path, text, options);
  upgraded.text = applied(text, upgraded.changes);
  return upgraded;
}

}  // namespace skimline::skims
