# SPDX-License-Identifier: BSD-3-Clause
"""One flipped bit anywhere in a file: the run either reports it, or gives the same bytes as without it."""

import json
import random
import re
import subprocess

import pytest
import uproot

ROOT = pytest.importorskip("ROOT", reason="ROOT writes the files with several clusters")

ANALYSIS = {
    "schema_version": 1,
    "samples": {"damaged": {"files": ["damaged.root"]}},
    "select": [{"name": "opposite pair", "where": "nMuon == 2 && Muon_charge[0] != Muon_charge[1]"}],
    "define": {"mass": "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"},
    "histograms": {
        "mass": {"x": {"value": "mass", "bins": 120, "range": [60, 120]}, "weight": "genWeight"},
        "met": {"x": {"value": "MET_pt", "bins": 100, "range": [0, 200]}, "weight": "genWeight"},
    },
    "output": {"histograms": "histograms.root"},
}
READ = {"nMuon", "Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge", "MET_pt", "genWeight"}
COMPRESSIONS = {"zstd": ("kZSTD", 5), "lz4": ("kLZ4", 4), "none": ("kUseGlobal", 0)}
FLIPS = 100
# A message names the file, and where in it the fault lies or what the file no longer is.
PLACE = re.compile(
    r"at byte \d+|header: |footer: |page list: |anchor: |is not a ROOT file|is truncated|contains no RNTuple"
)


@pytest.fixture(scope="module")
def folder(generate, tmp_path_factory):
    """Holds 20 000 events as ours.root, in one cluster, and in several with each compression."""
    folder = tmp_path_factory.mktemp("bit_rot")
    generate("dimuon", folder / "ours.root", 20000)
    options = ROOT.RDF.RSnapshotOptions()
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kRNTuple
    options.fMaxUnzippedPageSize = 1 << 16
    options.fMaxUnzippedClusterSize = 1 << 20
    options.fApproxZippedClusterSize = 400_000
    columns = [*sorted(READ), "Jet_pt", "PV_npvs"]
    for name, (algorithm, level) in COMPRESSIONS.items():
        options.fCompressionAlgorithm = getattr(ROOT.RCompressionSetting.EAlgorithm, algorithm)
        options.fCompressionLevel = level
        frame = ROOT.RDataFrame("Events", str(folder / "ours.root"))
        frame.Snapshot("Events", str(folder / f"{name}.root"), columns, options)
        assert len(uproot.open(folder / f"{name}.root")["Events"].page_link_list) > 2
    (folder / "analysis.json").write_text(json.dumps(ANALYSIS))
    return folder


def contents(path):
    """What histograms and the record say, but for the UUIDs of inputs, which nothing protects."""
    with uproot.open(path) as file:
        names = [name for name, kind in file.classnames(cycle=False).items() if kind.startswith("TH")]
        histograms = {name: file[name].to_numpy(flow=True)[0].tolist() for name in names}
        record = json.loads(str(file["skimline/record"]))
    for sample in record["samples"]:
        for each in sample["inputs"]:
            del each["uuid"]
    return histograms, record


class Trials:
    """Runs the analysis on a copy of a file, sound at first, that is damaged bit by bit and mended."""

    def __init__(self, skimline, folder, name):
        self.program, self.folder = skimline, folder
        self.sound = (folder / name).read_bytes()
        self.damaged = folder / "damaged.root"
        self.output = folder / "histograms.root"
        self.damaged.write_bytes(self.sound)
        done = self.run()
        assert done.returncode == 0, done.stderr
        self.right = self.output.read_bytes()
        self.right_output = folder / "right.root"
        self.output.rename(self.right_output)

    def run(self):
        command = [self.program, "run", self.folder / "analysis.json"]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def is_reported(self, bit):
        """Whether the run with this bit flipped fails; it must then say where, else give the right result."""
        place, mask = bit // 8, 1 << bit % 8
        with self.damaged.open("r+b") as file:
            file.seek(place)
            file.write(bytes([self.sound[place] ^ mask]))
        done = self.run()
        with self.damaged.open("r+b") as file:
            file.seek(place)
            file.write(self.sound[place : place + 1])
        what = f"bit {bit % 8} of byte {place}: exit code {done.returncode}\n{done.stderr}"
        if done.returncode == 0:
            if self.output.read_bytes() != self.right:
                assert contents(self.output) == contents(self.right_output), what
            self.output.unlink()
            return False
        assert done.returncode == 1, what
        assert done.stderr.startswith("skimline: error: ") and "damaged.root: " in done.stderr, what
        assert PLACE.search(done.stderr), what
        assert not self.output.exists(), what
        return True


def envelopes(path):
    """First byte and size of header, footer and page lists, as uproot sees them."""
    ntuple = uproot.open(path)["Events"]
    yield ntuple.member("fSeekHeader"), ntuple.member("fNBytesHeader")
    yield ntuple.member("fSeekFooter"), ntuple.member("fNBytesFooter")
    for group in ntuple.footer.cluster_group_records:
        yield group.page_list_link.locator.offset, group.page_list_link.locator.num_bytes


def pages_read(path):
    """First byte and size, with checksum, of the pages that the analysis needs, as uproot sees them."""
    ntuple = uproot.open(path)["Events"]
    fields, columns = ntuple.field_records, ntuple.column_records

    def top_field(identity):
        parent = fields[identity].parent_field_id
        return fields[identity].field_name if parent == identity else top_field(parent)

    for cluster in ntuple.page_link_list:
        for column, pages in zip(columns, cluster, strict=True):
            if top_field(column.field_id) in READ:
                for page in pages.pages:
                    yield page.locator.offset, page.locator.num_bytes + 8 * page.has_checksum


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize("name", ["ours", *COMPRESSIONS])
def test_bits_anywhere(skimline, folder, name, num_tries):
    """A bit that goes unreported lies in no page that the analysis reads."""
    trials = Trials(skimline, folder, f"{name}.root")
    needed = list(pages_read(folder / f"{name}.root"))
    generator = random.Random(f"bit rot {name}")
    reported = 0
    flips = num_tries(FLIPS, FLIPS // 2)
    for _ in range(flips):
        bit = generator.randrange(8 * len(trials.sound))
        is_read = any(first <= bit // 8 < first + size for first, size in needed)
        found = trials.is_reported(bit)
        assert found or not is_read, bit
        reported += found
    assert flips / 10 < reported < flips


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize("name", ["ours", "zstd"])
def test_bits_of_the_beginning_and_of_the_metadata(skimline, folder, name):
    """All of the metadata, in steps: the file's header, the envelopes, and what follows the last of them."""
    trials = Trials(skimline, folder, f"{name}.root")
    for bit in range(0, 8 * 4096, 331):
        trials.is_reported(bit)
    parts = list(envelopes(folder / f"{name}.root"))
    bits = [bit for first, size in parts for bit in range(8 * first, 8 * (first + size), max(1, size // 5))]
    # Some bits of a compressed envelope may be either: the unpacked bytes, and their checksum, are right.
    assert sum(trials.is_reported(bit) for bit in bits) > 0.9 * len(bits)
    end = max(first + size for first, size in parts)
    for bit in range(8 * end, 8 * len(trials.sound), 89):
        trials.is_reported(bit)
