// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/draw_formula.h"

#include <cctype>

namespace skimline::skims {
namespace {

bool is_decimal(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool begins_name(char letter) {
  return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}
bool continues_name(char letter) { return begins_name(letter) || is_decimal(letter) || letter == '.'; }

// Whether a formula computes with the bits of whole numbers, which doubles have none of.
bool is_of_bits(const std::string& formula) {
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const char letter = formula[i], next = i + 1 < formula.size() ? formula[i + 1] : '\0';
    if (letter == '%') return true;
    if ((letter == '<' || letter == '>') && next == letter) return true;
    if (letter != '&' && letter != '|') continue;
    if (next != letter) return true;
    ++i;
  }
  return false;
}

// Goes through the names and numbers of a formula.
class FormulaReader {
 public:
  FormulaReader(const std::string& formula, const std::set<std::string>& columns)
      : formula_(formula), columns_(columns) {}

  std::string expression() {
    while (at_ < formula_.size()) take();
    return text_;
  }

 private:
  void take() {
    const char letter = formula_[at_];
    if (begins_name(letter)) return take_name();
    if (is_decimal(letter) || (letter == '.' && at_ + 1 < formula_.size() && is_decimal(formula_[at_ + 1])))
      return take_number();
    if (letter == '[') ++num_brackets_;
    if (letter == ']') --num_brackets_;
    text_ += letter;
    ++at_;
  }

  void take_name() {
    const std::size_t begin = at_;
    while (at_ < formula_.size() && (continues_name(formula_[at_]) || formula_.compare(at_, 2, "::") == 0))
      at_ += formula_[at_] == ':' ? 2 : 1;
    const std::string name = formula_.substr(begin, at_ - begin);
    text_ += columns_.contains(name) && num_brackets_ == 0 ? "double(" + name + ")" : name;
  }

  // "5" is a double, but for an index; "1e3", "2." and "0x10" are what they are.
  void take_number() {
    const std::size_t begin = at_;
    while (at_ < formula_.size() && continues_name(formula_[at_])) {
      const bool has_sign = (formula_[at_] == 'e' || formula_[at_] == 'E') && at_ + 1 < formula_.size() &&
                            (formula_[at_ + 1] == '-' || formula_[at_ + 1] == '+');
      at_ += has_sign ? 2 : 1;
    }
    const std::string number = formula_.substr(begin, at_ - begin);
    const bool is_whole = number.find_first_not_of("0123456789") == std::string::npos;
    text_ += number + (is_whole && num_brackets_ == 0 ? "." : "");
  }

  const std::string& formula_;
  const std::set<std::string>& columns_;
  std::size_t at_ = 0;
  int num_brackets_ = 0;
  std::string text_;
};

}  // namespace

std::string expression_of_formula(const std::string& formula, const std::set<std::string>& columns,
                                  std::vector<std::string>& left_out) {
  if (formula.find('^') != std::string::npos)
    left_out.push_back("\"^\" in \"" + formula +
                       "\", which is a power there and of bits in expressions: write pow(x, y)");
  return is_of_bits(formula) ? formula : FormulaReader(formula, columns).expression();
}

}  // namespace skimline::skims
