# SPDX-License-Identifier: BSD-3-Clause
"""How the program ends: the table of docs/command-line.md."""

DONE, FAILED, WRONG_USAGE, INCOMPLETE, DIFFERENT, INTERRUPTED = 0, 1, 2, 3, 4, 130
