# SPDX-License-Identifier: BSD-3-Clause
"""Random expressions and their values by Skimline's engine, and by ROOT's interpreter as RDataFrame compiles them.

Booking thousands of expressions in an RDataFrame takes minutes to compile its event loop for them, which is not what is
tested: here they are the same lambdas over the same types, called entry by entry.

As a program, `interpreted_expressions.py FOLDER ENTRIES` writes the interpreter's values of a folder of expressions."""

import os
import re
import subprocess
import sys
from pathlib import Path

SCALAR_TYPES = ["bool", "std::int8_t", "std::uint8_t", "std::int16_t", "std::uint16_t", "std::int32_t", "std::uint32_t",
                "std::int64_t", "std::uint64_t", "float", "double"]  # fmt: skip
SIZES = [1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8]
EXPRESSIONS_AT_ONCE = 200


def cpp_type(scalar, depth):
    return "ROOT::VecOps::RVec<" * depth + SCALAR_TYPES[scalar] + ">" * depth


class Interpreter:
    """The columns of one folder, in the memory of the interpreter."""

    num_interpreters = 0

    def __init__(self, folder, num_entries):
        Interpreter.num_interpreters += 1
        self.namespace = f"skimline_oracle_{Interpreter.num_interpreters}"
        self.num_entries = num_entries
        rows = [line.split() for line in (folder / "columns.txt").read_text().splitlines()]
        self.types = {name: cpp_type(int(scalar), int(depth)) for name, scalar, depth in rows}
        import ROOT

        self.ROOT = ROOT
        header = Path(__file__).parent / "interpreted_expressions.h"
        columns, reads = "", ""
        for name, type_name in self.types.items():
            # std::vector<bool> has no references to its elements.
            stored = type_name if type_name != "bool" else "std::uint8_t"
            columns += f"std::vector<{stored}> {name};\n"
            reads += f"  skimline_oracle::read_column(file, {num_entries}, {name});\n"
        ROOT.gSystem.Load("libROOTVecOps")
        assert self.declare(
            f'#include "{header}"\nnamespace {self.namespace} {{\n{columns}void read_columns() {{\n'
            f'  std::ifstream file("{folder}/columns.bin", std::ios::binary);\n{reads}}}\n}}'
        )
        getattr(ROOT, self.namespace).read_columns()

    def declare(self, code):
        quiet = '#pragma clang diagnostic push\n#pragma clang diagnostic ignored "-Weverything"\n'
        return self.ROOT.gInterpreter.Declare(quiet + code + "\n#pragma clang diagnostic pop\n")

    def function(self, index, expression):
        """A function of the number of an expression that writes its values for the entries that C++ defines."""
        names = [
            name for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", expression)) if name in self.types
        ]
        parameters = ", ".join(f"{self.types[name]}& {name}" for name in names)
        arguments = ", ".join(
            f"reinterpret_cast<bool&>({self.namespace}::{name}[i])" if self.types[name] == "bool"
            else f"{self.namespace}::{name}[i]" for name in names
        )  # fmt: skip
        return (
            f"auto expression{index} = []({parameters}) {{ return {expression}\n; }};\n"
            f"void write{index}() {{\n"
            f"  const std::string& defined = skimline_oracle::defined_entries()[{index}];\n"
            f"  skimline_oracle::Values values;\n"
            f"  for (std::size_t i = 0; i < {self.num_entries}; ++i)\n"
            f"    if (defined[i]) values.add(expression{index}({arguments}));\n"
            f"  skimline_oracle::write(values);\n}}\n"
        )

    def evaluate(self, expressions, first):
        """Writes the values of expressions number `first` and on."""
        numbers = range(first, first + len(expressions))
        functions = "".join(self.function(i, text) for i, text in zip(numbers, expressions, strict=True))
        calls = "".join(f"write{i}();\n" for i in numbers)
        space = f"{self.namespace}_{first}"
        # After an error the interpreter is not what it was: nothing more can be compared.
        compiled = self.declare(f"namespace {space} {{\n{functions}void write_all() {{\n{calls}}}\n}}")
        assert compiled, "an expression does not compile, see the first error below"
        getattr(self.ROOT, space).write_all()


def make_expressions(program, folder, seed, count, num_entries):
    """The expressions; their values by the engine are in `folder`."""
    subprocess.run([program, str(seed), str(count), str(num_entries), folder], check=True)
    return (folder / "expressions.txt").read_text().splitlines()


def interpret(folder, num_entries, library):
    """Writes the interpreter's values to `folder`/interpreted.bin: those of another process, in which the functions of
    the C library are those of `library`. What the C library rounds otherwise is no difference of expressions."""
    command = [sys.executable, __file__, str(folder), str(num_entries)]
    subprocess.run(command, env={**os.environ, "LD_PRELOAD": str(library)}, check=True)


def interpret_here(folder, num_entries):
    expressions = (folder / "expressions.txt").read_text().splitlines()
    flags = (folder / "entries.bin").read_bytes()
    interpreter = Interpreter(folder, num_entries)
    oracle = interpreter.ROOT.skimline_oracle
    oracle.defined_entries().clear()
    for i in range(len(expressions)):
        oracle.defined_entries().push_back(
            interpreter.ROOT.std.string(flags[i * num_entries : (i + 1) * num_entries])
        )
    oracle.output().open(str(folder / "interpreted.bin"))
    for first in range(0, len(expressions), EXPRESSIONS_AT_ONCE):
        interpreter.evaluate(expressions[first : first + EXPRESSIONS_AT_ONCE], first)
    oracle.output().close()


def read_values(path):
    """The bytes of each expression: type, depth, and values."""
    content, parts, position = path.read_bytes(), [], 0
    while position < len(content):
        size = int.from_bytes(content[position : position + 8], "little")
        parts.append(content[position + 8 : position + 8 + size])
        position += 8 + size
    return parts


def split_by_entry(values):
    """The bytes of each entry."""
    size, depth = SIZES[values[0]], values[1]

    def end_of(position, depth):
        if depth == 0:
            return position + size
        count = int.from_bytes(values[position : position + 4], "little")
        position += 4
        for _ in range(count):
            position = end_of(position, depth - 1)
        return position

    entries, position = [], 2
    while position < len(values):
        end = end_of(position, depth)
        entries.append(values[position:end])
        position = end
    return entries


def difference(ours, theirs, defined):
    """What differs between the values of one expression, or None."""
    if ours == theirs:
        return None
    if ours[:2] != theirs[:2]:
        return f"type {cpp_type(*ours[:2])} instead of {cpp_type(*theirs[:2])}"
    numbers = [i for i, flag in enumerate(defined) if flag]
    pairs = list(zip(numbers, split_by_entry(ours), split_by_entry(theirs), strict=True))
    differing = [(number, mine, other) for number, mine, other in pairs if mine != other]
    number, mine, other = differing[0]
    return (
        f"{mine.hex()} instead of {other.hex()} in entry {number}, as bytes; {len(differing)} entries differ"
    )


if __name__ == "__main__":
    interpret_here(Path(sys.argv[1]), int(sys.argv[2]))
