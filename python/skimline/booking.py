# SPDX-License-Identifier: BSD-3-Clause
"""Histograms and skims that are asked for, and what a run has made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

from skimline._core import did_you_mean
from skimline.argument_types import checked, without_secrets
from skimline.composition import to_config
from skimline.errors import ConfigError, Error
from skimline.events import Events, Request
from skimline.hints import first_few
from skimline.histogram import Axis, Histogram

if TYPE_CHECKING:
    import hist

__all__ = ["BookedHistogram", "BookedSkim", "Booking"]


class Booking(Request):
    """Something that a run is to make of the events of a frame."""

    def read(self, *, threads: int = 0, **limits: Any) -> None:
        """Reads what needs a pass of its own; there is nothing for histograms and skims."""

    def to_config(
        self, *, histograms: str | dict[str, Any] | None = None, cutflow: str | None = None
    ) -> dict[str, Any]:
        """Returns the config that makes this alone: `skimline.to_config(self)`."""
        return to_config(self, histograms=histograms, cutflow=cutflow)


class BookedSkim(Booking):
    """A file with the events of a frame, to be written by a run."""

    _section = "skims"

    @property
    def file(self) -> str:
        """The file, in which `{sample}` stands for the name of the sample."""
        return str(self._described["file"])

    def __repr__(self) -> str:
        return f"<skim {self.name!r} to {without_secrets(self.file)!r}>"


class BookedHistogram(Booking):
    """A histogram of the events of a frame, to be filled by a run.

    Before the run there are no contents. Afterwards it follows the UHI protocol like the `Histogram` it
    stands for. If there are several samples, `h["ttbar"]` is that of one; `h.variations["pt_scale_up"]` is
    that of a variation.
    """

    _section = "histograms"
    __array_ufunc__: Any = None  # as of histograms

    def __init__(self, frame: Events, name: str, described: dict[str, Any]) -> None:
        super().__init__(frame, name, described)
        self._filled: dict[tuple[str, str], Histogram] | None = None
        self._limits: dict[str, Any] = {}  # of the run that filled it

    @property
    def is_filled(self) -> bool:
        """Whether a run has filled it."""
        return self._filled is not None

    @property
    def samples(self) -> list[str]:
        """The samples that it was filled from."""
        return list(dict.fromkeys(sample for sample, _ in self._results()))

    @property
    def variations(self) -> Mapping[str, Histogram]:
        """As `Histogram.variations`: that of each variation by name. The histogram itself is the nominal one."""
        return self.result.variations

    @property
    def result(self) -> Histogram:
        """The filled histogram. Throws Error before a run, or if there is one for each of several samples."""
        samples = self.samples
        if len(samples) != 1:
            raise Error(
                f'histogram "{self.name}" has one for each sample: '
                + first_few([f'h["{sample}"]' for sample in samples])
            )
        return self[samples[0]]

    @checked
    def variation(self, name: str, sample: str | None = None) -> Histogram:
        """Returns that of a variation, or with another weight, of the only sample unless one is named."""
        if sample is None:
            self.result  # noqa: B018  throws if there are several samples
            sample = self.samples[0]
        return self._get(sample, name)

    @overload
    def __getitem__(self, sample: str) -> Histogram: ...
    @overload
    def __getitem__(self, sample: object) -> Any: ...
    def __getitem__(self, sample: Any) -> Any:
        """Returns that of a sample by its name; all else as `Histogram.__getitem__`."""
        return self._get(sample, "") if isinstance(sample, str) else self.to_hist()[sample]

    def __add__(self, other: BookedHistogram | Histogram) -> Histogram:
        return self.result + other

    def __radd__(self, other: object) -> Histogram:
        return self.result.__radd__(other)

    def __mul__(self, factor: float) -> Histogram:
        return self.result * factor

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Histogram:
        return self.result / divisor

    def _to_boost_histogram_(self) -> Any:
        return self.to_boost()

    def __iter__(self) -> Iterator[str]:
        return iter(self.samples)

    @property
    def kind(self) -> str:
        """As `Histogram.kind`."""
        return self.result.kind

    @property
    def axes(self) -> tuple[Axis, ...]:
        """As `Histogram.axes`."""
        return self.result.axes

    def values(self, flow: bool = False) -> Any:
        """As `Histogram.values`."""
        return self.result.values(flow)

    def variances(self, flow: bool = False) -> Any:
        """As `Histogram.variances`."""
        return self.result.variances(flow)

    def counts(self, flow: bool = False) -> Any:
        """As `Histogram.counts`."""
        return self.result.counts(flow)

    def to_numpy(self, flow: bool = False) -> tuple[Any, ...]:
        """As `Histogram.to_numpy`."""
        return self.result.to_numpy(flow)

    def to_hist(self) -> hist.Hist[Any]:
        """As `Histogram.to_hist`; axes without a label are called like their values."""
        made: hist.Hist[Any] = self._with_labels(self.result.to_hist())
        return made

    def to_boost(self) -> Any:
        """As `Histogram.to_boost`; axes without a label are called like their values."""
        return self._with_labels(self.result.to_boost())

    def _with_labels(self, made: Any) -> Any:
        described = [self._described[key] for key in ("x", "y", "z") if key in self._described]
        for axis, own, each in zip(made.axes, self.axes, described or self._described.get("axes", [])):
            axis.label = own.label or each["value"]
        return made

    def __repr__(self) -> str:
        if not self.is_filled:
            return f"<histogram {self.name!r}, not filled yet>"
        if len(self.samples) == 1:
            return repr(self.result)
        return f"<histogram {self.name!r} of {first_few(self.samples)}>"

    def _repr_html_(self) -> str:
        import html

        if not self.is_filled or len(self.samples) != 1:
            return f"<code>{html.escape(repr(self))}</code>"
        return self.result._repr_html_()

    def _results(self) -> Mapping[tuple[str, str], Histogram]:
        if self._filled is None:
            raise Error(f'histogram "{self.name}" is not filled yet: call skimline.run() with it')
        return self._filled

    def _get(self, sample: str, variation: str) -> Histogram:
        results = self._results()
        if (sample, variation) not in results:
            known = list(results[sample, ""].variations) if sample in self.samples else self.samples
            wanted = variation if sample in self.samples else sample
            what = "variation" if sample in self.samples else "sample"
            raise ConfigError(
                f'histogram "{self.name}" has no {what} "{wanted}"' + did_you_mean(wanted, known)
            )
        return results[sample, variation]
