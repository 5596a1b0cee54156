// SPDX-License-Identifier: BSD-3-Clause
#include "expression/syntax.h"

#include "skimline/framework/error.h"

#include <string>

#include <gtest/gtest.h>

namespace skimline {
namespace {

// Writes a tree with every grouping in parentheses.
std::string grouped(const Syntax& syntax, std::string_view text) {
  const auto part = [&](std::size_t i) { return grouped(*syntax.operands[i], text); };
  switch (syntax.kind) {
    case SyntaxKind::kLiteral:
    case SyntaxKind::kString:
      return std::string(text.substr(syntax.range.offset, syntax.range.length));
    case SyntaxKind::kName:
      return syntax.name;
    case SyntaxKind::kUnary:
      return "(" + std::string(spelling(syntax.op)) + part(0) + ")";
    case SyntaxKind::kBinary:
      return "(" + part(0) + std::string(spelling(syntax.op)) + part(1) + ")";
    case SyntaxKind::kConditional:
      return "(" + part(0) + "?" + part(1) + ":" + part(2) + ")";
    case SyntaxKind::kIndex:
      return part(0) + "[" + part(1) + "]";
    case SyntaxKind::kMember:
      return part(0) + "->" + syntax.name;
    case SyntaxKind::kLambda:
      return "[" + std::to_string(syntax.declared.size()) + "]{" + part(0) + "}";
    case SyntaxKind::kBlock: {
      std::string block = "{";
      for (std::size_t i = 0; i < syntax.operands.size(); ++i) block += part(i);
      return block + "}";
    }
    case SyntaxKind::kReturn:
      return "return " + part(0) + ";";
    case SyntaxKind::kVariable:
      return syntax.declared[0].type + " " + syntax.declared[0].name +
             (syntax.operands.empty() ? ";" : "=" + part(0) + ";");
    case SyntaxKind::kAssignment:
      return syntax.name + "=" + part(0) + ";";
    case SyntaxKind::kIf:
      return "if(" + part(0) + ")" + part(1) + (syntax.operands.size() > 2 ? "else" + part(2) : "");
    case SyntaxKind::kCall:
      break;
  }
  std::string call = syntax.name + "(";
  for (std::size_t i = 0; i < syntax.operands.size(); ++i) call += (i ? "," : "") + part(i);
  return call + ")";
}

TEST(Parser, GroupsAsCxxDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {"a + b * c", "(a+(b*c))"},
      {"a - b - c", "((a-b)-c)"},
      {"a < b == c > d", "((a<b)==(c>d))"},
      {"a & b == c", "(a&(b==c))"},
      {"a | b ^ c & d", "(a|(b^(c&d)))"},
      {"a || b && c", "(a||(b&&c))"},
      {"a << 1 + 2", "(a<<(1+2))"},
      {"-a * !b", "((-a)*(!b))"},
      {"- - a", "(-(-a))"},
      {"a ? b : c ? d : e", "(a?b:(c?d:e))"},
      {"a ? b ? c : d : e", "(a?(b?c:d):e)"},
      {"(a + b) * c", "((a+b)*c)"},
      {"x[i + 1][j]", "x[(i+1)][j]"},
      {"f(a, g(b), c[1])", "f(a,g(b),c[1])"},
      {"Jet.pt > 30", "(Jet.pt>30)"},
      {"Jet.pt.size() > 2", "(size(Jet.pt)>2)"},
      {"x[x > 1].size()", "size(x[(x>1)])"},
      {"not a and b or c", "(((!a)&&b)||c)"},
      {"1.5e3 + .5 - 2.f", "((1.5e3+.5)-2.f)"},
      {"true", "true"},
      {"(int)a / b", "(int(a)/b)"},
      {"-(float)a.size()", "(-float(size(a)))"},
      {"(int)-a[0]", "int((-a[0]))"},
      {"(unsigned long int)(a + b)", "uint64_t((a+b))"},
      {"static_cast<const std::uint8_t>(a) + b", "(uint8_t(a)+b)"},
      {"std::max<Float_t>(a, b)", "max(Float_t(a),Float_t(b))"},
      {"min({a, b, c})", "min(a,b,c)"},
      {"ROOT::RVec<unsigned>(a)", "RVec<unsigned>(a)"},
      {"a /* b + */ + /**/ c", "(a+c)"},
      {"a bitand b not_eq c xor d bitor compl e", "(((a&(b!=c))^d)|(~e))"},
      {"f()", "f()"},
      {"x[0].pt + (a).b.c", "(x[0]->pt+a->b->c)"},
      {"x[y > 1].`a:b`.size()", "size(x[(y>1)]->a:b)"},
      {"distance < limit && first<last || num < count", "(((distance<limit)&&(first<last))||(num<count))"},
      {"Vertex.sign < sq", "(Vertex.sign<sq)"},
      {"if (a) return b; else return c;", "{if(a){return b;}else{return c;}}"},
      {"if (a) return b; return c", "{if(a){return b;}return c;}"},
      {"if (a) { return b; } else if (c) { return d; } else { return e; }",
       "{if(a){return b;}else{if(c){return d;}else{return e;}}}"},
      {"if (a) { if (b) return c; } return e;", "{if(a){if(b){return c;}}return e;}"},
      {"if (a) if (b) return c; else return d; else return e;",
       "{if(a){if(b){return c;}else{return d;}}else{return e;}}"},
      {"{ return a; }", "a"},
      {"{ { auto b = a; } return a; }", "{{ b=a;}return a;}"},
      {"if_a + returned", "(if_a+returned)"},
      {"auto x = a; return x + b;", "{ x=a;return (x+b);}"},
      {"const float &x = a, y{b}, z(c); return z", "{float x=a;float y=b;float z=c;return z;}"},
      {"unsigned long int x = a; return x;", "{uint64_t x=a;return x;}"},
      {"std::string x = a; const auto& y = x; return y;", "{ x=a; y=x;return y;}"},
      {"ROOT::RVecF x{a, b}; return x;", "{RVecF x=RVecF(a,b);return x;}"},
      {"RVecI x(n, a); return x;", "{RVecI x=RVecI(n,a);return x;}"},
      {"ROOT::RVec<int> x(n, a); return x;", "{RVec<int> x=RVec<int>(n,a);return x;}"},
      {"const std::vector<float>& x = a; RVec<int> y = {b}; return x;",
       "{RVec<float> x=a;RVec<int> y=RVec<int>(b);return x;}"},
      {"float x, y; x = a; y += b; x++; --y; return x;",
       "{float x;float y;x=a;y=(y+b);x=(x+x);y=(y-y);return x;}"},
      {"x |= a; y /= b + c; return x", "{x=(x|a);y=(y/(b+c));return x;}"},
      {"(if (a) return b; return c) * (float x = a; return x;)",
       "({if(a){return b;}return c;}*{float x=a;return x;})"},
      {"(unsigned int)a + (float)b", "(unsigned(a)+float(b))"},
      {"f([](float x) { auto y = x * x; return y; })", "f([1]{{ y=(x*x);return y;}})"},
      {"a & b == c > d", "(a&(b==(c>d)))"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(grouped(*parse(text), text), expected) << text;
}

TEST(Parser, GivesLiteralsTheirCxxTypes) {
  const std::pair<const char*, ScalarType> cases[] = {
      {"1", ScalarType::kInt32},
      {"2147483647", ScalarType::kInt32},
      {"2147483648", ScalarType::kInt64},
      {"1u", ScalarType::kUInt32},
      {"1L", ScalarType::kInt64},
      {"1ull", ScalarType::kUInt64},
      {"0xff", ScalarType::kInt32},
      {"0b101", ScalarType::kInt32},
      {"0b11111111111111111111111111111111", ScalarType::kUInt32},
      {"0xffffffff", ScalarType::kUInt32},
      {"1.", ScalarType::kDouble},
      {"1e5", ScalarType::kDouble},
      {"1.5f", ScalarType::kFloat},
      {"false", ScalarType::kBool},
      {"18446744073709551615u", ScalarType::kUInt64},
  };
  for (const auto& [text, scalar] : cases) EXPECT_EQ(parse(text)->literal.scalar, scalar) << text;
}

struct BadExpression {
  std::string text;
  std::size_t offset;
  const char* problem;
};

TEST(Parser, PointsAtWhatIsWrong) {
  const BadExpression cases[] = {
      {"", 0, "expected a value, found the end"},
      {"a +", 3, "expected a value, found the end"},
      {"a b", 2, "expected an operator or the end, found \"b\""},
      {"(a", 2, "expected ')' to close the parenthesis, found the end"},
      {"a)", 1, "expected an operator or the end, found \")\""},
      {"x[1", 3, "expected ']' to close the index, found the end"},
      {"f(a,", 4, "expected a value, found the end"},
      {"f(a b)", 4, "expected ')' or ',' in the arguments of \"f\", found \"b\""},
      {"a ? b", 5, "expected ':' after the first choice of \"?\", found the end"},
      {"a = 1", 2, "assignment is not part of an expression; to compare, write \"==\""},
      {"a \\ b", 2, "character '\\' has no meaning here"},
      {"1 + \xD0\x9C", 4, "character '\xD0\x9C' (U+041C) has no meaning here"},
      {"a\xE2\x80\x8B", 1, "character '\xE2\x80\x8B' (U+200B) has no meaning here"},
      {"a + \xF0\x9F\x98\x80", 4, "character '\xF0\x9F\x98\x80' (U+1F600) has no meaning here"},
      {"a \xE9 b", 2, "character of the byte 233 has no meaning here"},
      {std::string("a\0b", 3), 1, "character NUL has no meaning here"},
      {"\"text", 0, "text in quotes has no end"},
      {"'a\\d'", 2, "a backslash must be followed by another one, a quote, n or t"},
      {"1x", 0, "number has an unknown suffix"},
      {"1.5x", 0, "number has an unknown suffix"},
      {"012", 0, "octal numbers are not supported: write the number without leading zeros"},
      {"99999999999999999999", 0, "integer is out of range"},
      {"9223372036854775808", 0, "integer is out of range of a signed type: add the suffix \"u\""},
      {"1e999", 0, "number is out of range"},
      {"a.", 2, "expected a name after '.', found the end"},
  };
  for (const auto& [text, offset, problem] : cases) {
    try {
      parse(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset(), offset) << text;
      EXPECT_EQ(error.problem(), problem) << text;
    }
  }
}

TEST(Parser, RefusesWhatWouldExhaustTheStack) {
  EXPECT_THROW(parse(std::string(100000, '(')), ExpressionError);
  EXPECT_THROW(parse(std::string(100000, '-') + "a"), ExpressionError);
  std::string chain = "a";
  for (int i = 0; i < 50000; ++i) chain += "+a";
  EXPECT_THROW(parse(chain), ExpressionError);
}

}  // namespace
}  // namespace skimline
