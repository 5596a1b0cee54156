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
  schema.add({"text", flat(ScalarType::kString), ""});
  for (const char* name : {"Jet.pt", "Jet.eta", "Jet.phi", "Jet.mass"})
    schema.add({name, jagged(ScalarType::kFloat), ""});
  try {
    PlanBuilder builder(schema);
    builder.add_collection(
        {"Jet", true, {{"pt", "Jet.pt"}, {"eta", "Jet.eta"}, {"phi", "Jet.phi"}, {"mass", "Jet.mass"}}});
    static_cast<void>(builder.type_of_expression(expression));
  } catch (const ExpressionError& error) {
    return error.problem();
  }
  return "none";
}

TEST(Misspellings, OfReferencesAreSaidWithThoseThatAreThere) {
  Schema schema;
  schema.add({"GenPart.pdgId", jagged(ScalarType::kInt32), ""});
  schema.add({"GenPart.genPartIdxMother", jagged(ScalarType::kInt16), ""});
  schema.add({"Muon.genPartIdx", jagged(ScalarType::kInt16), ""});
  const auto problem_with = [&](const char* expression) -> std::string {
    try {
      PlanBuilder builder(schema);
      builder.add_collection(
          {"GenPart", true, {{"pdgId", "GenPart.pdgId"}, {"genPartIdxMother", "GenPart.genPartIdxMother"}}});
      builder.add_collection({"Muon", true, {{"genPartIdx", "Muon.genPartIdx"}}});
      static_cast<void>(builder.type_of_expression(expression));
    } catch (const ExpressionError& error) {
      return error.problem();
    }
    return "none";
  };
  EXPECT_EQ(problem_with("GenPart.genPartMother.pdgId"), "none");
  EXPECT_EQ(problem_with("GenPart.parent.pdgId"),
            "unknown column \"GenPart.parent.pdgId\" (write GenPart.genPartMother.pdgId)");
  EXPECT_EQ(problem_with("Muon.matched_gen.pdgId"),
            "unknown column \"Muon.matched_gen.pdgId\" (write Muon.genPart.pdgId)");
  EXPECT_EQ(problem_with("Muon.matched_jet.pt").find("write"), std::string::npos);
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
      {"TMath::Sqrtt(x)", "did you mean \"TMath::Sqrt\"?"},
      {"TMath::Sqr(x)", "write x * x"},
      {"TMath::Even(x)", "does not take (float)"},
      {"InvMass(list, list, list, list)", "write InvariantMass("},
      {"(unsigned float)x", "no such type of numbers"},
      {"(int)", "expected a value"},
      {"static_cast<Muon>(n)", "no such type of numbers"},
      {"static_cast<float>n", "expected '(' after the type"},
      {"static_cast<float>(n, x)", "takes one argument"},
      {"Construct<float>(x, n)", "write P4("},
      {"lower_bound<float>(x, n)", "no types in \"<>\" but of static_cast, max, min and RVec"},
      {"Alt(list, 0, -999)", "write at(x, i, default)"},
      {"ROOT::RVecF(n)", "takes a list"},
      {"ROOT::RVecI{x}", "a float would lose its fraction as std::int32_t"},
      {"ROOT::RVecF(x, 0)", "a float would lose its fraction"},
      {"ROOT::RVecF{list, list}", "lists are joined by Concatenate(x, y)"},
      {"Map(list, [](float a) { return Sum(RVecF{a}); })", "a lambda makes no lists"},
      {"ROOT::RVec<float>(x)", "takes a list"},
      {"std::max<double>(list", "or ',' in the arguments of \"max\""},
      {"max({x, n)", "expected '}'"},
      {"abs({x})", "lists of values have a type: RVecF{x, y}"},
      {"np.sqrt(x)", "unknown function \"np.sqrt\": write sqrt"},
      {"n > 2 && True", "write true"},
      {"ROOT::Math::PtEtaPhiMVector(x, x, x, x)", "write P4("},
      {"sum(list)", "did you mean \"Sum\"?"},
      {"auto y; return y;", "has one at once: auto x = 1;"},
      {"x = 2", "assignment is not part of an expression"},
      {"return x; n", "expected an operator or the end"},
      {"1 if x > 2 else 0", "c ? x : y"},
      {"if (x > 2) return 1;", "expected \"return\" on each way"},
      {"if (x > 2) if (x < 3) return 1; return 0; return 2;", "expected an operator or the end"},
      {"if (x > 2) { return 1; return 0; } return 2;", "expected '}' behind the last statement"},
      {"if (x > 2) return 1 else return 0;", "expected an operator or ';'"},
      {"if (x > 2) return 1; else return 0; return 2;", "expected an operator or the end"},
      {"if (list > 2) return 1; else return 0;", "use Any, All or Where"},
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
      {"std::accumulate(list.begin(), list.end(), 0)", "write Sum(x)"},
      {"std::string(\"a\")", "a text as it is"},
      {"Linspace(0, 1, 5)", "write start + Range(n) * step"},
      {"TVector3(x, x, x).Mag()", "unknown function \"TVector3\""},
      {"np.pi", "write M_PI"},
      {"NULL", "there is no value for nothing"},
      {"rdfslot_", "results do not depend"},
      {"Sum$(list)", "those of TTree::Draw: write Sum(x)"},
      {"Length$(list) > 2", "write x.size()"},
      {"Alt$(list[0], -1)", "write x.at(0, y)"},
      {"MaxIf$(list, list > 2)", "write Max(x[condition])"},
      {"Entry$ % 2", "write entry_"},
      {"Iteration$", "write Enumerate(x)"},
      {"Entries$", "those of TTree::Draw"},
      {"@Jet.size()", "the number of objects is Muon.size()"},
      {"Jet@.size()", "the number of objects is Muon.size()"},
      {"ak.num(list)", "unknown function \"ak.num\": write x.size()"},
      {"ak.sum(list, axis=1)", "unknown function \"ak.sum\": write Sum"},
      {"ak.max(list, axis=-1)", "write Max(x)"},
      {"ak.argmax(list)", "write ArgMax"},
      {"ak.sort(list, ascending=False)", "write Sort(x)"},
      {"ak.firsts(list)", "write x.at(0, y)"},
      {"ak.cartesian([list, list])", "write Combinations(x, y)"},
      {"ak.zip({\"pt\": list})", "write the members of the collection"},
      {"ak.fill_none(list, 0)", "with y for what is missing"},
      {"np.where(x > 2, 1, 0)", "write Where(mask, x, y)"},
      {"np.logical_and(x > 2, n)", "write x && y"},
      {"np.isin(n, [1, 2])", "write IsIn(x, list)"},
      {"np.maximum(x, n)", "write max(x, y)"},
      {"np.fmax(x, n)", "write fmax(x, y)"},
      {"np.mod(x, 2)", "write x - y * floor(x / y)"},
      {"np.remainder(x, 2)", "write x - y * floor(x / y)"},
      {"np.round(x)", "write rint(x)"},
      {"np.arctanh(x)", "write atanh(x)"},
      {"np.random.normal(0, 1)", "write rndm_normal"},
      {"math.fabs(x)", "write fabs"},
      {"sort(list, ascending = n)", "arguments have no names"},
      {"list[:, 0]", "no axis of events"},
      {"list[..., 0]", "no axis of events"},
      {"events.list", "(write list)"},
      {"event.Jet.pt", "(write Jet.pt)"},
      {"events[\"list\"]", "without brackets: write list"},
      {"\"a\" in text", "write contains(s, text)"},
      {"[v for v in list]", "there are no lists of values"},
      {"sum(v for v in list)", "work element by element"},
      {"float y; return y;", "has no value on each way"},
      {"TLorentzVector v; v.M()", "variables have types of numbers or lists"},
      {"++x", "an expression changes nothing"},
      {"--n + 2", "an expression changes nothing"},
      {"x ^ 2", "a power is pow(x, y)"},
      {"x % 2", "write fmod(x, y), which has the sign of x, or x - y * floor(x / y)"},
      {"text + \"x\"", "texts are not put together"},
      {"text * 2", "a text becomes a number by stoi(s)"},
      {"max(list)", "of one list it is Max(x)"},
      {"Max(x, n)", "of numbers it is max(x, y)"},
      {"IsIn(n, 1)", "write x == y"},
      {"TMath::Pi", "write TMath::Pi()"},
      {"TMath::Landau(x)", "one of Python can be called"},
      {"TMath::Prob(x, 3)", "one of Python can be called"},
      {"TMath::Freq(x)", "write 0.5 * erfc("},
      {"TMath::Poisson(x, 3)", "write exp(x * log(mean)"},
      {"Median(list)", "one of Python can be called"},
      {"std::any_of(list.begin(), list.end(), [](float v) { return v > 2; })", "write Any(condition)"},
      {"std::to_string(n)", "write a text as it is"},
      {"atof(text)", "write stod(s)"},
      {"text.Contains(\"a\")", "write contains(s, text)"},
      {"kTRUE", "write true"},
      {"DBL_MAX", "write std::numeric_limits<double>::max()"},
      {"std::numbers::pi", "write M_PI"},
      {"rdfsampleinfo_", "is sample_"},
      {"nJet", "(write Jet.size())"},
      {"Jet.px", "(write Jet.p4().px())"},
      {"Jet_energy", "(write Jet.p4().energy())"},
      {"(Jet[0] + Jet[1]).mass", "of momenta it is a function"},
      {"(Jet[0] + Jet[1]).mass()", "or its momenta, Jet.p4()"},
      {"Jet.delta_r(Jet)", "write DeltaR(v, w)"},
      {"Jet.nearest(Jet)", "did you mean \"Nearest\"?"},
      {"Jet.hasFlags(\"isLastCopy\")", "write bits(GenPart.statusFlags, \"isLastCopy\")"},
      {"Collection(n, \"Jet\")", "write the column itself"},
      {"1'000", "the digits of a number stand together"},
      {"0x1p3", "written with decimal digits"},
      {"x # comment", "comments are written"},
      {"x // 2", "comments are written /* ... */, and int(a / b) divides integers"},
      {"x // 2\n + 1", "comments are written"},
      {"return x; // without an end", "comments are written"},
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
  for (const char* expression : {"n < int(x) + 2",
                                 "list[0] < 2 ? x : -x",
                                 "x > (n)",
                                 "(n) - x",
                                 "Where(list > 2, list, 0)",
                                 "Where(n, x, 0)",
                                 "list[Take(list, 1).size() - 1]",
                                 "(int)x - 1",
                                 "(const float)n / 2",
                                 "static_cast<unsigned long>(x)",
                                 "std::max<double>(x, n)",
                                 "x /* a // comment */ + 1",
                                 "// one\nx + 1",
                                 "{ // one\n  auto y = x; // two\n // three ; }\n return y; }",
                                 "x < n > (2)",
                                 "TMath::Max(x, n) + TMath::Pi()",
                                 "ROOT::RVec<double>(list)",
                                 "((float)(n))",
                                 "n < float(2) > (1)",
                                 "return x;",
                                 "return x * 2",
                                 "x - -n",
                                 "- -x",
                                 "x + +n",
                                 "n % 2",
                                 "n ^ 2",
                                 "text.size()",
                                 "stoi(text) + stof(text)",
                                 "TMath::Gaus(x)",
                                 "TMath::Nint(list)",
                                 "TMath::Sign(list, n)"})
    EXPECT_EQ(problem_with_spelling(expression), "none") << expression;
}

// A column may have the name of a module of Python.
TEST(Misspellings, LeaveColumnsTheirNames) {
  Schema schema;
  schema.add({"np", jagged(ScalarType::kFloat), ""});
  schema.add({"ak.pt", flat(ScalarType::kFloat), ""});
  EXPECT_EQ(PlanBuilder(schema).type_of_expression("np.size()"), flat(ScalarType::kUInt64));
  EXPECT_EQ(PlanBuilder(schema).type_of_expression("ak.pt * 2"), flat(ScalarType::kFloat));
}

}  // namespace
}  // namespace skimline
