# SPDX-License-Identifier: BSD-3-Clause
"""Copies an RNTuple into a Parquet file of the same columns: write_parquet.py SOURCE TARGET COMPRESSION CHECKSUMS."""

import sys

import awkward
import pyarrow.parquet
import uproot


def main() -> None:
    source, target, compression, checksums = sys.argv[1:]
    table = awkward.to_arrow_table(uproot.open(source)["Events"].arrays(), extensionarray=False)
    pyarrow.parquet.write_table(
        table, target, compression=compression, write_page_checksum=checksums == "True"
    )


if __name__ == "__main__":
    main()
