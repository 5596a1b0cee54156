# SPDX-License-Identifier: BSD-3-Clause
"""Copies an RNTuple into a TTree of the same columns: write_tree.py SOURCE TARGET ALGORITHM LEVEL."""

import re
import sys

import ROOT


def main() -> None:
    source, target, algorithm, level = sys.argv[1:]
    options = ROOT.RDF.RSnapshotOptions()
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kTTree
    options.fCompressionAlgorithm = getattr(ROOT.RCompressionSetting.EAlgorithm, algorithm)
    options.fCompressionLevel = int(level)
    options.fVector2RVec = False  # lists are std::vectors
    frame = ROOT.RDataFrame("Events", source)
    names = [str(name) for name in frame.GetColumnNames() if "R_rdf" not in str(name)]
    for name in names:
        element = re.fullmatch(r"ROOT::VecOps::RVec<(.*)>", frame.GetColumnType(name))
        if element:
            frame = frame.Redefine(name, f"std::vector<{element[1]}>({name}.begin(), {name}.end())")
    frame.Snapshot("Events", target, names, options)


if __name__ == "__main__":
    main()
