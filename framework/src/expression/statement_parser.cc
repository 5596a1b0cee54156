// SPDX-License-Identifier: BSD-3-Clause
#include "expression/statement_parser.h"

#include "expression/casts.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace skimline {
namespace {

constexpr int kMaxBlocks = 100;

std::unique_ptr<Syntax> make(SyntaxKind kind, TextRange range) {
  auto node = std::make_unique<Syntax>();
  node->kind = kind;
  node->range = node->name_range = range;
  return node;
}

// Whether nothing behind a statement is reached.
bool always_returns(const Syntax& statement) {
  if (statement.kind == SyntaxKind::kReturn) return true;
  if (statement.kind == SyntaxKind::kBlock)
    return !statement.operands.empty() && always_returns(*statement.operands.back());
  return statement.kind == SyntaxKind::kIf && statement.operands.size() == 3 &&
         always_returns(*statement.operands[1]) && always_returns(*statement.operands[2]);
}

// `x += 2`
bool has_assignment(Operator op) {
  return op == Operator::kPlus || op == Operator::kMinus || op == Operator::kTimes ||
         op == Operator::kDivide || op == Operator::kModulo || op == Operator::kBitAnd ||
         op == Operator::kBitOr || op == Operator::kBitXor;
}

}  // namespace

class StatementParser::Scope {
 public:
  explicit Scope(StatementParser& parser) : parser_(parser), size_(parser.declared_.size()) {
    if (++parser_.depth_ > kMaxBlocks) parser_.tokens_.fail("expression is nested too deeply");
  }
  ~Scope() {
    for (std::size_t i = size_; i < parser_.declared_.size(); ++i)
      parser_.ended_.insert(parser_.declared_[i]);
    parser_.declared_.resize(size_);
    --parser_.depth_;
  }

 private:
  StatementParser& parser_;
  std::size_t size_;
};

bool StatementParser::is_declared(std::string_view name) const {
  return std::find(declared_.begin(), declared_.end(), name) != declared_.end();
}

void StatementParser::use(const std::string& name, bool is_quoted) {
  if (is_declared(name)) {
    if (is_quoted) tokens_.fail("\"" + name + "\" is a variable here, and a column in back-quotes");
    return;
  }
  if (ended_.contains(name)) tokens_.fail("\"" + name + "\" is a variable of braces that have ended");
  others_.insert(name);
}

bool StatementParser::is_statement() const {
  const bool has_condition = tokens_.is_word("if") || tokens_.is_word("for") || tokens_.is_word("while");
  return tokens_.is_word("return") || (has_condition && tokens_.is_punctuation('(', 1)) ||
         tokens_.is_declaration() || is_change();
}

bool StatementParser::is_body() const { return tokens_.is_punctuation('{') || is_statement(); }

// `x = 1`, `x += 1`, `x++`, `++x`
bool StatementParser::is_change() const {
  const Token &first = tokens_.peek(), &second = tokens_.peek(1), &third = tokens_.peek(2);
  const auto is_step = [](const Token& a, const Token& b) {
    return (a.op == Operator::kPlus || a.op == Operator::kMinus) && a.op == b.op &&
           a.range.end() == b.range.offset;
  };
  if (is_step(first, second)) return third.kind == TokenKind::kName && tokens_.is_punctuation(';', 3);
  if (first.kind != TokenKind::kName) return false;
  return tokens_.is_punctuation('=', 1) || (has_assignment(second.op) && tokens_.is_punctuation('=', 2)) ||
         (is_step(second, third) && tokens_.is_punctuation(';', 3));
}

SyntaxPointer StatementParser::body() {
  const std::size_t begin = tokens_.position();
  if (tokens_.accept('{')) {
    const bool is_list = tokens_.peek().kind != TokenKind::kName || tokens_.is_punctuation(',', 1) ||
                         tokens_.is_punctuation('}', 1);
    if (!is_body() && is_list) {
      tokens_.return_to(begin);
      tokens_.fail_at_foreign("expected a value, found ");
    }
    SyntaxPointer inner = statements();
    tokens_.expect('}', "behind the last statement of its braces");
    return inner;
  }
  return statements();
}

SyntaxPointer StatementParser::statements() {
  if (tokens_.is_word("return")) return std::move(returned()->operands[0]);
  SyntaxPointer whole = block();
  if (!always_returns(*whole))
    tokens_.fail("expected \"return\" on each way, \"if\", or a variable with its value, found " +
                 shown(tokens_.peek()));
  return whole;
}

SyntaxPointer StatementParser::body_with(const std::vector<Declaration>& parameters) {
  const auto ended = ended_;
  auto others = std::exchange(others_, {});
  const std::size_t size = declared_.size();
  for (const Declaration& each : parameters) declared_.push_back(each.name);
  SyntaxPointer inner = body();
  declared_.resize(size);
  ended_ = ended;
  others_.merge(others);
  return inner;
}

// Statements up to one behind which nothing is reached, or where none follows.
SyntaxPointer StatementParser::block() {
  const Scope scope(*this);
  const std::size_t start = tokens_.peek().range.offset;
  auto node = make(SyntaxKind::kBlock, {start, 0});
  while (is_body() && (node->operands.empty() || !always_returns(*node->operands.back())))
    add_statement(*node);
  if (!node->operands.empty()) node->range.length = tokens_.last().range.end() - start;
  return node;
}

// A statement, or several in braces.
SyntaxPointer StatementParser::way() {
  if (tokens_.is_declaration()) tokens_.fail("a variable stands in braces, with what uses it");
  if (!tokens_.accept('{')) {
    const Scope scope(*this);
    auto node = make(SyntaxKind::kBlock, tokens_.peek().range);
    if (!is_statement())
      tokens_.fail("expected \"return\" on each way, \"if\", or a variable with its value, found " +
                   shown(tokens_.peek()));
    add_statement(*node);
    return node;
  }
  SyntaxPointer inner = block();
  tokens_.expect('}', "behind the last statement of its braces");
  return inner;
}

void StatementParser::add_statement(Syntax& block) {
  if (tokens_.is_word("return")) {
    block.operands.push_back(returned());
  } else if (tokens_.is_punctuation('{')) {
    block.operands.push_back(way());
  } else if (tokens_.is_declaration()) {
    add_variables(block);
  } else if (is_change()) {
    block.operands.push_back(change());
  } else if (tokens_.is_word("if")) {
    block.operands.push_back(choice());
  } else {
    tokens_.fail("there are no loops: operations on lists work element by element, and x[condition] chooses");
  }
}

std::unique_ptr<Syntax> StatementParser::returned() {
  auto node = make(SyntaxKind::kReturn, tokens_.take().range);
  node->operands.push_back(expressions_.expression());
  if (tokens_.is_punctuation('}'))
    tokens_.fail("expected ';' behind the expression, found " + shown(tokens_.peek()));
  if (!tokens_.accept(';') && tokens_.peek().kind != TokenKind::kEnd && !tokens_.is_punctuation(')'))
    tokens_.fail_at_foreign("expected an operator or ';', found ");
  node->range.length = tokens_.last().range.end() - node->range.offset;
  return node;
}

// `if (c) a; else b;`
SyntaxPointer StatementParser::choice() {
  auto node = make(SyntaxKind::kIf, tokens_.take().range);
  tokens_.expect('(', "behind \"if\"");
  node->operands.push_back(expressions_.expression());
  tokens_.expect(')', "to close the condition of \"if\"");
  node->operands.push_back(way());
  if (tokens_.accept_word("else")) node->operands.push_back(way());
  node->range.length = tokens_.last().range.end() - node->range.offset;
  return node;
}

// `float x = a, y = b;`
void StatementParser::add_variables(Syntax& block) {
  const std::string type = tokens_.type_of_variable();
  do {
    block.operands.push_back(variable(type));
  } while (tokens_.accept(','));
  take_end();
}

void StatementParser::take_end() { tokens_.expect(';', "behind the value"); }

SyntaxPointer StatementParser::variable(const std::string& type) {
  const std::string name(tokens_.peek().text);
  if (tokens_.peek().kind != TokenKind::kName)
    tokens_.fail("expected the name of a variable, found " + shown(tokens_.peek()));
  if (is_declared(name)) tokens_.fail("\"" + name + "\" is declared already");
  auto node = make(SyntaxKind::kVariable, tokens_.take().range);
  node->declared.push_back({type, name, node->name_range});
  const bool has_value = !tokens_.is_punctuation(';') && !tokens_.is_punctuation(',');
  if (has_value)
    node->operands.push_back(initial_value(node->declared[0]));
  else if (type.empty())
    tokens_.fail("a variable of the type of its value has one at once: auto x = 1;");
  if (others_.contains(name))
    throw ExpressionError(tokens_.text(), node->name_range.offset, node->name_range.length,
                          "\"" + name + "\" is named before it is declared");
  declared_.push_back(name);
  node->range.length = tokens_.last().range.end() - node->range.offset;
  return node;
}

// Behind the name of a variable: `= x`, `{x}`, `(x)`.
SyntaxPointer StatementParser::initial_value(const Declaration& declared) {
  const bool is_made = tokens_.is_punctuation('{') || tokens_.is_punctuation('(');
  if (is_made && is_list_cast(declared.type)) return expressions_.made_list(declared.type);
  if (tokens_.accept('='))
    return tokens_.is_punctuation('{') && is_list_cast(declared.type) ? expressions_.made_list(declared.type)
                                                                      : expressions_.expression();
  const char close = tokens_.is_punctuation('{') ? '}' : ')';
  if (!is_made)
    tokens_.fail("expected '=' and the value of \"" + declared.name + "\", found " + shown(tokens_.peek()));
  tokens_.take();
  SyntaxPointer value = expressions_.expression();
  tokens_.expect(close, "behind the value of \"" + declared.name + "\"");
  return value;
}

// `x = a;`, `x += a;`, which is `x = x + a;`, and `x++;`
SyntaxPointer StatementParser::change() {
  const std::size_t start = tokens_.peek().range.offset;
  Operator op = Operator::kNone;
  TextRange sign;
  if (tokens_.peek().kind == TokenKind::kOperator) {
    op = tokens_.take().op;
    tokens_.take();
  }
  const Token& name = tokens_.take();
  auto node = make(SyntaxKind::kAssignment, name.range);
  node->name = name.text;
  const bool is_step_behind =
      op == Operator::kNone && !tokens_.is_punctuation('=') && !tokens_.is_punctuation('=', 1);
  const bool is_step = op != Operator::kNone || is_step_behind;
  if (is_step_behind) {
    op = tokens_.take().op;
    tokens_.take();
  } else if (!is_step && tokens_.peek().kind == TokenKind::kOperator) {
    op = tokens_.take().op;
  }
  SyntaxPointer value;
  if (is_step) {
    auto one = make(SyntaxKind::kLiteral, name.range);
    one->literal = Constant::of(std::int32_t{1});
    value = std::move(one);
  } else {
    sign = tokens_.take().range;
    value = expressions_.expression();
  }
  if (op != Operator::kNone) {
    auto sum = make(SyntaxKind::kBinary, name.range);
    sum->op = op;
    auto old = make(SyntaxKind::kName, name.range);
    old->name = node->name;
    sum->operands.push_back(std::move(old));
    sum->operands.push_back(std::move(value));
    sum->range = {start, tokens_.last().range.end() - start};
    value = std::move(sum);
  }
  node->operands.push_back(std::move(value));
  node->range = {start, tokens_.last().range.end() - start};
  if (tokens_.peek().kind == TokenKind::kEnd || tokens_.is_punctuation(')'))
    throw ExpressionError(tokens_.text(), sign.offset, sign.length,
                          "assignment is not part of an expression; to compare, write \"==\"");
  take_end();
  return node;
}

}  // namespace skimline
