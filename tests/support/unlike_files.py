# SPDX-License-Identifier: BSD-3-Clause
"""Two files, each of which shows something that both together do not: a field to be carried, a second name of one field."""

from pathlib import Path

from prepared_root import prepared_root

COUNT = 6  # entries of each

WRITE = """
ROOT.gInterpreter.Declare("struct UnlikeMet { float pt; float phi; };")
def write(path, variant, is_projected, first):
    model = ROOT.RNTupleModel.Create()
    def make(name, type):
        return ROOT.RFieldBase.Create(name, type).Unwrap()
    for name, type in (("x", "float"), ("either", variant), ("met", "UnlikeMet")):
        model.AddField(make(name, type))
    if is_projected:
        model.AddProjectedField(make("met_pt", "float"), lambda name: "met.pt")
    else:
        model.AddField(make("met_pt", "float"))
    with ROOT.RNTupleWriter.Recreate(model, "Events", path) as writer:
        entry = writer.CreateEntry()
        for i in range(6):
            entry["x"] = first + i
            entry["met"].pt, entry["met"].phi = i + 1, -i
            if not is_projected:
                entry["met_pt"] = i + 1
            writer.Fill(entry)
write(sys.argv[1], "std::variant<std::int32_t,float>", True, 0)
write(sys.argv[2], "std::variant<std::int32_t,double>", False, 100)
"""


def write_unlike_files(folder: Path) -> list[Path]:
    """In the first, `met_pt` is a projection of `met.pt`, in the second a field; `either` has another type in each."""
    paths = [folder / "projected.root", folder / "separate.root"]
    with prepared_root("") as root:
        root.run(WRITE, *paths)
    return paths


def config_of_unlike(paths: list[Path]) -> dict:
    """Redefines one of the names, and keeps what both files have."""
    axis = {"bins": 20, "range": [0, 20]}
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(path) for path in paths]}},
        "redefine": {"met_pt": "2 * met_pt"},
        "histograms": {
            "member": {"x": {"value": "`met.pt`"} | axis},
            "redefined": {"x": {"value": "met_pt"} | axis},
        },
        "skims": {"s": {"file": "s.root", "columns_in_common": True}},
        "output": {"histograms": "h.root", "cutflow": "c.csv"},
    }
