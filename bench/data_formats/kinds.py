# SPDX-License-Identifier: BSD-3-Clause
"""Prints what is known of each format, as JSON."""

import json

from registry import FORMATS

KEYS = (
    "suffix",
    "compressions",
    "has_threads",
    "written_by",
    "is_slow",
    "has_random_access",
    "checksums",
)

print(
    json.dumps(
        {
            name: {**{k: getattr(kind, k) for k in KEYS}, "names": kind.all_names()}
            for name, kind in FORMATS.items()
        }
    )
)
