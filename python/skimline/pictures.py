# SPDX-License-Identifier: BSD-3-Clause
"""Figures of matplotlib: spectra of samples with ratio, maps and profiles, in the look of an experiment."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skimline.errors import ConfigError
from skimline.optional import require
from skimline.panels import Panel, PlotOptions
from skimline.spectra import Band, DrawnAxis, Group, Spectrum, band_of, shifts_of, total_of, with_common_bins

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["STYLES", "figure_of", "safe_label", "style_of"]

STYLES = ("plain", "CMS", "ATLAS", "LHCb")

# Of Okabe and Ito, which people who see few colours can tell apart; for the look without an experiment.
_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#f0e442", "#999999")
_PLAIN = {
    "figure.figsize": (7.0, 6.0),
    "font.size": 12,
    "legend.frameon": False,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "xaxis.labellocation": "right",
    "yaxis.labellocation": "top",
}
_LIBRARY_STYLES = {"CMS": "CMS", "ATLAS": "ATLAS", "LHCb": "LHCb2"}
# Pictures of the same contents have the same bytes, and texts in SVG stay texts.
_REPRODUCIBLE = {"svg.hashsalt": "skimline", "svg.fonttype": "none", "pdf.fonttype": 42}
_ROOM_ABOVE = 1.45
_BAND = {"color": "black", "alpha": 0.25, "linewidth": 0}


def style_of(name: str) -> dict[str, Any]:
    """The settings of matplotlib for a look. Needs matplotlib, and mplhep for those of experiments."""
    if name not in STYLES:
        raise ConfigError(f"style must be one of {', '.join(STYLES)}, got {name!r}")
    matplotlib = require("matplotlib", "plot()")
    if name == "plain":
        return {**_PLAIN, "axes.prop_cycle": matplotlib.cycler("color", _COLOURS), **_REPRODUCIBLE}
    styles = require("mplhep", f"the style {name}").style
    return {**getattr(styles, _LIBRARY_STYLES[name]), "font.size": 20, **_REPRODUCIBLE}


@functools.lru_cache(maxsize=1024)
def safe_label(text: str) -> str:
    """A label for matplotlib: ROOT's `#mu_{1}` becomes mathematics; what is no mathematics is shown as it is."""
    from matplotlib.mathtext import MathTextParser

    label = " ".join(_as_mathematics(word) for word in text.split(" "))
    if "$" not in label:
        return label
    try:
        MathTextParser("path").parse(label)
    except (ValueError, RuntimeError):
        return text.replace("$", r"\$")
    return label


def _as_mathematics(word: str) -> str:
    if "$" in word or not re.search(r"#[A-Za-z]|[_^]\{", word):
        return word
    return "$" + word.replace("#", "\\") + "$"


def figure_of(panel: Panel, options: PlotOptions) -> Figure:
    """Draws one picture. The caller has the settings of the style in force."""
    try:
        panel = replace(panel, groups=with_common_bins(panel.groups))
    except ConfigError as error:
        raise ConfigError(f"{panel.name}: {error}") from None
    axes = panel.groups[0].members[0].nominal.axes
    if len(axes) == 1:
        return _Spectra(panel, options).draw()
    if len(axes) == 2:
        return _draw_map(panel, options)
    raise ConfigError(f"{panel.name}: histograms with {len(axes)} axes cannot be drawn")


def _new_figure() -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Without pyplot there is nothing to close, and no window.
    figure = Figure()
    FigureCanvasAgg(figure)
    return figure


class _Spectra:
    """Spectra over one axis: stack with band, lines and points, and below what they are to each other."""

    def __init__(self, panel: Panel, options: PlotOptions) -> None:
        self.panel, self.options = panel, options
        self.axis = panel.groups[0].members[0].nominal.axes[0]
        is_profile = panel.groups[0].members[0].nominal.is_profile
        self.are_lines = panel.is_comparison or is_profile
        kinds: dict[str, list[Group]] = {"background": [], "signal": [], "data": []}
        for group in panel.groups:
            kinds[group.kind].append(group)
        self.backgrounds, self.signals, self.data = kinds.values()
        self.members = [member for group in self.backgrounds for member in group.members]
        self.shifts = shifts_of(self.members) if self.members and not self.are_lines else {}
        self.has_ratio = options.ratio and self._can_compare()

    def _can_compare(self) -> bool:
        if self.are_lines:
            return len(self.panel.groups) > 1
        return bool(self.backgrounds) and (bool(self.data) or bool(self.shifts))

    def draw(self) -> Figure:
        figure = _new_figure()
        main, ratio = self._make_axes(figure)
        if self.are_lines:
            self._draw_lines(main, ratio)
        else:
            self._draw_samples(main, ratio)
        self._finish(main, ratio)
        return figure

    def _make_axes(self, figure: Figure) -> tuple[Any, Any]:
        left, width = 0.15, 0.8
        if not self.has_ratio:
            return figure.add_axes((left, 0.13, width, 0.79)), None
        main = figure.add_axes((left, 0.32, width, 0.6))
        ratio = figure.add_axes((left, 0.12, width, 0.18), sharex=main)
        main.tick_params(labelbottom=False)
        return main, ratio

    def _draw_lines(self, main: Any, ratio: Any) -> None:
        reference = self.panel.groups[0].total
        for number, group in enumerate(self.panel.groups):
            colour = _colour_of(group, number)
            spectrum = group.total
            _draw_step(main, self.axis, spectrum.values, colour, f"line-{number}", safe_label(group.label))
            _draw_points(main, self.axis, spectrum, colour, f"points-{number}", marker="", label=None)
            if ratio is not None:
                _draw_step(
                    ratio, self.axis, _quotient(spectrum.values, reference.values), colour, f"ratio-{number}"
                )

    def _draw_samples(self, main: Any, ratio: Any) -> None:
        if self.backgrounds:
            self._draw_stack(main)
            self._draw_band(main, ratio)
        for number, group in enumerate(self.signals):
            colour = _colour_of(group, len(self.backgrounds) + number)
            scale = "" if group.scale == 1 else f" $\\times$ {group.scale:g}"
            values = group.total.values * group.scale
            _draw_step(main, self.axis, values, colour, f"signal-{number}", safe_label(group.label) + scale)
        for number, group in enumerate(self.data):
            _draw_points(
                main, self.axis, group.total, "black", f"data-{number}", label=safe_label(group.label)
            )
            if ratio is not None:
                _draw_points(ratio, self.axis, self._to_backgrounds(group.total), "black", f"ratio-{number}")

    def _draw_stack(self, main: Any) -> None:
        import numpy as np

        bottom = np.zeros(len(self.axis.edges) - 1)
        for number, group in enumerate(self.backgrounds):
            top = bottom + group.total.values
            patch = main.stairs(
                top,
                self.axis.edges,
                baseline=bottom,
                fill=True,
                color=_colour_of(group, number),
                label=safe_label(group.label),
            )
            patch.set_gid(f"stack-{number}")
            bottom = top

    def _draw_band(self, main: Any, ratio: Any) -> None:
        total = total_of(group.total for group in self.backgrounds).values
        band = band_of(self.members, self.shifts)
        label = "Stat. + syst." if self.shifts else "Stat. uncertainty"
        _draw_area(main, self.axis, total, band, "band", label)
        if ratio is None:
            return
        _draw_area(
            ratio,
            self.axis,
            _quotient(total, total),
            Band(_quotient(band.up, total), _quotient(band.down, total)),
            "ratio-band",
        )
        if not self.data:
            self._draw_shifts(ratio, total)

    def _draw_shifts(self, ratio: Any, total: Any) -> None:
        """Up and down of each systematic over nominal, where there are no data to compare with."""
        for number, (systematic, shifts) in enumerate(self.shifts.items()):
            for line, shift in enumerate(shifts.values()):
                _draw_step(
                    ratio,
                    self.axis,
                    _quotient(total + shift, total),
                    f"C{number + len(self.backgrounds)}",
                    f"shift-{number}-{line}",
                    safe_label(systematic) if line == 0 else None,
                    "-" if line == 0 else "--",
                )

    def _to_backgrounds(self, data: Spectrum) -> Spectrum:
        total = total_of(group.total for group in self.backgrounds).values
        return Spectrum(
            _quotient(data.values, total), _quotient(data.variances, total * total), data.axes, ""
        )

    def _finish(self, main: Any, ratio: Any) -> None:
        _set_scales(main, self.axis, self.panel, self.options)
        bottom = main if ratio is None else ratio
        bottom.set_xlabel(safe_label(self.axis.label))
        _name_bins(bottom.xaxis, self.axis)
        spectrum = self.panel.groups[0].members[0].nominal
        main.set_ylabel(safe_label(_contents_label(spectrum)))
        _legend(main)
        _label_experiment(main, self.options, bool(self.data))
        if self.panel.title:
            main.text(0.04, 0.95, self.panel.title, transform=main.transAxes, va="top", parse_math=False)
        if ratio is not None:
            self._finish_ratio(ratio)

    def _finish_ratio(self, ratio: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        # The highest number would touch the lowest one above.
        ratio.yaxis.set_major_locator(MaxNLocator(4, prune="both"))
        ratio.axhline(1, color="black", linewidth=0.8)
        ratio.set_ylim(*_ratio_limits(ratio))
        what = "Data / MC" if self.data and not self.are_lines else "Ratio" if self.are_lines else "Varied"
        ratio.set_ylabel(what, loc="center", fontsize="small")
        if ratio.get_legend_handles_labels()[1]:
            ratio.legend(fontsize="xx-small", ncols=4, loc="upper left")


def _colour_of(group: Group, number: int) -> str:
    from matplotlib.colors import is_color_like

    if group.colour is None:
        return f"C{number}"
    if not is_color_like(group.colour):
        raise ConfigError(f"the colour {group.colour!r} of the group {group.name!r} is not known")
    return group.colour


def _quotient(values: Any, divisors: Any) -> Any:
    import numpy as np

    return np.divide(values, divisors, out=np.full(len(values), np.nan), where=divisors != 0)


def _draw_step(
    ax: Any,
    axis: DrawnAxis,
    values: Any,
    colour: str,
    gid: str,
    label: str | None = None,
    linestyle: str = "-",
) -> None:
    line = ax.stairs(
        values, axis.edges, color=colour, label=label, linewidth=1.6, linestyle=linestyle, baseline=None
    )
    line.set_gid(gid)


def _draw_points(
    ax: Any,
    axis: DrawnAxis,
    spectrum: Spectrum,
    colour: str,
    gid: str,
    marker: str = "o",
    label: str | None = None,
) -> None:
    """Points with the root of the variance as their error; those of nothing are left out."""
    import numpy as np

    centres = (axis.edges[1:] + axis.edges[:-1]) / 2
    shown = np.isfinite(spectrum.values) & ((spectrum.values != 0) | (spectrum.variances != 0))
    errors = np.sqrt(np.nan_to_num(np.maximum(spectrum.variances, 0)))
    drawn = ax.errorbar(
        centres[shown],
        spectrum.values[shown],
        yerr=errors[shown],
        fmt=marker or "none",
        color=colour,
        markersize=4,
        elinewidth=1,
        label=label,
    )
    points, _, bars = drawn.lines
    if points is not None:
        points.set_gid(gid)
    for bar in bars:
        bar.set_gid(f"{gid}-errors")


def _draw_area(ax: Any, axis: DrawnAxis, values: Any, band: Band, gid: str, label: str | None = None) -> None:
    import numpy as np

    area = ax.stairs(
        np.nan_to_num(values + band.up),
        axis.edges,
        baseline=np.nan_to_num(values - band.down),
        fill=True,
        label=label,
        **_BAND,
    )
    area.set_gid(gid)


def _ratio_limits(ratio: Any) -> tuple[float, float]:
    """As far as the points and lines reach, but not beyond 0 and 2."""
    low, high = ratio.dataLim.y0, ratio.dataLim.y1
    reach = max(abs(high - 1), abs(1 - low), 0.05) * 1.15
    reach = min(reach, 1.0) if reach == reach else 1.0
    return 1 - reach, 1 + reach


def _set_scales(main: Any, axis: DrawnAxis, panel: Panel, options: PlotOptions) -> None:
    main.set_xlim(axis.edges[0], axis.edges[-1])
    if options.is_logarithmic("x", panel.histogram) and axis.edges[0] > 0:
        main.set_xscale("log")
    low, high = main.dataLim.y0, main.dataLim.y1
    if options.is_logarithmic("y", panel.histogram) and high > 0:
        lowest = _lowest_positive(panel)
        main.set_yscale("log")
        # As much room above as a linear axis has.
        main.set_ylim(lowest / 2, high * (high / lowest) ** (_ROOM_ABOVE - 1) * 2)
    elif high > 0:
        main.set_ylim(min(low, 0) * 1.05, high * _ROOM_ABOVE)


def _lowest_positive(panel: Panel) -> float:
    positive = [values[values > 0].min() for values in _all_values(panel) if (values > 0).any()]
    return float(min(positive, default=0.1))


def _all_values(panel: Panel) -> Sequence[Any]:
    backgrounds = [group.total for group in panel.groups if group.kind == "background"]
    others = [
        group.total.values for group in panel.groups if group.kind != "background" or panel.is_comparison
    ]
    return [*others, *([total_of(backgrounds).values] if backgrounds and not panel.is_comparison else [])]


def _contents_label(spectrum: Spectrum) -> str:
    if spectrum.is_profile:
        return f"Mean of {spectrum.label}" if spectrum.label else "Mean"
    return spectrum.label or "Events"


def _name_bins(ax: Any, axis: DrawnAxis) -> None:
    if axis.names:
        ax.set_ticks(
            (axis.edges[1:] + axis.edges[:-1]) / 2,
            labels=list(axis.names),
            parse_math=False,
            **({"rotation": 20, "ha": "right"} if ax.axis_name == "x" else {}),
        )
        ax.set_tick_params(which="minor", length=0)


def _legend(main: Any) -> None:
    handles, labels = main.get_legend_handles_labels()
    if labels:
        # The stack from the top downwards, as it is drawn.
        columns = 1 if len(labels) < 4 else 2
        main.legend(handles[::-1], labels[::-1], fontsize="small", ncols=columns, loc="upper right")


def _label_experiment(main: Any, options: PlotOptions, has_data: bool) -> None:
    name = "" if options.style == "plain" else options.style
    text = options.text or ("" if has_data or not name else "Simulation")
    if name:
        main.text(0, 1.02, name, transform=main.transAxes, fontweight="bold", va="bottom")
    if text:
        place = 0.06 * len(name) if name else 0
        main.text(
            place, 1.02, text, transform=main.transAxes, fontstyle="italic", va="bottom", parse_math=False
        )
    if options.luminosity_pb:
        amount = f"{options.luminosity_pb / 1000:.4g} fb$^{{-1}}$"
        main.text(1, 1.02, amount, transform=main.transAxes, ha="right", va="bottom")


def _draw_map(panel: Panel, options: PlotOptions) -> Figure:
    """The sum of what is no signal; pictures of data and simulation beside each other are of one axis only."""
    from matplotlib.colors import LogNorm

    figure = _new_figure()
    main = figure.add_axes((0.15, 0.13, 0.66, 0.79))
    spectrum = panel.groups[0].total if panel.is_comparison else _mapped(panel.groups)
    x, y = spectrum.axes
    values = spectrum.values.T
    is_log = options.is_logarithmic("y", panel.histogram) and (values > 0).any()
    mesh = main.pcolormesh(x.edges, y.edges, values, cmap="viridis", norm=LogNorm() if is_log else None)
    mesh.set_gid("map")
    # A picture in the SVG would have a cell for each pixel only.
    bar = figure.colorbar(mesh, cax=figure.add_axes((0.83, 0.13, 0.03, 0.79)))
    bar.set_label(safe_label(_contents_label(spectrum)))
    main.set_xlabel(safe_label(x.label))
    main.set_ylabel(safe_label(y.label))
    _name_bins(main.xaxis, x)
    _name_bins(main.yaxis, y)
    _label_experiment(main, options, any(group.kind == "data" for group in panel.groups))
    if panel.title:
        main.text(0.04, 0.95, panel.title, transform=main.transAxes, va="top", parse_math=False)
    return figure


def _mapped(groups: Sequence[Group]) -> Spectrum:
    for kind in ("background", "data", "signal"):
        chosen = [group.total for group in groups if group.kind == kind]
        if chosen:
            return total_of(chosen)
    raise ConfigError("there is nothing to draw")
