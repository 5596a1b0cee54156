// SPDX-License-Identifier: BSD-3-Clause
#include "expression/token_reader.h"

#include "expression/casts.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline {
namespace {

constexpr std::size_t kMaxTokens = 4096;

}  // namespace

std::string shown(const Token& token) {
  return token.kind == TokenKind::kEnd ? "the end" : "\"" + std::string(token.text) + "\"";
}

TokenReader::TokenReader(std::string_view text) : text_(text), tokens_(tokenize(text)) {
  if (tokens_.size() <= kMaxTokens) return;
  next_ = kMaxTokens;
  fail("expression is too long");
}

const Token& TokenReader::peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

const Token& TokenReader::take() {
  const Token& taken = peek();
  next_ += next_ + 1 < tokens_.size() ? 1 : 0;
  return taken;
}

bool TokenReader::is_punctuation(char c, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::kPunctuation && token.text.front() == c;
}

bool TokenReader::is_name(std::size_t ahead) const {
  const TokenKind kind = peek(ahead).kind;
  return kind == TokenKind::kName || kind == TokenKind::kQuotedName;
}

bool TokenReader::is_type(std::size_t ahead) const { return is_type(peek(ahead), peek(ahead + 1)); }

bool TokenReader::is_type(const Token& token, const Token& behind) const {
  return token.kind == TokenKind::kName && is_type_word(token.text) &&
         !(behind.kind == TokenKind::kPunctuation && behind.text == "(");
}

bool TokenReader::accept(char c) {
  if (!is_punctuation(c)) return false;
  take();
  return true;
}

void TokenReader::expect(char c, const std::string& purpose) {
  if (!accept(c)) fail_at_foreign(std::string("expected '") + c + "' " + purpose + ", found ");
}

void TokenReader::fail(const std::string& problem) const {
  throw ExpressionError(text_, peek().range.offset, peek().range.length, problem);
}

void TokenReader::fail_at_foreign(const std::string& expected) const {
  if (is_punctuation('{') || is_punctuation('}'))
    fail(is_punctuation('{') && next_ > 0 && is_type(last(), peek())
             ? "a cast is written " + std::string(last().text) + "(x)"
             : "there are no blocks, and lists of values have a type: RVecF{x, y}, or x == 1 || x == 2; "
               "functions have names: see \"functions\"");
  if (is_punctuation('=')) fail("assignment is not part of an expression; to compare, write \"==\"");
  if (is_punctuation(';')) fail("an expression ends without \";\"");
  fail(expected + shown(peek()) + hint());
}

// What is meant by a token that does not follow.
std::string TokenReader::hint() const {
  const std::string_view here = peek().text, before = next_ > 0 ? last().text : "";
  if (here == "if" || here == "else" || here == "return") return ": a condition is written c ? x : y";
  if (here == "in")
    return next_ > 0 && last().kind == TokenKind::kString ? ": write contains(s, text)"
                                                          : ": write IsIn(x, list), or x == 1 || x == 2";
  if (here == "is") return ": write x == y";
  if (here == "for") return ": operations on lists work element by element, and x[condition] chooses";
  if (before == "lambda") return ": a lambda is written [](float x) { return x * 2; }";
  if (here == "*" || here == "&" || (before == "-" && here == ">"))
    return ": there are no pointers and iterators, but x.f(), x.front() and, for random numbers, rndm()";
  if (next_ > 1 && (before == "+" || before == "-") && tokens_[next_ - 2].text == before)
    return ": an expression changes nothing";
  if (is_variable())
    return ": variables have types of numbers or lists, and what is returned follows: float x = 1; return x;";
  return hint_at_name();
}

// `float x = 1;`, `auto x`, `TLorentzVector v;`: this is the name behind the type.
bool TokenReader::is_variable() const {
  if (next_ == 0 || peek().kind != TokenKind::kName || last().kind != TokenKind::kName) return false;
  const std::string_view type = last().text, behind = peek(1).text;
  return type == "auto" || is_type_word(type) || behind == "=" || behind == ";";
}

// For "Muons:pt", whose middle was found not to fit.
std::string TokenReader::hint_at_name() const {
  if (next_ == 0 || !is_punctuation(':')) return {};
  const Token &first = last(), &second = peek(1);
  const bool is_together =
      first.range.end() == peek().range.offset && peek().range.end() == second.range.offset;
  if (!is_together || first.kind != TokenKind::kName || second.kind != TokenKind::kName) return {};
  const std::size_t begin = first.range.offset;
  return " (a name with such characters stands in back-quotes: `" +
         std::string(text_.substr(begin, second.range.end() - begin)) + "`)";
}

}  // namespace skimline
