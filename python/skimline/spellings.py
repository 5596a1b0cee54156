# SPDX-License-Identifier: BSD-3-Clause
"""Which names mean one column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Spellings"]


class Spellings:
    """The columns of files by all names that expressions may call them: members have a dot or an underscore.

    A field of an RNTuple may be several columns, `Jet.pt` and its projection `Jet_pt`, and columns have aliases: one name stands for all.
    """

    def __init__(
        self,
        columns: Iterable[str],
        fields: Iterable[Sequence[str]],
        aliases: Iterable[tuple[str, str]],
        collections: Mapping[str, Iterable[str]],
    ) -> None:
        columns_of: dict[str, set[str]] = {}
        for name, column in aliases:
            columns_of.setdefault(name, set()).add(column)
        self.columns = frozenset(columns).union(columns_of)
        self._own = {
            name: min(names, key=lambda each: ("." in each, each)) for names in fields for name in names
        }
        for name, targets in columns_of.items():
            if len(targets) == 1:  # else it is another column in each sample
                (column,) = targets
                self._own[name] = self._own.get(column, column)
        self._of_samples = {
            name: {self._own.get(each, each) for each in targets}
            for name, targets in columns_of.items()
            if len(targets) > 1
        }
        self._spelled: dict[str, str] = {}
        for name in sorted(self.columns, key=lambda each: "." in each):
            self._spelled.setdefault(_with_underscores(name), self._own.get(name, name))
        self._members = {
            _with_underscores(each) + "_": frozenset(self.own_name(name) for name in names)
            for each, names in collections.items()
        }

    def own_name(self, name: str) -> str:
        """The column of that name, or the name of what is none."""
        if name in self.columns:
            return self._own.get(name, name)
        return self._spelled.get(_with_underscores(name), name)

    def other_names(self, own: str) -> list[str]:
        """The other names of a column that has one as its own."""
        return [name for name, each in self._own.items() if each == own and name != own]

    def columns_by_sample(self, name: str) -> set[str]:
        """The columns that an alias stands for which is another one in each sample; none of other names."""
        return self._of_samples.get(name, set())

    def alias_in_some_samples(self, own: str) -> str | None:
        """What stands for a column in some samples only, or an alias itself that does so."""
        found = (name for name, columns in self._of_samples.items() if own == name or own in columns)
        return next(found, None)

    def made_of(self, name: str) -> frozenset[str]:
        """The columns that objects may be made of, where a name that is no definition is that of a collection, or of something that
        its objects have; none for other names."""
        if self.own_name(name) in self.columns:
            return frozenset()
        spelled = _with_underscores(name) + "_"
        found = [names for prefix, names in self._members.items() if spelled.startswith(prefix)]
        if any("Idx" in each for names in found for each in names):  # which refer to objects of others
            found = list(self._members.values())
        return frozenset().union(*found)


def _with_underscores(name: str) -> str:
    return name.replace(".", "_")
