// SPDX-License-Identifier: BSD-3-Clause
// What is written as in other languages is refused with what to write instead.
#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

std::string problem_with_spelling(std::string_view expression) {
  Schema schema;
  schema.add({"x", flat(ScalarType::kFloat), ""});
  schema.add({"n", flat(ScalarType::kInt32), ""});
  schema.add({"list", jagged(ScalarType::kFloat), ""});
  try {
    static_cast<void>(PlanBuilder(schema).type_of_expression(expression));
  } catch (const ExpressionError& error) {
    return error.problem();
  }
  return "none";
}

TEST(Misspellings, AreSaidWithWhatToWrite) {
  const std::pair<const char*, const char*> cases[] = {
      {"x ** 2", "write pow(a, b)"},
      {"x if n > 2 else 0", "c ? x : y"},
      {"len(list)", "write x.size()"},
      {"list[0:2]", "write Take(x, n)"},
      {"list[-1]", "back(x)"},
      {"list[1 - 3]", "back(x)"},
      {"TMath::Abs(x)", "write abs"},
      {"TMath::Power(x, 2)", "write pow(x, y)"},
      {"TMath::Sqrt(x)", "write sqrt"},
      {"InvMass(list, list, list, list)", "write InvariantMass("},
      {"(int)x", "write int(x)"},
      {"static_cast<float>(n)", "convert values with float(x)"},
      {"std::max<double>(x, n)", "double(x)"},
      {"np.sqrt(x)", "write the function without it"},
      {"n > 2 && True", "write true"},
      {"ROOT::Math::PtEtaPhiMVector(x, x, x, x)", "write P4("},
      {"sum(list)", "did you mean \"Sum\"?"},
      {"Map(list, [](float a) { return a; })", "no lambdas"},
      {"return x;", "ends without \";\""},
      {"x; n", "ends without \";\""},
      {"Where(x, n, 0)", "a mask must be bool or integer, not float"},
      {"Where(list, list, 0)", "a mask must be bool or integer, not list of float"},
  };
  for (const auto& [expression, hint] : cases)
    EXPECT_NE(problem_with_spelling(expression).find(hint), std::string::npos)
        << expression << ": " << problem_with_spelling(expression);
}

TEST(Misspellings, AreNotSeenInWhatIsRight) {
  for (const char* expression :
       {"n < int(x) + 2", "list[0] < 2 ? x : -x", "x > (n)", "(n) - x", "Where(list > 2, list, 0)",
        "Where(n, x, 0)", "list[Take(list, 1).size() - 1]"})
    EXPECT_EQ(problem_with_spelling(expression), "none") << expression;
}

}  // namespace
}  // namespace skimline
