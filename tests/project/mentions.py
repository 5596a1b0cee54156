# SPDX-License-Identifier: BSD-3-Clause
"""Which source files mention something, and which of them docs/architecture.md says do."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from source_tree import FOLDERS

HEADING = "### What knows of each"
SUFFIXES = (".h", ".cc", ".py", ".pyi", ".json", ".in", "CMakeLists.txt")
# A comment of C++, or a string, which may hold what looks like one.
COMMENT = re.compile(
    r'("(?:\\.|[^"\\\n])*"|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)")|//[^\n]*|/\*.*?\*/', re.DOTALL
)
CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Example:
    """A row of the table: something that there is several of, one of those, and where it is known."""

    thing: str
    terms: tuple[str, ...]
    own: tuple[str, ...]
    known_in: tuple[str, ...]


def examples(root: Path) -> list[Example]:
    """Returns the rows of the table."""
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition(HEADING)[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [
        Example(thing.strip(), *(tuple(CODE.findall(cell)) for cell in cells)) for thing, *cells in rows[2:]
    ]


def places(root: Path, terms: tuple[str, ...], folders: tuple[str, ...]) -> set[str]:
    """Returns the files that mention one of the terms in their code: a name, "a string" or Kind::kValue."""
    patterns = [_pattern_of(term) for term in terms]
    return {
        path.relative_to(root).as_posix()
        for path in _files(root, folders)
        if any(pattern.search(_code_of(path)) for pattern in patterns)
    }


def faults(root: Path, example: Example) -> list[str]:
    """Lists files that know of it and should not, and those of the table that do not."""
    product = places(root, example.terms, (*FOLDERS, "configs/schema"))
    listed = set(example.known_in)
    tests = places(root, example.terms, ("tests",)) if listed - product else set()
    own = {path for path in product if any(Path(path).match(pattern) for pattern in example.own)}
    unlisted = sorted(product - own - listed)
    idle = sorted(listed - product - tests)
    return [f"{example.thing}: {path} mentions {' or '.join(example.terms)}" for path in unlisted] + [
        f"{example.thing}: {path} mentions none of {', '.join(example.terms)}" for path in idle
    ]


def _files(root: Path, folders: tuple[str, ...]) -> list[Path]:
    return [
        path
        for folder in folders
        for path in sorted((root / folder).rglob("*"))
        if path.name.endswith(SUFFIXES) and path.is_file()
    ]


def _pattern_of(term: str) -> re.Pattern[str]:
    if term.startswith('"'):
        return re.compile(rf"""(["']){re.escape(term.strip('"'))}\1""")
    kind, is_value, value = term.rpartition("::")
    used = rf"\b{re.escape(term)}\b"
    # Where the value is declared, its kind stands before all values.
    return re.compile(
        rf"{used}|\benum class {re.escape(kind)}\b[^}}]*\b{re.escape(value)}\b" if is_value else used
    )


@cache
def _code_of(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".py", ".pyi"):
        return _python_code_of(text)
    if path.suffix in (".h", ".cc"):
        return COMMENT.sub(lambda match: match[1] or " ", text)
    return re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE) if path.name == "CMakeLists.txt" else text


def _python_code_of(text: str) -> str:
    """The code without comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_docstring(each)] or [ast.Pass()]
    return ast.unparse(tree)


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
