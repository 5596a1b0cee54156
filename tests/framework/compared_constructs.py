# SPDX-License-Identifier: BSD-3-Clause
"""What is compared with RDataFrame, by construct."""

from typing import NamedTuple

GROUPS = {
    "Operators on numbers": [
        "n + 1", "n - 1", "i8 + u16", "i8 * i8", "i32 + 1", "i32 * i64", "i64 - u64", "u64 * f", "f * f", "f * 2", "f * 0.1",
        "d / 3", "i32 / 7", "i32 % 7", "i64 / 1000", "u16 / 7u", "-i8", "-f", "!flag", "!i32", "+i8", "i32 & 255", "i32 | 1",
        "u16 ^ 77", "u16 << 3", "i32 >> 2", "i64 >> 5", "f < d", "f <= 0", "f > 0", "f >= 0", "f == 0", "f != f", "i32 == u16",
        "n == 2", "flag == true", "flag && f > 0", "flag || f > 0", "flag ? i8 : i32", "flag ? f : d", "f > 0 ? 1 : 2.5",
        "f && d", "n ? 1 : 2", "!(f > 0)", "(f > 0) & flag", "flag | (f > 0)", "n % 2 == 0",
        "i32 / 2.", "5 / 2", "true + n", "f != f ? 0 : f",
    ],
    "Operators on lists": [
        "n == 2 && pt[0] > pt[1]", "n < 1 || pt[0] > 20", "n > 0 ? pt[0] : -1", "pt * 2", "pt * 2.", "2 * pt", "pt + eta",
        "pt * vd", "pt / f", "charge * 2", "charge + pt", "-charge", "!tight", "pt > 20", "pt > 20 && abs(eta) < 2.4",
        "pt > 20 || tight", "eta < vd", "charge == 1", "tight == true", "pt[pt > 20]", "eta[pt > 20 && abs(eta) < 2.4]",
        "charge[tight]", "pt[charge > 0].size()", "pt.size()", "pt[0 < pt && pt < 20]", "pt * charge", "charge / 2",
        "charge % 2", "-pt", "+pt", "!pt", "pt == eta", "(pt > 20) * eta", "tight * pt", "tight + tight",
        "n > 0 ? pt[n - 1] : 0",
    ],
    "Casts, constants and words of C++": [
        "M_PI * f", "double(f) * 2", "int(d)", "(int)n - 1", "(double)f / 3", "-(float)i32 * 2", "(int)d / 7",
        "(unsigned long)n + 1", "(long long)i32 * i32", "(const unsigned int)i32 > 5", "(UInt_t)i8", "(unsigned char)i32",
        "(short int)i32", "(double)(n + 1) / 2", "(int)-d", "static_cast<float>(d)", "static_cast<unsigned long>(n) - 1",
        "static_cast<Double_t>(f) * f", "static_cast<std::uint8_t>(i32)", "Float_t(d)", "Double_t(f)", "Int_t(d)",
        "UInt_t(i32)", "Long64_t(n) - 1", "ULong64_t(n)", "Short_t(i32)", "UChar_t(i32)", "Bool_t(i32)", "char(i8)",
        "std::max<double>(f, d)", "std::min<int>(i8, 3)", "std::max<float>(d, f)", "std::max({f, float(2), -f})",
        "std::min({i32, 5, -7, 2})", "ROOT::RVecD(pt)", "ROOT::RVecF(vd)", "ROOT::RVec<double>(pt)",
        "ROOT::VecOps::RVec<int>(pt)", "ROOT::RVecD(charge)", "ROOT::RVecI(tight)", "ROOT::RVecU(charge)",
        "ROOT::RVec<unsigned char>(charge)", "f /* a comment */ + 1", "/* first */ n", "0b101 + n", "0xFFFFFFFF + n",
        "0b11111111111111111111111111111111", "i32 bitand 255", "i32 bitor 1", "i32 xor 77", "compl i32", "n not_eq 2",
        "not flag and n > 1 or f < 0", "M_E * f", "M_PI_2 + d", "M_PI_4 + d", "M_1_PI * d", "M_2_PI * d", "M_2_SQRTPI * d",
        "M_LN2 * d", "M_LN10 * d", "M_LOG2E * d", "M_LOG10E * d", "M_SQRT2 * d", "M_SQRT1_2 * d", "f > 0 ? f : NAN",
        "f > 0 ? f : -INFINITY", "pt * NAN", "1e3 + f", "1ull << n", "static_cast<int>(pt.size())", "(int)pt.size() - 1",
        "float(n) / 2", "rdfentry_ + 1", "std::numeric_limits<float>::max() > f", "std::numeric_limits<int>::lowest() + i64",
        "std::numeric_limits<double>::infinity() * f", "i8 == 'a'", "'z' - i32", "u16 < 'Z' ? 'a' + 1 : 0",
    ],
    "Statements and lists of values": [
        "if (n > 1) return pt[0] + pt[1]; else return float(-1.);", "if (n > 1) return pt[0]; return float(-1);",
        "if (n > 2) { return 1; } else if (n == 1) { return 2; } else { return 3; }",
        "if (flag) return f; if (d > 0) return -f; return float(0);", "if (n > 2) return pt; else return ROOT::RVecF{};",
        "if (flag) { if (n > 1) return 1.; return 2.; } else return d;",
        "return Map(pt, [](float x) { if (x > 20) return x; return -x; });",
        "return Filter(eta, [](float x) { if (x > 0) { return x < 2; } else return x < -2; });",
        "auto x = f * 2; return x + 1;", "const float x = d; return x * x;", "double a = f, b{d}, c(i32); return a * b - c;",
        "auto sum = Sum(pt); if (sum > 50) { const auto mean = sum / pt.size(); return mean; } return float(-1);",
        "ROOT::RVecF p = pt[tight]; return Sum(p);", "ROOT::RVec<double> x(3, f); return x * d;",
        "const auto &m = eta > 0; return pt[m];", "unsigned char low = i32; return low;", "bool any = i32; return any;",
        "const ROOT::RVecD wide = pt; return wide / 3;", "if (n < 1) return -1; int first = pt[0]; return first;",
        "return Map(pt, [](float x) { auto y = x * x; return y + y; });",
        "return Map(pt, eta, [](float a, float b) { const float c = a * b; double e = c + 1; return e / 2; });",
        "auto k = n; return Filter(pt, [=](float x) { auto y = x / 2; return y > k; });",
        "ROOT::RVecF{f, float(2), -f}", "ROOT::VecOps::RVec<int>{i32, 5}", "ROOT::RVecB{flag, true, n > 1}", "ROOT::RVecD{d, f}",
        "ROOT::RVecD{}", "ROOT::RVecF{pt}", "ROOT::RVec<double>{}", "n > 0 ? ROOT::RVecF{pt[0], f} : ROOT::RVecF(2, f)",
        "ROOT::RVecB(pt.size(), true)", "ROOT::RVecF(n, f)", "ROOT::VecOps::RVec<int>(n, i8)", "ROOT::RVecD(3, f) * d",
        "Concatenate(pt, ROOT::RVecF{f})", "Sum(ROOT::RVecD{d, f, 1.}) + Max(ROOT::RVecI{i32, 3, -5})",
    ],
    "Functions of `<cmath>`": [
        "sqrt(f)", "sqrt(d)", "abs(u16)", "sqrt(i32)", "sqrt(pt)", "exp(f / 100)", "log(pt)", "log10(abs(d))", "sin(f)", "cos(phi)",
        "tan(phi)", "atan2(phi, eta)", "atan2(f, d)", "asin(f / 1000)", "sinh(eta)", "cosh(eta)", "tanh(f)", "pow(pt, 2)",
        "pow(f, f)", "pow(d, 3)", "hypot(pt, vd)", "fmod(f, d)", "floor(f)", "ceil(d)", "round(f)", "abs(f)", "abs(i32)",
        "abs(charge)", "abs(d)", "expm1(eta)", "log1p(pt)", "cbrt(f)", "erf(d)", "std::clamp(f, -float(1), float(1))",
        "std::clamp(u16, u16, u16)", "std::min(f, float(1))", "std::max(u16, u16)", "std::max(d, 0.)", "std::fmin(f, float(1))",
        "std::fmax(d, 0.)", "std::fdim(f, float(1))", "fdim(pt, eta)", "remainder(pt, eta)", "fmod(pt, vd)", "std::isnan(f)",
        "std::isinf(f)", "std::isfinite(f)", "std::signbit(f)", "std::copysign(f, -float(1))", "std::copysign(1., d)",
        "std::lgamma(f)", "lgamma(pt)", "tgamma(eta)", "std::rint(d)", "std::nearbyint(f)", "lround(vd)", "llround(eta)",
        "std::lround(d)", "trunc(vd)", "exp2(eta)", "log2(pt)", "acosh(pt)", "asinh(vd)", "atanh(eta)", "acos(eta)", "atan(vd)",
        "erfc(vd)", "fabs(f)", "std::fabs(d)", "std::floor(f)", "std::round(d)", "std::abs(f)", "std::pow(f, 2)",
        "std::sqrt(f)", "std::tgamma(d)", "std::exp2(f)", "std::sin(d)", "std::cbrt(d)", "std::hypot(f, d)", "pow(2, pt)",
        "pow(pt, charge)", "sqrt(pt * pt + eta * eta)",
    ],
    "ROOT's `TMath` and `TVector2`": [
        "TMath::Pi() * d", "TMath::TwoPi() + d", "TMath::PiOver2() + d", "TMath::PiOver4() + d", "TMath::InvPi() * d",
        "TMath::RadToDeg() * d", "TMath::DegToRad() * d", "TMath::E() * d", "TMath::Sqrt2() * d", "TMath::Ln10() * d",
        "TMath::LogE() * d", "TMath::C() * d", "TMath::Sqrt(f)", "TMath::Sqrt(n)", "TMath::Exp(f / 100)", "TMath::Log(f)",
        "TMath::Log2(d)", "TMath::Log10(f)", "TMath::Power(f, 2)", "TMath::Power(f, d)", "TMath::Power(d, 0.5)",
        "TMath::Sin(f)", "TMath::Cos(f)", "TMath::Tan(f)", "TMath::ASin(f / 40)", "TMath::ACos(f / 40)", "TMath::ATan(f)",
        "TMath::ATan2(f, d)", "TMath::ATan2(f, 0)", "TMath::ATan2(d, f)", "TMath::SinH(f / 100)", "TMath::CosH(f / 100)",
        "TMath::TanH(f)", "TMath::ASinH(f)", "TMath::ACosH(f)", "TMath::ATanH(f / 100)", "TMath::Hypot(f, d)", "TMath::Ceil(f)",
        "TMath::Floor(f)", "TMath::IsNaN(f)", "TMath::Abs(f)", "TMath::Abs(d)", "TMath::Abs(i32)", "TMath::Abs(i64)",
        "TMath::Max(f, float(1))", "TMath::Max(float(1), f)", "TMath::Min(f, float(1))", "TMath::Min(float(1), f)",
        "TMath::Max(d, 1.)", "TMath::Max(i32, 5)", "TMath::Min(i32, 5)", "TMath::Even(i32)", "TMath::Odd(i64)",
        "TVector2::Phi_mpi_pi(d)", "TVector2::Phi_0_2pi(d)", "n > 0 ? TVector2::Phi_mpi_pi(phi[0] - eta[0]) : 0.",
    ],
    "More of `TMath`": [
        "TMath::Gaus(d)", "TMath::Gaus(f, 2)", "TMath::Gaus(d, f, 3)", "TMath::Gaus(d, 1, n, true)", "TMath::Gaus(d, 0, f, flag)",
        "TMath::BreitWigner(d)", "TMath::BreitWigner(f, 91.2)", "TMath::BreitWigner(d, 91.2, 2.5)", "TMath::Sq(f)", "TMath::Sq(n)",
        "TMath::Factorial(n)", "TMath::Factorial(i8)", "TMath::Finite(d)", "TMath::Finite(f)", "TMath::AreEqualAbs(d, f, 5.)",
        "TMath::AreEqualRel(d, f, 0.5)", "TMath::AreEqualAbs(f, f, 0)", "TMath::Nint(d)", "TMath::Nint(i32 / 2.)",
        "TMath::Nint(i32 / float(4))", "TMath::CeilNint(d)", "TMath::FloorNint(d)", "TMath::Ldexp(d, n)", "TMath::Ldexp(f, -3)",
        "TMath::Sign(f, float(-1))", "TMath::Sign(d, 2.)", "TMath::Sign(i32, d)", "TMath::Sign(i64, f)", "TMath::Sign(f, i32)",
        "TMath::Sign(1., f)", "TMath::Range(0., 1., d)", "TMath::Range(-5, 5, i32)", "TMath::Range(-5l, 5l, i64)",
        "TMath::SignBit(f)", "TMath::SignBit(d)", "TMath::SignBit(i32)", "f > 0 ? d : TMath::Infinity()", "f > 0 ? d : TMath::QuietNaN()",
        "TMath::Ccgs() * d", "TMath::G() * d", "TMath::Gcgs() * d", "TMath::GhbarC() * d", "TMath::Gn() * d", "TMath::H() * d",
        "TMath::Hcgs() * d", "TMath::Hbar() * d", "TMath::Hbarcgs() * d", "TMath::HC() * d", "TMath::HCcgs() * d", "TMath::K() * d",
        "TMath::Kcgs() * d", "TMath::Sigma() * d", "TMath::Na() * d", "TMath::R() * d", "TMath::MWair() * d", "TMath::Rgair() * d",
        "TMath::EulerGamma() * d", "TMath::Qe() * d",
    ],
    "Texts": [
        "text.size()", "text.empty()", "text.length()", "text > \"+\"", "text == \" -0\"", "std::stoi(text)", "std::stol(text) + 1",
        "std::stoll(text)", "std::stoul(text)", "std::stoull(text)", "std::stof(text)", "std::stod(text) * f",
    ],
    "Lists as one value": [
        "Sum(pt)", "Sum(pt > 20)", "Sum(charge)", "Sum(vd)", "Sum(pt * pt)", "Any(pt > 50)", "All(pt > 5)", "Any(tight)",
        "n > 0 ? Max(pt) : 0", "n > 0 ? Min(eta) : 0", "n > 0 ? Max(charge) : 0", "Sum(tight)", "Sum(pt, float(1))",
        "Sum(charge, 2)", "Product(pt)", "Product(charge)", "Product(vd)", "Mean(pt)", "Mean(charge)", "Mean(tight)",
        "Mean(vd)", "Var(pt)", "Var(charge)", "Var(vd)", "StdDev(pt)", "StdDev(charge)", "StdDev(vd)", "n > 0 ? ArgMax(pt) : 0",
        "n > 0 ? ArgMin(charge) : 0", "Dot(pt, eta)", "Dot(pt, charge)", "Dot(charge, charge)", "Dot(pt, vd)", "pt.empty()",
        "n > 0 ? pt.front() : 0", "n > 0 ? pt.back() : 0", "n > 1 ? pt.at(1) : 0", "pt.at(1, -float(1))",
        "ROOT::VecOps::Sum(pt)", "(float)Sum(pt)", "Any(pt > 20) ? 1 : 0", "All(pt > 0) && n > 1", "Sum(tight && pt > 20)",
        "Mean(pt, float(0))", "Mean(pt, float(7))", "Mean(vd, 0.)", "Mean(vd, d)", "Mean(charge * charge, 0)",
        "Product(pt, float(2))", "Product(vd, d)", "Product(charge, i32)", "Product(tight, flag)",
    ],
    "Order, choice and combinations of lists": [
        "Sort(pt)", "Sort(charge)", "Sort(tight)", "StableSort(vd)", "Argsort(pt)", "Argsort(charge)", "StableArgsort(eta)",
        "Reverse(pt)", "Reverse(tight)", "Reverse(Argsort(pt))", "Take(pt, Reverse(Argsort(eta)))", "n > 1 ? Take(pt, 2) : pt",
        "n > 2 ? Take(charge, -3) : charge", "Take(pt, 3, -float(1))", "Take(pt, -3, -float(1))",
        "Take(charge, ROOT::VecOps::Range(2), 7)", "Drop(pt, Nonzero(pt > 20))", "Drop(eta, ROOT::VecOps::Range(1))",
        "Nonzero(pt > 20)", "Nonzero(charge)", "Nonzero(tight)", "Where(pt > 20, pt, eta)", "Where(pt > 20, pt, 0.)",
        "Where(tight, 1.5, vd)", "Where(pt > 20, 1, 2)", "Where(tight, charge, 0)", "Intersect(charge, charge)",
        "Intersect(pt, eta)", "Concatenate(pt, eta)", "Concatenate(pt, vd)", "Concatenate(charge, pt)",
        "n > 1 ? Combinations(pt, 2)[0] : ROOT::VecOps::Range(0)", "n > 2 ? Combinations(pt, 3)[1] : ROOT::VecOps::Range(0)",
        "Combinations(pt, vd)[1]", "n > 3 ? Combinations(pt, 4)[2] : ROOT::VecOps::Range(0)",
        "n > 1 ? Combinations(pt, 1)[0] : ROOT::VecOps::Range(0)", "ROOT::VecOps::Combinations(n, 3)[0]",
        "Combinations(pt, pt[pt > 20])[0]", "Combinations(pt, eta).size()", "ROOT::VecOps::Range(n)",
        "ROOT::VecOps::Range(2, n)", "ROOT::VecOps::Range(n, 3)", "ROOT::VecOps::Range(-3, 10, 4)",
        "ROOT::VecOps::Range(10, 2, -3)", "ROOT::VecOps::Range(2, 10, -3)", "Enumerate(pt)",
        "n == 0 || Max(Concatenate(pt, vd)) > 0", "Concatenate(pt, charge)",
        "Intersect(charge, charge, false)", "Intersect(charge, Sort(charge), true)", "Intersect(pt, Sort(eta), n < 9)",
    ],
    "Lambdas": [
        "return f * 2;", "return Map(pt, [](float x) { return x * 2; });", "return Map(pt, [](float x) { return x * 2.; });",
        "return Map(pt, [](auto x) { return x > 20; });", "return Map(charge, [](int q) { return abs(q) + q / 2; });",
        "return Map(charge, [](const int &q) -> double { return q * 2; });",
        "return Map(pt, eta, [](float a, const float &b) { return a * std::cosh(b); });",
        "return Map(pt, eta, vd, [](float a, float b, double c) { return std::sqrt(a * a + b * b + c * c); });",
        "return Map(pt, [](float x) { return x > 20 ? x : -x; });", "return Map(pt, [](float x) { return x > 10 && x < 40; });",
        "return Map(tight, [](bool t) { return !t; });", "return Map(vd, [](float x) { return x * x; });",
        "return Map(pt, [&](float x) { return x / d; });", "return Map(eta, [=](auto x) { return abs(x) < 2.4 || n > 3; });",
        "return Map(pt, [](float x) { return 1; });", "return Map(charge, [](int q) { return q > 0 ? 1 : 0.5; });",
        "return Map(ROOT::VecOps::Range(n), [&](std::size_t i) { return pt[i] + eta[i]; });",
        "return Map(charge, tight, [](int q, bool t) { return (q == 1) + t; });",
        "return Filter(pt, [](float x) { return x > 20; });", "return Filter(charge, [](int q) { return q == 1; });",
        "return Filter(charge, [](int q) { return q + 1; });", "return Filter(eta, [&](const auto &x) { return std::abs(x) < f; });",
        "return Sum(Filter(pt, [](float x) { return x > 20; }));", "return Sort(pt, [](float a, float b) { return a > b; });",
        "return Sort(charge, [](int a, int b) { return b < a; });", "return Sort(pt, [](auto a, auto b) { return a < b; });",
        "return StableSort(eta, [](float a, float b) { return abs(a) < abs(b); });",
        "return StableSort(charge, [](int a, int b) { return a > b; });",
        "return Argsort(eta, [](double a, double b) { return a > b; });",
        "return StableArgsort(charge, [](int a, int b) { return a > b; });",
        "return StableArgsort(tight, [](bool a, bool b) { return a > b; });",
        "return StableSort(vd, [](double x, double y) { return 1 / x < 1 / y; });",
    ],
    "Angles and masses": [
        "DeltaPhi(phi, eta)", "DeltaR(eta, eta, phi, eta)", "InvariantMass(pt, eta, phi, mass)",
        "InvariantMass(vd, vd, vd, vd)", "ROOT::VecOps::DeltaR(f, f, f, f)", "DeltaR2(eta, eta, phi, eta)",
        "DeltaR2(vd, vd, vd, vd)", "DeltaPhi(phi, float(1))", "ROOT::VecOps::Angle(f, float(1), float(2), float(3), f, f)",
        "ROOT::VecOps::Angle(d, d, 1., 2., 3., d)", "InvariantMasses(pt, eta, phi, mass, eta, phi, mass, pt)",
        "InvariantMasses(vd, vd, vd, vd, vd, vd, vd, vd)", "InvariantMasses(pt, eta, phi, mass * 0, pt, eta, phi, mass * 0)",
        "ROOT::VecOps::InvariantMasses_PxPyPzM(f, float(1), float(2), float(3), float(1), f, float(3), f)",
        "ROOT::VecOps::InvariantMasses_PxPyPzM(0., 0., 0., d, 1., 2., d, 4.)",
        "InvariantMasses_PxPyPzM(pt, eta, phi, mass, eta, pt, phi, mass)", "ROOT::VecOps::DeltaPhi(f, float(1))",
        "InvariantMass(vd, eta, phi, mass)", "InvariantMass(pt, vd, phi, mass)", "InvariantMass(pt, eta, vd, mass)",
        "InvariantMass(pt, eta, phi, vd)", "InvariantMass(pt * 1.1, eta, phi, mass)", "InvariantMass(pt, eta, phi, charge)",
        "InvariantMass(charge, eta, phi, vd)", "InvariantMass(vd, eta, phi, tight)",
        "InvariantMasses(vd, eta, phi, mass, pt, eta, phi, mass)", "InvariantMasses(pt, vd, phi, mass, pt, eta, phi, mass)",
        "InvariantMasses(pt, eta, phi, mass, eta, phi, vd, mass)", "InvariantMasses(pt, eta, phi, vd, eta, phi, mass, pt)",
        "InvariantMasses(pt, eta, phi, charge, vd, phi, mass, charge)", "InvariantMasses(charge, eta, phi, tight, pt, phi, eta, mass)",
        "InvariantMasses_PxPyPzM(vd, eta, phi, mass, eta, pt, phi, mass)", "InvariantMasses_PxPyPzM(pt, eta, vd, mass, eta, pt, phi, charge)",
        "ROOT::VecOps::InvariantMasses_PxPyPzM(f, d, f, f, float(1), f, float(3), f)",
        "ROOT::VecOps::InvariantMasses_PxPyPzM(float(0), float(0), float(0), i32, float(1), float(2), d, f)",
        "ROOT::VecOps::Angle(f, float(1), d, float(3), f, f)", "ROOT::VecOps::Angle(d, f, f, 2., 3., f)",
        "DeltaR(eta, vd, phi, phi)", "DeltaR(eta, eta, phi, vd)", "DeltaR2(vd, eta, phi, eta)", "DeltaR(charge, eta, phi, phi)",
        "ROOT::VecOps::DeltaR(f, d, f, f)", "ROOT::VecOps::DeltaR(f, f, d, f)", "DeltaPhi(phi, vd)",
        "DeltaPhi(phi, eta, float(180))", "DeltaPhi(phi, eta, 180.)", "DeltaPhi(vd, eta, 2.)", "DeltaPhi(vd, vd, float(1))",
        "ROOT::VecOps::DeltaPhi(f, float(1), 180.)", "ROOT::VecOps::DeltaPhi(d, d * 3, float(2))", "DeltaR(eta, phi, phi, eta, 2.)",
        "DeltaR(eta, vd, phi, vd, float(2))", "DeltaR2(eta, phi, phi, vd, float(1))", "ROOT::VecOps::DeltaR(d, f, d, f, float(1))",
    ],
}  # fmt: skip
"""Expressions that give the same types and values."""


class Different(NamedTuple):
    """An expression of other values or types than RDataFrame's, and why."""

    text: str
    why: str


DIFFERENT = [
    Different("Sum(pt, 0.)", "RDataFrame makes the list one of `bool`s and counts what is not 0; here elements are added up"),
    Different("Sum(charge, 0.)", "the same"),
    Different("Enumerate(tight)", "RDataFrame's indexes are of the type of the elements, `bool`; here they count"),
    Different("Mean(pt, 0.)", "the same as for `Sum(pt, 0.)`; the number is divided as an integer besides"),
    Different("Mean(pt, 0)", "the same, as an `int`"),
    Different("Mean(charge, 0)", "the size is unsigned there, so that negative sums become huge; here integers are divided as in C++"),
    Different("DeltaPhi(phi, eta, 180)", "the result has the type of the half turn there, `int`; here integers are converted"),
    Different("InvariantMass(charge, charge, charge, charge)", "the mass of integers is cut to an integer there; here it is computed in `double`"),
    Different("DeltaR(eta, eta, phi, phi, 3)", "see `DeltaPhi`"),
]  # fmt: skip


class Refused(NamedTuple):
    """An expression that is an error, and what to write: the same as RDataFrame computes, unless there is nothing."""

    text: str
    instead: str | None
    remark: str = ""


REFUSED = [
    Refused("auto x = f; x *= 2; return x + 1;", "f * 2 + 1", "variables keep their values"),
    Refused(
        "return Sort(pt, [](float a, float b) { return a > b || (a == b && a < b); });",
        "Reverse(Sort(pt))",
        "lambdas of sorts compare the same of both elements",
    ),
    Refused(
        "return Map(eta, [&](float x) { return Sum(abs(eta - x) < 1); });",
        "Sum(abs(ForEach(eta, eta) - eta) < 1)",
        "lambdas see elements, no whole lists",
    ),
    Refused("Construct<ROOT::Math::PtEtaPhiMVector>(pt, eta, phi, mass).size()", "P4(pt, eta, phi, mass).size()"),
    Refused("Where(charge > 0, charge, 0.5)", "Where(charge > 0, charge, 0)", "the fraction is lost there"),
    Refused("Where(pt, eta, phi)", "Where(trunc(pt) != 0, eta, phi)", "`pt != 0` is mostly meant"),
    Refused("ROOT::VecOps::Linspace(0., 1., 5)", "ROOT::VecOps::Range(5) / 4."),
    Refused("017 + n", "15 + n", "leading zeros mean octal numbers there"),
    Refused("0x1p3 + d", "8. + d"),
    Refused("int{3} + n", "int(3) + n"),
    Refused("n > 0 ? *pt.begin() : 0", "n > 0 ? pt.front() : 0", "there are no iterators"),
    Refused("return std::any_of(pt.begin(), pt.end(), [](float x) { return x > 20; });", "Any(pt > 20)"),
    Refused("return std::none_of(pt.begin(), pt.end(), [](float x) { return x > 20; });", "!Any(pt > 20)"),
    Refused("std::accumulate(pt.begin(), pt.end(), float(0))", "Sum(pt)"),
    Refused("std::fma(f, f, float(0))", "f * f + float(0)", "rounded once more"),
    Refused("kTRUE ? i32 : i8", "true ? i32 : i8"),
    Refused("d < DBL_MAX", "d < std::numeric_limits<double>::max()"),
    Refused("text.find(\"x\") != std::string::npos", "contains(text, \"x\")"),
    Refused("text.compare(\" -0\") == 0", "text == \" -0\""),
    Refused("text + \"x\" == \"0x\"", "text == \"0\"", "texts are not put together"),
    Refused("TVector2(f, d).Mod()", "sqrt(double(f) * f + d * d)"),
    Refused("ROOT::Math::XYZVector(d, d, d).R()", "sqrt(d * d + d * d + d * d)"),
    Refused("rdfslot_", None, "it says which thread computes; results must not depend on that"),
    Refused("gRandom->Gaus()", None, "[random numbers](expression-language.md#random-numbers) depend on their arguments only"),
]  # fmt: skip

EXPRESSIONS = [text for texts in GROUPS.values() for text in texts]
OURS = [*EXPRESSIONS, *(each.text for each in DIFFERENT), *(each.instead for each in REFUSED if each.instead)]
"""What Skimline computes, and RDataFrame, in this order: what is refused in place of what to write."""
THEIRS = [*EXPRESSIONS, *(each.text for each in DIFFERENT), *(each.text for each in REFUSED if each.instead)]
