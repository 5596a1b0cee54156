# SPDX-License-Identifier: BSD-3-Clause
"""Booked numbers and values in functions of numpy and as numbers of Python."""

import awkward as ak
import numpy as np
import pytest
import skimline as sk

TAKEN = [
    np.asarray,
    np.mean,
    np.std,
    np.sum,
    np.max,
    np.median,
    np.sqrt,
    lambda values: np.histogram(values, bins=5)[0],
    lambda values: np.array([values, values]),
    lambda values: np.ones(10000) * values,
    lambda values: np.float32(2) - values,
    lambda values: np.where(np.ones(10000, bool), values, 0),
    lambda values: np.add.reduce([values, values]),
    lambda values: np.linspace(0, values, 3),
    lambda values: np.concatenate([values, np.zeros(2)]) if np.ndim(values) else np.ndim(values),
    lambda values: np.array(values, dtype="float32", copy=True),
]


@pytest.mark.parametrize("function", TAKEN, ids=range(len(TAKEN)))
def test_values_are_what_functions_of_numpy_take_them_for(events, arrays, function):
    met = ak.to_numpy(arrays["MET_pt"])
    sums = events.sum("double(MET_pt)")
    for booked, plain in (
        (events.take("MET_pt"), met),
        (events.min("nMuon"), arrays["nMuon"].to_numpy().min().item()),
        (sums, sums.value),
    ):
        found, expected = function(booked), function(plain)
        assert type(found) is type(expected)
        assert np.shape(found) == np.shape(expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(found, expected)


def test_least_values_are_shown_as_numbers(events, arrays):
    least = events.min("MET_pt")
    number = ak.min(arrays["MET_pt"]).item()
    assert (f"{least:.3f}", round(least, 2), int(least)) == (f"{number:.3f}", round(number, 2), int(number))


def test_lists_that_numpy_cannot_hold_are_named(events):
    with pytest.raises(sk.SchemaError, match=r'^"Muon_pt" is a list'):
        events.take("Muon_pt").read()
