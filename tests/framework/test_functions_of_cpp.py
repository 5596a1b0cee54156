# SPDX-License-Identifier: BSD-3-Clause
"""Random functions of C++, with variables, assignments and choices: a compiler's values for the same text.

$SKIMLINE_FUZZ_SEED chooses the functions.
"""

import ctypes
import os
import random
import subprocess
from typing import NamedTuple

import numpy as np
import pytest

sk = pytest.importorskip("skimline")

NUM_EVENTS = 200
NUM_FUNCTIONS = 200
REAL = ("double", "float")
TYPES = (*REAL, "int", "bool", "long", "short", "unsigned char")


class Function(NamedTuple):
    result: str
    parameters: str
    body: str


class Writer:
    """Writes bodies in which nothing is undefined: integers stay small, and each variable has a value."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 0

    def function(self):
        kind = self.random.choice(("int", "double"))
        known = [("a", "double"), ("b", kind), ("c", "float")]
        result = self.random.choice(("double", "float"))
        return Function(
            result, f"double a, {kind} b, const float &c_", f"float c = c_; {self.body(known, 3)}"
        )

    def value(self, known, depth):
        if depth == 0 or self.random.random() < 0.3:
            return self.random.choice([name for name, _ in known] + ["2", "1.5", "0.25f", "3", "-1"])
        x, y = self.value(known, depth - 1), self.value(known, depth - 1)
        kind = self.random.choice(("+", "-", "*", "<", ">", "==", "&&", "||", "?", "abs", "max", "cast"))
        texts = {
            "abs": f"std::abs(double({x}))",
            "max": f"std::max<double>({x}, {y})",
            "cast": f"{self.random.choice(REAL)}({x})",
            "?": f"(({x}) > ({y}) ? ({y}) : (-({x})))",
            "&&": f"(({x}) > 0 && ({y}) > 0)",
            "||": f"(!(({x}) > 0) || ({y}) > 0)",
        }
        return texts.get(kind, f"(({x}) {kind} ({y}))")

    def value_for(self, kind, known):
        value = self.value(known, 2)
        if kind in REAL or kind == "bool":
            return value
        if kind == "unsigned char":
            return f"(({value}) > 1 ? 7 : 3)"
        return f"int(std::max<double>(-100, std::min<double>(100, {value})))"

    def assignment(self, known):
        name, kind = self.random.choice(known)
        if kind in REAL:
            op = self.random.choice(("=", "+=", "-=", "*="))
            return self.random.choice((f"{name}++;", f"--{name};", f"{name} {op} {self.value(known, 2)};"))
        return f"{name} = {self.value_for(kind, known)};"

    def variable(self, known):
        self.number += 1
        name, kind = f"v{self.number}", self.random.choice(TYPES)
        value = self.value_for(kind, known)
        text = self.random.choice(
            (
                f"{kind} {name} = {value};",
                f"{kind} {name}; if ({self.value(known, 1)} > 0) {name} = {value}; else {{ {name} = 2; }}",
            )
        )
        known.append((name, kind))
        return text

    def choice(self, known, depth):
        ways = [f"{{ {self.statements(known, depth - 1)} }}", self.assignment(known)]
        text = f"if ({self.value(known, 1)} > {self.value(known, 1)}) {self.random.choice(ways)}"
        return text + (f" else {self.random.choice(ways)}" if self.random.random() < 0.5 else "")

    def return_on_some_ways(self, known, depth):
        way = self.random.choice(
            (
                f"return {self.value(known, 2)};",
                f"{{ {self.body(known, depth - 1)} }}",
                f"{{ {self.assignment(known)} if ({self.value(known, 1)} > 1) return {self.value(known, 1)}; }}",
            )
        )
        return f"if ({self.value(known, 1)} > {self.value(known, 1)}) {way}"

    def statements(self, outside, depth, *, may_return=False):
        known, texts = list(outside), []
        for _ in range(self.random.randrange(4)):
            kinds = ["variable", "assignment"]
            if depth > 0:
                kinds += ["choice", "block"] + ["return"] * may_return
            kind = self.random.choice(kinds)
            if kind == "variable":
                texts.append(self.variable(known))
            elif kind == "assignment":
                texts.append(self.assignment(known))
            elif kind == "choice":
                texts.append(self.choice(known, depth))
            elif kind == "block":
                texts.append(f"{{ {self.statements(known, depth - 1)} }}")
            else:
                texts.append(self.return_on_some_ways(known, depth))
        if may_return:
            texts.append(f"return {self.value(known, 2)};")
        return " ".join(texts)

    def body(self, known, depth):
        return self.statements(known, depth, may_return=True)


def compiled(functions, folder):
    lines = ["#include <algorithm>", "#include <cmath>"]
    for i, (result, parameters, body) in enumerate(functions):
        lines += [
            f"static {result} f{i}({parameters}) {{ {body} }}",
            f'extern "C" void g{i}(const double* a, const int* b, const float* c, double* r, int n) {{',
            f"for (int i = 0; i < n; ++i) r[i] = f{i}(a[i], b[i], c[i]); }}",
        ]
    (folder / "f.cc").write_text("\n".join(lines))
    options = ["-O1", "-ffp-contract=off", "-w", "-shared", "-fPIC"]
    subprocess.run(["g++", *options, "-o", folder / "f.so", folder / "f.cc"], check=True)
    return ctypes.CDLL(str(folder / "f.so"))


@pytest.mark.filterwarnings("ignore::skimline.RunWarning")
def test_functions_have_the_values_that_a_compiler_gives_them(tmp_path):
    seed = int(os.environ.get("SKIMLINE_FUZZ_SEED", "1"))
    writer, numbers = Writer(seed), np.random.default_rng(seed)
    columns = {
        "a": numbers.normal(0, 5, NUM_EVENTS).round(2),
        "b": numbers.integers(-6, 7, NUM_EVENTS).astype(np.int32),
        "c": numbers.normal(0, 3, NUM_EVENTS).astype(np.float32),
    }
    sk.write(tmp_path / "events.root", columns)
    functions = [writer.function() for _ in range(NUM_FUNCTIONS)]
    library = compiled(functions, tmp_path)
    frame = sk.open(tmp_path / "events.root")
    for i, (result, parameters, body) in enumerate(functions):
        frame = frame.function(f"{result} f{i}({parameters})", f"{{ {body} }}")
    ours = frame.arrays({f"r{i}": f"double(f{i}(a, b, c))" for i in range(NUM_FUNCTIONS)}, library="np")
    given = [each.ctypes.data_as(ctypes.c_void_p) for each in columns.values()]
    for i, function in enumerate(functions):
        theirs = np.zeros(NUM_EVENTS)
        getattr(library, f"g{i}")(*given, theirs.ctypes.data_as(ctypes.c_void_p), NUM_EVENTS)
        np.testing.assert_array_equal(ours[f"r{i}"], theirs, err_msg=f"seed {seed}: {function}")
