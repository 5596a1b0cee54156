# SPDX-License-Identifier: BSD-3-Clause
"""What is in a file as folded tables for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from skimline.display import table_as_html

__all__ = ["inspection_as_html"]


def inspection_as_html(inspection: Any) -> str:
    """Each RNTuple and TTree of an Inspection, its columns, what cannot be used, histograms and all other objects, to be unfolded."""
    whole = f"<div>{html.escape(inspection.path)}: {_bytes(inspection.size)}</div>"
    whole += "".join(_ntuple(each) for each in inspection.ntuples)
    whole += "".join(_tree(each) for each in inspection.trees)
    if inspection.histograms:
        whole += _histograms(inspection.histograms)
    rows = [
        [each.name, each.class_name, each.title, _bytes(each.bytes), each.problem]
        for each in inspection.objects
    ]
    return whole + _folded(
        f"{len(rows)} other objects", ("object", "class", "title", "size", "problem"), rows, (3,)
    )


def _histograms(histograms: Sequence[Any]) -> str:
    rows = [
        [
            each.name,
            _number(each.entries),
            _short(each.integral),
            axis.title,
            str(axis.bins),
            _short(axis.mean),
            _short(axis.rms),
            each.sparkline,
        ]
        for each in histograms
        for axis in each.axes
    ]
    names = ("histogram", "entries", "integral", "axis", "bins", "mean", "RMS", "contents")
    return _folded(f"{len(histograms)} histograms", names, rows, (1, 2, 4, 5, 6))


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"


def _ntuple(ntuple: Any) -> str:
    fields = [[each.name, each.type, each.description] for each in ntuple.fields]
    columns = [
        [each.field, each.encoding, each.compression, str(each.elements), _bytes(each.bytes_stored)]
        for each in ntuple.columns
    ]
    clusters = [
        [str(each.first_entry), str(each.entries), str(each.pages), _bytes(each.bytes_stored)]
        for each in ntuple.clusters
    ]
    inside = _notes(ntuple.notes)
    inside += _folded(f"{len(fields)} fields", ("field", "type", "description"), fields)
    inside += _folded(
        f"{len(columns)} columns", ("field", "encoding", "compression", "elements", "stored"), columns, (3, 4)
    )
    inside += _folded(
        f"{len(clusters)} clusters", ("first entry", "entries", "pages", "stored"), clusters, range(4)
    )
    inside += _unsupported(ntuple.unsupported_fields)
    return _opened(f"RNTuple {ntuple.name}: {_number(ntuple.entries)} entries", inside)


def _tree(tree: Any) -> str:
    columns = [
        [
            each.name,
            each.type,
            each.compression,
            str(each.baskets),
            _bytes(each.bytes_stored),
            each.description,
        ]
        for each in tree.columns
    ]
    inside = _notes(tree.notes)
    header = ("column", "type", "compression", "baskets", "stored", "description")
    inside += _folded(f"{len(columns)} columns", header, columns, (3, 4))
    inside += _unsupported(tree.unsupported)
    return _opened(f"TTree {tree.name}: {_number(tree.entries)} entries", inside)


def _unsupported(fields: Sequence[Any]) -> str:
    rows = [[each.name, each.type, each.reason] for each in fields]
    return _folded(f"{len(rows)} that expressions cannot use", ("field", "type", "reason"), rows)


def _notes(notes: Sequence[str]) -> str:
    return "".join(f"<div>{html.escape(note)}</div>" for note in notes)


def _folded(
    summary: str, header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()
) -> str:
    """A table that is shown when it is asked for; nothing if it is empty."""
    if not rows:
        return ""
    table = table_as_html(header, rows, right)
    return f"<details><summary>{html.escape(summary)}</summary>{table}</details>"


def _opened(summary: str, inside: str) -> str:
    return f"<details open><summary>{html.escape(summary)}</summary>{inside}</details>"


def _number(count: int) -> str:
    return f"{count:,}".replace(",", " ")


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"
