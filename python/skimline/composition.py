# SPDX-License-Identifier: BSD-3-Clause
"""From what is booked on frames to one config.

The filters of a config are one chain, `select`. Frames may branch: what they have in common becomes the
chain, and the filters behind a fork become regions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from skimline import _core
from skimline.errors import ConfigError
from skimline.events import Events, Request, Samples
from skimline.steps import Define, Filter, Function, Vary, matches

__all__ = [
    "common_samples",
    "compose",
    "external_functions",
    "filters_of_regions",
    "to_config",
]

ALL_EVENTS = "all events"


def to_config(
    *booked: Request, histograms: str | dict[str, Any] | None = None, cutflow: str | None = None
) -> dict[str, Any]:
    """Returns the config that makes all that is booked, in one pass, as `skimline run` takes it.

    `histograms` is the file for histograms ("histograms.root" unless given; UHI JSON if it ends with
    ".json"), `cutflow` a file for the cutflow. What is booked must come from one `open()`. The files that
    this config writes are the ones that `run()` writes with the same arguments, byte by byte.

    Throws ConfigError if two names do not fit together, or for functions that no config can hold.

    >>> events = sk.open("dimuon.root:Events")
    >>> met = events.filter("nMuon == 2", name="two muons").hist("MET_pt", bins=50, range=(0, 200))
    >>> config = to_config(met)
    >>> config["select"]
    [{'name': 'two muons', 'where': 'nMuon == 2'}]
    >>> config["histograms"]
    {'MET_pt': {'x': {'value': 'MET_pt', 'bins': 50, 'range': [0, 200]}}}
    """
    external = external_functions(booked_frames(booked))
    if external:
        raise ConfigError(
            "no config can hold functions that are compiled or written in Python: "
            + ", ".join(f'"{name}"' for name in external)
        )
    return compose(booked, histograms=histograms, cutflow=cutflow)


def booked_frames(booked: Iterable[Request]) -> list[Events]:
    """The frames of bookings, each once."""
    return list(dict.fromkeys(booking.frame for booking in booked))


def common_samples(frames: Sequence[Events]) -> Samples:
    """Returns the samples that all frames were opened with; throws ConfigError if there are several."""
    if not frames:
        raise ConfigError("nothing to do: give histograms or skims")
    samples = frames[0].samples
    samples.columns  # noqa: B018  throws if a frame of another process does not fit its files
    if any(frame.samples is not samples for frame in frames):
        raise ConfigError(
            "these come from several open(): run them one after the other, or open all files as samples of "
            'one frame, open({"data": "data.root", "mc": "mc.root"})'
        )
    return samples


def external_functions(frames: Iterable[Events]) -> dict[str, Any]:
    """The functions of frames that are no expressions, by name."""
    found: dict[str, Any] = {}
    for frame in frames:
        functions = (step for step in frame.steps if isinstance(step, Function))
        for function in functions:
            if function.compiled is None:
                continue
            if found.setdefault(function.name, function.compiled) is not function.compiled:
                raise ConfigError(f'two functions are called "{function.name}"')
    return found


def compose(
    booked: Sequence[Request],
    *,
    histograms: str | dict[str, Any] | None = None,
    cutflow: str | None = None,
    frames: Sequence[Events] = (),
    expressions: Iterable[str] = (),
    has_variations: bool = True,
) -> dict[str, Any]:
    """Makes a config of bookings, and of the filters of further frames.

    It has the definitions that these and further `expressions` need. Variations need not change what is only
    counted.
    """
    frames = [*booked_frames(booked), *frames]
    config: dict[str, Any] = {"schema_version": 1, **common_samples(frames).described}
    events = _EventChoices(frames)
    steps = common_variations(frames) if has_variations else ()
    needs = _Needs(_functions(frames), _definitions(frames), steps)
    for expression in (*_conditions_and_values(booked, frames), *expressions):
        needs.add_expression(expression)
    for booking in booked:
        for key in ("keep", "drop") if booking._section == "skims" else ():
            needs.add_matching(booking._described.get(key, []))
    if booked:  # what may change nothing is made all the same
        needs.add_names(name for step in steps if step.allow_unchanged for name in step.columns)
    functions, definitions = needs.functions, needs.definitions
    if functions:
        config["functions"] = functions
    if definitions:
        config["define"] = definitions
    variations = _described_variations(steps, set(_definitions(frames)) - set(definitions), bool(booked))
    if variations:
        config["variations"] = variations
    config["select"] = [{"name": step.name, "where": step.expression} for step in events.trunk]
    if events.regions:
        config["regions"] = events.regions
    filled = _named(booked, "histograms", events)
    if filled:
        config["histograms"] = filled
    skims = _named(booked, "skims", events)
    if skims:
        config["skims"] = skims
    output: dict[str, Any] = {}
    if filled:
        output["histograms"] = histograms or "histograms.root"
    elif histograms:
        raise ConfigError(f'there are no histograms to write to "{histograms}"')
    if cutflow:
        output["cutflow"] = cutflow
    if output:
        config["output"] = output
    return config


def filters_of_regions(frames: Sequence[Events]) -> dict[str, tuple[str, str]]:
    """What the filters are called that became regions, and the region of the filter before each, by region.

    There is no region before the first filter behind a fork.
    """
    events = _EventChoices(frames)
    return {region: (name, events.region_before[region]) for region, name in events.filter_names.items()}


def common_variations(frames: Sequence[Events]) -> tuple[Vary, ...]:
    """Returns the variations, which all frames must have: in a config they are those of all that is run."""
    lists = [tuple(step for step in frame.steps if isinstance(step, Vary)) for frame in frames]
    for each in lists[1:]:
        if each != lists[0]:
            different = sorted({step.name for step in {*each} ^ {*lists[0]}})
            raise ConfigError(
                "what is run together must have the same variations, but some has not "
                + ", ".join(f'"{name}"' for name in different)
                + ": call vary() before frames branch, or run them one after the other"
            )
    return lists[0]


def _functions(frames: Sequence[Events]) -> dict[str, str]:
    functions: dict[str, str] = {}
    for frame in frames:
        for step in frame.steps:
            if isinstance(step, Function) and step.compiled is None:
                _add_once(functions, "function", step.signature, step.body)
    return functions


def _definitions(frames: Sequence[Events]) -> dict[str, str]:
    definitions: dict[str, str] = {}
    for frame in frames:
        for step in frame.steps:
            if isinstance(step, Define):
                _add_once(definitions, "definition", step.name, step.expression)
    return definitions


def _add_once(texts: dict[str, str], what: str, name: str, text: str) -> None:
    if texts.setdefault(name, text) != text:
        raise ConfigError(
            f'the {what} "{name}" is "{texts[name]}" for some of what is run together and "{text}" for '
            "others: give one of them another name, or run them one after the other"
        )


def _conditions_and_values(booked: Sequence[Request], frames: Sequence[Events]) -> list[str]:
    """The expressions of filters, and those that are filled."""
    expressions = [step.expression for frame in frames for step in frame.filters]
    for booking in booked:
        if booking._section == "histograms":
            expressions += _filled_expressions(booking._described)
    return expressions


def _filled_expressions(described: dict[str, Any]) -> list[str]:
    """The expressions in what a config says of a histogram."""
    axes = [described[key] for key in "xyz" if key in described] + described.get("axes", [])
    if "profile" in described:
        axes.append(described["profile"])
    weights = [described["weight"]] if "weight" in described else []
    return [each["value"] for each in axes] + weights + list(described.get("weight_variations", {}).values())


class _Needs:
    """Which functions and definitions are needed, directly or by way of another: a frame may have more."""

    def __init__(
        self, functions: dict[str, str], definitions: dict[str, str], variations: Sequence[Vary]
    ) -> None:
        self._functions = functions
        self._definitions = definitions
        self._replacements = {
            name: [text for step in variations for text in step.expressions_for(name)] for name in definitions
        }
        self._unused: dict[str, list[str]] = {}  # what nothing has named yet, by name
        for each in (*functions, *definitions):
            self._unused.setdefault(each.split("(")[0].strip(), []).append(each)
        self._used: set[str] = set()
        # Columns that vary do so whether they are named or not. Replacements may name any definition.
        for step in variations:
            for name in step.columns:
                if name not in definitions:
                    for expression in step.expressions_for(name):
                        self.add_expression(expression)

    @property
    def functions(self) -> dict[str, str]:
        """The needed functions, in order."""
        return {name: body for name, body in self._functions.items() if name in self._used}

    @property
    def definitions(self) -> dict[str, str]:
        """The needed definitions, in order."""
        return {name: text for name, text in self._definitions.items() if name in self._used}

    def add_expression(self, expression: str) -> None:
        """Adds what an expression names."""
        self.add_names(_core.mentioned_names(expression))

    def add_matching(self, patterns: Iterable[str]) -> None:
        """Adds what any of the patterns of a skim is for."""
        for pattern in patterns:
            self.add_names([name for name in self._unused if matches(name, pattern)])

    def add_names(self, names: Iterable[str]) -> None:
        """Adds what has these names, and all that it names itself."""
        waiting = list(names)
        while waiting:
            for each in self._unused.pop(waiting.pop(), ()):
                self._used.add(each)
                body = self._functions[each] if each in self._functions else self._definitions[each]
                for text in (body, *self._replacements.get(each, ())):
                    waiting += _core.mentioned_names(text)


def _described_variations(variations: Sequence[Vary], unused: set[str], has_booked: bool) -> dict[str, Any]:
    """What the config says of variations, without the definitions that nothing uses."""
    described: dict[str, Any] = {}
    for step in variations:
        columns = {name: given for name, given in step.columns.items() if name not in unused}
        if not columns:
            if has_booked and not step.allow_unchanged:
                raise ConfigError(
                    f'the variation "{step.name}" changes nothing of what is run: nothing needs '
                    + ", ".join(f'"{name}"' for name in step.columns)
                    + ". Run it with what does, or give allow_unchanged=True"
                )
            continue
        described[step.name] = {"columns": columns}
        if step.samples:
            described[step.name]["samples"] = list(step.samples)
        if step.allow_unchanged or not has_booked:
            described[step.name]["allow_unchanged"] = True
    return described


def _named(booked: Sequence[Request], section: str, events: _EventChoices) -> dict[str, Any]:
    described: dict[str, Any] = {}
    for booking in booked:
        if booking._section != section:
            continue
        if booking.name in described:
            raise ConfigError(f'two {section} are called "{booking.name}": give them a name')
        described[booking.name] = {**booking._described, **events.of(booking)}
    return described


class _EventChoices:
    """Which events each frame stands for, in the words of a config: `select`, `regions`, `after`."""

    def __init__(self, frames: Sequence[Events]) -> None:
        chains = list(dict.fromkeys(frame.filters for frame in frames))
        longest = max(chains, key=len)
        if not all(longest[: len(chain)] == chain for chain in chains):
            longest = _common_start(chains)
        self.trunk = longest
        self._trunk_names = _checked_names(self.trunk)
        self._numbers: Counter[str] = Counter()  # of regions that would have the same name
        self.regions: dict[str, dict[str, str]] = {}
        self.filter_names: dict[str, str] = {}  # by region
        self.region_before: dict[str, str] = {}  # by region, of the filters before its last
        self._region_of: dict[tuple[Filter, ...], str] = {}
        for chain in chains:
            for length in range(len(self.trunk) + 1, len(chain) + 1):
                self._add_region(chain[:length])

    def of(self, booking: Request) -> dict[str, Any]:
        """The keys of a histogram or skim that choose its events."""
        chain = booking.frame.filters
        if chain in self._region_of:
            region = self._region_of[chain]
            return {"region": region} if booking._section == "skims" else {"regions": [region]}
        if len(chain) == len(self.trunk):
            return {}
        return {"after": chain[-1].name if chain else ALL_EVENTS}

    def _add_region(self, chain: tuple[Filter, ...]) -> None:
        if chain in self._region_of:
            return
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", chain[-1].name).strip("_") or "region"
        name = plain
        while name in self.regions or name in self._trunk_names:
            self._numbers[plain] += 1
            name = f"{plain}_{self._numbers[plain] + 1}"
        conditions = [step.expression for step in chain[len(self.trunk) :]]
        where = conditions[0] if len(conditions) == 1 else " && ".join(f"({each})" for each in conditions)
        self.regions[name] = {"where": where}
        self.filter_names[name] = chain[-1].name
        self.region_before[name] = self._region_of.get(chain[:-1], "")
        self._region_of[chain] = name


def _common_start(chains: Sequence[tuple[Filter, ...]]) -> tuple[Filter, ...]:
    common = chains[0]
    for chain in chains[1:]:
        length = 0
        while length < min(len(common), len(chain)) and common[length] is chain[length]:
            length += 1
        common = common[:length]
    return common


def _checked_names(chain: tuple[Filter, ...]) -> set[str]:
    """The names of filters, each of which may be there once."""
    names: set[str] = set()
    for step in chain:
        if step.name in names:
            raise ConfigError(f'two filters are called "{step.name}": give them a name')
        names.add(step.name)
    return names
