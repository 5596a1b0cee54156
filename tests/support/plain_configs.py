# SPDX-License-Identifier: BSD-3-Clause
"""Configs as plain data, read without Skimline."""

import json
import re


def parsed(text: str) -> dict:
    """A config as plain data: comments and trailing commas are left out."""
    text = re.sub(
        r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda match: match[1] or "", text, flags=re.DOTALL
    )
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", text))
