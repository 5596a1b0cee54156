# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the documentation, and what is written in them."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md")]
PAGES += sorted((ROOT / "docs").glob("*.md"))
CONFIG_REFERENCE = ROOT / "docs" / "config-reference.md"
COMMAND_LINE = ROOT / "docs" / "command-line.md"

BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page, without their indentation."""
    found = [match for match in BLOCK.finditer(page.read_text()) if match[2] == language]
    return [re.sub(rf"^{match[1]}", "", match[3], flags=re.MULTILINE) for match in found]


def parsed(text: str) -> dict:
    """A config as plain data: comments and trailing commas are left out."""
    text = re.sub(
        r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda match: match[1] or "", text, flags=re.DOTALL
    )
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", text))


README_CONFIG = blocks(ROOT / "README.md", "json")[0]
