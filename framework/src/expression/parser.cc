// SPDX-License-Identifier: BSD-3-Clause
// A recursive-descent parser with precedence climbing for binary operators.
#include "expression/casts.h"
#include "expression/constants.h"
#include "expression/declaration_reader.h"
#include "expression/function_registry.h"
#include "expression/misspellings.h"
#include "expression/statement_parser.h"
#include "expression/syntax.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace skimline {
namespace {

// Nesting beyond this is refused rather than risking the stack.
constexpr int kMaxDepth = 200;

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

class Parser : private DeclarationReader, private ExpressionSource {
 public:
  explicit Parser(std::string_view text) : DeclarationReader(text), statements_(*this, *this) {}

  SyntaxPointer run() {
    SyntaxPointer tree = whole();
    if (peek().kind != TokenKind::kEnd) fail_at_foreign("expected an operator or the end, found ");
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

  static std::unique_ptr<Syntax> make(SyntaxKind kind, TextRange name_range) {
    auto node = std::make_unique<Syntax>();
    node->kind = kind;
    node->range = node->name_range = name_range;
    return node;
  }
  // The node covers the text from the start of its first part to the last token taken.
  SyntaxPointer finish(std::unique_ptr<Syntax> node, std::size_t start) const {
    node->range = {start, last().range.end() - start};
    return node;
  }

  SyntaxPointer whole() { return statements_.is_body() ? statements_.body() : conditional(); }

  SyntaxPointer expression() override { return conditional(); }

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
    if (is_punctuation('(') && is_type(1) && !is_declaration(1)) return cast();
    if (peek().kind != TokenKind::kOperator || !is_unary(peek().op)) return postfix();
    const Level level(*this);
    const std::size_t start = peek().range.offset;
    auto node = make(SyntaxKind::kUnary, peek().range);
    check_is_no_step();
    node->op = take().op;
    node->operands.push_back(unary());
    return finish(std::move(node), start);
  }

  // `++x`, which is not `+(+x)`.
  void check_is_no_step() const {
    const Token &sign = peek(), &next = peek(1);
    if ((sign.op == Operator::kPlus || sign.op == Operator::kMinus) && next.text == sign.text &&
        sign.range.end() == next.range.offset)
      fail("an expression changes nothing");
  }

  // `(float)x`
  SyntaxPointer cast() {
    const Level level(*this);
    const std::size_t start = take().range.offset;
    auto node = make(SyntaxKind::kCall, peek().range);
    node->name = type(")");
    take();
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
        check_is_no_slice();
        node->operands.push_back(conditional());
        check_is_no_slice();
        expect(']', "to close the index");
        value = finish(std::move(node), start);
      } else if (is_punctuation('.')) {
        value = member(std::move(value), start);
      } else {
        return value;
      }
    }
  }

  void check_is_no_slice() const {
    if (is_punctuation(':') || is_punctuation('.') || is_punctuation(','))
      fail(
          "there are no slices, and no axis of events: write Take(x, n) for the first n elements, "
          "x[Range(size(x)) < n] where there may be fewer, Drop(x, Range(n)) for those behind, x[0] for the "
          "first");
  }

  // `value.name(arguments)`: the value is the first argument. `value.name` is a member of objects.
  SyntaxPointer member(SyntaxPointer value, std::size_t start) {
    take();
    if (!is_name()) fail("expected a name after '.', found " + shown(peek()));
    if (peek().kind == TokenKind::kQuotedName || !is_punctuation('(', 1))
      return data_member(std::move(value), start);
    auto node = make(SyntaxKind::kCall, peek().range);
    node->is_member = true;
    node->name = take().text;
    take();
    const bool is_of_module = value->kind == SyntaxKind::kName && !value->is_quoted && is_module(value->name);
    node->operands.push_back(std::move(value));
    if (is_of_module)
      arguments_of_module(*node, start);
    else
      arguments(*node);
    return finish(std::move(node), start);
  }

  // Python's arguments with names and lists of values: of the function it is said what to write.
  void arguments_of_module(Syntax& call, std::size_t start) {
    const std::size_t end = call.range.end();
    try {
      arguments(call);
    } catch (const ExpressionError&) {
      const std::string module = call.operands.front()->name;
      const std::string meant = meant_function(module + "::" + call.name, function_names());
      if (meant.empty()) throw;
      throw ExpressionError(text(), start, end - start,
                            "unknown function \"" + module + "." + call.name + "\"" + meant);
    }
  }

  SyntaxPointer data_member(SyntaxPointer value, std::size_t start) {
    auto node = make(SyntaxKind::kMember, peek().range);
    const Token& token = take();
    node->name = token.kind == TokenKind::kQuotedName ? std::string_view(token.string) : token.text;
    node->operands.push_back(std::move(value));
    return finish(std::move(node), start);
  }

  void arguments(Syntax& call) {
    if (accept(')')) return;
    // std::max({a, b, c})
    const bool is_list = (call.name == "max" || call.name == "min") && accept('{');
    do {
      call.operands.push_back(conditional());
      if (is_punctuation('='))
        fail("arguments have no names: write the value alone, in its place; to compare, write \"==\"");
    } while (accept(','));
    if (is_list) expect('}', "or ',' in the values of \"" + call.name + "\"");
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
      node->is_character = token.text.front() == '\'' && token.string.size() == 1;
      node->string = take().string;
      return node;
    }
    if (is_name()) return name();
    if (accept('(')) {
      SyntaxPointer inner = whole();
      expect(')', "to close the parenthesis");
      return inner;
    }
    if (is_punctuation('[')) return lambda();
    fail_at_foreign("expected a value, found ");
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
    while (is_punctuation('.') && is_name(1) && !is_punctuation('(', 2)) {
      text += take().text;
      take_part();
    }
    if (peek().op == Operator::kLess && !is_quoted && unqualified(text) == "numeric_limits")
      return limit(start);
    if (peek().op == Operator::kLess && !is_quoted && is_template(text)) return template_call(text, start);
    if (is_quoted && is_punctuation('('))
      fail("a name in back-quotes is that of a column, not of a function");
    if (is_punctuation('{') && !is_quoted && is_list_cast(unqualified(text)))
      return list_of_values(std::string(unqualified(text)), start);
    auto node = make(is_punctuation('(') ? SyntaxKind::kCall : SyntaxKind::kName, TextRange{});
    if (node->kind == SyntaxKind::kName) statements_.use(text, is_quoted);
    node->is_quoted = is_quoted;
    node->name = node->kind == SyntaxKind::kCall ? std::string(unqualified(text)) : std::move(text);
    node->name_range = {start, last().range.end() - start};
    if (accept('(')) arguments(*node);
    return finish(std::move(node), start);
  }

  // Whether a name is that of a template whose type is of use here, or a type in "<>" follows and a "(".
  bool is_template(std::string_view text) const {
    const std::string_view plain = unqualified(text);
    const bool is_known = plain == "static_cast" || plain == "RVec" || plain == "vector";
    if ((is_known && (is_type(1) || are_types_of_call())) || is_foreign_template(text)) return true;
    return is_type(1) && peek(2).op == Operator::kGreater && is_punctuation('(', 3);
  }

  // "Construct<ROOT::Math::PtEtaPhiMVector>(...)": a function that is called otherwise here. Columns may have
  // its name, and are compared: "distance < limit".
  bool is_foreign_template(std::string_view text) const {
    return are_types_of_call() && meant_function(text, {}).starts_with(": write");
  }

  // Whether names in "<>" follow, which may have some of their own, and a "(".
  bool are_types_of_call() const {
    std::size_t end = 1;
    while (is_name(end) || is_punctuation(',', end) || peek(end).op == Operator::kLess) ++end;
    const std::size_t names_end = end;
    while (peek(end).op == Operator::kGreater || peek(end).op == Operator::kShiftRight) ++end;
    return names_end > 1 && end > names_end && is_punctuation('(', end);
  }

  // `std::numeric_limits<float>::max()`
  SyntaxPointer limit(std::size_t start) {
    take();
    const std::string scalar = type(">");
    take();
    for (int i = 0; i < 2; ++i) expect(':', "behind the type");
    const std::string name(peek().text);
    const std::optional<Constant> value = numeric_limit(*cast_target(scalar), name);
    if (!value)
      fail("expected max, min, lowest, epsilon, infinity or quiet_NaN, found " + shown(peek()) +
           " of the limits of " + scalar);
    take();
    expect('(', "behind \"" + name + "\"");
    expect(')', "behind \"" + name + "\"");
    auto node = make(SyntaxKind::kLiteral, {start, last().range.end() - start});
    node->literal = *value;
    return finish(std::move(node), start);
  }

  // `static_cast<float>(x)`, `std::max<double>(a, b)`, `ROOT::RVec<float>(x)`
  SyntaxPointer template_call(std::string_view text, std::size_t start) {
    const std::string_view plain = unqualified(text);
    const bool is_cast = plain == "static_cast", is_list = plain == "RVec";
    const std::size_t first = position() - 1;
    if (is_foreign_template(text)) {
      return_to(first);
      fail("unknown function \"" + std::string(text) + "\"" + meant_function(text, {}));
    }
    if (!is_cast && !is_list && plain != "max" && plain != "min")
      fail("there are no types in \"<>\" but of static_cast, max, min and RVec");
    take();
    const std::string name = type(">");
    take();
    if (is_list && is_punctuation('{')) return list_of_values("RVec<" + name + ">", start);
    auto node = make(SyntaxKind::kCall, {start, last().range.end() - start});
    node->name = is_cast ? name : is_list ? "RVec<" + name + ">" : std::string(plain);
    expect('(', "after the type");
    arguments(*node);
    if (!is_cast && !is_list)
      for (auto& operand : node->operands) operand = converted(std::move(operand), name);
    return finish(std::move(node), start);
  }

  SyntaxPointer made_list(const std::string& type) override {
    const std::size_t start = peek().range.offset;
    if (is_punctuation('{')) return list_of_values(type, start);
    auto node = make(SyntaxKind::kCall, take().range);
    node->name = type;
    arguments(*node);
    return finish(std::move(node), start);
  }

  // `RVecF{x, y}`
  SyntaxPointer list_of_values(std::string type, std::size_t start) {
    const Level level(*this);
    auto node = make(SyntaxKind::kCall, {start, last().range.end() - start});
    node->is_braced = true;
    node->name = std::move(type);
    take();
    if (!accept('}')) {
      do {
        node->operands.push_back(conditional());
      } while (accept(','));
      expect('}', "or ',' in the values of \"" + node->name + "\"");
    }
    return finish(std::move(node), start);
  }

  static SyntaxPointer converted(SyntaxPointer operand, const std::string& type) {
    auto node = make(SyntaxKind::kCall, operand->range);
    node->range = operand->range;
    node->name = type;
    node->operands.push_back(std::move(operand));
    return node;
  }

  // `[](float x, float y) -> float { return x + y; }`
  SyntaxPointer lambda() {
    const Level level(*this);
    const std::size_t start = peek().range.offset;
    auto node = make(SyntaxKind::kLambda, peek().range);
    take_captures();
    expect('(', "before the parameters of the lambda");
    if (!is_punctuation(')')) {
      do {
        node->declared.push_back(parameter());
      } while (accept(','));
    }
    expect(')', "or ',' behind the parameters of the lambda");
    if (peek().op == Operator::kMinus && peek(1).op == Operator::kGreater) {
      take();
      take();
      node->name = type("{");
    }
    expect('{', "before the body of the lambda");
    if (!statements_.is_body()) fail("a lambda returns a value, as in [](float x) { return x > 20; }");
    node->operands.push_back(statements_.body_with(node->declared));
    if (!accept('}'))
      fail("expected '}' to close the lambda, which has returned its value, found " + shown(peek()));
    return finish(std::move(node), start);
  }

  // What a lambda captures it sees anyway.
  void take_captures() {
    take();
    while (!is_punctuation(']')) {
      if (peek().text == "for")
        fail("there are no lists of values: operations work element by element, and x[condition] chooses");
      const bool is_capture = peek().kind == TokenKind::kName || peek().op == Operator::kBitAnd ||
                              is_punctuation('=') || is_punctuation(',');
      if (!is_capture)
        fail("expected a lambda, [](float x) { return x > 20; }; lists of values have a type, RVecI{1, 2}");
      take();
    }
    take();
  }

  int depth_ = 0;
  StatementParser statements_;
};

}  // namespace

std::vector<Declaration> declared_in(const Syntax& syntax) {
  std::vector<Declaration> declared;
  if (syntax.kind == SyntaxKind::kLambda) declared = syntax.declared;
  if (syntax.kind == SyntaxKind::kBlock)
    for (const SyntaxPointer& statement : syntax.operands)
      declared.insert(declared.end(), statement->declared.begin(), statement->declared.end());
  return declared;
}

bool names(const Syntax& syntax, std::string_view name) {
  if (syntax.kind == SyntaxKind::kName && syntax.name == name) return true;
  return std::any_of(syntax.operands.begin(), syntax.operands.end(),
                     [&](const SyntaxPointer& operand) { return names(*operand, name); });
}

SyntaxPointer parse(std::string_view text) { return Parser(text).run(); }

}  // namespace skimline
