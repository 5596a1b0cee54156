# SPDX-License-Identifier: BSD-3-Clause
"""Frames that branch, define names anew, vary behind filters and come from several open()."""

import pickle
import time

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot

BINS = {"bins": 40, "range": (0, 200)}


def filled(values, bins=BINS):
    flat = ak.to_numpy(ak.ravel(values))
    flat = flat[flat < bins["range"][1]]  # numpy's last bin is closed
    return np.histogram(flat, bins=bins["bins"], range=bins["range"])[0]


def selected(frame, cut):
    """As analyses write it once, and use it for each working point."""
    good = frame.define("good", f"Muon_pt > {cut}").define("pt_good", "Muon_pt[good]")
    return good.filter("Any(good)", name="good muons")


def test_sums_of_several_open_need_names_of_their_own(dimuon):
    """Else the results of one would stand for both."""
    booked = [
        sk.open({name: str(dimuon)}, sums={"all": {name: factor}}).hist("MET_pt", name="met", **BINS)
        for name, factor in (("one", 1), ("two", 3))
    ]
    with pytest.raises(sk.ConfigError, match='two open\\(\\) have a sum of samples "all"'):
        sk.run(booked)
    called_so = sk.open(str(dimuon), sample="all").hist("MET_pt", name="met", **BINS)
    with pytest.raises(sk.ConfigError, match='"all"'):
        sk.run(booked[0], called_so)


def test_a_selection_may_be_used_twice(events, arrays):
    booked = {cut: selected(events, cut).hist("pt_good", name=f"pt{cut}", **BINS) for cut in (20, 30)}
    result = sk.run(booked)
    for cut, histogram in booked.items():
        good = arrays["Muon_pt"] > cut
        np.testing.assert_array_equal(histogram.values(), filled(arrays["Muon_pt"][good]))
        passing = int(ak.sum(ak.any(good, axis=1)))
        alone = selected(events, cut).cutflow()["good muons"]
        shown = [step for step in result.cutflow if step.events == passing]
        assert [(step.name, step.of_previous) for step in shown] == [("good muons", alone.of_previous)]


def test_one_selection_behind_the_other(events, arrays):
    frame = events.filter("nMuon > 1", name="f").filter("MET_pt > 20", name="f").filter("nJet > 0", name="f")
    met = frame.hist("MET_pt", **BINS)
    flow = sk.run(met).cutflow
    expected = [arrays["nMuon"] > 1]
    expected.append(expected[-1] & (arrays["MET_pt"] > 20))
    expected.append(expected[-1] & (arrays["nJet"] > 0))
    assert [step.name for step in flow] == ["all events", "f", "f", "f"]
    assert [step.events for step in flow][1:] == [int(ak.sum(each)) for each in expected]
    assert [step.after for step in flow] == ["", "all events", "f", "f"]
    assert [step["name"] for step in sk.to_config(met)["select"]] == ["f", "f (2)", "f (3)"]


def test_equal_definitions_are_one(events):
    one, other = selected(events, 20), selected(events, 20)
    config = sk.to_config(one.hist("pt_good", name="a", **BINS), other.hist("pt_good", name="b", **BINS))
    assert list(config["define"]) == ["good", "pt_good"]


def test_names_that_are_given_come_before_those_of_numbers(events):
    given = [events.hist("nMuon", integers=(0, 9), name=name) for name in ("sum_MET_pt", "sum_MET_pt_3")]
    sums = [events.filter(cut).sum("MET_pt") for cut in ("nMuon > 0", "nMuon > 1")]
    sk.run([*sums, *given])
    assert sums[1].value == events.filter("nMuon > 1").sum("MET_pt").value
    assert [each.result.entries for each in given] == [len(events), len(events)]


def test_metadata_keep_their_names(dimuon):
    events = sk.open({"one": {"files": dimuon, "metadata": {"MET_pt_2": 5}}, "other": dimuon})
    booked = [
        events.redefine("MET_pt", "MET_pt * 2").sum("MET_pt", name="redefined"),
        events.define("d", "nMuon").define("MET_pt_3", "MET_pt").sum("d + MET_pt_3", name="defined"),
        events.define("d", "nJet")
        .filter("d > 1")
        .vary("v", {"MET_pt": "MET_pt * 3"})
        .sum("MET_pt + d", name="varied"),
    ]
    sk.run(booked)
    alone = sk.open(dimuon)
    assert booked[0].of("one") == alone.sum("MET_pt * 2").value
    assert booked[1].of("other") == alone.sum("nMuon + MET_pt").value
    assert booked[2].of("other") == alone.filter("nJet > 1").sum("MET_pt + nJet").value
    with pytest.raises(sk.SchemaError, match='"MET_pt_2" is defined twice'):
        events.define("MET_pt_2", "nJet")


def test_definitions_of_one_name_have_names_of_their_own(events):
    config = sk.to_config(
        *(selected(events, cut).hist("pt_good", name=f"h{cut}", **BINS) for cut in (20, 30)),
        events.define("good_2", "nJet").hist("good_2", name="other", **BINS),
    )
    assert config["define"] == {
        "good": "Muon_pt > 20",
        "pt_good": "Muon_pt[good]",
        "good_2": "Muon_pt > 30",
        "pt_good_2": "Muon_pt[good_2]",
        "good_2_2": "nJet",
    }
    assert config["histograms"]["h30"]["x"]["value"] == "pt_good_2"
    assert config["histograms"]["other"]["x"]["value"] == "good_2_2"
    assert [each["where"] for each in config["regions"].values()] == ["Any(good)", "Any(good_2)"]


def test_functions_of_one_name(events, arrays):
    booked = []
    for number in (2, 3):
        typed = events.function("float times(const float &x)", f"{{ return x * {number}; }}")
        frame = typed.function("more(x)", "times(x) + 1")
        python = frame.define("y", lambda met, n=number: met * n, columns=["more(MET_pt)"])
        booked.append(python.hist("y", name=f"h{number}", **BINS))
    sk.run(booked)
    for number, histogram in zip((2, 3), booked, strict=True):
        met = arrays["MET_pt"].to_numpy()
        np.testing.assert_array_equal(histogram.values(), filled((met * np.float32(number) + 1) * number))


def test_parameters_and_variables_give_way_to_other_names(events, arrays):
    """The second definition is called `cut_2` where both are."""
    booked = []
    for cut in (20, 30):
        frame = events.filter("nMuon > 0").define("cut", f"{cut}.f")
        shifted = frame.define("shifted", "Map(Muon_pt, [](float cut_2) { return cut_2 - cut; })")
        first = frame.define("first", "auto cut_2 = Muon_pt[0]; cut_2 -= cut; return cut_2;")
        booked += [
            shifted.hist("shifted", name=f"s{cut}", **BINS),
            first.hist("first", name=f"f{cut}", **BINS),
        ]
    sk.run(booked)
    pt = arrays["Muon_pt"][ak.num(arrays["Muon_pt"]) > 0]
    for i, cut in enumerate((20, 30)):
        for number, values in enumerate((ak.flatten(pt), pt[:, 0])):
            expected = filled(ak.to_numpy(values) - np.float32(cut))
            np.testing.assert_array_equal(booked[2 * i + number].values(), expected)


def test_redefined_columns(events, arrays):
    scaled = events.filter("MET_pt > 20").redefine("MET_pt", "MET_pt * 2").define("twice", "MET_pt * 2")
    again = scaled.redefine("twice", "twice - MET_pt")
    booked = [
        events.hist("MET_pt", name="plain", **BINS),
        scaled.hist("MET_pt", name="scaled", **BINS),
        scaled.hist("twice", name="twice", **BINS),
        again.hist("twice", name="again", **BINS),
        scaled.filter("MET_pt > 100").hist("`MET_pt`", name="hard", **BINS),
    ]
    sk.run(booked)
    met = arrays["MET_pt"].to_numpy()
    some = met[met > 20]
    expected = [met, some * 2, some * 4, some * 2, some[some > 50] * 2]
    for histogram, values in zip(booked, expected, strict=True):
        np.testing.assert_array_equal(histogram.values(), filled(values))
    assert scaled.columns.count("MET_pt") == 1
    np.testing.assert_array_equal(again.arrays(["twice"], library="np")["twice"], some * 2)
    with pytest.raises(sk.SchemaError, match='did you mean "MET_pt"'):
        events.redefine("MET_p", "1")
    with pytest.raises(sk.SchemaError, match="MET_pt"):
        scaled.define("MET_pt", "1.")


def test_skims_have_the_names_of_their_frame(events, arrays, tmp_path):
    one, other = selected(events, 20), selected(events, 30).redefine("MET_pt", "MET_pt + 1")
    sk.run(
        one.skim(tmp_path / "one.root", keep=["good", "pt_*", "nMuon", "MET_pt"]),
        other.skim(tmp_path / "other.root", keep=["goo*", "pt_good", "MET_pt"]),
        other.skim(tmp_path / "all.root", drop=["Jet_*"], name="all"),
        events.define("good_3", "nJet").skim(tmp_path / "third.root", keep=["good*"]),
    )

    def written(name):
        with uproot.open(tmp_path / name) as file:
            return file["Events"].arrays()

    first, second, third, whole = (written(f"{name}.root") for name in ("one", "other", "third", "all"))
    assert set(first.fields) == {"good", "pt_good", "nMuon", "MET_pt"}
    assert set(second.fields) == {"good", "pt_good", "MET_pt"}
    assert set(third.fields) == {"good_3"}
    assert "MET_pt" in whole.fields
    assert "good" not in whole.fields
    for cut, made in ((20, first), (30, second)):
        good = arrays["Muon_pt"] > cut
        some = ak.any(good, axis=1)
        assert ak.all(made["good"] == good[some])
        assert ak.all(made["pt_good"] == arrays["Muon_pt"][good][some])
        np.testing.assert_array_equal(made["MET_pt"], arrays["MET_pt"][some] + (cut == 30))
    np.testing.assert_array_equal(whole["MET_pt"], second["MET_pt"])


def test_variations_behind_filters(events, arrays):
    """What comes before stays nominal; definitions made before follow."""
    before = events.define("hard", "Muon_pt[Muon_pt > 25]").filter("Any(Muon_pt > 25)", name="before")
    varied = before.vary("scale", {"Muon_pt": {"up": "Muon_pt * 1.2", "down": "Muon_pt * 0.8"}})
    behind = varied.filter("Any(Muon_pt > 40)", name="behind")
    hard = behind.hist("hard", **BINS)
    flow = sk.run(hard).cutflow
    pt = arrays["Muon_pt"]
    for name, factor in (("scale_up", 1.2), ("scale_down", 0.8)):
        other = ak.values_astype(pt, np.float64) * factor
        passing = ak.any(pt > 25, axis=1) & ak.any(ak.values_astype(other, np.float32) > 40, axis=1)
        made = ak.values_astype(other, np.float32)
        expected = made[made > 25][passing]
        np.testing.assert_array_equal(hard.variations[name].values(), filled(expected))
        assert flow.variations[name]["before"].events == flow["before"].events
        assert flow.variations[name]["behind"].events == int(ak.sum(passing))
    nominal = ak.any(pt > 40, axis=1)
    np.testing.assert_array_equal(hard.values(), filled(pt[pt > 25][nominal]))


def test_branches_with_different_variations(events, arrays):
    scale = {"Muon_pt": {"up": "Muon_pt * 1.1", "down": "Muon_pt * 0.9"}}
    frames = {
        "plain": events,
        "one": events.vary("scale", scale),
        "two": events.vary("scale", scale).vary("met", {"MET_pt": "MET_pt * 2"}, allow_unchanged=True),
    }
    booked = {name: frame.hist("Muon_pt", name=name, **BINS) for name, frame in frames.items()}
    met = frames["two"].hist("MET_pt", name="met_pt", **BINS)
    sk.run(booked, met)
    assert list(booked["plain"].variations) == []
    assert list(booked["one"].variations) == ["scale_up", "scale_down"]
    assert list(met.variations) == ["scale_up", "scale_down", "met"]
    alone = events.vary("scale", scale).hist("Muon_pt", name="alone", **BINS)
    sk.run(alone)
    for name in ("one", "two"):
        assert booked[name].variations["scale_up"] == alone.variations["scale_up"]
        assert booked[name].result == alone.result == booked["plain"].result
    np.testing.assert_array_equal(met.variations["met"].values(), filled(arrays["MET_pt"] * 2))
    with pytest.raises(sk.ConfigError, match="no variation"):
        booked["plain"].variation("scale_up")


def test_variations_of_one_name_must_be_of_one_make(events):
    one = events.vary("scale", {"Muon_pt": {"up": "Muon_pt * 1.1"}}).hist("Muon_pt", name="a", **BINS)
    other = events.vary("scale", {"Muon_pt": {"down": "Muon_pt * 1.1"}}).hist("Muon_pt", name="b", **BINS)
    with pytest.raises(sk.ConfigError, match='two variations are called "scale"'):
        sk.run(one, other)
    unused = events.filter("nMuon > 1").vary("met", {"MET_pt": "MET_pt * 2"}).hist("nMuon", name="c", **BINS)
    with pytest.raises(sk.ConfigError, match='"met" changes nothing'):
        sk.run(unused)


def test_what_runs_beside_changes_no_numbers(events):
    """The cutflow of a branch is the same whatever is run together with it."""
    two = events.filter("nMuon == 2", name="two")
    high = two.filter("MET_pt > 20", name="high")
    other = events.filter("nMuon == 1", name="one").filter("MET_pt > 20", name="high")
    alone = {step.name: step.of_previous for step in sk.run(high.hist("MET_pt", name="a", **BINS)).cutflow}
    both = sk.run(high.hist("MET_pt", name="a", **BINS), other.hist("MET_pt", name="b", **BINS)).cutflow
    (step,) = (step for step in both if (step.name, step.after) == ("high", "two"))
    assert step.of_previous == alone["high"]


def test_several_opens(dimuon, tmp_path, arrays):
    sk.generate("dimuon", tmp_path / "more.root", events=2000, seed=3)
    data = sk.open(dimuon, sample="data")
    mc = (
        sk.open(tmp_path / "more.root", sample="mc")
        .define("x", "MET_pt * 2")
        .filter("nMuon == 2", name="two")
    )
    booked = [
        data.hist("MET_pt", name="met", **BINS),
        mc.hist("x", name="met", **BINS),
        mc.hist("nJet", **BINS),
    ]
    skim = mc.skim(tmp_path / "skim.root", keep=["x"])
    result = sk.run(booked, skim)
    np.testing.assert_array_equal(booked[0].values(), filled(arrays["MET_pt"]))
    with uproot.open(tmp_path / "more.root") as file:
        more = file["Events"].arrays()
    more = more[more["nMuon"] == 2]
    np.testing.assert_array_equal(booked[1].values(), filled(more["MET_pt"] * 2))
    assert set(result.histograms) == {"data__met", "mc__met", "nJet"}
    assert result.histogram("met", sample="mc") == booked[1].result
    assert result.files == [str(tmp_path / "skim.root")]
    assert result.cutflow.samples == ["data", "mc"]
    assert result.cutflow["two"].events == len(more)
    assert result.is_complete
    assert len(result.report["parts"]) == 2
    assert pickle.loads(pickle.dumps(result)).histograms == result.histograms
    with pytest.raises(sk.ConfigError, match=r'file of histograms.*open\(\{"data"'):
        sk.run(booked, histograms=tmp_path / "h.root")
    with pytest.raises(sk.ConfigError, match='have a sample "events"'):
        sk.run(sk.open(dimuon).hist("nJet", **BINS), sk.open(dimuon).hist("nJet", **BINS))
    with pytest.raises(sk.ConfigError, match=r"several open\(\)"):
        sk.to_config(*booked)


@pytest.mark.parametrize("force", [False, True])
def test_files_of_several_opens_are_different_ones(dimuon, tmp_path, force):
    sk.generate("dimuon", tmp_path / "more.root", events=100, seed=3)
    data, mc = sk.open(dimuon, sample="data"), sk.open(tmp_path / "more.root", sample="mc")
    content = (tmp_path / "more.root").read_bytes()
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    skim = mc.skim(tmp_path / "skim.root", keep=["MET_pt"])
    for path in ("skim.root", "link/skim.root"):
        with pytest.raises(sk.ConfigError, match=r'"[^"]*skim.root" is also a skim of another open\(\)'):
            sk.run(data.skim(tmp_path / path, keep=["nJet"]), skim, force=force)
    with pytest.raises(sk.ConfigError, match=r'more.root" is also an input of another open\(\)'):
        sk.run(data.skim(tmp_path / "more.root"), mc.hist("nJet", **BINS), force=force)
    assert not (tmp_path / "skim.root").exists()
    assert (tmp_path / "more.root").read_bytes() == content
    of_sample = sk.run(
        data.skim(tmp_path / "{sample}.root"), mc.skim(tmp_path / "{sample}.root"), force=force
    )
    assert of_sample.files == [str(tmp_path / "data.root"), str(tmp_path / "mc.root")]


def test_a_frame_of_a_thousand_definitions_is_made_quickly(events):
    def made():
        frame = events
        start = time.process_time()
        for number in range(1000):
            before = f"x{number - 1}" if number else "MET_pt"
            frame = frame.define(f"x{number}", f"{before} + {number}")
        return time.process_time() - start

    assert min(made() for _ in range(3)) < 1.0  # 0.3 s on a quiet machine


def test_a_skim_without_keep_has_all_columns_beside_those_that_were_redefined(events, arrays, tmp_path):
    path = tmp_path / "scaled.root"
    frame = events.define("double_met", "MET_pt * 2").redefine("MET_pt", "double_met").filter("MET_pt > 30")
    sk.run(
        frame.skim(path),
        frame.skim(tmp_path / "fewer.root", drop="Muon_*", name="fewer"),
        frame.skim(tmp_path / "alone.root", columns={"third": "MET_pt / 3"}, name="alone"),
    )
    written = sk.open(path)
    assert set(written.columns) == set(events.columns)
    expected = arrays[arrays.MET_pt * 2 > 30]
    read = written.arrays(["MET_pt", "Muon_pt"])
    assert ak.to_list(read.MET_pt) == ak.to_list(expected.MET_pt * 2)
    assert ak.to_list(read.Muon_pt) == ak.to_list(expected.Muon_pt)
    fewer = {name for name in events.columns if not name.startswith("Muon_")}
    assert set(sk.open(tmp_path / "fewer.root").columns) == fewer
    assert sk.open(tmp_path / "alone.root").columns == ["third"]


def test_skims_of_branches_keep_what_each_calls_by_a_name_alone(events, arrays, tmp_path):
    double = events.define("q", "MET_pt * 2").skim(tmp_path / "double.root", keep="q")
    triple = events.define("q", "MET_pt * 3").filter("q > 30").skim(tmp_path / "triple.root", keep=["q"])
    sk.run(double, triple)
    assert sk.open(tmp_path / "triple.root").columns == ["q"]
    met = arrays.MET_pt
    for name, expected in {"double": met * 2, "triple": met[met * 3 > 30] * 3}.items():
        assert ak.to_list(sk.open(tmp_path / f"{name}.root").arrays("q").q) == ak.to_list(expected)


@pytest.mark.filterwarnings("ignore:.*made in different steps:skimline.errors.RunWarning")
@pytest.mark.parametrize("name", ["all.root", "all.parquet"])
def test_what_is_made_of_inputs_with_other_steps_can_be_read(tmp_path, name):
    whole, chosen, path = tmp_path / "whole.root", tmp_path / "chosen.root", tmp_path / name
    sk.write(tmp_path / "of_whole.root", {"x": np.arange(50)})
    sk.write(tmp_path / "of_chosen.root", {"x": np.arange(50)[::-1]})
    sk.run(sk.open(tmp_path / "of_whole.root").skim(whole))
    sk.run(sk.open(tmp_path / "of_chosen.root").filter("x < 3", name="chosen").skim(chosen))
    sk.run(sk.open([whole, chosen]).skim(path))
    again = sk.open(path)
    assert again.arrays("x", library="np")["x"].tolist() == [*range(50), 2, 1, 0]
    assert [(step.name, step.events) for step in again.cutflow()][:2] == [
        ("all events", 100),
        ("in the inputs", 53),
    ]
    sk.run(again.skim(tmp_path / "again.root"))
    with uproot.open(tmp_path / "again.root") as file:
        assert file["Events"].num_entries == 53


def test_texts_are_no_variables(dimuon, tmp_path):
    """As "${name}" is one in configs."""
    path = tmp_path / "${of}$${all}.root"
    path.symlink_to(dimuon)
    label = "${}^{3}He$ $${wide} $"
    met = sk.open(f"{path}:Events").filter("MET_pt > 1 ", name="${soft}").hist("MET_pt", label=label, **BINS)
    config = sk.to_config(met)
    assert config["histograms"]["MET_pt"]["x"]["label"] == "$${}^{3}He$ $$${wide} $"
    result = sk.run(met)
    assert result.cutflow[1].name == "${soft}"
    assert result.histograms["MET_pt"].axes[0].label == label
    again = sk.book(config).histograms["MET_pt"]
    assert sk.to_config(again) == config
    np.testing.assert_array_equal(sk.run(again).histograms["MET_pt"].values(), met.values())


@pytest.mark.parametrize("beside", [False, True])
def test_skims_keep_the_weight_of_their_frame(events, arrays, tmp_path, beside):
    """Not the product of the factors of all that is run."""
    one, other = events.weight("w_one", "genWeight"), events.weight("w_other", "nMuon + 1")
    skims = {
        "pattern": one.skim(tmp_path / "pattern.root", keep=["MET_pt", "w*"]),
        "name": one.skim(tmp_path / "name.root", keep=["weight_"]),
        "own": one.skim(tmp_path / "own.root", keep=["w*"], columns={"weight_": "nJet"}),
        "dropped": one.skim(tmp_path / "dropped.root", keep=["w*"], drop=["weight_"]),
        "none": events.redefine("MET_pt", "MET_pt * 2").skim(tmp_path / "none.root", drop=["Muon_*"]),
    }
    sk.run(*skims.values(), *([other.hist("nJet", integers=(0, 9))] if beside else []))
    read = {name: sk.open(tmp_path / f"{name}.root") for name in skims}
    assert read["pattern"].columns == ["MET_pt", "w_one", "weight_"]
    assert read["name"].columns == ["weight_"]
    assert read["dropped"].columns == ["w_one"]
    assert "weight_" not in read["none"].columns
    for name in ("pattern", "name"):
        weights = read[name].arrays("weight_", library="np")["weight_"]
        np.testing.assert_array_equal(weights, arrays["genWeight"])
    own = read["own"].arrays("weight_", library="np")["weight_"]
    np.testing.assert_array_equal(own, arrays["nJet"])
    with pytest.raises(sk.ConfigError, match='no column matches "weight_"'):
        events.skim(tmp_path / "x.root", keep=["weight_"])


@pytest.mark.parametrize("is_varied", [True, False])
def test_factors_that_data_has_itself_stay_where_they_vary_behind_a_filter(tmp_path, is_varied):
    """What stands for them there is none of the factors that are 1 in data."""
    q, x = np.array([-1, 1, 3], np.int32), np.array([0.5, 1.5, 0.5])
    sk.write(tmp_path / "a.root", {"q": q, "x": x})
    sample = {
        "files": str(tmp_path / "a.root"),
        "is_data": True,
        "variations": is_varied,
        "weights": {"w": "q"},
    }
    frame = sk.open({"data": sample}).weight("w", "0.5 * q").weight("other", "7 * x").filter("x > 0")
    frame = frame.vary("v", {"w": {"up": "w * 2"}})
    varied = 2 * q if is_varied else q
    assert frame.arrays("weight_", library="np")["weight_"].tolist() == q.tolist()
    assert frame.arrays("weight_", variation="v_up", library="np")["weight_"].tolist() == varied.tolist()
    for first in (frame, sk.open({"data": sample}).weight("w", "q").vary("v", {"w": {"up": "w * 2"}})):
        booked = first.hist("x", bins=2, range=(0, 2))
        sk.run(booked)
        assert booked.values().tolist() == [2, 1]
        assert list(booked.variations) == (["v_up"] if is_varied else [])
        fixed = first.in_variation("v_up").hist("x", bins=2, range=(0, 2))
        sk.run(fixed)
        assert fixed.values().tolist() == ([4, 2] if is_varied else [2, 1])


def test_configs_of_frames_may_be_changed(dimuon):
    """Frames and what is booked on them stay as they are."""
    opened = {"mc": {"files": [str(dimuon)], "metadata": {"k": 1}}}
    frame = sk.open(opened).define("y", "k * 1.")
    axis = sk.axis("y", edges=[0.0, 2.0, 4.0, 6.0])
    booked = frame.hist(axis, name="y")
    axis["edges"][1] = opened["mc"]["metadata"]["k"] = 5
    for config in (sk.to_config(booked), frame.to_config()):
        config["samples"]["mc"]["metadata"]["k"] = 5
        if "histograms" in config:
            config["histograms"]["y"]["x"]["edges"][1] = 0.5
    sk.run(booked)
    assert booked.axes[0].edges.tolist() == [0, 2, 4, 6]
    assert booked.values().tolist() == [frame.num_entries, 0, 0]
    assert frame.max("y").value == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sample_ == 'met' ? met : 0", lambda met: 3 * met),
        ('met /* 30" */ + met /* 40" */', lambda met: 6 * met),
        ("Sum(Map(Muon_pt, [](float met) { return met * 0; })) + met", lambda met: 3 * met),
        ("met.twice() + (met + 0).twice()", lambda met: 60 * met),
        ("pt(P4(pt, 0, 0, 0)) + pt", lambda met: 10 * met),
    ],
)
def test_only_names_have_other_ones_in_a_config(dimuon, arrays, text, expected):
    """Not what stands in texts, comments and lambdas; functions have them also behind a dot."""
    events = sk.open(str(dimuon), sample="met")
    one = events.function("twice(x)", "2 * x").define("met", "twice(MET_pt)").define("pt", "MET_pt")
    other = events.function("twice(x)", "10 * x").define("met", "3. * MET_pt").define("pt", "5. * MET_pt")
    booked = one.sum("met + pt"), other.sum(text)
    sk.run(booked)
    met = ak.to_numpy(arrays["MET_pt"]).astype(np.float64)
    assert booked[0].value == pytest.approx(3 * met.sum())
    assert booked[1].value == pytest.approx(expected(met).sum())


def test_what_a_sample_defines_may_be_defined_anew(dimuon, arrays, tmp_path):
    """Of the sample's values: what stands for a definition there is none of what is made of it by the same name."""
    frame = sk.open({"own": {"files": [str(dimuon)], "define": {"x": "nMuon * 2."}}, "other": str(dimuon)})
    first = frame.define("x", "nMuon * 1.")
    second = first.redefine("x", "x + 5")
    third = second.filter("x > 7").redefine("x", "x * 3")
    booked = [
        each.hist("x", bins=60, range=(0, 60), name=f"h{i}") for i, each in enumerate((first, second, third))
    ]
    file = tmp_path / "of_frames.root"
    sk.run(*booked, histograms=file)
    sk.run_config(sk.to_config(*booked, histograms=str(tmp_path / "of_config.root")))
    counts = ak.to_numpy(arrays.nMuon)
    for sample, x in (("own", counts * 2.0), ("other", counts * 1.0)):
        behind = (x + 5)[x + 5 > 7] * 3
        for histogram, values in zip(booked, (x, x + 5, behind), strict=True):
            expected = np.histogram(values, bins=60, range=(0, 60))[0].tolist()
            assert histogram[sample].values().tolist() == expected
        assert third.arrays("x", sample=sample).x.tolist() == behind.tolist()
    assert (tmp_path / "of_config.root").read_bytes() == file.read_bytes()
