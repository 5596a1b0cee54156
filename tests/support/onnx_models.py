# SPDX-License-Identifier: BSD-3-Clause
"""Models as files of ONNX, made here, and onnxruntime called directly: what ours is judged by."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def save(path: Path, nodes, inputs, outputs, constants=None) -> Path:
    """Writes a model; inputs and outputs are name: (type, shape), where a text stands for any size."""
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info(name, *each) for name, each in inputs.items()],
        [helper.make_tensor_value_info(name, *each) for name, each in outputs.items()],
        [numpy_helper.from_array(each, name) for name, each in (constants or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path


def save_classifier(path: Path, weights) -> Path:
    """Probabilities of two classes, and which is the larger: softmax of a linear function of two numbers."""
    nodes = [
        helper.make_node("MatMul", ["x", "weights"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["probabilities"], axis=1),
        helper.make_node("ArgMax", ["scores"], ["label"], axis=1, keepdims=0),
    ]
    return save(
        path,
        nodes,
        {"x": (FLOAT, ["n", 2])},
        {"label": (TensorProto.INT64, ["n"]), "probabilities": (FLOAT, ["n", 2])},
        {"weights": np.array(weights, np.float32)},
    )


def save_network(path: Path, width: int = 3, seed: int = 1, rows: int | str = "n") -> Path:
    """A network with two hidden layers of widths that fill no vector of a processor, and one output."""
    random = np.random.default_rng(seed)
    sizes = [width, 37, 19, 1]
    nodes, constants, last = [], {}, "x"
    for layer, (before, after) in enumerate(pairwise(sizes)):
        constants[f"w{layer}"] = random.normal(0, 1, (before, after)).astype(np.float32)
        constants[f"b{layer}"] = random.normal(0, 1, after).astype(np.float32)
        nodes += [helper.make_node("Gemm", [last, f"w{layer}", f"b{layer}"], [f"sum{layer}"])]
        last = "score" if layer == len(sizes) - 2 else f"out{layer}"
        nodes += [helper.make_node("Sigmoid" if last == "score" else "Tanh", [f"sum{layer}"], [last])]
    return save(path, nodes, {"x": (FLOAT, [rows, width])}, {"score": (FLOAT, [rows, 1])}, constants)


def save_sum(path: Path, **inputs) -> Path:
    """The sum of inputs of one number each, as doubles; each is of the type given."""
    nodes = [helper.make_node("Cast", [name], [f"cast_{name}"], to=TensorProto.DOUBLE) for name in inputs] + [
        helper.make_node("Sum", [f"cast_{name}" for name in inputs], ["sum"])
    ]
    shapes = {name: (kind, ["n"]) for name, kind in inputs.items()}
    return save(path, nodes, shapes, {"sum": (TensorProto.DOUBLE, ["n"])})


def session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options)


def evaluated(path: Path, columns, output: str | None = None) -> np.ndarray:
    """What onnxruntime gives for all objects of a model with one input, one number of which is in each column."""
    rows = np.stack([np.asarray(each, np.float32) for each in columns], axis=1)
    opened = session(path)
    return opened.run(output and [output], {opened.get_inputs()[0].name: rows})[0]
