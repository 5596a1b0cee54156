// SPDX-License-Identifier: BSD-3-Clause
// A recursive-descent parser with precedence climbing for binary operators.
#include "expression/casts.h"
#include "expression/syntax.h"
#include "expression/token.h"

#include "skimline/framework/error.h"

#include <utility>

namespace skimline {
namespace {

// Nesting beyond this is refused rather than risking the stack.
constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxTokens = 4096;

// Precedence of C++, larger binds tighter; 0 means not a binary operator.
int precedence(Operator op) {
  switch (op) {
    case Operator::kOr:
      return 1;
    case Operator::kAnd:
      return 2;
    case Operator::kBitOr:
      return 3;
    case Operator::kBitXor:
      return 4;
    case Operator::kBitAnd:
      return 5;
    case Operator::kEqual:
    case Operator::kNotEqual:
      return 6;
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
      return 7;
    case Operator::kShiftLeft:
    case Operator::kShiftRight:
      return 8;
    case Operator::kPlus:
    case Operator::kMinus:
      return 9;
    case Operator::kTimes:
    case Operator::kDivide:
    case Operator::kModulo:
      return 10;
    default:
      return 0;
  }
}

bool is_unary(Operator op) {
  return op == Operator::kPlus || op == Operator::kMinus || op == Operator::kNot || op == Operator::kBitNot;
}

std::string shown(const Token& token) {
  return token.kind == TokenKind::kEnd ? "the end" : "\"" + std::string(token.text) + "\"";
}

// Functions are found without the namespaces in which C++ has them.
std::string_view unqualified(std::string_view name) {
  for (const std::string_view qualifier : {"std::", "ROOT::VecOps::", "VecOps::"})
    if (name.starts_with(qualifier)) return name.substr(qualifier.size());
  return name;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokenize(text)) {}

  SyntaxPointer run() {
    if (tokens_.size() > kMaxTokens) {
      next_ = kMaxTokens;
      fail("expression is too long");
    }
    SyntaxPointer tree = conditional();
    if (peek().kind != TokenKind::kEnd)
      fail("expected an operator or the end, found " + shown(peek()) + hint());
    return tree;
  }

 private:
  // Counts one level of nesting for its lifetime.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) parser_.fail("expression is nested too deeply");
    }
    ~Level() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  const Token& peek() const { return tokens_[next_]; }
  const Token& take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }
  bool is_punctuation(char c) const {
    return peek().kind == TokenKind::kPunctuation && peek().text.front() == c;
  }
  bool accept(char c) {
    if (!is_punctuation(c)) return false;
    take();
    return true;
  }
  void expect(char c, const std::string& purpose) {
    if (!accept(c))
      fail(std::string("expected '") + c + "' " + purpose + ", found " + shown(peek()) + hint_at_name());
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw ExpressionError(text_, peek().range.offset, peek().range.length, problem);
  }

  // What is meant by a token that does not follow.
  std::string hint() const {
    if (peek().text == "if") return ": a condition is written c ? x : y";
    const bool is_cast = next_ >= 3 && tokens_[next_ - 3].text == "(" && tokens_[next_ - 1].text == ")" &&
                         cast_target(tokens_[next_ - 2].text);
    if (is_cast)
      return ": write " + std::string(tokens_[next_ - 2].text) + "(" + std::string(peek().text) + ")";
    return hint_at_name();
  }

  // For "Muons:pt", whose middle was found not to fit.
  std::string hint_at_name() const {
    if (next_ == 0 || !is_punctuation(':') || next_ + 1 == tokens_.size()) return {};
    const Token &first = tokens_[next_ - 1], &last = tokens_[next_ + 1];
    const bool is_together =
        first.range.end() == peek().range.offset && peek().range.end() == last.range.offset;
    if (!is_together || first.kind != TokenKind::kName || last.kind != TokenKind::kName) return {};
    const std::size_t begin = first.range.offset;
    return " (a name with such characters stands in back-quotes: `" +
           std::string(text_.substr(begin, last.range.end() - begin)) + "`)";
  }

  static std::unique_ptr<Syntax> make(SyntaxKind kind, TextRange name_range) {
    auto node = std::make_unique<Syntax>();
    node->kind = kind;
    node->range = node->name_range = name_range;
    return node;
  }
  // The node covers the text from the start of its first part to the last token taken.
  SyntaxPointer finish(std::unique_ptr<Syntax> node, std::size_t start) const {
    node->range = {start, tokens_[next_ - 1].range.end() - start};
    return node;
  }

  SyntaxPointer conditional() {
    const Level level(*this);
    const std::size_t start = peek().range.offset;
    SyntaxPointer condition = binary(1);
    if (!is_punctuation('?')) return condition;
    auto node = make(SyntaxKind::kConditional, take().range);
    node->operands.push_back(std::move(condition));
    node->operands.push_back(conditional());
    expect(':', "after the first choice of \"?\"");
    node->operands.push_back(conditional());
    return finish(std::move(node), start);
  }

  SyntaxPointer binary(int lowest) {
    const std::size_t start = peek().range.offset;
    SyntaxPointer left = unary();
    while (peek().kind == TokenKind::kOperator && precedence(peek().op) >= lowest) {
      auto node = make(SyntaxKind::kBinary, peek().range);
      node->op = take().op;
      node->operands.push_back(std::move(left));
      node->operands.push_back(binary(precedence(node->op) + 1));
      left = finish(std::move(node), start);
    }
    return left;
  }

  SyntaxPointer unary() {
    if (peek().kind != TokenKind::kOperator || !is_unary(peek().op)) return postfix();
    const Level level(*this);
    const std::size_t start = peek().range.offset;
    auto node = make(SyntaxKind::kUnary, peek().range);
    node->op = take().op;
    node->operands.push_back(unary());
    return finish(std::move(node), start);
  }

  SyntaxPointer postfix() {
    const std::size_t start = peek().range.offset;
    SyntaxPointer value = primary();
    while (true) {
      if (is_punctuation('[')) {
        auto node = make(SyntaxKind::kIndex, take().range);
        node->operands.push_back(std::move(value));
        node->operands.push_back(conditional());
        if (is_punctuation(':')) fail("there are no slices: write Take(x, n) for the first n elements");
        expect(']', "to close the index");
        value = finish(std::move(node), start);
      } else if (is_punctuation('.')) {
        value = member(std::move(value), start);
      } else {
        return value;
      }
    }
  }

  // `value.name(arguments)`: the value is the first argument.
  SyntaxPointer member(SyntaxPointer value, std::size_t start) {
    take();
    if (peek().kind != TokenKind::kName) fail("expected a name after '.', found " + shown(peek()));
    auto node = make(SyntaxKind::kCall, peek().range);
    node->is_member = true;
    node->name = take().text;
    if (!is_punctuation('(')) fail("expected '(' after the member function, found " + shown(peek()));
    take();
    node->operands.push_back(std::move(value));
    arguments(*node);
    return finish(std::move(node), start);
  }

  void arguments(Syntax& call) {
    if (accept(')')) return;
    do {
      call.operands.push_back(conditional());
    } while (accept(','));
    expect(')', "or ',' in the arguments of \"" + call.name + "\"");
  }

  SyntaxPointer primary() {
    const Token& token = peek();
    if (token.kind == TokenKind::kLiteral) {
      auto node = make(SyntaxKind::kLiteral, token.range);
      node->literal = take().literal;
      return node;
    }
    if (token.kind == TokenKind::kString) {
      auto node = make(SyntaxKind::kString, token.range);
      node->string = take().string;
      return node;
    }
    if (is_name(token)) return name();
    if (accept('(')) {
      SyntaxPointer inner = conditional();
      expect(')', "to close the parenthesis");
      return inner;
    }
    fail("expected a value, found " + shown(token));
  }

  SyntaxPointer name() {
    const std::size_t start = peek().range.offset;
    bool is_quoted = false;
    std::string text;
    const auto take_part = [&] {
      is_quoted |= peek().kind == TokenKind::kQuotedName;
      const Token& part = take();
      text += part.kind == TokenKind::kQuotedName ? std::string_view(part.string) : part.text;
    };
    take_part();
    while (is_punctuation('.') && is_name(tokens_[next_ + 1]) && !is_call(next_ + 2)) {
      text += take().text;
      take_part();
    }
    check_is_no_template();
    if (is_quoted && is_punctuation('('))
      fail("a name in back-quotes is that of a column, not of a function");
    auto node = make(is_punctuation('(') ? SyntaxKind::kCall : SyntaxKind::kName, TextRange{});
    node->is_quoted = is_quoted;
    node->name = node->kind == SyntaxKind::kCall ? std::string(unqualified(text)) : std::move(text);
    node->name_range = {start, tokens_[next_ - 1].range.end() - start};
    if (accept('(')) arguments(*node);
    return finish(std::move(node), start);
  }

  // `static_cast<float>(x)`, `max<double>(a, b)`
  void check_is_no_template() const {
    if (peek().op != Operator::kLess || next_ + 3 >= tokens_.size()) return;
    const Token& type = tokens_[next_ + 1];
    if (type.kind != TokenKind::kName || tokens_[next_ + 2].op != Operator::kGreater || !is_call(next_ + 3))
      return;
    const std::string name(type.text);
    fail("there are no types in \"<>\"" + (cast_target(name) ? ": convert values with " + name + "(x)" : ""));
  }

  static bool is_name(const Token& token) {
    return token.kind == TokenKind::kName || token.kind == TokenKind::kQuotedName;
  }

  bool is_call(std::size_t index) const {
    return tokens_[index].kind == TokenKind::kPunctuation && tokens_[index].text == "(";
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

SyntaxPointer parse(std::string_view text) { return Parser(text).run(); }

}  // namespace skimline
