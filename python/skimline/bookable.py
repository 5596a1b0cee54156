# SPDX-License-Identifier: BSD-3-Clause
"""What can be booked on events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from skimline._core import did_you_mean
from skimline.argument_types import checked
from skimline.arguments import (
    ARROW_ENDINGS,
    checked_choice,
    checked_compression,
    checked_name,
    checked_size,
    checked_text,
    checked_texts,
)
from skimline.axes import axis
from skimline.booking import BookedHistogram, BookedSkim
from skimline.columns import Column
from skimline.config import own_copy
from skimline.errors import ConfigError
from skimline.numbers_of_events import BookedNumber, BookedValues
from skimline.reading import ReadableEvents
from skimline.scope import EVENT_WEIGHT, plain_name
from skimline.steps import matches_column

__all__ = ["BookableEvents"]


class BookableEvents(ReadableEvents):
    """Events of which histograms and skims can be made. Frames are such."""

    @checked
    def hist(
        self,
        *values: str | Column | Mapping[str, Any],
        name: str | None = None,
        weight: str | Column | None = None,
        weight_variations: Mapping[str, str | Column] | None = None,
        profile: str | Column | Mapping[str, str] | None = None,
        title: str | None = None,
        type: str | None = None,
        nan: str | None = None,
        bad_weight: str | Column | None = None,
        where: str | Column | None = None,
        bins: int | None = None,
        range: tuple[float, float] | None = None,
        edges: Sequence[float] | None = None,
        integers: tuple[int, int] | None = None,
        categories: Sequence[str] | Sequence[int] | None = None,
        growing: bool = False,
        growth: bool = False,
        circular: bool = False,
        underflow: bool = True,
        overflow: bool = True,
        label: str = "",
        unit: str = "",
    ) -> BookedHistogram:
        """Books a histogram of these events, to be filled by `skimline.run`.

        One expression with the bins as keywords (see `skimline.axis`), or one `skimline.axis` for each
        dimension. Lists are filled element by element. `weight` is an expression; `profile` one whose mean is
        taken in each bin; `weight_variations` gives further histograms of the same fills by name; `where` selects for this
        histogram alone, without a step of the cutflow. The other keywords are those of histograms in a config. `name` is the value unless given.

        >>> events = sk.open("dimuon.root:Events")
        >>> pt = events.hist("Muon_pt", bins=50, range=(0, 100), unit="GeV", weight="genWeight")
        >>> sk.run(pt).is_complete
        True
        >>> pt.values().shape
        (50,)
        >>> plane = events.hist(
        ...     sk.axis("Muon_eta", bins=24, range=(-2.4, 2.4)), sk.axis("Muon_charge", categories=[-1, 1])
        ... )
        >>> plane
        <histogram 'Muon_eta_Muon_charge', not filled yet>
        """
        binning = {
            "bins": bins,
            "range": range,
            "edges": edges,
            "integers": integers,
            "categories": categories,
            "growing": growing,
            "growth": growth,
            "circular": circular,
            "underflow": underflow,
            "overflow": overflow,
            "label": label,
            "unit": unit,
        }
        axes = _described_axes(values, binning)
        described: dict[str, Any] = {"axes": axes}
        if profile is not None:
            described["profile"] = dict(profile) if isinstance(profile, Mapping) else {"value": profile}
            if "value" not in described["profile"]:
                raise ConfigError('a profile says what is averaged: {"value": "Muon_pt", ...}')
        if weight is not None:
            described["weight"] = self._check_numbers(weight, "a weight")
        if profile is not None:
            described["profile"]["value"] = self._check_numbers(described["profile"]["value"], "a profile")
        for each in axes:
            check = self._check if "categories" in each else self._check_numbers
            each["value"] = check(each["value"], "an axis without categories")
        if title is not None:
            described["title"] = checked_text(title, "a title")
        if weight_variations:
            if "nominal" in weight_variations:
                raise ConfigError(
                    '"nominal" is what the "weight" itself is called: give the variation another name'
                )
            described["weight_variations"] = {
                name: self._check_numbers(text, "a weight") for name, text in weight_variations.items()
            }
        for key, value in (("type", type), ("nan", nan), ("bad_weight", bad_weight)):
            if value is not None:
                described[key] = checked_choice(key, value, _CHOICES[key])
        if where is not None:
            described["where"] = self._check_condition(where)
        _check_together(described, bool(self.scope.weights))
        return BookedHistogram(self, checked_name(name) or _plain_name(axes), _as_in_config(described))

    @checked
    def skim(
        self,
        file: str | PathLike[str],
        *,
        keep: str | Sequence[str] | None = None,
        drop: str | Sequence[str] | None = None,
        columns: Mapping[str, str | Column] | None = None,
        thin: Mapping[str, str | Column | Mapping[str, Any]] | None = None,
        indices: Mapping[str, str | bool] | None = None,
        name: str | None = None,
        format: str | None = None,
        collections: str | None = None,
        compression: str | None = None,
        cluster_size: int | str | None = None,
        page_size: int | str | None = None,
        split: int | str | Mapping[str, int] | None = None,
        columns_in_common: bool | None = None,
        variations: bool | Sequence[str] | None = None,
        where: str | Column | None = None,
    ) -> BookedSkim:
        """Books a file with these events, to be written by `skimline.run`.

        `file` may end with ":name", the name of the RNTuple or TTree, `Events` unless given. With several
        samples it must hold `{sample}`: each has a file. `keep` and `drop` are patterns of columns and
        definitions; all columns of the files are kept unless `keep` or `columns` is given. `columns` are further ones: an
        expression for each name, which may be that of a column; without `keep` they are alone. `thin` has the collections that lose elements, with
        a mask for each, or `{"where": mask, "closure": True}`. `split` makes several files, `"2 GB"` or
        `{"events": 100000}` for each. A file that ends with ".parquet", ".arrow" or ".feather" is one of Parquet or
        Arrow. With `collections="vectors"` each list is a `std::vector` by itself, as `Snapshot` of RDataFrame needs it. The
        other keywords are those of skims in a config. `name` is that of the skim, by which the config and the report
        call it; the stem of the file unless given.

        Throws ConfigError for a pattern that matches nothing, and for what a skim cannot be.

        >>> events = sk.open("dimuon.root:Events")
        >>> events.filter("nMuon == 2").skim("pairs.root", keep=["Muon_*"], compression="zstd:7")
        <skim 'pairs' to 'pairs.root'>
        """
        path, ntuple = _split_location(fspath(file))
        values: dict[str, Any] = {"file": _checked_file(path, len(self._samples.names))}
        if ntuple:
            values["name"] = ntuple
        if (chosen := _checked_format(format, path)) is not None:
            values["format"] = chosen
        if collections is not None:
            values["collections"] = checked_choice("collections", collections, ("records", "vectors"))
        for key, patterns in (("keep", keep), ("drop", drop)):
            listed = self._checked_patterns(key, patterns) if patterns is not None else []
            if listed or (key == "keep" and patterns is not None):
                values[key] = listed
        if columns:
            values["columns"] = {name: self._check(text) for name, text in columns.items()}
        if thin:
            values["thin"] = {collection: self._checked_mask(mask) for collection, mask in thin.items()}
        if indices:
            values["indices"] = dict(indices)
        if compression is not None:
            values["compression"] = checked_compression(compression)
        for key, size, least, most in (
            ("cluster_size", cluster_size, 1 << 16, 1 << 34),
            ("page_size", page_size, 1 << 10, 1 << 28),
            ("split", None if isinstance(split, Mapping) else split, 1 << 16, 1 << 44),
        ):
            if size is not None:
                values[key] = checked_size(key, size, least, most)
        if isinstance(split, Mapping):
            values["split"] = dict(split)
        if columns_in_common is not None:
            values["columns_in_common"] = bool(columns_in_common)
        if variations is not None:
            values["variations"] = variations if isinstance(variations, bool) else list(variations)
        if where is not None:
            values["where"] = self._check_condition(where)
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", path.rpartition("/")[2].partition(".")[0]).strip("_")
        return BookedSkim(self, checked_name(name) or stem or "skim", values)

    def _checked_mask(self, mask: str | Column | Mapping[str, Any]) -> str | dict[str, Any]:
        """A mask of `thin`, or the name of objects, as a config has it."""
        if isinstance(mask, Mapping):
            if "where" not in mask:
                raise ConfigError('thin says which elements are kept: {"where": "Muon_pt > 20", ...}')
            return {key: self._checked_mask(each) if key == "where" else each for key, each in mask.items()}
        text = checked_text(mask, "a mask")
        return text if text in self.scope.objects else self._check(text)

    @checked
    def sum(
        self,
        expression: str | Column,
        *,
        weight: str | Column | None = None,
        name: str | None = None,
        bad_weight: str | None = None,
    ) -> BookedNumber:
        """Books the sum of an expression over these events, and over the elements of lists.

        It is made together with all else that is run, or by itself when it is looked at. The sum is exact, so that it
        does not depend on threads. With `weight` each value is multiplied by it. Values and weights that are not finite end the run, or
        with `bad_weight="skip"` are left out and counted in a warning. In a file of histograms `name` is that of its bin.

        >>> events = sk.open("dimuon.root:Events")
        >>> muons, met = events.sum("nMuon"), events.mean("MET_pt")
        >>> result = sk.run(muons, met)
        >>> muons.value, round(met.value, 3)
        (17522.0, 15.613)
        """
        return self._number("sum", expression, weight, name, bad_weight)

    @checked
    def mean(
        self,
        expression: str | Column,
        *,
        weight: str | Column | None = None,
        name: str | None = None,
        bad_weight: str | None = None,
    ) -> BookedNumber:
        """Books the mean of an expression, as `sum`."""
        return self._number("mean", expression, weight, name, bad_weight)

    @checked
    def std(
        self,
        expression: str | Column,
        *,
        weight: str | Column | None = None,
        name: str | None = None,
        bad_weight: str | None = None,
    ) -> BookedNumber:
        """Books the standard deviation of an expression, as `sum`; that of numpy, with ddof=0."""
        return self._number("std", expression, weight, name, bad_weight)

    @checked
    def min(self, expression: str | Column) -> BookedValues:
        """Books the least value of an expression; a run reads it in a pass of its own. It is nan if there is none, or if one is nan."""
        return BookedValues(self, "min", self._check_numbers(expression, "min"), "np")

    @checked
    def max(self, expression: str | Column) -> BookedValues:
        """Books the greatest value, as `min`."""
        return BookedValues(self, "max", self._check_numbers(expression, "max"), "np")

    @checked
    def take(self, expression: str | Column, *, library: str = "np") -> BookedValues:
        """Books the values of an expression as an array of numpy, or with "ak" of awkward, as `min`."""
        return BookedValues(
            self, "take", self._check(expression), checked_choice("library", library, ("np", "ak"))
        )

    def _number(
        self,
        kind: str,
        expression: str | Column,
        weight: str | Column | None,
        name: str | None,
        bad_weight: str | None,
    ) -> BookedNumber:
        text = self._check_numbers(expression, kind)
        described: dict[str, Any] = {
            "x": {"value": "0", "integers": [0, 0]},
            "profile": {"value": text},
            "weight": self._check_numbers(weight, "a weight") if weight is not None else "1",
        }
        if bad_weight is not None:
            described["bad_weight"] = checked_choice("bad_weight", bad_weight, _CHOICES["bad_weight"])
        return BookedNumber(self, kind, checked_name(name) or f"{kind}_{_plain_text(text)}", described)

    snapshot = skim
    """Another name of `skim`, as RDataFrame has it."""

    def _checked_patterns(self, key: str, patterns: str | Sequence[str]) -> list[str]:
        """Patterns of columns, each of which matches one."""
        listed = checked_texts(patterns, f"a pattern of {key}")
        names = self.scope.columns.union(self.scope.means)
        known = names.union(self.unsupported, [EVENT_WEIGHT] if self.scope.weights else [])
        for pattern in listed:
            if not any(matches_column(name, pattern) for name in known):
                raise ConfigError(
                    f'{key}: no column matches "{pattern}"' + did_you_mean(plain_name(pattern), sorted(names))
                )
        return listed


_CHOICES = {
    "type": ("double", "float", "int"),
    "nan": ("overflow", "fail"),
    "bad_weight": ("fail", "skip"),
}


def _check_together(described: Mapping[str, Any], has_weights: bool) -> None:
    """Throws ConfigError for keywords of a histogram that exclude each other."""
    dimensions = len(described["axes"])
    if described.get("type") == "int" and "weight" in described:
        raise ConfigError('type="int" counts fills: it has no weight')
    has_weight = "weight" in described or (has_weights and described.get("type") != "int")
    if "weight_variations" in described and not has_weight:
        raise ConfigError("weight_variations needs weight: what they are variations of")
    if "profile" in described and (dimensions > 3 or "type" in described):
        raise ConfigError("a profile has up to three axes, and no type")
    if "type" in described and dimensions > 3:
        raise ConfigError("type is for histograms with up to three axes: others hold doubles")


def _checked_format(format: str | None, path: str) -> str | None:
    """Files of Arrow are known by their names when they are read again."""
    named = next((name for name, ends in ARROW_ENDINGS.items() if path.endswith(ends)), None)
    if format is None:
        return named
    checked_choice("format", format, ("rntuple", "ttree", *ARROW_ENDINGS))
    if format in ARROW_ENDINGS and named != format:
        raise ConfigError(
            f'a file of {format} has to end with {" or ".join(ARROW_ENDINGS[format])}: "{path}"'
        )
    if format not in ARROW_ENDINGS and named:
        raise ConfigError(f'"{path}" would be a ROOT file: format="{named}" writes what it is called')
    return format


def _checked_file(path: str, num_samples: int) -> str:
    ending = path.rpartition("/")[2].rpartition(".")[2]
    if ending in ("csv", "json", "h5", "hdf5"):
        raise ConfigError(f'a skim is a file of ROOT, Parquet or Arrow, not one of {ending}: "{path}"')
    if num_samples > 1 and "{sample}" not in path:
        raise ConfigError(f'each of {num_samples} samples has a skim: "{path}" must hold {{sample}}')
    return path


def _described_axes(
    values: Sequence[str | Column | Mapping[str, Any]], binning: dict[str, Any]
) -> list[dict[str, Any]]:
    if not values:
        raise ConfigError(
            "say what is to be filled: an expression with its bins, or skimline.axis for each axis"
        )
    for each in values:
        if not isinstance(each, (str, Column, Mapping)):
            raise TypeError(
                f'an axis is an expression, not {each!r}: hist("x", bins=10, range=(0, 100)), or axis("x", bins=...) for each'
            )
    if len(values) == 1 and not isinstance(values[0], Mapping):
        return [axis(values[0], **binning)]
    given = [key for key, value in binning.items() if _is_given(key, value)]
    if given:
        raise ConfigError(f"give {', '.join(given)} to each skimline.axis")
    texts = [checked_text(each, "an axis") for each in values if not isinstance(each, Mapping)]
    if texts:
        raise ConfigError(f'the bins of "{texts[0]}" are missing: use skimline.axis("{texts[0]}", ...)')
    for mapping in values:
        if "value" not in mapping:
            raise ConfigError('an axis says what is filled along it: {"value": "Muon_pt", "bins": ...}')
    return [own_copy(each) for each in values if isinstance(each, Mapping)]


def _is_given(key: str, value: Any) -> bool:
    """Whether a keyword of an axis says something; arrays have no truth of their own."""
    if key in ("underflow", "overflow"):
        return not value
    return bool(value) if isinstance(value, (str, bool)) else value is not None


def _as_in_config(described: dict[str, Any]) -> dict[str, Any]:
    """Up to three axes are called x, y and z."""
    axes = described.pop("axes")
    if len(axes) > 3:
        return {"axes": axes, **described}
    return {**dict(zip("xyz", axes)), **described}


def _plain_name(axes: Sequence[Mapping[str, Any]]) -> str:
    """The values, in letters that names may have."""
    return _plain_text("_".join(str(each["value"]) for each in axes)) or "histogram"


def _plain_text(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("_")


def _split_location(location: str) -> tuple[str, str]:
    """Path and name of "path.root:name"."""
    # What follows a colon in a URL may be its port.
    if "://" in location and location.rfind(":") < location.rfind("/"):
        return location, ""
    head, colon, tail = location.rpartition(":")
    return (head, tail) if colon and head and "/" not in tail[:1] else (location, "")
