# SPDX-License-Identifier: BSD-3-Clause
"""Random well-typed expressions give the values and types of RDataFrame, bit for bit.

$SKIMLINE_FUZZ_SEED chooses the expressions and $SKIMLINE_FUZZ_EXPRESSIONS their number in a round; rounds follow one
another for $SKIMLINE_FUZZ_SECONDS."""

import os
import random
import time

from expression_oracle import difference, evaluate_by_rdataframe, evaluate_by_skimline, write_input

# No literal 2.: the interpreter's optimiser makes exp2(x) of pow(2., x), whose last bit may differ.
FLAT = {"int": ["n", "i8", "u16", "i32 % 1000", "i64 % 1000", "3", "7u"], "real": ["f", "d", "0.5", "2.5"],
        "truth": ["flag", "true"]}  # fmt: skip
LISTS = {"int": ["charge"], "real": ["pt", "eta", "phi", "mass", "vd"], "truth": ["tight"]}
UNARY = ["sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "trunc", "round", "erf", "erfc", "tgamma", "abs"]  # fmt: skip
BINARY = ["pow", "atan2", "hypot", "fmod"]


class Generator:
    """Expressions of a kind (int, real or truth) and shape; every list has the size n of its event."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def expression(self, kind, is_list, depth):
        if depth == 0:
            return self.random.choice((LISTS if is_list else FLAT)[kind])
        if not is_list and self.random.random() < 0.4:
            return self.from_list(kind, depth - 1)
        return getattr(self, kind)(is_list, depth - 1)

    def pair(self, kind, is_list, depth):
        shapes = (
            self.random.choice([(True, True), (True, False), (False, True)]) if is_list else (False, False)
        )
        return [self.expression(kind, shape, depth) for shape in shapes]

    def int(self, is_list, depth):
        one = self.expression("int", is_list, depth)
        a, b = self.pair("int", is_list, depth)
        # Remainders keep values small: overflow of signed integers is undefined. RVec has no shifts.
        shifts = [] if is_list else [f"(({one}) >> 2)", f"((({one}) & 255) << 3)"]
        return self.random.choice([
            f"(({a}) % 99 + ({b}) % 99)", f"(({a}) % 99 - ({b}) % 99)", f"(({a}) % 99 * (({b}) % 99))", f"(({one}) / 7)",
            f"(({a}) & ({b}))", f"(({a}) | ({b}))", f"(({a}) ^ ({b}))", *shifts,
            f"(-(({one}) % 99))",
        ])  # fmt: skip

    def real(self, is_list, depth):
        one = self.expression("real", is_list, depth)
        a, b = self.pair("real", is_list, depth)
        return self.random.choice([
            f"({a} {self.random.choice('+-*/')} {b})", f"(-{one})", f"{self.random.choice(UNARY)}({one})",
            f"{self.random.choice(BINARY)}({a}, {b})",
        ])  # fmt: skip

    def truth(self, is_list, depth):
        kind = self.random.choice(["int", "real"])
        comparison = f" {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} ".join(
            self.pair(kind, is_list, depth)
        )
        a, b = self.pair("truth", is_list, depth)
        return self.random.choice([f"({comparison})", f"({a} && {b})", f"({a} || {b})",
                                   f"(!{self.expression('truth', is_list, depth)})"])  # fmt: skip

    def from_list(self, kind, depth):
        values, mask = self.expression(kind, True, depth), self.expression("truth", True, depth)
        if kind == "truth":
            return f"{self.random.choice(['Any', 'All'])}({values})"
        choices = [f"(n > 1 ? ({values})[1] : 0)", f"(n > 0 ? {self.random.choice(['Min', 'Max'])}({values}) : 0)",
                   f"Sum(({values})[{mask}])"]  # fmt: skip
        if kind == "int":
            choices += [f"(({values})[{mask}]).size()", f"Sum({mask})", f"size(Nonzero({values}))"]
        else:
            choices += [
                f"{self.random.choice(['Mean', 'Var', 'StdDev', 'Product'])}({values})",
                f"Dot({values}, {values})",
            ]
        return self.random.choice(choices)

    def next(self):
        kind = self.random.choice(["int", "real", "truth"])
        return self.expression(kind, self.random.random() < 0.5, self.random.randint(1, 4))


def test_random_expressions(tmp_path, skimline):
    seed = int(os.environ.get("SKIMLINE_FUZZ_SEED", "1"))
    count = int(os.environ.get("SKIMLINE_FUZZ_EXPRESSIONS", "150"))
    end = time.monotonic() + float(os.environ.get("SKIMLINE_FUZZ_SECONDS", "0"))
    path = tmp_path / "input.root"
    write_input(path, 1000)
    failures = []
    while True:
        generator = Generator(seed)
        expressions = [generator.next() for _ in range(count)]
        ours = evaluate_by_skimline(skimline, path, expressions)
        theirs, types = evaluate_by_rdataframe(path, expressions)
        for i, text in enumerate(expressions):
            problem = difference(f"e{i}", types[i], ours[f"e{i}"].array(), theirs[f"e{i}"].array())
            if problem:
                failures.append(f"seed {seed}: {text}: {problem}")
        seed += 1
        if time.monotonic() >= end:
            break
    assert not failures, "\n".join(failures)
