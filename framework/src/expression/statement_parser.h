// SPDX-License-Identifier: BSD-3-Clause
// The statements in the bodies of functions.
#pragma once

#include "expression/declaration_reader.h"
#include "expression/syntax.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Takes the expressions in statements.
class ExpressionSource {
 public:
  virtual ~ExpressionSource() = default;
  virtual SyntaxPointer expression() = 0;
  /// `{x, y}` or `(n, x)` behind a type of lists.
  virtual SyntaxPointer made_list(const std::string& type) = 0;
};

/// Takes statements from the tokens of an expression. Throws ExpressionError for what is none.
class StatementParser {
 public:
  StatementParser(DeclarationReader& tokens, ExpressionSource& expressions)
      : tokens_(tokens), expressions_(expressions) {}

  /// Whether statements follow, in braces or not.
  bool is_body() const;

  /// Takes statements that return a value on each way, up to the end or a closing brace or parenthesis; one
  /// `return x;` is its expression.
  SyntaxPointer body();

  /// The body of a lambda, in which its parameters hold.
  SyntaxPointer body_with(const std::vector<Declaration>& parameters);

  /// Takes note of a name in an expression; fails if it was a variable in braces that have ended.
  void use(const std::string& name, bool is_quoted);

 private:
  // Variables that are declared during its lifetime end with it.
  class Scope;

  SyntaxPointer statements();
  SyntaxPointer block();
  SyntaxPointer way();
  bool is_end() const;
  bool is_statement() const;
  bool is_change() const;
  void add_statement(Syntax& block);
  std::unique_ptr<Syntax> returned();
  SyntaxPointer choice();
  void add_variables(Syntax& block);
  SyntaxPointer variable(const std::string& type);
  SyntaxPointer initial_value(const Declaration& declared);
  SyntaxPointer change();
  void take_end();
  bool is_declared(std::string_view name) const;

  DeclarationReader& tokens_;
  ExpressionSource& expressions_;
  int depth_ = 0;
  std::vector<std::string> declared_;          // variables, and parameters of the lambda around
  std::set<std::string, std::less<>> ended_;   // variables of braces that have ended
  std::set<std::string, std::less<>> others_;  // names of columns and other things
};

}  // namespace skimline
