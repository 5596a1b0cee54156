// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/trexfitter_blocks.h"

#include "base/text_file.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

namespace skimline::skims {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string without_quotes(std::string text) {
  std::replace(text.begin(), text.end(), '"', ' ');
  return trimmed(text);
}

// What stands in front of a comment, which begins with '%' or '#' outside of quotes.
std::string without_comment(const std::string& line) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    if (!is_quoted && (line[i] == '%' || line[i] == '#')) return trimmed(line.substr(0, i));
  }
  return trimmed(line);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  bool is_quoted = false;
  for (const char letter : text) {
    if (letter == '"') is_quoted = !is_quoted;
    if (letter == separator && !is_quoted)
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  if (without_quotes(parts.back()).empty() && parts.size() > 1) parts.pop_back();
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

// Takes one line after the other.
class BlockReader {
 public:
  explicit BlockReader(const std::string& path) : path_(path) {}

  std::vector<FitBlock> read() {
    std::istringstream lines(read_text_file(path_));
    for (std::string line; std::getline(lines, line);) {
      ++number_;
      std::replace_if(
          line.begin(), line.end(), [](char letter) { return static_cast<unsigned char>(letter) < ' '; },
          ' ');
      take(line);
    }
    return std::move(blocks_);
  }

 private:
  std::string place() const { return path_ + ":" + std::to_string(number_); }

  // Lines of comments end no block, blank ones do.
  void take(const std::string& line) {
    if (trimmed(line).empty()) num_open_ = 0;
    const std::string text = without_comment(line);
    if (text.empty()) return;
    const std::size_t colon = text.find(':');
    const std::string name = trimmed(text.substr(0, colon));
    if (colon == std::string::npos || name.empty() || trimmed(text.substr(colon + 1)).empty())
      throw ConfigError(place() + ": expected a setting, \"Name: value\", found \"" + text + "\"");
    if (name == "ReplacementFile" || name == "INCLUDE")
      throw ConfigError(place() + ": " + name +
                        ": other files are not read; put what they say into this one");
    const std::vector<std::string> values = split(text.substr(colon + 1), ';');
    if (num_open_ == 0)
      begin(name, values);
    else
      set(name, values);
  }

  void begin(const std::string& kind, const std::vector<std::string>& names) {
    for (const std::string& name : names) blocks_.push_back({kind, without_quotes(name), place(), {}});
    num_open_ = names.size();
  }

  // The last value stands for those that are missing.
  void set(const std::string& name, const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < num_open_; ++i) {
      FitBlock& block = blocks_[blocks_.size() - num_open_ + i];
      const std::string& value = values[std::min(i, values.size() - 1)];
      const auto known = std::find_if(block.settings.begin(), block.settings.end(),
                                      [&](const auto& each) { return each.name == name; });
      if (known == block.settings.end())
        block.settings.push_back({name, value});
      else
        known->value = value;
    }
  }

  const std::string& path_;
  std::size_t number_ = 0, num_open_ = 0;
  std::vector<FitBlock> blocks_;
};

}  // namespace

std::string FitBlock::written(const std::string& setting) const {
  for (const Setting& each : settings)
    if (each.name == setting) return each.value;
  return {};
}

std::string FitBlock::value(const std::string& setting) const { return without_quotes(written(setting)); }

std::string FitBlock::word(const std::string& setting) const {
  std::string text = value(setting);
  for (char& letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

std::vector<std::string> FitBlock::values(const std::string& setting) const {
  const std::string text = written(setting);
  if (without_quotes(text).empty()) return {};
  std::vector<std::string> parts = split(text, ',');
  for (std::string& part : parts) part = without_quotes(part);
  return parts;
}

bool is_trexfitter_config(const std::string& path) {
  std::istringstream lines(read_text_file(path));
  for (std::string line; std::getline(lines, line);)
    if (trimmed(line).starts_with("Job:")) return true;
  return false;
}

std::vector<FitBlock> read_trexfitter_blocks(const std::string& path) { return BlockReader(path).read(); }

}  // namespace skimline::skims
