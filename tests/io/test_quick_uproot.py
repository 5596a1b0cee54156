# SPDX-License-Identifier: BSD-3-Clause
"""What makes uproot quicker in these tests changes nothing that it says of files."""

import pytest
import uproot
from ntuple_tables import SHARED
from quick_uproot import FIELDS_BY_SEARCH, WITH_SUBFIELD_KEYS
from uproot.behaviors.RNTuple import HasFields
from uproot.models.RNTuple import MetaData


@pytest.mark.parametrize("name", SHARED)
def test_fields_are_those_that_uproot_finds(name, shared_data):
    assert HasFields.fields is not FIELDS_BY_SEARCH

    def below(parent) -> list:
        return [(field.name, field.path, below(field)) for field in parent.fields]

    def searched(parent) -> list:
        found = FIELDS_BY_SEARCH.fget(parent)
        return [(field.name, field.path, searched(field)) for field in found]

    with uproot.open(shared_data / name) as file:
        kinds = file.classnames(recursive=True, cycle=False)
        for ntuple in [key for key, kind in kinds.items() if kind == "ROOT::RNTuple"]:
            quick = below(file[ntuple])
            with uproot.open(shared_data / name, object_cache=None) as again:
                assert quick == searched(again[ntuple])


@pytest.mark.parametrize("name", SHARED)
def test_forms_are_those_that_uproot_makes(name, shared_data, monkeypatch):
    with uproot.open(shared_data / name) as file:
        kinds = file.classnames(recursive=True, cycle=False)
        ntuples = [file[key] for key, kind in kinds.items() if kind == "ROOT::RNTuple"]
        # In their order, and so that most are before the last one that was found.
        asked = [(ntuple, keys) for ntuple in ntuples for keys in (ntuple.keys(), ntuple.keys()[::-7])]
        quick = [ntuple.to_akform(filter_name=keys) for ntuple, keys in asked]
        monkeypatch.setattr(uproot.behaviors.RNTuple, "_with_subfield_keys", WITH_SUBFIELD_KEYS)
        assert [ntuple.to_akform(filter_name=keys) for ntuple, keys in asked] == quick


def test_what_is_read_of_a_file_has_its_name_and_its_kind():
    read = MetaData("Kind", first=1)
    read.name, read.second = "of the file", 2
    assert (read.name, read.first, read.second) == ("Kind", 1, 2)
    assert repr(read) == "MetaData('Kind', first=1, name='of the file', second=2)"


def test_files_are_not_opened_for_each_page(shared_data):
    with uproot.open(shared_data / SHARED[0]) as file:
        assert isinstance(file.file.source, uproot.source.file.MemmapSource)
