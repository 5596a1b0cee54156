// SPDX-License-Identifier: BSD-3-Clause
#include "expression/token.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <utility>

namespace skimline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Longest spellings first, so that "<=" is not read as "<".
constexpr std::pair<std::string_view, Operator> kOperators[] = {
    {"<<", Operator::kShiftLeft},    {">>", Operator::kShiftRight}, {"<=", Operator::kLessEqual},
    {">=", Operator::kGreaterEqual}, {"==", Operator::kEqual},      {"!=", Operator::kNotEqual},
    {"&&", Operator::kAnd},          {"||", Operator::kOr},         {"+", Operator::kPlus},
    {"-", Operator::kMinus},         {"*", Operator::kTimes},       {"/", Operator::kDivide},
    {"%", Operator::kModulo},        {"<", Operator::kLess},        {">", Operator::kGreater},
    {"&", Operator::kBitAnd},        {"^", Operator::kBitXor},      {"|", Operator::kBitOr},
    {"~", Operator::kBitNot},        {"!", Operator::kNot},
};

// What other languages have.
constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
    {"**", "there is no operator \"**\": write pow(a, b)"},
    {"#", "\"#\" has no meaning here: comments are written /* ... */"},
    {"@", "\"@\" is of TTree::Draw: the number of objects is Muon.size()"},
    {"//", "\"//\" has no meaning here: comments are written /* ... */, and int(a / b) divides integers"},
};

// What TTree::Draw has, with "$" behind.
constexpr std::pair<std::string_view, std::string_view> kOfDraw[] = {
    {"Sum", "Sum(x)"},
    {"Length", "x.size()"},
    {"Min", "Min(x)"},
    {"Max", "Max(x)"},
    {"MinIf", "Min(x[condition])"},
    {"MaxIf", "Max(x[condition])"},
    {"Alt", "x.at(0, y), with y for what is missing"},
    {"Entry", "entry_"},
    {"LocalEntry", "entry_, which counts over all files"},
    {"Iteration", "Enumerate(x)"},
};

constexpr std::pair<std::string_view, Operator> kOperatorWords[] = {
    {"and", Operator::kAnd},       {"or", Operator::kOr},          {"not", Operator::kNot},
    {"bitand", Operator::kBitAnd}, {"bitor", Operator::kBitOr},    {"xor", Operator::kBitXor},
    {"compl", Operator::kBitNot},  {"not_eq", Operator::kNotEqual}};

// A character of UTF-8, or a byte that begins none.
std::string_view first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC0 ? 2 : 1;
  if (size > text.size()) return text.substr(0, 1);
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return text.substr(0, 1);
  return text.substr(0, size);
}

// Others than those of ASCII have their number behind them: many look like letters, blanks or nothing.
std::string name_of_character(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (lead == 0) return "NUL";
  if (lead < 0x80) return "'" + std::string(character) + "'";
  if (character.size() == 1) return "of the byte " + std::to_string(lead);
  unsigned code = lead & (0x7FU >> character.size());
  for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  std::array<char, 12> digits{};
  std::snprintf(digits.data(), digits.size(), "U+%04X", code);
  return "'" + std::string(character) + "' (" + digits.data() + ")";
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do {
      skip_blanks(tokens.empty() ? std::string_view(";") : tokens.back().text);
      tokens.push_back(next());
    } while (tokens.back().kind != TokenKind::kEnd);
    return tokens;
  }

 private:
  // And comments, which count as blanks; those up to the end of a line between statements only, as elsewhere
  // Python's division looks like them.
  void skip_blanks(std::string_view before) {
    const bool is_between = before == ";" || before == "{" || before == "}";
    while (true) {
      while (position_ < text_.size() && is_space(text_[position_])) ++position_;
      const std::size_t line_end = text_.find('\n', position_);
      if (is_between && text_.substr(position_, 2) == "//" && line_end != std::string_view::npos) {
        position_ = line_end;
        continue;
      }
      if (text_.substr(position_, 2) != "/*") return;
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) fail(position_, text_.size() - position_, "the comment has no end");
      position_ = end + 2;
    }
  }

  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }

  Token make(TokenKind kind, std::size_t start) const {
    Token token;
    token.kind = kind;
    token.range = {start, position_ - start};
    token.text = text_.substr(start, position_ - start);
    return token;
  }

  [[noreturn]] void fail(std::size_t start, std::size_t length, const std::string& problem) const {
    throw ExpressionError(text_, start, length, problem);
  }

  Token next() {
    const std::size_t start = position_;
    if (position_ == text_.size()) return make(TokenKind::kEnd, start);
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_name_start(c)) return word();
    if (std::string_view("()[]{}?:,.;").find(c) != std::string_view::npos) {
      ++position_;
      return make(TokenKind::kPunctuation, start);
    }
    for (const auto& [text, problem] : kForeign)
      if (text_.substr(position_, text.size()) == text) fail(start, text.size(), std::string(problem));
    for (const auto& [text, op] : kOperators) {
      if (text_.substr(position_, text.size()) == text) {
        position_ += text.size();
        return operator_token(start, op);
      }
    }
    if (c == '=') {
      ++position_;
      return make(TokenKind::kPunctuation, start);
    }
    if (c == '"' || c == '\'') return string();
    if (c == '`') return quoted_name();
    const std::string_view character = first_character(text_.substr(start));
    fail(start, character.size(), "character " + name_of_character(character) + " has no meaning here");
  }

  Token operator_token(std::size_t start, Operator op) const {
    Token token = make(TokenKind::kOperator, start);
    token.op = op;
    return token;
  }

  Token word() {
    const std::size_t start = position_;
    while (true) {
      while (is_name_part(peek())) ++position_;
      if (peek() != ':' || peek(1) != ':' || !is_name_start(peek(2))) break;
      position_ += 2;
    }
    if (peek() == '$') fail_of_draw(start);
    Token token = make(TokenKind::kName, start);
    for (const auto& [text, op] : kOperatorWords)
      if (token.text == text) return operator_token(start, op);
    if (token.text == "true" || token.text == "false") {
      token.kind = TokenKind::kLiteral;
      token.literal = Constant::of(token.text == "true");
    }
    return token;
  }

  [[noreturn]] void fail_of_draw(std::size_t start) const {
    const std::string_view name = text_.substr(start, position_ - start);
    std::string problem = "names with \"$\" are those of TTree::Draw";
    for (const auto& [known, instead] : kOfDraw)
      if (known == name) problem += ": write " + std::string(instead);
    fail(start, position_ + 1 - start, problem);
  }

  Token string() {
    const std::size_t start = position_;
    const char quote = peek();
    std::string content;
    for (++position_; peek() != quote; ++position_) {
      if (position_ >= text_.size()) fail(start, text_.size() - start, "text in quotes has no end");
      content += peek() == '\\' ? escaped() : peek();
    }
    ++position_;
    Token token = make(TokenKind::kString, start);
    token.string = std::move(content);
    return token;
  }

  // A back-quote that belongs to the name stands twice; nothing else means anything but itself.
  Token quoted_name() {
    const std::size_t start = position_++;
    std::string name;
    while (true) {
      const std::size_t end = text_.find('`', position_);
      if (end == std::string_view::npos)
        fail(start, text_.size() - start, "the name in back-quotes has no end");
      name += text_.substr(position_, end - position_);
      position_ = end + 1;
      if (peek() != '`') break;
      name += '`';
      ++position_;
    }
    if (name.empty()) fail(start, position_ - start, "there is no name in the back-quotes");
    Token token = make(TokenKind::kQuotedName, start);
    token.string = std::move(name);
    return token;
  }

  // The character that a backslash and the one after it mean.
  char escaped() {
    constexpr std::string_view kEscapes = "nt\\\"'", kMeanings = "\n\t\\\"'";
    const std::size_t found = kEscapes.find(peek(1));
    if (found == std::string_view::npos || position_ + 1 >= text_.size())
      fail(position_, 1, "a backslash must be followed by another one, a quote, n or t");
    ++position_;
    return kMeanings[found];
  }

  Token number() {
    const std::size_t start = position_;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal();
    if (peek() == '0' && (peek(1) == 'b' || peek(1) == 'B')) return binary();
    bool is_real = false;
    while (is_digit(peek())) ++position_;
    if (peek() == '\'' && is_digit(peek(1)))
      fail(start, position_ + 1 - start, "the digits of a number stand together, without \"'\"");
    if (peek() == '.') {
      is_real = true;
      ++position_;
      while (is_digit(peek())) ++position_;
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        is_real = true;
        position_ += 1 + sign;
        while (is_digit(peek())) ++position_;
      }
    }
    return is_real ? real(start) : integer(start, start, 10);
  }

  Token hexadecimal() {
    const std::size_t start = position_;
    position_ += 2;
    const std::size_t digits = position_;
    while (is_digit(peek()) || (peek() >= 'a' && peek() <= 'f') || (peek() >= 'A' && peek() <= 'F'))
      ++position_;
    if (peek() == 'p' || peek() == 'P' || peek() == '.')
      fail(start, position_ + 1 - start, "real numbers are written with decimal digits");
    return integer(start, digits, 16);
  }

  Token binary() {
    const std::size_t start = position_;
    position_ += 2;
    const std::size_t digits = position_;
    while (peek() == '0' || peek() == '1') ++position_;
    return integer(start, digits, 2);
  }

  Token real(std::size_t start) {
    const std::string_view digits = text_.substr(start, position_ - start);
    const bool is_float = peek() == 'f' || peek() == 'F';
    Constant value;
    std::errc status{};
    // Reading the decimal text as float directly: going through double would round twice.
    if (is_float) {
      float number = 0;
      status = read_real(digits, number).ec;
      value = Constant::of(number);
      ++position_;
    } else {
      double number = 0;
      status = read_real(digits, number).ec;
      value = Constant::of(number);
    }
    if (status != std::errc{}) fail(start, position_ - start, "number is out of range");
    return literal(start, value);
  }

  // The first of int, long that holds the value; unsigned types only with the suffix u or in hexadecimal and
  // binary.
  Token integer(std::size_t start, std::size_t digits, int base) {
    std::uint64_t number = 0;
    const auto result = std::from_chars(text_.data() + digits, text_.data() + position_, number, base);
    if (result.ec != std::errc{}) fail(start, position_ - start, "integer is out of range");
    if (base == 10 && position_ - start > 1 && text_[start] == '0')
      fail(start, position_ - start,
           "octal numbers are not supported: write the number without leading zeros");
    bool is_unsigned = false, is_long = false;
    for (; position_ < text_.size() && is_name_part(peek()); ++position_) {
      const char suffix = peek();
      if (suffix == 'u' || suffix == 'U')
        is_unsigned = true;
      else if (suffix == 'l' || suffix == 'L')
        is_long = true;
      else
        fail(start, position_ + 1 - start, "number has an unknown suffix");
    }
    return literal(start, typed_integer(number, is_unsigned, is_long, base != 10, start));
  }

  Constant typed_integer(std::uint64_t number, bool is_unsigned, bool is_long, bool is_of_bits,
                         std::size_t start) const {
    constexpr std::uint64_t kInt = std::numeric_limits<std::int32_t>::max();
    constexpr std::uint64_t kUnsigned = std::numeric_limits<std::uint32_t>::max();
    constexpr std::uint64_t kLong = std::numeric_limits<std::int64_t>::max();
    if (!is_unsigned && !is_long && number <= kInt) return Constant::of(static_cast<std::int32_t>(number));
    if ((is_unsigned || is_of_bits) && !is_long && number <= kUnsigned)
      return Constant::of(static_cast<std::uint32_t>(number));
    if (!is_unsigned && number <= kLong) return Constant::of(static_cast<std::int64_t>(number));
    if (is_unsigned || is_of_bits) return Constant::of(number);
    fail(start, position_ - start, "integer is out of range of a signed type: add the suffix \"u\"");
  }

  Token literal(std::size_t start, Constant value) const {
    if (is_name_part(peek())) fail(start, position_ + 1 - start, "number has an unknown suffix");
    Token token = make(TokenKind::kLiteral, start);
    token.literal = value;
    return token;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

std::string_view spelling(Operator op) {
  for (const auto& [text, candidate] : kOperators)
    if (candidate == op) return text;
  return "";
}

std::vector<Token> tokenize(std::string_view text) { return Tokenizer(text).run(); }

}  // namespace skimline
