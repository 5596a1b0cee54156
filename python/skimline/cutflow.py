# SPDX-License-Identifier: BSD-3-Clause
"""How many events are left after each step of a run."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skimline.argument_types import checked
from skimline.branches import ShownFilters
from skimline.display import table_as_html, table_as_text
from skimline.errors import ConfigError
from skimline.optional import require
from skimline.variations import ByVariation

__all__ = ["Cutflow", "CutflowStep"]


class CutflowStep(NamedTuple):
    """The events that pass a step: a filter with all before it, or a region."""

    sample: str
    name: str
    events: int
    sum_weights: float
    """Of these events; their number if the sample has no weights."""
    sum_weights_error: float
    of_previous: float
    """Events as a part of those before the step, whatever other branches have; of a region, of the events it is
    taken from."""
    of_all: float
    """Events as a part of all events of the sample."""
    region: bool = False
    """Whether it is beside the chain of filters that all have in common: a filter behind a fork, or a region."""
    after: str = ""
    """The step before it."""


class Cutflow:
    """A table: iterate over its steps, print it, or make a DataFrame of it."""

    def __init__(
        self, steps: Sequence[CutflowStep], variations: Mapping[str, Sequence[CutflowStep]] | None = None
    ) -> None:
        self._steps = tuple(steps)
        varied = {name: Cutflow(each) for name, each in (variations or {}).items()}
        self._variations: ByVariation[Cutflow] = ByVariation(varied)

    @classmethod
    def of_report(cls, report: Mapping[str, Any], shown: ShownFilters | None = None) -> Cutflow:
        """The cutflow that a report tells.

        `shown` says what filters of frames are called, which may have got other names in the config, or become
        regions.
        """
        shown = shown or ShownFilters({}, {})
        steps: list[CutflowStep] = []
        variations: dict[str, list[CutflowStep]] = {}
        for sample in report["samples"]:
            steps += _steps_of(sample, shown)
            for name, counts in sample.get("variations", {}).items():
                counts = {"name": sample["name"], **counts}
                variations.setdefault(name, []).extend(_steps_of(counts, shown))
        return cls(steps, variations)

    @classmethod
    def joined(cls, parts: Sequence[Cutflow]) -> Cutflow:
        """The cutflows of different samples as one."""
        variations: dict[str, list[CutflowStep]] = {}
        for part in parts:
            for name, each in part.variations.items():
                variations.setdefault(name, []).extend(each)
        return cls([step for part in parts for step in part], variations)

    @property
    def variations(self) -> Mapping[str, Cutflow]:
        """The cutflow of each variation by name, with the samples that have it; this is the nominal one."""
        return self._variations

    @property
    def samples(self) -> list[str]:
        """The samples, in order."""
        return list(dict.fromkeys(step.sample for step in self._steps))

    @checked
    def of(self, sample: str) -> list[CutflowStep]:
        """The steps of one sample, without regions. Throws ConfigError if there is none of that name."""
        if sample not in self.samples:
            from skimline._core import did_you_mean

            raise ConfigError(f'the cutflow has no sample "{sample}"' + did_you_mean(sample, self.samples))
        return [step for step in self._steps if step.sample == sample and not step.region]

    def __iter__(self) -> Iterator[CutflowStep]:
        return iter(self._steps)

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, name: str | int) -> CutflowStep:
        """Returns the step of a name, of the only sample and branch that has it, or that of a number."""
        if not isinstance(name, str):
            return self._steps[operator.index(name)]
        found = [step for step in self._steps if step.name == name]
        if len(found) == 1:
            return found[0]
        from skimline._core import did_you_mean

        if not found:
            raise ConfigError(
                f'the cutflow has no step "{name}"' + did_you_mean(name, [step.name for step in self._steps])
            )
        if len({step.sample for step in found}) == 1:
            afters = ", ".join(f'"{step.after}"' for step in found)
            raise ConfigError(
                f'several branches have a step "{name}", after {afters}: iterate over the cutflow'
            )
        raise ConfigError(f'several samples have a step "{name}": use of(sample)')

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each step."""
        pandas = require("pandas", "to_pandas()")
        return pandas.DataFrame(self._steps, columns=CutflowStep._fields)

    def __repr__(self) -> str:
        return f"<Cutflow of {len(self)} steps>"

    def __str__(self) -> str:
        return table_as_text(*self._table())

    def _repr_html_(self) -> str:
        return table_as_html(*self._table())

    def _table(self) -> tuple[list[str], list[list[str]], list[int]]:
        has_samples = len(self.samples) > 1
        has_weights = any(step.sum_weights != step.events for step in self._steps)
        has_branches = any(step.region for step in self._steps)
        header = ["sample"] * has_samples + ["step"] + ["after"] * has_branches + ["events"]
        header += ["sum of weights", "error"] * has_weights + ["of previous", "of all"]
        rows = []
        for step in self._steps:
            row = [step.sample] * has_samples + [step.name] + [step.after] * has_branches
            row.append(f"{step.events:,}".replace(",", " "))
            if has_weights:
                row += [f"{step.sum_weights:.6g}", f"{step.sum_weights_error:.3g}"]
            rows.append([*row, f"{100 * step.of_previous:.2f} %", f"{100 * step.of_all:.2f} %"])
        first = 1 + has_samples + has_branches
        return header, rows, list(range(first, len(header)))


def _steps_of(sample: Mapping[str, Any], shown: ShownFilters) -> Iterator[CutflowStep]:
    chain, regions = sample["cutflow"], sample["regions"]
    all_events = chain[0]["events"]
    passed = {step["name"]: step["events"] for step in chain}
    in_region = {step["name"]: step["events"] for step in regions}

    def make(step: Mapping[str, Any], name: str, before: float, after: str, region: bool) -> CutflowStep:
        events = step["events"]
        return CutflowStep(
            sample=sample["name"],
            name=name,
            events=events,
            sum_weights=step["sum_weights"],
            sum_weights_error=step["sum_weights_error"],
            of_previous=events / before if before else 0.0,
            of_all=events / all_events if all_events else 0.0,
            region=region,
            after=after,
        )

    def step_name(name: str) -> str:
        return shown.steps.get(name, name)

    for before, step in zip([chain[0], *chain], chain):
        after = "" if step is before else step_name(before["name"])
        yield make(step, step_name(step["name"]), before["events"], after, False)
    for step in regions:
        name, previous = shown.regions.get(step["name"], (step["name"], ""))
        if previous:
            yield make(step, name, in_region[previous], shown.regions[previous][0], True)
        else:
            yield make(step, name, passed.get(step["after"], all_events), step_name(step["after"]), True)
