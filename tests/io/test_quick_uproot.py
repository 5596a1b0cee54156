# SPDX-License-Identifier: BSD-3-Clause
"""What makes uproot quicker in these tests changes nothing that it says of files."""

import pytest
import uproot
from ntuple_tables import SHARED
from quick_uproot import FIELDS_BY_SEARCH
from uproot.behaviors.RNTuple import HasFields


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


def test_files_are_not_opened_for_each_page(shared_data):
    with uproot.open(shared_data / SHARED[0]) as file:
        assert isinstance(file.file.source, uproot.source.file.MemmapSource)
