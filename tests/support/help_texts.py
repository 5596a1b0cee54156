# SPDX-License-Identifier: BSD-3-Clause
"""What stands in the texts of --help, which versions of CLI11 set in columns and letters of their own."""

import re


def part_of(text: str, heading: str) -> str:
    """The lines between a heading and the examples."""
    lines = text.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.lower() == heading.lower() + ":")
    return "\n".join(lines[begin + 1 : lines.index("Examples:")])


def options_of(text: str) -> set[str]:
    """The names of all options, short and long ones; descriptions stand further to the right."""
    found = re.findall(r"^ {1,10}(--?[\w-]+)(?:, *(--?[\w-]+))?", part_of(text, "Options"), re.MULTILINE)
    return {name for names in found for name in names if name}
