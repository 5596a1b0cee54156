# SPDX-License-Identifier: BSD-3-Clause
"""Events with collections that point into each other, and a plain-loop oracle of what thinning makes of them."""

import awkward as ak
import numpy as np
import uproot

# Columns of indexes and what they point into, in the events that are made here.
INDICES = {
    "Jet_muonIdx1": "Muon",
    "Jet_muonIdx2": "Muon",
    "Jet_electronIdx1": "Electron",
    "Muon_jetIdx": "Jet",
    "Muon_genPartIdx": "GenPart",
    "Electron_jetIdx": "Jet",
    "Electron_genPartIdx": "GenPart",
    "GenPart_genPartIdxMother": "GenPart",
    "muonIdx": "Muon",
}
INDEX_TYPES = {
    "Jet_muonIdx1": np.int8,
    "Jet_muonIdx2": np.uint8,
    "Jet_electronIdx1": np.int16,
    "Muon_genPartIdx": np.uint16,
    "Electron_jetIdx": np.int64,
    "muonIdx": np.int32,
}
COLLECTIONS = ("Muon", "Jet", "Electron", "GenPart")


def lists(random, sizes, make):
    return ak.unflatten(make(int(sizes.sum())), sizes)


def linked_events(num_events, seed):
    """The columns of events: some indexes are -1, and some lead to where there is nothing."""
    random = np.random.default_rng(seed)
    sizes = {name: random.integers(0, 9 if name == "GenPart" else 5, num_events) for name in COLLECTIONS}
    columns = {"event": np.arange(num_events, dtype=np.uint64)}
    for name, size in sizes.items():
        columns[f"n{name}"] = size.astype(np.uint32)
        columns[f"{name}_pt"] = lists(random, size, lambda n: random.exponential(25, n).astype(np.float32))
        columns[f"{name}_eta"] = lists(random, size, lambda n: random.normal(0, 2, n).astype(np.float32))
        columns[f"{name}_id"] = lists(random, size, lambda n: random.random(n) < 0.7)
        columns[f"{name}_key"] = lists(random, size, lambda n: random.integers(0, 2**60, n))
    for name, target in INDICES.items():
        kind = INDEX_TYPES.get(name, np.int32)
        own = name.partition("_")[0]
        counts = sizes[own] if own in sizes else np.ones(num_events, dtype=np.int64)
        limits = np.repeat(sizes[target], counts)
        found = random.integers(-1, limits + 2).astype(kind)
        columns[name] = ak.unflatten(found, counts) if own in sizes else found
    return columns


def write_ntuple(path, columns):
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", columns)
    return path


def write_with_runs(path):
    """Trees called Events and Runs with the same collection "w" each, which is returned."""
    weights = ak.Array([[1.0, 2.0], [], [3.0]])
    lists = ak.zip({"a": weights, "b": weights + 1})
    with uproot.recreate(path) as file:
        for name in ("Events", "Runs"):
            file.mktree(name, {"run": np.int32, "w": ak.type(lists).content})
            file[name].extend({"run": np.arange(3, dtype=np.int32), "w": lists})
    return lists


def write_tree(path, columns):
    """As NanoAOD: arrays with a branch of counts for each collection."""
    branches = {name: values for name, values in columns.items() if name == "event" or name == "muonIdx"}
    for name in COLLECTIONS:
        members = {each: columns[each] for each in columns if each.startswith(f"{name}_")}
        branches[name] = ak.zip({each[len(name) + 1 :]: values for each, values in members.items()})
    with uproot.recreate(path) as file:
        file.mktree(
            "Events",
            {
                name: ak.type(values).content if isinstance(values, ak.Array) else values.dtype
                for name, values in branches.items()
            },
        )
        file["Events"].extend(branches)
    return path


def with_ancestors(mask, mothers):
    """The masks of events, with all that kept elements come from."""
    closed = []
    for keep, parents in zip(mask.to_list(), mothers.to_list(), strict=True):
        for element in [i for i, each in enumerate(keep) if each]:
            while 0 <= parents[element] < len(keep) and not keep[parents[element]]:
                element = parents[element]
                keep[element] = True
        closed.append(keep)
    return closed


def reindexed(index, keep):
    """Where an element goes; -1 if it goes nowhere."""
    return sum(keep[:index]) if 0 <= index < len(keep) and keep[index] else -1


def thinned_column(name, values, masks, indices):
    """One column of the events by hand: as lists of Python, for each event."""
    values = values.to_list() if isinstance(values, ak.Array) else values.tolist()
    own = next((each for each in masks if name.startswith(f"{each}_")), None)
    target = indices.get(name) if indices.get(name) in masks else None
    result = []
    for event, found in enumerate(values):
        if target is not None:
            keep = masks[target][event]
            found = [reindexed(i, keep) for i in found] if isinstance(found, list) else reindexed(found, keep)
        if own is not None and isinstance(found, list):
            found = [each for each, kept in zip(found, masks[own][event], strict=True) if kept]
        if name[0] == "n" and name[1:] in masks:
            found = sum(masks[name[1:]][event])
        result.append(found)
    return result


class ListsByName(dict):
    """The columns of events as lists of Python, each made once."""

    def __init__(self, events):
        self.events = events

    def __missing__(self, name):
        return self.setdefault(name, self.events[name].to_list())


def check_references(before, after, masks, indices):
    """Each kept index leads to the object that it led to: all members of it are compared. Returns how many."""
    num_followed = 0
    old, new = ListsByName(before), ListsByName(after)
    for name, target in indices.items():
        if name not in after.fields:
            continue
        own = name.partition("_")[0]
        members = [each for each in after.fields if each.startswith(f"{target}_") and each not in indices]
        for event in range(len(after)):
            was, now = old[name][event], new[name][event]
            if not isinstance(was, list):
                was, now = [was], [now]
            elif own in masks:
                was = [each for each, kept in zip(was, masks[own][event], strict=True) if kept]
            for index, moved in zip(was, now, strict=True):
                if not 0 <= moved < len(new[members[0]][event]):
                    keep = masks[target][event] if target in masks else [True] * len(old[members[0]][event])
                    assert not (0 <= index < len(keep) and keep[index]), (name, event)
                    continue
                num_followed += 1
                for member in members:
                    assert old[member][event][index] == new[member][event][moved], (name, event, member)
    return num_followed
