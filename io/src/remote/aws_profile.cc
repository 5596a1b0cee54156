// SPDX-License-Identifier: BSD-3-Clause
#include "remote/aws_profile.h"

#include "remote/http_access.h"

#include "skimline/framework/error.h"

#include <fstream>
#include <map>
#include <string_view>
#include <vector>

namespace skimline::io {
namespace {

using Settings = std::map<std::string, std::string>;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Adds the settings of a section, "[profile]" or "[profile name]". Returns whether the file has it.
bool add_section(const std::string& path, const std::string& profile, Settings& settings,
                 std::vector<std::string>& known) {
  std::ifstream stream(path);
  bool is_inside = false, is_found = false;
  for (std::string line; std::getline(stream, line);) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') continue;
    if (text.front() == '[') {
      std::string_view section = trimmed(text.substr(1, text.find(']') - 1));
      if (section.starts_with("profile ")) section = trimmed(section.substr(8));
      known.emplace_back(section);
      is_inside = section == profile;
      is_found = is_found || is_inside;
    } else if (const std::size_t equals = text.find('='); is_inside && equals != std::string_view::npos) {
      // What belongs to one service only stands below it, with blanks in front.
      if (line.front() != ' ' && line.front() != '\t')
        settings[std::string(trimmed(text.substr(0, equals)))] = trimmed(text.substr(equals + 1));
    }
  }
  return is_found;
}

std::string path_of(const char* variable, const char* usual) {
  const std::string named = environment(variable);
  return named.empty() ? environment("HOME") + usual : named;
}

Settings read_profile(const std::string& name) {
  const std::string named = environment("AWS_PROFILE");
  const std::string profile = named.empty() ? "default" : named;
  Settings settings;
  std::vector<std::string> known;
  const bool in_config = add_section(path_of("AWS_CONFIG_FILE", "/.aws/config"), profile, settings, known);
  const bool in_keys =
      add_section(path_of("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials"), profile, settings, known);
  if (!named.empty() && !in_config && !in_keys)
    throw FileError(name,
                    "the profile \"" + named + "\", which AWS_PROFILE names, is in no file of AWS" +
                        did_you_mean(named, known),
                    FileFault::kUnavailable);
  return settings;
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts)
    if (!text.empty()) return text;
  return {};
}

}  // namespace

AwsProfile aws_profile(const std::string& name) {
  Settings settings = read_profile(name);
  AwsProfile profile;
  profile.region = first_of(
      {environment("AWS_REGION"), environment("AWS_DEFAULT_REGION"), settings["region"], "us-east-1"});
  profile.endpoint = first_of(
      {environment("AWS_ENDPOINT_URL_S3"), environment("AWS_ENDPOINT_URL"), settings["endpoint_url"]});
  while (profile.endpoint.ends_with('/')) profile.endpoint.pop_back();
  if (is_switched_on("AWS_NO_SIGN_REQUEST")) return profile;
  profile.key_id = environment("AWS_ACCESS_KEY_ID");
  profile.secret = environment("AWS_SECRET_ACCESS_KEY");
  profile.session_token = environment("AWS_SESSION_TOKEN");
  if (!profile.key_id.empty()) return profile;
  profile.key_id = settings["aws_access_key_id"];
  profile.secret = settings["aws_secret_access_key"];
  profile.session_token = settings["aws_session_token"];
  return profile;
}

}  // namespace skimline::io
