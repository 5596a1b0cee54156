// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/command_words.h"

#include "skimline/framework/error.h"

#include <cctype>
#include <utility>

namespace skimline::skims {
namespace {

// Takes one word after the other.
class WordReader {
 public:
  explicit WordReader(std::string_view line) : line_(line) {}

  std::vector<std::string> words() {
    while (at_ < line_.size()) take();
    end_word();
    return std::move(words_);
  }

 private:
  void take() {
    const char letter = line_[at_++];
    if (letter == '\'' || letter == '"') return take_quoted(letter);
    if (std::isspace(static_cast<unsigned char>(letter)) != 0) return end_word();
    is_open_ = true;
    if (letter != '\\' || at_ == line_.size())
      word_ += letter;
    else if (const char next = line_[at_++]; next != '\n')
      word_ += next;
  }

  void take_quoted(char quote) {
    const std::size_t begin = at_ - 1;
    is_open_ = true;
    while (at_ < line_.size() && line_[at_] != quote) {
      const bool escapes = quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size() &&
                           (line_[at_ + 1] == '"' || line_[at_ + 1] == '\\' || line_[at_ + 1] == '$');
      if (escapes) ++at_;
      word_ += line_[at_++];
    }
    if (at_ == line_.size())
      throw ConfigError("the command line has a quote without its end: " + std::string(line_.substr(begin)));
    ++at_;
  }

  void end_word() {
    if (is_open_) words_.push_back(std::exchange(word_, {}));
    is_open_ = false;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string word_;
  bool is_open_ = false;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> words_of_command(std::string_view line) { return WordReader(line).words(); }

}  // namespace skimline::skims
