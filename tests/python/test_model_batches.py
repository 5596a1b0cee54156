# SPDX-License-Identifier: BSD-3-Clause
"""Values of models depend on no other object, whatever the types of their inputs and the size of their batches."""

import numpy as np
import pytest
import skimline as sk
import uproot
from onnx import TensorProto, helper
from onnx_models import FLOAT, save, session
from skimline.errors import Error

NUM_EVENTS = 300
TYPES = {
    np.int64: TensorProto.INT64,
    np.int32: TensorProto.INT32,
    np.uint8: TensorProto.UINT8,
    np.bool_: TensorProto.BOOL,
    np.float32: FLOAT,
}
COLUMNS = ["a", "b", "c"]

# What takes the numbers of objects "f" to those of "y", with the help of other objects.
MIXERS = {
    "largest": [helper.make_node("ReduceMax", ["f"], ["m"], axes=[0]), helper.make_node("Sub", ["f", "m"], ["y"])],
    "smallest": [helper.make_node("ReduceMin", ["f"], ["m"], axes=[0]), helper.make_node("Sub", ["f", "m"], ["y"])],
    "mean": [helper.make_node("ReduceMean", ["f"], ["m"], axes=[0]), helper.make_node("Sub", ["f", "m"], ["y"])],
    "softmax": [helper.make_node("Softmax", ["f"], ["y"], axis=0)],
}  # fmt: skip
TRANSPOSED = [helper.make_node("Transpose", ["f"], ["y"], perm=[1, 0])]


@pytest.fixture(scope="module")
def values():
    return np.random.default_rng(7).integers(0, 9, (NUM_EVENTS, len(COLUMNS)))


@pytest.fixture
def frame(values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with uproot.recreate("events.root") as file:
        file["Events"] = {name: values[:, i].astype(np.int32) for i, name in enumerate(COLUMNS)}
    return sk.open("events.root:Events")


def save_mixer(path, nodes, kind, rows, transposed=False):
    shape = [rows, len(COLUMNS)]
    cast = helper.make_node("Cast", ["x"], ["f"], to=FLOAT)
    outputs = {"y": (FLOAT, shape[::-1] if transposed else shape)}
    return save(path, [cast, *nodes], {"x": (TYPES[kind], shape)}, outputs)


def scores(frame, path, kind, element):
    """Of all events; integers are converted where the model takes narrow ones."""
    arguments = ", ".join(f"{name} > 4" if kind is np.bool_ else name for name in COLUMNS)
    frame = frame.model("f", path, COLUMNS, element=element)
    return frame.arrays({"y": f"f({arguments})"}, library="np")["y"]


def numbers(values, kind):
    return values > 4 if kind is np.bool_ else values.astype(kind)


@pytest.mark.filterwarnings("ignore:.*without checksums")
@pytest.mark.parametrize("rows", ["n", 2, 3, 5])
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("mixer", MIXERS)
def test_what_depends_on_others_is_evaluated_alone(frame, values, tmp_path, mixer, kind, rows):
    path = save_mixer(tmp_path / "mixer.onnx", MIXERS[mixer], kind, rows)
    alone = session(path)
    repeats = 1 if rows == "n" else rows
    expected = [
        alone.run(None, {"x": np.repeat(row[np.newaxis], repeats, axis=0)})[0][0, 1]
        for row in numbers(values, kind)
    ]
    assert scores(frame, path, kind, 1).tolist() == expected


@pytest.mark.filterwarnings("ignore:.*without checksums")
@pytest.mark.parametrize("kind", TYPES)
def test_outputs_may_have_a_column_for_each_object(frame, values, tmp_path, kind):
    path = save_mixer(tmp_path / "transposed.onnx", TRANSPOSED, kind, "n", transposed=True)
    for element in range(len(COLUMNS)):
        expected = numbers(values, kind)[:, element].astype(np.float32)
        np.testing.assert_array_equal(scores(frame, path, kind, element), expected)


@pytest.mark.filterwarnings("ignore:.*without checksums")
@pytest.mark.parametrize("rows", [2, 3, 4, 128])
@pytest.mark.parametrize("kind", TYPES)
def test_places_that_change_a_value_are_refused(frame, tmp_path, kind, rows):
    """Which number is whose cannot be told where a model with several objects has another order, or adds up."""
    path = save_mixer(tmp_path / "transposed.onnx", TRANSPOSED, kind, rows, transposed=True)
    with pytest.raises(
        Error, match=f"it wants {rows} objects at once, and where one is among them changes its value"
    ):
        scores(frame, path, kind, 1)
    added = helper.make_node("CumSum", ["f", "axis"], ["y"])
    first = helper.make_node("Constant", [], ["axis"], value_int=0)
    path = save_mixer(tmp_path / "added.onnx", [first, added], kind, rows)
    with pytest.raises(Error, match="changes its value"):
        scores(frame, path, kind, 1)
