# SPDX-License-Identifier: BSD-3-Clause
"""Where the pages of a file are."""


def byte_of_page(content):
    """The number of a byte in the middle of the file that has compressed data around it: no filler, but pages."""
    number = len(content) // 2
    while bytes(2) in content[number - 256 : number + 256]:
        number += 64
    return number
