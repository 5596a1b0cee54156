// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/expanded_config.h"

#include "base/text_file.h"
#include "config/json/located_json.h"
#include "config/read/config_composer.h"
#include "config/read/config_variables.h"

#include "skimline/io/url_secrets.h"

#include <memory>

namespace skimline::skims {
namespace {

// Objects and lists that fit into a line stay in it.
constexpr std::size_t kLine = 100;

void append(const JsonValue& value, std::size_t depth, std::string& text) {
  const std::string compact = compact_json(value);
  const bool is_object = value.kind == JsonKind::kObject;
  const bool is_open = depth == 0 || compact.size() + 2 * depth > kLine;
  if (value.items.empty() || !is_open) {
    text += compact;
    return;
  }
  text += is_object ? "{" : "[";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + std::string(2 * depth + 2, ' ');
    if (is_object) {
      JsonValue key;
      key.kind = JsonKind::kString;
      key.text = value.keys[i].value;
      text += compact_json(key) + ": ";
    }
    append(value.items[i], depth + 1, text);
  }
  text += "\n" + std::string(2 * depth, ' ') + (is_object ? "}" : "]");
}

}  // namespace

std::string expanded_config(const std::string& path, const std::vector<std::string>& settings) {
  const auto source = std::make_shared<ConfigText>();
  source->path = path;
  Diagnostics diagnostics(source);
  std::vector<std::string> shown;
  for (const std::string& setting : settings) shown.push_back(io::hide_secrets(setting));
  ComposedConfig composed =
      compose_config(*source, io::hide_secrets(read_text_file(path)), shown, diagnostics);
  diagnostics.throw_if_any();
  make_plain(composed.root);
  std::string text;
  append(composed.root, 0, text);
  return text + "\n";
}

}  // namespace skimline::skims
