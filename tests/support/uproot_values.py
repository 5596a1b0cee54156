# SPDX-License-Identifier: BSD-3-Clause
"""Values that uproot reads, as Python's, to compare with those of others."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import awkward as ak
import numpy as np
import uproot


def member(value: Any, names: list[str]) -> Any:
    """What the records in lists have under these names; text as Latin-1, of which every byte is a character."""
    if isinstance(value, list):
        is_of_numbers = bool(value) and isinstance(value[0], (int, float))
        return value if is_of_numbers else [member(item, names) for item in value]
    if isinstance(value, tuple):
        return member(value[int(names[0].removeprefix("_"))], names[1:])
    if isinstance(value, dict):
        return member(value[names[0]], names[1:])
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("latin-1")
    return value


class ExpectedValues:
    """The values of the columns of an RNTuple as uproot reads them, each field once."""

    def __init__(self, ntuple: Any) -> None:
        self.ntuple = ntuple
        self.fields: dict[str, list[Any]] = {}

    def of(self, column: str) -> list[Any]:
        field, *members = column.split(".")
        if field not in self.fields:
            self.fields[field] = uproot_list(self.ntuple[field].array())
        return member(self.fields[field], members)


@lru_cache(maxsize=1)
def events_by_uproot(path: Path) -> ExpectedValues:
    """What uproot reads of a file that stays as it is, once for the tests that follow each other."""
    return ExpectedValues(uproot.open(path)["Events"])


def is_of_numbers(layout: Any) -> bool:
    while layout.is_list and layout.parameter("__array__") is None:
        layout = layout.content
    return layout.is_numpy


def uproot_list(array: Any) -> list[Any]:
    """Lists and records of Python values; text that is no UTF-8 keeps its bytes."""
    if is_of_numbers(ak.to_layout(array)):
        return ak.to_list(array)

    def plain(layout: Any, **_: Any) -> Any:
        if layout.is_option:  # a list of no or one value
            offsets = np.concatenate([[0], np.cumsum(layout.mask_as_bool(valid_when=True))])
            content = ak.transform(plain, layout.project(), highlevel=False)
            return ak.contents.ListOffsetArray(ak.index.Index64(offsets), content)
        if layout.parameter("__array__") != "string":
            return None
        content = layout.content.copy(parameters={"__array__": "byte"})
        return layout.copy(content=content, parameters={"__array__": "bytestring"})

    as_lists = ak.transform(plain, array)

    def decoded(value: Any) -> Any:
        if isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        if isinstance(value, dict):
            return {name: decoded(item) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(decoded(item) for item in value)
        return value

    return decoded(ak.to_list(as_lists))
