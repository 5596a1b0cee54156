// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/nano_command.h"

#include "config/translated/command_words.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>

namespace skimline::skims {
namespace {

enum class Option {
  kPostfix,
  kJson,
  kCut,
  kSelection,
  kSelectionOfInput,
  kSelectionOfOutput,
  kFriend,
  kFull,
  kNoOutput,
  kPrefetch,
  kCache,
  kMaximum,
  kFirst,
  kCount,
  kImport,
  kCompression,
  kNumber,
};

struct OptionRow {
  Option option;
  std::string_view brief, name;
  std::size_t num_values;
};

constexpr std::array kOptions{
    OptionRow{Option::kPostfix, "-s", "--postfix", 1},
    OptionRow{Option::kJson, "-J", "--json", 1},
    OptionRow{Option::kCut, "-c", "--cut", 1},
    OptionRow{Option::kSelection, "-b", "--branch-selection", 1},
    OptionRow{Option::kSelectionOfInput, "--bi", "--branch-selection-input", 1},
    OptionRow{Option::kSelectionOfOutput, "--bo", "--branch-selection-output", 1},
    OptionRow{Option::kFriend, "", "--friend", 0},
    OptionRow{Option::kFull, "", "--full", 0},
    OptionRow{Option::kNoOutput, "", "--noout", 0},
    OptionRow{Option::kPrefetch, "-P", "--prefetch", 0},
    OptionRow{Option::kCache, "", "--long-term-cache", 0},
    OptionRow{Option::kMaximum, "-N", "--max-entries", 1},
    OptionRow{Option::kFirst, "", "--first-entry", 1},
    OptionRow{Option::kCount, "", "--justcount", 0},
    OptionRow{Option::kImport, "-I", "--import", 2},
    OptionRow{Option::kCompression, "-z", "--compression", 1},
    OptionRow{Option::kNumber, "-E", "--Nevent", 1},
};

// "-cCUT" and "--cut=CUT" have their value in them.
struct GivenOption {
  const OptionRow* row = nullptr;
  std::optional<std::string> value;
};

GivenOption option_in(const std::string& word) {
  const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
  const std::string name = word.substr(0, equals);
  for (const OptionRow& row : kOptions) {
    if (name == row.name || name == row.brief)
      return {&row, equals == std::string::npos ? std::nullopt : std::optional(word.substr(equals + 1))};
    if (row.brief.size() == 2 && !word.starts_with("--") && word.starts_with(row.brief))
      return {&row, word.substr(2)};
  }
  std::vector<std::string> names;
  for (const OptionRow& row : kOptions) names.emplace_back(row.name);
  throw ConfigError("nano_postproc.py has no option " + name + did_you_mean(name, names));
}

// "LZMA:9" as "lzma:9".
std::string compression_as(std::string value) {
  for (char& letter : value) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return value;
}

// Takes one option after the other.
class CommandReader {
 public:
  explicit CommandReader(std::vector<std::string> words) : words_(std::move(words)) {}

  NanoCommand read() {
    for (at_ = 1; at_ < words_.size();) {
      const std::string word = words_[at_++];
      if (word.size() > 1 && word.front() == '-')
        take(option_in(word));
      else
        others_.push_back(word);
    }
    if (others_.size() < 2)
      throw ConfigError("nano_postproc.py takes the folder of the outputs and at least one input");
    command_.folder = others_.front();
    command_.inputs.assign(others_.begin() + 1, others_.end());
    if (!selection_.empty()) input_selection_ = output_selection_ = selection_;
    for (const std::string& file : {input_selection_, output_selection_})
      if (!file.empty() && std::find(command_.selections.begin(), command_.selections.end(), file) ==
                               command_.selections.end())
        command_.selections.push_back(file);
    return std::move(command_);
  }

 private:
  std::string value_of(const GivenOption& given) {
    if (given.value) return *given.value;
    if (at_ == words_.size()) throw ConfigError(std::string(given.row->name) + " lacks its value");
    return words_[at_++];
  }

  void leave_out(std::string sentence) { command_.left_out.push_back(std::move(sentence)); }

  void take(const GivenOption& given) {
    std::string value;
    if (given.row->num_values > 0) value = value_of(given);
    switch (given.row->option) {
      case Option::kPostfix:
        command_.postfix = value;
        break;
      case Option::kJson:
        command_.json = value;
        break;
      case Option::kCut:
        command_.cut = value;
        break;
      case Option::kSelection:
        selection_ = value;
        break;
      case Option::kSelectionOfInput:
        input_selection_ = value;
        break;
      case Option::kSelectionOfOutput:
        output_selection_ = value;
        break;
      case Option::kCompression:
        command_.compression = compression_as(value);
        break;
      default:
        take_other(given, value);
    }
  }

  // What no config says.
  void take_other(const GivenOption& given, const std::string& value) {
    const std::string name(given.row->name);
    switch (given.row->option) {
      case Option::kFriend:
        throw ConfigError(name +
                          ": trees of friends have what modules of Python compute, which cannot be carried "
                          "over; a skim with \"columns\" and no \"keep\" writes computed columns alone, and "
                          "\"friends\" of a sample reads them");
      case Option::kNoOutput:
        throw ConfigError(name + ": only modules of Python would run, which cannot be carried over");
      case Option::kImport:
        leave_out(
            name + " " + value + " " + value_of({given.row, {}}) +
            ": what modules of Python compute is to be written as \"define\" and \"columns\" of the skim, "
            "and what they select as \"select\"");
        break;
      case Option::kMaximum:
        leave_out(name + " " + value + ": of each input; \"skimline run --limit-events " + value +
                  "\" takes the first events of each sample");
        break;
      case Option::kFirst:
        if (value != "0") leave_out(name + " " + value + ": add \"entry_ >= " + value + "\" to \"select\"");
        break;
      case Option::kCount:
        leave_out(name + ": the skims are written; the cutflow of the run has the numbers of events");
        break;
      case Option::kPrefetch:
      case Option::kCache:
        leave_out(name + ": files are read where they are; \"cache\" keeps what was read of URLs");
        break;
      default:
        break;  // --full is what is done anyway, and --Nevent is used by nothing
    }
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::vector<std::string> others_;
  std::string selection_, input_selection_, output_selection_;
  NanoCommand command_;
};

// The words from the script on: the interpreter may stand in front of it.
std::vector<std::string> words_from_script(const std::string& line) {
  std::vector<std::string> words = words_of_command(line);
  const auto script = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    const std::string name = std::filesystem::path(word).filename().string();
    return name == "nano_postproc.py" || name == "nano_postproc";
  });
  words.erase(words.begin(), script);
  return words;
}

}  // namespace

bool is_nano_command(const std::string& line) { return !words_from_script(line).empty(); }

NanoCommand parse_nano_command(const std::string& line) {
  return CommandReader(words_from_script(line)).read();
}

}  // namespace skimline::skims
