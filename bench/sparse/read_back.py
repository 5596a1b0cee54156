# SPDX-License-Identifier: BSD-3-Clause
"""Times opening a file and reading one column of it; prints the seconds, imports left out.

read_back.py uproot FILE COLUMN        uproot: open, one column as an array
read_back.py rdataframe FILE COLUMN    RDataFrame: open, the sum of one column
read_back.py reader FILE COLUMN        ROOT's RNTupleReader: open, one view, its first value
"""

import sys
import time


def with_uproot(path: str, column: str):
    import uproot

    yield
    with uproot.open(path) as file:
        file["Events"].arrays([column])
    yield


def with_rdataframe(path: str, column: str):
    import ROOT

    # The just-in-time compiler starts with the first expression, whatever the file.
    ROOT.RDataFrame(1).Define("x", "1.f").Sum["float"]("x").GetValue()
    yield
    ROOT.RDataFrame("Events", path).Sum["float"](column).GetValue()
    yield


def with_reader(path: str, column: str):
    import ROOT

    open_reader = ROOT.RNTupleReader.Open
    yield
    reader = open_reader("Events", path)
    reader.GetView["float"](column)(0)
    yield


def main() -> None:
    program, path, column = sys.argv[1:]
    steps = {"uproot": with_uproot, "rdataframe": with_rdataframe, "reader": with_reader}[program](
        path, column
    )
    next(steps)
    start = time.perf_counter()
    next(steps)
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
