# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the documentation, and what is written in them."""

import dataclasses
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
CONFIG_REFERENCE = ROOT / "docs" / "config-reference.md"
COMMAND_LINE = ROOT / "docs" / "command-line.md"

BLOCK = re.compile(r'^( *)```(\w+)(?: title="([^"\n]+)")?\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Block:
    """A code block without its indentation; its title is the name of a file with this content, or says what is expected."""

    language: str
    title: str | None
    text: str


def blocks_of(text: str) -> list[Block]:
    """The code blocks of a page in their order."""
    return [
        Block(match[2], match[3], re.sub(rf"^{match[1]}", "", match[4], flags=re.MULTILINE))
        for match in BLOCK.finditer(text)
    ]


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return [block.text for block in blocks_of(page.read_text()) if block.language == language]


README_CONFIG = blocks(ROOT / "README.md", "json")[0]
