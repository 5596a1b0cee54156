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
      {"list[:2]", "write Take(x, n)"},
      {"x // 2", "int(a / b) divides integers"},
      {"x /* open", "the comment has no end"},
      {"TMath::Sqr(x)", "did you mean \"TMath::Sqrt\"?"},
      {"TMath::Even(x)", "does not take (float)"},
      {"InvMass(list, list, list, list)", "write InvariantMass("},
      {"(unsigned float)x", "no such type of numbers"},
      {"(int)", "expected a value"},
      {"static_cast<Muon>(n)", "no such type of numbers"},
      {"static_cast<float>n", "expected '(' after the type"},
      {"static_cast<float>(n, x)", "takes one argument"},
      {"Construct<float>(x, n)", "write P4("},
      {"lower_bound<float>(x, n)", "no types in \"<>\" but of static_cast, max, min and RVec"},
      {"ROOT::RVecF(n)", "takes a list"},
      {"ROOT::RVec<float>(x)", "takes a list"},
      {"std::max<double>(list", "or ',' in the arguments of \"max\""},
      {"max({x, n)", "expected '}'"},
      {"abs({x})", "no lists of values"},
      {"np.sqrt(x)", "write the function without it"},
      {"n > 2 && True", "write true"},
      {"ROOT::Math::PtEtaPhiMVector(x, x, x, x)", "write P4("},
      {"TMath::Range(0., 1., x)", "write clamp(x, low, high)"},
      {"TMath::Sq(x)", "write x * x"},
      {"sum(list)", "did you mean \"Sum\"?"},
      {"auto y = x; return y;", "an expression has no variables"},
      {"x = 2", "assignment is not part of an expression"},
      {"return x; n", "expected an operator or the end"},
      {"if (x > 2) return 1; else return 0;", "c ? x : y"},
      {"n in [1, 2]", "write IsIn(x, list)"},
      {"n is None", "write x == y"},
      {"lambda v: v", "a lambda is written"},
      {"*list.begin()", "there are no pointers"},
      {"list->size()", "there are no pointers"},
      {"gRandom->Gaus()", "rndm()"},
      {"n++", "changes nothing"},
      {"int{3} + n", "a cast is written int(x)"},
      {"std::numeric_limits<float>::digits10", "expected max, min, lowest"},
      {"Construct<ROOT::Math::PtEtaPhiMVector>(list, list, list, list)", "write P4("},
      {"ROOT::Math::LorentzVector<ROOT::Math::PtEtaPhiM4D<float>>(x, x, x, x)", "write P4("},
      {"ROOT::Math::PxPyPzMVector(x, x, x, x)", "write P4PxPyPzE("},
      {"ROOT::Math::VectorUtil::DeltaR(x, x)", "write DeltaR"},
      {"TMath::Nint(x)", "write int(rint(x))"},
      {"std::accumulate(list.begin(), list.end(), 0)", "write Sum(x)"},
      {"std::string(\"a\")", "a text as it is"},
      {"Linspace(0, 1, 5)", "write start + Range(n) * step"},
      {"TVector3(x, x, x).Mag()", "unknown function \"TVector3\""},
      {"np.pi", "write M_PI"},
      {"NULL", "there is no value for nothing"},
      {"rdfslot_", "results do not depend"},
      {"Sum$(list)", "those of TTree::Draw"},
      {"1'000", "the digits of a number stand together"},
      {"0x1p3", "written with decimal digits"},
      {"x # comment", "comments are written"},
      {"x;", "ends without \";\""},
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
        "Where(n, x, 0)", "list[Take(list, 1).size() - 1]", "(int)x - 1", "(const float)n / 2",
        "static_cast<unsigned long>(x)", "std::max<double>(x, n)", "x /* a // comment */ + 1", "x < n > (2)",
        "TMath::Max(x, n) + TMath::Pi()", "ROOT::RVec<double>(list)", "((float)(n))", "n < float(2) > (1)",
        "return x;", "return x * 2"})
    EXPECT_EQ(problem_with_spelling(expression), "none") << expression;
}

}  // namespace
}  // namespace skimline
