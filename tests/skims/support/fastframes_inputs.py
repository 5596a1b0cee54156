# SPDX-License-Identifier: BSD-3-Clause
"""A config of FastFrames with the files that it names: events, lists of them, cross sections and sums of weights."""

import awkward as ak
import boost_histogram as bh
import numpy as np
import uproot

CONFIG = r"""
# A comment, "quotes" and all.
.anchors:
  - &bins {min: 0, max: 200, number_of_bins: 20}

general:
  debug_level: WARNING
  input_filelist_path: "meta/filelist.txt"
  input_sumweights_path: "meta/sums.txt"
  output_path_histograms: "out"
  default_sumweights: "NOSYS"
  default_event_weights: "weight_mc_NOSYS * weight_pileup_NOSYS"
  default_reco_tree_name: "reco"
  xsection_files: ["meta/top.data", "meta/pmg.txt"]
  number_of_cpus: 4
  luminosity:
    mc23a: 29049.3
  define_custom_columns:
    - name: "lead_NOSYS"
      definition: "jet_pt_NOSYS.size() > 0 ? jet_pt_NOSYS[0] : -1.f"
    - {name: scaled_NOSYS, definition: "lead_NOSYS / 1e1"}

regions:
  - name: "SR"
    selection: >
      met_met_NOSYS > 20
      && lead_NOSYS > 30
    variables: &variables
      - name: "met"
        title: "Missing energy;E_{T}^{miss} [GeV];Events"
        definition: "met_met_NOSYS"
        type: "float"
        binning:
          bin_edges: [0, 20, 45.5, 80, 200]
      - name: "jet_pt"
        definition: "jet_pt_NOSYS"
        binning: *bins
    histograms_2d:
      - x: "met"
        y: "jet_pt"

  - name: "CR"
    selection: "n_b == 0"
    variables:
      - *variables
      - name: "lead_#"
        definition: "scaled_NOSYS * #"
        binning:
          <<: *bins
          max: 30
        numbering_sequence:
          - replacement_string: "#"
            min: 1
            max: 2

samples:
  - name: "ttbar"
    dsids: [410470]
    campaigns: ["mc20a", "mc23a"]
    simulation_type: "fullsim"

  - name: "top"
    dsids: [410470, 410471]
    campaigns: ["mc20a", "mc23a"]
    simulation_type: "fullsim"
    weight_suffix: "1.5 + n_b"
    selection_suffix: "n_b != 1"
    define_custom_columns:
      - name: "lead_NOSYS"
        definition: "jet_pt_NOSYS.size() > 0 ? jet_pt_NOSYS[0] * 2 : -1.f"
      - {name: scaled_NOSYS, definition: "lead_NOSYS / 1e1"}

  - name: "single"
    dsids: [410475]
    campaigns: ["mc20a"]
    simulation_type: "fullsim"
    event_weights: "weight_mc_NOSYS"
    sum_weights: "other"

  - name: "fast"
    dsids: [410472]
    campaigns: ["mc20d"]
    simulation_type: "fastsim"
    nominal_only: True

  - name: "data"
    campaigns: [2018]
    simulation_type: "data"

systematics:
  - variation:
      up: "JET_up"
      down: "JET_down"

  - variation:
      up: "PRW_up"
    exclude_samples: ["single"]

  - variation:
      up: "GEN_a"
      sum_weights_up: "GEN_a"
    samples: ["ttbar", "top"]

  - variation:
      up: "boot_#"
      weight_suffix_up: "1. + 0.# * (eventNumber % 2)"
    samples: ["data", "ttbar"]
    numbering_sequence:
      - {replacement_string: "#", values: ["1", "2"]}
"""

FILES = {
    "tt_a1": (410470, "mc20a", "fullsim"),
    "tt_a2": (410470, "mc20a", "fullsim"),
    "tt_d": (410470, "mc23a", "fullsim"),
    "st_a": (410471, "mc20a", "fullsim"),
    "st_d": (410471, "mc23a", "fullsim"),
    "sg": (410475, "mc20a", "fullsim"),
    "fast": (410472, "mc20d", "fastsim"),
    "data": (0, 2018, "data"),
}
CROSS_SECTIONS = {410470: 729.77 * 1.1398 * 0.5437, 410471: 70.43 * 1.2, 410472: 3.5 * 1.5, 410475: 2.5}
LUMINOSITIES = {
    "mc20a": np.float32(3244.54 + 33402.2),
    "mc20d": np.float32(44630.6),
    "mc23a": np.float32(29049.3),
}
SUMS = {
    (dsid, campaign, name): 1000.0 + 7 * (dsid % 10) + 31 * number + 3 * (campaign == "mc23a")
    for dsid, campaign, _ in FILES.values()
    for number, name in enumerate(("NOSYS", "GEN_a", "other"))
    if dsid
}
SYSTEMATICS = ("JET_up", "JET_down", "PRW_up", "GEN_a", "UNUSED_up")


def columns_of(name, seed):
    """The columns of a file; that of data and of fast simulation have no systematics, one lacks one of them."""
    generator = np.random.default_rng(seed)
    size = 400
    counts = generator.integers(0, 5, size)
    pt = np.sort(generator.exponential(60, counts.sum()).astype("f4"))[::-1]
    generator.shuffle(pt)
    columns = {
        "eventNumber": np.arange(size, dtype="u8"),
        "n_b": generator.integers(0, 3, size).astype("i4"),
        "met_met_NOSYS": generator.exponential(50, size).astype("f4"),
        "jet_pt_NOSYS": ak.unflatten(pt, counts),
        "weight_mc_NOSYS": generator.normal(1, 0.5, size).astype("f4"),
        "weight_pileup_NOSYS": generator.uniform(0.5, 1.5, size).astype("f4"),
    }
    if name not in ("data", "fast"):
        columns["met_met_JET_up"] = columns["met_met_NOSYS"] * np.float32(1.1)
        columns["met_met_JET_down"] = columns["met_met_NOSYS"] * np.float32(0.9)
        columns["jet_pt_JET_up"] = columns["jet_pt_NOSYS"] * np.float32(1.2)
        columns["weight_pileup_PRW_up"] = columns["weight_pileup_NOSYS"] * np.float32(1.3)
        columns["weight_mc_GEN_a"] = columns["weight_mc_NOSYS"] * np.float32(0.8)
        if name != "sg":
            columns["jet_pt_JET_down"] = columns["jet_pt_NOSYS"] * np.float32(0.7)
    return columns


def write_inputs(folder, inputs):
    (folder / "in").mkdir()
    (folder / "meta").mkdir()
    listed = bh.Histogram(bh.axis.StrCategory(["NOSYS", *SYSTEMATICS]))
    listed.fill(["NOSYS", *SYSTEMATICS])
    for name, columns in inputs.items():
        with uproot.recreate(folder / "in" / f"{name}.root") as file:
            types = {each: getattr(values, "dtype", "var * float32") for each, values in columns.items()}
            file.mktree("reco", types)
            file["reco"].extend(columns)
            if name != "tt_a1":  # the next file has it
                file["listOfSystematics"] = listed
    write_metadata(folder)


def write_metadata(folder):
    lines = [f"{dsid} {campaign} {kind} in/{name}.root" for name, (dsid, campaign, kind) in FILES.items()]
    (folder / "meta" / "filelist.txt").write_text("\n".join(lines) + "\n")
    sums = [
        f"{dsid} {campaign} {'fastsim' if dsid == 410472 else 'fullsim'} {name} {value!r}"
        for (dsid, campaign, name), value in SUMS.items()
    ]
    (folder / "meta" / "sums.txt").write_text("\n".join(sums) + "\n")
    (folder / "meta" / "pmg.txt").write_text(
        "dataset_number/I:physics_short/C:crossSection_pb/D:genFiltEff/D:kFactor/D:relUncertUP/D:...\n"
        "410470 PhPy8EG_ttbar 730.0 0.5 1.0 0.1 0.1 Powheg e5000\n"
        "410470 PhPy8EG_ttbar 729.77 0.5437 1.1398 0.1 0.1 Powheg e6337\n"
        "410470 PhPy8EG_ttbar 1.0 0.5 1.0 0.1 0.1 Powheg e4000\n"
    )
    (folder / "meta" / "top.data").write_text(
        "# dsid, cross section, k-factor\n410471 70.43 1.2 pythia\n\n410472 3.5 1.5\n410475 2.5 1 # alone\n410473 1 1\n410473 2 1\n"
    )


def all_inputs():
    """The columns of each file."""
    return {name: columns_of(name, seed) for seed, name in enumerate(FILES)}


def make_folder(folder, inputs):
    """Fills a folder with the config, frames.yml, and with what it names."""
    write_inputs(folder, inputs)
    (folder / "frames.yml").write_text(CONFIG)
    return folder
