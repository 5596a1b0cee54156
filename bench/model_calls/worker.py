# SPDX-License-Identifier: BSD-3-Clause
"""Times one model for bench/models, in a process that has imported everything: prints a row as JSON."""

import json
import resource
import statistics
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import awkward as ak
import numpy as np
import onnxmltools
import onnxruntime
import skimline as sk
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType

FEATURES = ["Jet_pt", "Jet_eta", "Jet_phi", "Jet_mass", "Jet_btagCSVV2", "Jet_qgl"]
ROWS = 128
LARGE = 1 << 16


def train(arrays: ak.Array, num_trees: int, path: Path) -> None:
    """Writes a model of that many trees that tells jets of b quarks from others, by some of the jets."""
    rows, truth = rows_of(arrays)[:20_000], ak.flatten(arrays.Jet_hadronFlavour)[:20_000] == 5
    classifier = xgboost.XGBClassifier(n_estimators=num_trees, max_depth=5, n_jobs=1)
    classifier.fit(rows, ak.to_numpy(truth).astype(int))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        features = [("features", FloatTensorType([None, len(FEATURES)]))]
        model = onnxmltools.convert_xgboost(classifier, initial_types=features)
    path.write_bytes(model.SerializeToString())


def rows_of(arrays: ak.Array) -> np.ndarray:
    return np.stack([ak.to_numpy(ak.flatten(arrays[name])) for name in FEATURES], axis=1)


def seconds_of(work: Callable[[], object]) -> tuple[float, object]:
    """The seconds that the processor takes for it, and what it returns."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    result = work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


class Runtime:
    """onnxruntime, called for so many rows at a time."""

    def __init__(self, path: Path, rows: np.ndarray) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(path, options)
        self._rows = rows

    def evaluate(self, size: int) -> np.ndarray:
        run, rows = self._session.run, self._rows
        blocks = [
            run(["probabilities"], {"features": rows[at : at + size]})[0][:, 1]
            for at in range(0, len(rows), size)
        ]
        return np.concatenate(blocks)


def filled(data: Path, value: str, model: Path) -> np.ndarray:
    """A histogram of a value of each jet, by a run that opens the file and the model."""
    frame = sk.open(data).model("score", model, FEATURES, output="probabilities", element=1)
    histogram = frame.hist(value, bins=100, range=(0, 1))
    sk.run(histogram, threads=1)
    return histogram.values(flow=True)


def measure(data: Path, arrays: ak.Array, num_trees: int, repeat: int) -> dict:
    model = data.with_name(f"jets_{num_trees}.onnx")
    train(arrays, num_trees, model)
    rows = rows_of(arrays)
    runtime = Runtime(model, rows)
    call, without = f"score({', '.join(FEATURES)})", " + ".join(FEATURES)
    programs = {
        "ours": lambda: filled(data, call, model),
        "without": lambda: filled(data, without, model),
        "blocks": lambda: runtime.evaluate(ROWS),
        "large": lambda: runtime.evaluate(LARGE),
    }
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    results = {}
    for turn in range(repeat + 1):
        for name, work in programs.items():
            taken, results[name] = seconds_of(work)
            if turn > 0:
                seconds[name].append(taken)
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    expected, _ = np.histogram(results["blocks"].astype(float), 100, (0, 1))
    of_model = medians["ours"] - medians["without"]
    return {
        "trees": num_trees,
        "events": len(arrays),
        "jets": len(rows),
        **{f"{name}_s": each for name, each in medians.items()},
        "jets_per_second": len(rows) / medians["ours"],
        "events_per_second": len(arrays) / medians["ours"],
        "over_blocks": of_model / medians["blocks"],
        "over_large": of_model / medians["large"],
        "is_equal": bool(np.array_equal(results["ours"][1:-1], expected)),
        "runs_s": seconds,
    }


def main() -> None:
    data, num_trees, repeat = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    arrays = sk.open(data).arrays([*FEATURES, "Jet_hadronFlavour"])
    print(json.dumps(measure(data, arrays, num_trees, repeat)))


if __name__ == "__main__":
    main()
