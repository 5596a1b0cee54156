# SPDX-License-Identifier: BSD-3-Clause
"""Models in files of ONNX, evaluated by onnxruntime for the engine."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from skimline.optional import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy
    import numpy.typing

    Array = numpy.typing.NDArray[Any]

__all__ = ["Session", "open_session"]

_OLDEST = (1, 21)
"""From which version on models in memory are kept from other files."""
_NO_FOLDER = "/dev/null/skimline"
_SILENT = 4


class Session:
    """A model that onnxruntime has read. Used by many threads at once."""

    def __init__(self, content: bytes) -> None:
        runtime = _runtime()
        options = runtime.SessionOptions()
        # The engine has threads of its own. With one for each call, sums are added in one order.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _SILENT
        # Numbers in further files would be in no checksum.
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", _NO_FOLDER)
        try:
            self._session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ValueError(f"onnxruntime cannot read it: {_words_of(error)}") from None
        self.evaluator = f"onnxruntime {runtime.__version__}"
        """What evaluates it."""
        self.inputs = [_described(each) for each in self._session.get_inputs()]
        """Name, type and shape of each, -1 where any size will do."""
        self.outputs = [_described(each) for each in self._session.get_outputs()]

    def evaluate(self, inputs: Sequence[Array], output: int) -> list[Array]:
        """One output for some blocks of objects, each by a call of its own.

        Each input is an array of blocks, objects and numbers.
        """
        shaped = [
            (name, array.reshape(*array.shape[:2], *_sizes(shape, array.shape[2])))
            for (name, _, shape), array in zip(self.inputs, inputs)
        ]
        wanted = [self.outputs[output][0]]
        run = self._session.run
        try:
            return [
                run(wanted, {name: array[block] for name, array in shaped})[0]
                for block in range(len(inputs[0]) if inputs else 1)
            ]
        except Exception as error:
            raise ValueError(f"onnxruntime cannot evaluate it: {_words_of(error)}") from None


def _runtime() -> Any:
    runtime = require("onnxruntime", "a model")
    version: str = runtime.__version__
    if tuple(int(number) for number in version.split(".")[:2]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise ImportError(
            f"a model needs onnxruntime {oldest} or later, not {version}: pip install -U onnxruntime"
        )
    return runtime


_sessions: WeakValueDictionary[bytes, Session] = WeakValueDictionary()


def open_session(content: bytes) -> Session:
    """The session of a model, one for all who have it open."""
    digest = hashlib.sha256(content).digest()
    session = _sessions.get(digest)
    if session is None:
        session = _sessions[digest] = Session(content)
    return session


def _described(tensor: Any) -> tuple[str, str, list[int]]:
    sizes = [size if isinstance(size, int) else -1 for size in tensor.shape or ()]
    return tensor.name, tensor.type, sizes


def _sizes(shape: Sequence[int], width: int) -> list[int]:
    """The sizes of what belongs to one object."""
    return [width if size < 0 else size for size in shape[1:]]


def _words_of(error: Exception) -> str:
    """What onnxruntime says, without its name and its numbers of errors, in one line."""
    text = str(error)
    if text.startswith("[ONNXRuntimeError]"):
        text = text.split(" : ", 3)[-1]
    return " ".join(text.split())
