# SPDX-License-Identifier: BSD-3-Clause
"""Reads the headers that are installed, and lists what they declare and whether a comment says what it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from source_tree import SourceFile

TYPE = re.compile(r"(?:template\s*<.*?>\s*)?(?:class|struct|enum(?:\s+class)?|union)\b")
ACCESS = re.compile(r"(public|protected|private):$")
# What every reader knows: what it destroys, moves or may not be copied, and what a derived class says again.
PLAIN = re.compile(
    r"~|=\s*(?:delete|default)$|\boverride\b|\boperator(?:=|==|<=>)|^friend class |^using [\w:]+$|^(\w+)\(\1&&"
)


@dataclass(frozen=True)
class Declaration:
    """A type, function, constant or name of a header, with the line it begins in."""

    line: int
    text: str
    is_documented: bool


@dataclass
class _Scope:
    kind: str  # "namespace", "type", or "other" for bodies, initialisers and enumerators
    is_open: bool = True  # whether what it declares is for users
    is_documented: bool = False


@dataclass
class _Scan:
    """Where the scan of a header is: scopes around it, and the declaration that it is in."""

    scopes: list[_Scope] = field(default_factory=lambda: [_Scope("namespace")])
    depth: int = 0  # of parentheses
    text: str = ""
    line: int = 0
    is_documented: bool = False
    has_comment: bool = False  # directly above, or above the group that it is in


def installed_headers(files: list[SourceFile]) -> list[SourceFile]:
    """The headers that users include, but for version.h, which the build makes."""
    return [file for file in files if file.is_product and file.tier == "include"]


def target_of(file: SourceFile) -> str:
    """The library that an installed header belongs to: "Skimline::io"."""
    return f"Skimline::{file.folder}"


def table_of_headers(root: Path) -> dict[str, set[str]]:
    """The headers of each library as docs/public-api.md names them."""
    text = (root / "docs" / "public-api.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(Skimline::\w+)` \|(.*)\|$", text, re.MULTILINE)
    return {target: set(re.findall(r"`(\w+\.h)`", cells)) for target, cells in rows}


def declarations(text: str) -> list[Declaration]:
    """What a header declares for users: types, functions, constants and names. Members that only hold a value are not
    listed: their type says what it is."""
    scan = _Scan()
    return [
        found for number, line in enumerate(text.splitlines(), 1) for found in _of_line(scan, number, line)
    ]


def undocumented(files: list[SourceFile]) -> list[str]:
    """Lists declarations without a comment of their own, behind them, or above their group."""
    return [
        f"{file.path}:{each.line}: {each.text}"
        for file in installed_headers(files)
        for each in declarations(file.text)
        if not each.is_documented
    ]


def _of_line(scan: _Scan, number: int, line: str) -> Iterator[Declaration]:
    code, _, comment = line.strip().partition("//")
    if not scan.text.strip() and not code:
        scan.has_comment = comment.startswith("/") or (scan.has_comment and bool(comment))
        return
    if code.startswith("#"):
        return
    if access := ACCESS.match(code.strip()):
        scan.scopes[-1].is_open = access[1] == "public"
        scan.has_comment = False
        return
    for character in code.rstrip() + " ":
        yield from _of_character(scan, number, character, comment.startswith("/<"))


def _of_character(scan: _Scan, number: int, character: str, has_trailing: bool) -> Iterator[Declaration]:
    if not scan.text.strip():
        scan.line, scan.is_documented = number, scan.has_comment
    scan.is_documented |= has_trailing
    scan.depth += (character == "(") - (character == ")")
    if character not in "{};" or scan.depth:
        scan.text += character
        return
    text, scan.text = " ".join(scan.text.split()), ""
    if character == "}":
        # What is behind the brace of a body or type is no declaration of its own, but for a type without a name.
        scan.has_comment = scan.scopes.pop().is_documented
        return
    if text and _is_listed(scan.scopes, text, character):
        yield Declaration(scan.line, text, scan.is_documented)
    if character == "{":
        kind = _kind(text)
        scan.scopes.append(
            _Scope(kind, not text.startswith("class "), scan.is_documented and kind == "other")
        )
        scan.has_comment = False
    elif text:
        scan.has_comment = scan.is_documented


def _kind(text: str) -> str:
    if text.startswith(("namespace", "extern")):
        return "namespace"
    return "type" if TYPE.match(text) and not text.startswith("enum") else "other"


def _is_listed(scopes: list[_Scope], text: str, end: str) -> bool:
    if any(scope.kind == "other" or not scope.is_open for scope in scopes) or PLAIN.search(text):
        return False
    if text.startswith(("namespace", "using namespace", "static_assert")):
        return False
    if TYPE.match(text):
        return end == "{"  # else only announced
    return scopes[-1].kind == "namespace" or "(" in text or text.startswith("using ")
