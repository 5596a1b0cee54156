# SPDX-License-Identifier: BSD-3-Clause
"""What is drawn of histograms: contents of samples with their variations, added up and compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from skimline.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from skimline.histogram import Axis, Histogram

    Doubles = NDArray[np.float64]

__all__ = [
    "Band",
    "DrawnAxis",
    "Group",
    "Member",
    "Spectrum",
    "Systematic",
    "band_of",
    "spectrum_of",
    "total_of",
]


@dataclass(frozen=True)
class DrawnAxis:
    """The bins of an axis as they are drawn."""

    edges: Doubles
    label: str = ""
    names: Sequence[str] = ()
    """Of categories, which lie between the edges 0, 1, 2 and so on."""
    categories: Sequence[str | int] = ()
    """These themselves."""
    is_growing: bool = False


@dataclass(frozen=True)
class Spectrum:
    """Contents and squared errors of all bins, without flow cells; of profiles means and theirs."""

    values: Doubles
    variances: Doubles
    axes: tuple[DrawnAxis, ...]
    label: str = ""
    is_profile: bool = False
    source: Histogram | None = None
    """The profile itself: means do not add up."""

    def __add__(self, other: Spectrum) -> Spectrum:
        check_bins(self, other)
        if self.source is not None and other.source is not None:
            return spectrum_of(self.source + other.source).over(self.axes)
        return Spectrum(
            self.values + other.values, self.variances + other.variances, self.axes, self.label, False
        )

    def over(self, axes: Sequence[DrawnAxis]) -> Spectrum:
        """The same with all categories of axes that have those of this one, and others."""
        import numpy as np

        nothing = np.nan if self.is_profile else 0.0
        values, variances = self.values, self.variances
        for number, (own, axis) in enumerate(zip(self.axes, axes)):
            if not axis.is_growing or list(own.categories) == list(axis.categories):
                continue
            places = np.array([axis.categories.index(each) for each in own.categories], dtype=np.intp)
            shape = (*values.shape[:number], len(axis.categories), *values.shape[number + 1 :])
            target: Any = (*(slice(None),) * number, places)
            before, values, variances = (values, variances), np.full(shape, nothing), np.full(shape, nothing)
            values[target], variances[target] = before
        kept = tuple(axis if axis.is_growing else own for own, axis in zip(self.axes, axes))
        return replace(self, values=values, variances=variances, axes=kept)


@dataclass(frozen=True)
class Systematic:
    """One varied spectrum: "jes_up" of "jes", upwards."""

    variation: str
    systematic: str
    direction: str
    spectrum: Spectrum


@dataclass
class Member:
    """A sample: its spectrum, and those of its variations by name."""

    name: str
    nominal: Spectrum
    variations: dict[str, Systematic] = field(default_factory=dict)

    def varied(self, variation: str) -> Spectrum:
        """The spectrum in a variation, which is the nominal one for what does not vary."""
        found = self.variations.get(variation)
        return self.nominal if found is None else found.spectrum


@dataclass
class Group:
    """Samples that are drawn as one."""

    name: str
    members: list[Member]
    label: str = ""
    colour: str | None = None
    kind: str = "background"
    """ "background", "signal" or "data"."""
    scale: float = 1.0

    @property
    def total(self) -> Spectrum:
        """The sum of all members."""
        return total_of(member.nominal for member in self.members)


@dataclass(frozen=True)
class Band:
    """How far contents reach upwards and downwards, both not negative."""

    up: Doubles
    down: Doubles


def check_bins(left: Spectrum, right: Spectrum) -> None:
    """Throws ConfigError unless both have the same bins."""
    import numpy as np

    same = len(left.axes) == len(right.axes) and all(
        np.array_equal(a.edges, b.edges) and list(a.names) == list(b.names)
        for a, b in zip(left.axes, right.axes)
    )
    if not same:
        raise ConfigError("histograms that are drawn together have different bins")


def spectrum_of(histogram: Histogram) -> Spectrum:
    """What is drawn of a histogram."""
    is_profile = histogram.storage == "profile"
    return Spectrum(
        histogram.values(),
        histogram.variances(),
        tuple(_drawn_axis(axis) for axis in histogram.axes),
        histogram.label,
        is_profile,
        histogram if is_profile else None,
    )


def _drawn_axis(axis: Axis) -> DrawnAxis:
    categories: list[Any] = list(axis) if axis.is_category else []
    return DrawnAxis(axis.edges, axis.label, [str(each) for each in categories], categories, axis.is_growing)


def with_common_bins(groups: Sequence[Group]) -> list[Group]:
    """The groups with the categories of all where these have grown, of which each has met its own.

    Throws ConfigError if they have different bins otherwise.
    """
    spectra = [
        spectrum
        for group in groups
        for member in group.members
        for spectrum in (member.nominal, *(each.spectrum for each in member.variations.values()))
    ]
    if len({len(each.axes) for each in spectra}) == 1:
        axes = [_united(each) for each in zip(*(spectrum.axes for spectrum in spectra))]
        spectra = [spectrum.over(axes) for spectrum in spectra]
    for each in spectra:
        check_bins(spectra[0], each)
    following = iter(spectra)

    def member_of(member: Member) -> Member:
        nominal = next(following)
        varied = {name: replace(each, spectrum=next(following)) for name, each in member.variations.items()}
        return Member(member.name, nominal, varied)

    return [replace(group, members=[member_of(each) for each in group.members]) for group in groups]


def _united(axes: Sequence[DrawnAxis]) -> DrawnAxis:
    """With the categories of all, in their order, if they grow; else one that does not."""
    import numpy as np

    first = axes[0]
    kinds = {type(each) for axis in axes for each in axis.categories}
    if not all(axis.is_growing for axis in axes) or len(kinds) > 1:
        return replace(first, is_growing=False)
    # What nothing was filled into has one bin without a name, as in files of ROOT.
    categories = sorted({each for axis in axes for each in axis.categories}, key=_order) or [""]
    names = [str(each) for each in categories]
    return replace(first, edges=np.arange(len(names) + 1.0), names=names, categories=categories)


def _order(category: str | int) -> bytes | int:
    """As the engine has them: texts by their bytes."""
    return category.encode(errors="surrogateescape") if isinstance(category, str) else category


def total_of(spectra: Iterable[Spectrum]) -> Spectrum:
    """The sum of one spectrum or more."""
    first, *others = spectra
    for other in others:
        first = first + other
    return first


def band_of(members: Sequence[Member], shifts: Mapping[str, Mapping[str, Doubles]]) -> Band:
    """The errors of a sum: statistical ones and, for each systematic, its largest shifts, in quadrature."""
    import numpy as np

    nominal = total_of(member.nominal for member in members)
    up, down = nominal.variances.copy(), nominal.variances.copy()
    for varied in shifts.values():
        up += np.maximum(np.max(list(varied.values()), axis=0), 0) ** 2
        down += np.minimum(np.min(list(varied.values()), axis=0), 0) ** 2
    return Band(np.sqrt(up), np.sqrt(down))


def shifts_of(members: Sequence[Member]) -> dict[str, dict[str, Doubles]]:
    """By systematic and variation: by how much the sum of the members differs from the nominal one.

    What does not have a variation stays nominal in it; so variations of one name are fully correlated.
    """
    nominal = total_of(member.nominal for member in members).values
    shifts: dict[str, dict[str, Any]] = {}
    for name, systematic in _systematics_of(members).items():
        varied = total_of(member.varied(name) for member in members).values
        shifts.setdefault(systematic, {})[name] = varied - nominal
    return shifts


def _systematics_of(members: Sequence[Member]) -> Mapping[str, str]:
    """The systematics of all variations, by name of the variation, in the order in which they come."""
    found: dict[str, str] = {}
    for member in members:
        for name, variation in member.variations.items():
            found.setdefault(name, variation.systematic)
    return found
