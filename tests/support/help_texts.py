# SPDX-License-Identifier: BSD-3-Clause
"""What stands in the texts of --help."""


def part_of(text: str, heading: str) -> str:
    """The lines between a heading and the examples; versions of CLI11 write headings in small or large letters."""
    lines = text.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.lower() == heading.lower() + ":")
    return "\n".join(lines[begin + 1 : lines.index("Examples:")])
