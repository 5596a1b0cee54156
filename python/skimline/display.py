# SPDX-License-Identifier: BSD-3-Clause
"""Frames and tables as text and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skimline.events import Events

__all__ = ["Table", "frame_as_html", "frame_as_text", "table_as_html", "table_as_text"]

_MOST_COLUMNS = 60


class Table:
    """A table to be shown, as text or in a notebook; `rows` are its texts."""

    def __init__(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()
    ) -> None:
        self.header = list(header)
        self.rows = [list(row) for row in rows]
        self._right = right

    def __str__(self) -> str:
        return table_as_text(self.header, self.rows, self._right)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table_as_html(self.header, self.rows, self._right)


def table_as_text(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Aligns columns, those in `right` at the right."""
    lines = [list(header), *[list(row) for row in rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    texts = []
    for line in lines:
        cells = [
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ]
        texts.append("  ".join(cells).rstrip())
    return "\n".join(texts)


def table_as_html(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """The same as an HTML table."""
    import html

    def line(cells: Sequence[str], tag: str) -> str:
        texts = (
            f'<{tag} style="text-align: {"right" if i in right else "left"}">{html.escape(cell)}</{tag}>'
            for i, cell in enumerate(cells)
        )
        return f"<tr>{''.join(texts)}</tr>"

    return f"<table>{line(header, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"


def frame_as_text(frame: Events, columns: Sequence[tuple[str, str, str]]) -> str:
    """Samples, filters and columns of a frame: name, type and description of each."""
    lines = [_heading(name, opened) for name, opened in zip(frame.samples.names, frame.samples.columns)]
    if frame.variations:
        lines.append(f"variations: {', '.join(frame.variations)}")
    lines += [f"filter {step.name}: {step.expression}" for step in frame.filters]
    lines.append(table_as_text(("column", "type", "description"), columns[:_MOST_COLUMNS]))
    if len(columns) > _MOST_COLUMNS:
        lines.append(f"and {len(columns) - _MOST_COLUMNS} more: see .columns")
    return "\n".join(lines)


def frame_as_html(frame: Events, columns: Sequence[tuple[str, str, str]]) -> str:
    """The same for notebooks; many columns are folded."""
    import html

    headings = "".join(
        f"<div>{html.escape(_heading(name, opened))}</div>"
        for name, opened in zip(frame.samples.names, frame.samples.columns)
    )
    filters = "".join(
        f"<li>{html.escape(step.name)}: <code>{html.escape(step.expression)}</code></li>"
        for step in frame.filters
    )
    if frame.variations:
        headings += f"<div>variations: {html.escape(', '.join(frame.variations))}</div>"
    table = table_as_html(("column", "type", "description"), columns)
    is_open = " open" if len(columns) <= _MOST_COLUMNS else ""
    return (
        f"{headings}{f'<ul>{filters}</ul>' if filters else ''}"
        f"<details{is_open}><summary>{len(columns)} columns</summary>{table}</details>"
    )


def _heading(name: str, columns: object) -> str:
    files = columns.files  # type: ignore[attr-defined]
    entries = f"{columns.num_entries:,}".replace(",", " ")  # type: ignore[attr-defined]
    path, ntuple, kind, _ = files[0]
    where = f"{path}:{ntuple}" if len(files) == 1 else f"{len(files)} files from {path}:{ntuple}"
    return f"{name}: {entries} events, {kind} in {where}"
