# SPDX-License-Identifier: BSD-3-Clause
"""`python -m skimline` is the program `skimline`."""

import sys

from skimline._program import main

if __name__ == "__main__":
    sys.exit(main())
