# SPDX-License-Identifier: BSD-3-Clause
"""What samples are in files that were merged from runs of several configs, or are drawn together."""

from pathlib import Path

import pytest
import skimline as sk
from svg_pictures import Picture

SIMULATED = {"cross_section_pb": 2.0, "sum_weights": "genWeight"}


def run(samples, path):
    sk.run(sk.open(samples).hist("MET_pt", bins=20, range=(0, 100), name="met"), histograms=path)
    return path


@pytest.mark.parametrize("keys", [SIMULATED, {}])
@pytest.mark.parametrize("is_data", [True, False])
@pytest.mark.parametrize("name", ["a", "c"])  # records have configs in the order of their texts
def test_they_are_what_their_own_config_says(dimuon, tmp_path, keys, is_data, name):
    files = {"files": [str(dimuon)]}
    one = run({f"{name}{i}": files | keys for i in (1, 2)}, tmp_path / "one.root")
    other = run({f"b{i}": {**files, "is_data": is_data} for i in (1, 2)}, tmp_path / "other.root")
    sk.merge(tmp_path / "all.root", [one, other])
    (file,) = sk.plot(tmp_path / "all.root").save(tmp_path / "file", ["svg"])
    drawn = Picture(Path(file)).ids() & {"stack-1", "stack-3", "data-0", "data-1"}
    assert drawn == ({"stack-1", "data-0", "data-1"} if is_data else {"stack-1", "stack-3"})


def test_pictures_have_no_cutflow_of_one_of_several_files(dimuon, tmp_path):
    frame = sk.open({"mc": dimuon, "other": dimuon})
    for name, cut in (("a", 1), ("b", 2)):
        met = frame.filter(f"nMuon > {cut}", name="muons").hist("MET_pt", bins=20, range=(0, 100), name="met")
        sk.run(met, histograms=tmp_path / f"{name}.root")
    files = [tmp_path / "a.root", tmp_path / "b.root"]
    assert list(sk.plot(*files)) == ["mc__met", "other__met"]
    assert "cutflow" in sk.plot(files[0], files[0], cutflow=True)
    with pytest.raises(sk.ConfigError, match='have other cutflows of "mc": draw them one by one'):
        sk.plot(*files, cutflow=True)


@pytest.mark.parametrize(("luminosities", "shown"), [((1000, 1000), "1 fb"), ((1000, 3000), "")])
def test_pictures_say_a_luminosity_that_all_of_it_have(dimuon, tmp_path, luminosities, shown):
    files = []
    for name, luminosity in zip("ab", luminosities, strict=True):
        samples = {f"{name}{i}": {"files": [str(dimuon)], **SIMULATED} for i in (1, 2)}
        frame = sk.open(samples, luminosity_pb=luminosity).weight("rate", "normalisation_")
        files.append(tmp_path / f"{name}.root")
        sk.run(frame.hist("MET_pt", bins=20, range=(0, 100), name="met"), histograms=files[-1])
    sk.merge(tmp_path / "all.root", files)
    for sources in (files, [tmp_path / "all.root"]):
        texts = [each.get_text() for axes in sk.plot(*sources)["met"].axes for each in axes.texts]
        assert any("fb" in each for each in texts) == bool(shown)
        assert any(each.startswith(shown) for each in texts if "fb" in each) == bool(shown)
