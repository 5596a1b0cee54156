# SPDX-License-Identifier: BSD-3-Clause
"""Events by how they were made, and what is asked of them: what frames, bookings and configs are about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skimline import _core
from skimline.config import core_config
from skimline.steps import Filter, Step, Vary

__all__ = ["Events", "Request", "Samples"]


class Samples:
    """The samples that were opened together."""

    def __init__(self, described: dict[str, Any]) -> None:
        self.described = described
        """The keys of a config that say what is read."""
        config = core_config({"schema_version": 1, **described, "select": []})
        self.names: list[str] = config.sample_names
        self.columns = [_core.SampleColumns(config, number) for number in range(len(self.names))]

    def may_vary(self, sample: str) -> bool:
        """Whether variations are for a sample, unless it was opened with `"variations": False`."""
        return self.described["samples"][sample].get("variations", True) is not False


class Events:
    """The events of samples that pass some steps."""

    def __init__(self, samples: Samples, steps: tuple[Step, ...]) -> None:
        self._samples = samples
        self._steps = steps

    @property
    def samples(self) -> Samples:
        """What was opened."""
        return self._samples

    @property
    def steps(self) -> tuple[Step, ...]:
        """How it was made, in order."""
        return self._steps

    @property
    def filters(self) -> tuple[Filter, ...]:
        """The filters that its events pass, in order."""
        return tuple(step for step in self._steps if isinstance(step, Filter))

    @property
    def variations(self) -> list[str]:
        """The names of its variations: "pt_scale_up", "pt_scale_down"."""
        return [name for step in self._varied() for name in step.replacements]

    def _varied(self) -> Iterator[Vary]:
        return (step for step in self._steps if isinstance(step, Vary))


class Request:
    """Something that a run is to make of events."""

    _section = ""
    """Where it stands in a config: "histograms" or "skims"."""

    def __init__(self, frame: Events, name: str, described: dict[str, Any]) -> None:
        self._frame = frame
        self._name = name
        self._described = described

    @property
    def frame(self) -> Events:
        """The events that it is made of."""
        return self._frame

    @property
    def name(self) -> str:
        """Its name in the config."""
        return self._name
