// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/config_writing.h"

#include "base/resolved_path.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {
namespace {

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, ' ');
  return text;
}

}  // namespace

std::string path_from(const std::string& path, const std::filesystem::path& config_path) {
  if (io::is_url(path) || std::filesystem::path(path).is_absolute()) return path;
  return path_from_folder(path, config_path.parent_path()).string();
}

OrderedJson begun_config() {
  return {{"$schema", "https://skimline.org/schema/skimline-1.schema.json"}, {"schema_version", 1}};
}

TranslatedConfig written(const OrderedJson& config, const std::string& origin,
                         std::vector<std::string> left_out) {
  std::string body;
  try {
    body = config.dump(2);
  } catch (const OrderedJson::type_error&) {
    throw ConfigError(one_line(origin) +
                      ": there are bytes in it that are no UTF-8, which configs are written in");
  }
  std::string text = "// Made by \"skimline init\" of " + one_line(origin) + ".\n";
  for (const std::string& each : left_out) text += "// Not carried over: " + one_line(each) + "\n";
  return {text + body + "\n", std::move(left_out)};
}

}  // namespace skimline::skims
