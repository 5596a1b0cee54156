// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/draw_cut.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string_view>

namespace skimline::skims {
namespace {

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' ||
         letter == '$';
}

// What is the same in expressions.
const std::map<std::string, std::string, std::less<>>& special_names() {
  static const std::map<std::string, std::string, std::less<>> kNames{{"Sum$", "Sum"}, {"Entry$", "entry_"}};
  return kNames;
}

// Goes through the names of a cut.
class CutReader {
 public:
  CutReader(const std::string& cut, const std::set<std::string>& lists, const NumberTypes& columns)
      : cut_(cut), lists_(lists), columns_(columns) {}

  std::string expression() {
    while (at_ < cut_.size()) take();
    if (const std::string difference = difference_of_order(text_); !difference.empty())
      throw ConfigError("the cut cannot be carried over: " + difference);
    const std::string text = with_real_numbers(text_, columns_, FormulaUse::kCondition);
    std::string expression = has_open_list_ ? "Any(" + text + ")" : text;
    if (largest_index_.empty()) return expression;
    std::string guarded;
    for (const auto& [name, index] : largest_index_)
      guarded += name + ".size() > " + std::to_string(index) + " && ";
    return guarded + "(" + expression + ")";
  }

 private:
  void take() {
    const char letter = cut_[at_];
    if (letter == '^')
      throw ConfigError(
          "the cut has \"^\", which is a power in TTree::Draw and of bits in expressions: write pow(x, y)");
    const bool begins_name = std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    if (begins_name) return take_name();
    if (std::isdigit(static_cast<unsigned char>(letter)) != 0) return take_number();
    if (letter == '(') ++depth_;
    if (letter == ')' && --depth_ < reduced_at_) reduced_at_ = kNever;
    text_ += letter;
    ++at_;
  }

  // "1e3" and "2.f" have letters.
  void take_number() {
    while (at_ < cut_.size() && is_name_letter(cut_[at_])) text_ += cut_[at_++];
  }

  std::size_t behind_blanks(std::size_t at) const {
    while (at < cut_.size() && std::isspace(static_cast<unsigned char>(cut_[at])) != 0) ++at;
    return at;
  }

  void take_name() {
    const std::size_t begin = at_;
    while (at_ < cut_.size() && (is_name_letter(cut_[at_]) || cut_.compare(at_, 2, "::") == 0))
      at_ += cut_[at_] == ':' ? 2 : 1;
    const std::string name = cut_.substr(begin, at_ - begin);
    if (name.find('$') != std::string::npos) return take_special(name);
    text_ += name;
    if (lists_.contains(name) && reduced_at_ == kNever) note_list(name);
  }

  void take_special(const std::string& name) {
    const auto known = special_names().find(name);
    if (known == special_names().end())
      throw ConfigError(
          "the cut has \"" + name +
          "\", which only TTree::Draw knows: write x.size(), Min(x), Max(x), Any(x) or All(x) of "
          "lists, or an index, in \"where\"");
    text_ += known->second;
    if (name == "Sum$" && reduced_at_ == kNever) reduced_at_ = depth_ + 1;
  }

  // An index that is a number leads to one element, or to none.
  void note_list(const std::string& name) {
    const std::size_t bracket = behind_blanks(at_);
    if (bracket == cut_.size() || cut_[bracket] != '[') {
      has_open_list_ = true;
      return;
    }
    const std::size_t end = cut_.find(']', bracket);
    const std::string index = cut_.substr(bracket + 1, end == std::string::npos ? end : end - bracket - 1);
    const bool is_number = !index.empty() && index.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number)
      throw ConfigError("the cut has \"" + name + "[" + index +
                        "]\": in expressions an index is a whole number, "
                        "or is compared with " +
                        name + ".size() in front of it");
    if (index.size() > kLongestIndex)
      throw ConfigError("the cut has the index " + index + ", which no list has");
    std::uint64_t& largest = largest_index_[name];
    largest = std::max<std::uint64_t>(largest, std::stoull(index));
  }

  static constexpr int kNever = 1 << 20;
  static constexpr std::size_t kLongestIndex = 9;  // digits

  const std::string& cut_;
  const std::set<std::string>& lists_;
  const NumberTypes& columns_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int reduced_at_ = kNever;  // the depth of parentheses inside Sum$
  bool has_open_list_ = false;
  std::map<std::string, std::uint64_t> largest_index_;  // by list
  std::string text_;
};

}  // namespace

std::string expression_of_cut(const std::string& cut, const std::set<std::string>& lists,
                              const NumberTypes& columns) {
  return CutReader(cut, lists, columns).expression();
}

}  // namespace skimline::skims
