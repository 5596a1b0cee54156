# SPDX-License-Identifier: BSD-3-Clause
"""Histograms in ROOT files, as ROOT, uproot and hist read them."""

import functools
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from prepared_root import prepared_root

LARGE_SIZES = [1_999_990_000, 3_000_000_000, 6_000_000_000]
NUM_FILLS = 1000


def write_samples(build_folder: Path, path: Path, bytes_before: int = 0, compression: str = "zstd:5") -> Path:
    """A file with the histograms of histogram_samples.cc."""
    program = build_folder / "tests" / "io" / "io_histogram_samples"
    subprocess.run([program, path, str(bytes_before), compression], check=True)
    return path


@pytest.fixture(scope="module")
def check_with_root() -> Iterator[Callable[..., str]]:
    """Makes one check of root_histograms.py in a process of its own."""
    pytest.importorskip("ROOT")
    folder = str(Path(__file__).parent)
    with prepared_root(
        f"sys.path.insert(0, {folder!r})\nimport root_histograms\nroot_histograms.expected_histograms()"
    ) as root:
        yield functools.partial(root.run, "root_histograms.CHECKS[sys.argv[1]](*sys.argv[2:])")


@pytest.fixture(scope="module")
def samples(build_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_samples(build_folder, tmp_path_factory.mktemp("histograms") / "samples.root")


@pytest.mark.parametrize("check", ["values", "sparse", "labels", "streamer info", "merging"])
def test_root_reads(check_with_root: Callable[..., str], samples: Path, check: str) -> None:
    check_with_root(check, samples)


@pytest.mark.parametrize("compression", ["none", "lz4", "zlib:1", "lzma:7"])
def test_root_reads_any_compression(
    check_with_root: Callable[..., str], build_folder: Path, tmp_path: Path, compression: str
) -> None:
    check_with_root("values", write_samples(build_folder, tmp_path / "samples.root", 0, compression))


# Where the file is large, offsets need 64 bits, and most of it is a hole.
@pytest.mark.parametrize("bytes_before", [0, *LARGE_SIZES])
def test_root_reads_and_updates_without_warning(
    check_with_root: Callable[..., str], build_folder: Path, tmp_path: Path, bytes_before: int
) -> None:
    path = write_samples(build_folder, tmp_path / "samples.root", bytes_before)
    check_with_root("values", path)
    check_with_root("updating", path)


def test_objects_are_those_that_root_streams(
    check_with_root: Callable[..., str], build_folder: Path, tmp_path: Path
) -> None:
    check_with_root("bytes", write_samples(build_folder, tmp_path / "samples.root", 0, "none"))


def test_root_streams_again_what_it_read(
    check_with_root: Callable[..., str], build_folder: Path, tmp_path: Path
) -> None:
    check_with_root(
        "rewriting", write_samples(build_folder, tmp_path / "samples.root", 3_000_000_000, "none")
    )


def test_uproot_reads_contents_and_errors(samples: Path) -> None:
    uproot = pytest.importorskip("uproot")
    x = -0.5 + 0.0625 * (np.arange(NUM_FILLS) % 40)
    y = -0.25 + 0.125 * (np.arange(NUM_FILLS) % 13)
    weight = 0.25 * (np.arange(NUM_FILLS) % 7) - 0.5
    bins = [
        np.array([-np.inf, *(0.1 * np.arange(10)), 1, np.inf]),
        np.array([-np.inf, 0, 0.1, 0.5, 1, np.inf]),
    ]
    with uproot.open(samples) as file:
        plane = file["dir/plane"]
        for power, found in ((1, plane.values(flow=True)), (2, plane.variances(flow=True))):
            expected, *_ = np.histogram2d(x, y, bins=bins, weights=weight**power)
            assert found.tolist() == expected.tolist()
        assert file["regular"].values(flow=True).sum() == NUM_FILLS
        assert file["variable"].axis().edges().tolist() == [0, 0.1, 0.5, 1]
        assert file["Göße/µ"].title == "über"
        sparse = file["hyper"]
        assert sparse.member("fEntries") == NUM_FILLS
        assert [axis.member("fTitle") for axis in sparse.member("fAxes")] == ["x [GeV]", "y", "", ""]


def test_hist_reads_axes_and_storages(samples: Path) -> None:
    uproot = pytest.importorskip("uproot")
    hist = pytest.importorskip("hist")
    with uproot.open(samples) as file:
        weighted = file["weighted"].to_hist()
        assert isinstance(weighted.axes[0], hist.axis.Regular)
        assert weighted.axes[0].label == "x [GeV]"
        assert weighted.storage_type is hist.storage.Weight
        letters = file["letters"].to_hist()
        assert list(letters.axes[0]) == ["b", "a", "ü"]
        assert list(file["growing"].to_hist().axes[0]) == list(range(-4, 13))
        cube = file["dir/sub/cube"].to_hist()
        assert [len(axis) for axis in cube.axes] == [10, 3, 3]
        assert cube.axes[1].edges.tolist() == [0, 0.1, 0.5, 1]


def test_profiles_have_the_means_and_errors_of_numpy(samples: Path) -> None:
    uproot = pytest.importorskip("uproot")
    x = -0.5 + 0.0625 * (np.arange(NUM_FILLS) % 40)
    value = 0.5 * (np.arange(NUM_FILLS) % 11) - 1
    with uproot.open(samples) as file:
        profile = file["profile"]
        for i, (low, high) in enumerate(zip(*(profile.axis().edges()[n:][:10] for n in (0, 1)), strict=True)):
            inside = value[(x >= low) & (x < high)]
            assert profile.values()[i] == pytest.approx(inside.mean(), rel=1e-14)
            error = inside.std() / np.sqrt(len(inside))
            assert profile.errors()[i] == pytest.approx(error, rel=1e-12)
