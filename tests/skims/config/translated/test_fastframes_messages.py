# SPDX-License-Identifier: BSD-3-Clause
"""skimline init --from a config of FastFrames: what is not carried over is listed, and what makes no config is refused."""

import pytest
from exit_codes import DONE, INCOMPLETE, WRONG_USAGE
from fastframes_inputs import CONFIG, all_inputs, make_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("frames"), all_inputs())


def with_general(text):
    return CONFIG.replace("  number_of_cpus: 4\n", "  number_of_cpus: 4\n" + text)


def changed(old, new):
    assert old in CONFIG, old
    return CONFIG.replace(old, new, 1)


@pytest.mark.parametrize(
    "text, sentence",
    [
        (with_general("  custom_frame_name: Mine\n"), "the columns that the class Mine defines in C++"),
        (with_general("  custom_options: {a: 1}\n"), "they are for the code of a class"),
        (changed('    simulation_type: "data"', '    simulation_type: "data"\n    regions: [SR]'),
         "which regions there are of the samples data"),
        (changed("    nominal_only: True", "    nominal_only: True\n    exclude_variables: [met]"),
         "which variables there are of the samples fast"),
        (changed('      up: "PRW_up"\n', '      up: "PRW_up"\n    campaigns: [mc20a]\n    regions: [SR]\n'),
         "which regions there are of the systematics PRW_up"),
        (changed('        type: "float"', '        type: "float"\n        is_nominal_only: true'),
         '"is_nominal_only" of met'),
        (changed(";Events", ";Jets"), 'titles of the axis of contents of met: here it is "Events"'),
        (CONFIG + "\ncutflows:\n  - name: c\n", '"cutflows": a config has one, its "select"'),
        (CONFIG + "\nsimple_onnx_inference:\n  - name: c\n", 'write a model as a function in "models"'),
        (CONFIG + "\nntuples:\n  samples: [top]\n  copy_trees: [truth]\n", "skims are of all samples"),
        (changed("meta/filelist.txt", "meta/elsewhere.txt"), "the first input cannot be read"),
        (with_general("  split_processing_per_unique_samples: true\n  max_event: 9\n"), "of each data set"),
        (with_general("  list_of_systematics_name: gone\n").replace("    nominal_only: True", "    automatic_systematics: True"), "that lists them"),
        (changed("    - {name: scaled_NOSYS", "    - {name: weight_total_NOSYS, definition: 2.}\n    - {name: scaled_NOSYS").replace("definition: 2.", 'definition: "2."'),
         "the column weight_total_NOSYS that is there already in the samples ttbar"),
        (changed('      down: "JET_down"', '      weight_suffix_up: "lead_NOSYS > 50 ? 2. : 1."'),
         '"weight_suffix" of the systematics JET_up'),
        (CONFIG + '\nntuples: {branches: ["lead_.*", "weight_total_.*"]}\n',
         "columns that are computed for systematics: lead_JET_up, lead_JET_down"),
        (CONFIG + '\nntuples: {branches: ["weight_total_(NOSYS|PRW_up)", "n_b"]}\n',
         "columns that are computed for systematics: weight_total_PRW_up: a skim"),
        (changed("samples:\n", "samples:\n  - {name: early, campaigns: [2018], simulation_type: data}\n") + '\nntuples: {branches: ["met_met_(NOSYS|JET_up)"]}\n',
         "columns that the first input lacks: met_met_JET_up"),
        (with_general("  max_event: 9\n") + "\nntuples: {}\n", '"max_event" of n-tuples of the samples ttbar, top'),
        (with_general("  max_event: 9\n").replace("[410470, 410471]", "[410470, 410471]\n    truth: [{name: particle}]"),
         '"max_event" of the samples top: with "truth"'),
        (changed("    nominal_only: True", "    nominal_only: True\n    reco_tree_name: reco2") + "\nntuples: {}\n",
         '"reco_tree_name" of n-tuples of the samples fast'),
        (changed('"ttbar"\n    dsids', '"t t"\n    dsids').replace('"ttbar"', '"t t"'), 'the name "t t": here it is t_t'),
    ],
)  # fmt: skip
def test_what_has_no_counterpart_is_listed(call, folder, tmp_path, text, sentence):
    if not (folder / "meta" / "elsewhere.txt").exists():
        text_of_list = (folder / "meta" / "filelist.txt").read_text()
        (folder / "meta" / "elsewhere.txt").write_text(text_of_list.replace("in/", "gone/"))
    (tmp_path / "frames.yml").write_text(text)
    done = call("init", "--from", tmp_path / "frames.yml", "-o", tmp_path / "analysis.json", cwd=folder)
    assert done.returncode == INCOMPLETE and sentence in done.stderr, done.stderr
    assert sentence in (tmp_path / "analysis.json").read_text()


@pytest.mark.parametrize(
    "text, message",
    [
        (changed("default_sumweights", "defaults_sumweight"), 'frames.yml:11:3: error: unknown key "defaults_sumweight" (did you mean "default_sumweights"?)'),
        (changed("  - name: \"ttbar\"", "\t- name: \"ttbar\""), "frames.yml:57:1: error: no YAML: "),
        (changed("[410470]", "[410470"), "error: no YAML: while parsing a flow sequence"),
        (changed("  number_of_cpus: 4", "  number_of_cpus: 4\n  number_of_cpus: 5"), 'frames.yml:16:3: error: the key "number_of_cpus" appears twice'),
        (changed("*variables", "*variabels"), 'unknown anchor "variabels" (did you mean "variables"?)'),
        (changed("dsids: [410470]", 'dsids: ["410470"]'), 'each item of "dsids" must be an integer, got a string'),
        (changed("number_of_bins: 20", "number_of_bins: 20, bin_edges: [1, 2]"), 'a binning has either "bin_edges"'),
        (changed("max: 2\n", "max: 200000\n"), "integers that make at most 20000 blocks"),
        (changed("min: 1\n", "min: 10000000000000000000\n"), "integers that make at most 20000 blocks"),
        (changed('x: "met"', 'x: "mett"'), 'there is no variable of the region "SR" called "mett" (did you mean "met"?)'),
        (changed('exclude_samples: ["single"]', 'exclude_samples: ["singel"]'), 'there is no sample called "singel" (did you mean "single"?)'),
        (changed("    campaigns: [\"mc20d\"]", "    campaigns: [\"mc20f\"]"), 'no "luminosity" of the campaign "mc20f"'),
        (changed("dsids: [410472]", "dsids: [410499]"), 'meta/filelist.txt: no files of 410499 mc20d fastsim, which the sample "fast" needs'),
        (changed('simulation_type: "fastsim"', 'simulation_type: "fullsim"'), "of 410472 there are: mc20d fastsim"),
        (changed('sum_weights: "other"', 'sum_weights: "othre"'), 'meta/sums.txt: no sum of weights "othre" of 410475 mc20a fullsim (did you mean "other"?)'),
        (changed('["meta/top.data", "meta/pmg.txt"]', '["meta/top.data"]'), "no cross section of 410470 in meta/top.data"),
        (changed("meta/pmg.txt", "meta/gone.txt"), "meta/gone.txt"),
        (changed("meta/pmg.txt", "frames.yml"), "frames.yml:3: no line of a PMG file of cross sections"),
        (changed("  default_event_weights", "  #default_event_weights"), 'has no "event_weights"'),
        (changed("PRW_up", "NOSYS"), '"NOSYS" is what is not varied'),
        (changed("PRW_up", "JET_up"), 'two systematics are called "JET_up"'),
        (changed('"single"\n    dsids', '"top"\n    dsids'), 'two samples are called "top"'),
        (changed('name: "lead_NOSYS"', 'name: "lead"'), 'the name of a custom column holds "NOSYS"'),
        (changed("nominal_only: True", "nominal_only: 1"), '"nominal_only" must be a boolean, got an integer'),
        (CONFIG + '  - {variation: {up: JET_up}, samples: [fast]}\n', 'two systematics are called "JET_up"'),
        (changed('  - name: "data"', '  - {name: a, included_samples: [b]}\n  - {name: b, included_samples: [top, a]}\n  - name: "data"'),
         'the sample "a" includes itself'),
        ("- a\n- b\n", "no config of FastFrames"),
        ("", "there is nothing in it"),
        ("a: b\n---\nc: d\n", "a second document begins here"),
        ("a: !!python/object/apply:os.system [ls]\n", "is not understood"),
        ("a: &x [*x]\n", "stands inside of what it names"),
        ("x: " + "[" * 100 + "]" * 100, "nested more than 64 levels deep"),
        ("x: " + "[" * 100000, "nested more than 64 levels deep"),
        ("\n".join(["a0: &a0 [x, x, x, x, x, x, x, x, x]"] + [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]" for i in range(1, 20)]), "more than 200000 values"),
    ],
)  # fmt: skip
def test_what_makes_no_config_is_refused(call, folder, tmp_path, text, message):
    (tmp_path / "frames.yml").write_text(text)
    (tmp_path / "meta").symlink_to(folder / "meta")
    done = call("init", "--from", "frames.yml", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and message in done.stderr, done.stderr
    assert not (tmp_path / "analysis.json").exists()


def test_columns_that_weigh_already_are_told(call, tmp_path):
    inputs = all_inputs()
    for columns in inputs.values():
        columns["weight_total_NOSYS"] = columns["sumWeights_other"] = columns["weight_mc_NOSYS"]
    folder = make_folder(tmp_path, inputs)
    done = call("init", "--from", "frames.yml", cwd=folder)
    assert done.returncode == INCOMPLETE
    why = "FastFrames weighs with it, and here weights are computed as the config says"
    where = "that is there already in the samples"
    assert f"the column weight_total_NOSYS {where} ttbar, top, single, fast, data: {why}" in done.stderr
    assert f"the column sumWeights_other {where} single: {why}" in done.stderr, done.stderr


def test_files_of_several_data_sets_are_told_apart_by_their_names(call, folder, tmp_path):
    (tmp_path / "meta").mkdir()
    for each in (folder / "meta").iterdir():
        (tmp_path / "meta" / each.name).write_text(each.read_text().replace("in/tt_d", "in/*_d"))
    (tmp_path / "frames.yml").write_text(CONFIG)
    done = call("init", "--from", "frames.yml", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert '"in/*_d.root" stands for several files of the sample "ttbar"' in done.stderr, done.stderr


@pytest.mark.parametrize("files", ['["meta/old.data", "meta/pmg.txt"]', '["meta/pmg.txt", "meta/old.data"]'])
def test_cross_sections_of_two_kinds_agree_with_the_latest_tag(call, folder, tmp_path, files):
    """Whichever file comes first; that of PMG has an earlier tag with another value in front."""
    (tmp_path / "meta").symlink_to(folder / "meta")
    (tmp_path / "in").symlink_to(folder / "in")
    text = changed('["meta/top.data", "meta/pmg.txt"]', files.replace("]", ', "meta/top.data"]'))
    (tmp_path / "frames.yml").write_text(text)
    (folder / "meta" / "old.data").write_text(f"410470 {729.77 * 1.1398} 0.5437\n")
    assert call("init", "--from", "frames.yml", cwd=tmp_path).returncode == DONE
    (folder / "meta" / "old.data").write_text("410470 365.0 1\n")
    done = call("init", "-f", "--from", "frames.yml", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and "another cross section of 410470" in done.stderr


def test_other_encodings_are_refused(call, tmp_path):
    (tmp_path / "frames.yml").write_bytes(b"general: 1\nsamples: '\xe9'\n")
    done = call("init", "--from", "frames.yml", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and "frames.yml:2:1: error: this is not UTF-8" in done.stderr
    (tmp_path / "frames.yml").write_bytes(CONFIG.encode("utf-16"))
    assert call("init", "--from", "frames.yml", cwd=tmp_path).returncode == WRONG_USAGE


@pytest.mark.parametrize(
    "name, line, message",
    [
        ("filelist.txt", "410470 mc20a\n", 'filelist.txt:9: expected "dsid campaign simulation path"'),
        ("filelist.txt", "x mc20a fullsim y\n", 'filelist.txt:9: expected "dsid campaign simulation path"'),
        ("sums.txt", "410470 mc20a fullsim NOSYS 1\n", 'another sum of weights "NOSYS" of 410470 mc20a fullsim than above'),
        ("sums.txt", "410470 mc20a fullsim NOSYS many\n", 'expected "dsid campaign simulation name sum"'),
        ("pmg.txt", "410470 PhPy8EG_ttbar 1.0 0.5 1.0 0.1 0.1 Powheg e6337\n", "another cross section of 410470 than in meta/pmg.txt:3"),
        ("top.data", "410471 70.43\n", 'top.data:8: expected "dsid cross-section k-factor"'),
    ],
)  # fmt: skip
def test_broken_metadata_are_refused(call, folder, tmp_path, name, line, message):
    (tmp_path / "meta").mkdir()
    for each in (folder / "meta").iterdir():
        (tmp_path / "meta" / each.name).write_text(each.read_text() + (line if each.name == name else ""))
    (tmp_path / "frames.yml").write_text(CONFIG)
    done = call("init", "--from", "frames.yml", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and message in done.stderr, done.stderr
