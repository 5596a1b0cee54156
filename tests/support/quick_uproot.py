# SPDX-License-Identifier: BSD-3-Clause
"""Lets uproot read what it reads in less time: the values are as before, where they come from and how fields are found is not."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

import uproot
from uproot.behaviors.RNTuple import HasFields, RNTuple
from uproot.models.RNTuple import MetaData

FIELDS_BY_SEARCH = HasFields.fields
WITH_SUBFIELD_KEYS = uproot.behaviors.RNTuple._with_subfield_keys


def _children(ntuple: Any) -> dict[int, list[int]]:
    """The numbers of the fields below each field, found once for an RNTuple."""
    found = vars(ntuple).get("_numbers_of_children")
    if found is None:
        found = defaultdict(list)
        for number, record in enumerate(ntuple.field_records):
            if record.parent_field_id != number:
                found[record.parent_field_id].append(number)
        vars(ntuple)["_numbers_of_children"] = found
    return found


def _fields(self: Any) -> list[Any]:
    """What uproot 5.7 finds for each field by looking through all, which takes seconds where there are a thousand."""
    if self._fields is None and not isinstance(self, RNTuple):
        every = self.ntuple.all_fields
        self._fields = [
            field
            for number in _children(self.ntuple).get(self._fid, ())
            for field in (every[number].fields if every[number].is_anonymous else [every[number]])
        ]
    return FIELDS_BY_SEARCH.fget(self)


class Keys(list):
    """Looked through from where the last one was found: uproot asks of each field, in their order, whether any key is of it."""

    _found = 0

    def __iter__(self) -> Iterator[str]:
        for number in chain(range(self._found, len(self)), range(self._found)):
            self._found = number
            yield self[number]


def _make_members_plain() -> None:
    """uproot looks some twenty times at what it has read of each page, and keeps that in a dict behind two functions."""

    def keep(self: Any, name: str, **members: Any) -> None:
        vars(self).update(_name=name, **members)

    def described(self: Any) -> str:
        members = (f"{key}={value!r}" for key, value in vars(self).items() if key != "_name")
        return f"MetaData({self.name!r}, {', '.join(members)})"

    MetaData.__init__ = keep
    MetaData.__repr__ = described
    # What says its kind has this name, whatever the file calls it.
    MetaData.name = property(lambda self: self._name, lambda self, name: vars(self).update(name=name))
    del MetaData.__getattr__, MetaData.__setattr__


def install() -> None:
    """For all that is read from now on in this process."""
    # By itself it opens a file anew for each page or basket.
    uproot.open.defaults["handler"] = uproot.source.file.MemmapSource
    HasFields.fields = property(_fields, doc=FIELDS_BY_SEARCH.__doc__)
    uproot.behaviors.RNTuple._with_subfield_keys = lambda fields, keys: Keys(WITH_SUBFIELD_KEYS(fields, keys))
    _make_members_plain()
