# SPDX-License-Identifier: BSD-3-Clause
"""How long adding up takes on many nodes, reckoned from measured rates of one core.

Two numbers are not measured here: what a network takes, and what Dask's scheduler takes for a task, up to a
millisecond by its documentation. Parts are there at once, ten for each node, which is the worst case: in a run they come one
after the other, and are added meanwhile.
"""

import math

NODES = (2, 10, 100, 1000)
PARTS_OF_A_NODE = 10
NETWORK = 1.25e9  # bytes per second in and out of each node: 10 Gbit/s
TASK = 1e-3
FAN_IN = 8
MOST_BLOCKS = 128
MOST_TASKS = 100_000  # as in skimline/reduction.py
SERVERS = 4
# Who puts a part sends it, and one in five fetches four pieces besides; see skimline/sum_store.py.
TRAVELS_OF_PART = 1 + 4 / 5


def star(parts, nodes, rates):
    """All that comes to one process, which adds as it comes."""
    return max(parts * rates["bytes"] / NETWORK, parts * rates["bins"] / rates["many"])


def level(parts, nodes, rates):
    """Eight parts to one, all over the nodes: the seconds, and how many are left."""
    groups = math.ceil(parts / FAN_IN)
    own = (FAN_IN - 1) * rates["bytes"] / NETWORK + FAN_IN * rates["bins"] / rates["many"]
    return max(math.ceil(groups / nodes) * own, groups * TASK), groups


def tree(parts, nodes, rates):
    """Level by level, until one is left."""
    total = 0.0
    while parts > 1:
        seconds, parts = level(parts, nodes, rates)
        total += seconds
    return total


def shuffle(parts, nodes, rates):
    """Each node gets its block of all parts, of which a tree has made few, and the whole goes to one process."""
    blocks = min(nodes, MOST_BLOCKS)
    total = 0.0
    while parts > max(2 * blocks, MOST_TASKS // blocks):
        seconds, parts = level(parts, nodes, rates)
        total += seconds
    own = parts * rates["bytes"] / blocks / NETWORK + parts * rates["bins"] / blocks / rates["many"]
    tasks = parts * blocks * (1 + 1 / FAN_IN) * TASK
    return total + max(own, tasks) + rates["bytes"] / NETWORK


def store(parts, nodes, rates):
    """Parts are put into servers, each by its own node."""
    clients = parts / nodes * rates["bins"] / rates["client"]
    servers = parts * rates["bins"] / rates["server"] / SERVERS
    network = parts * TRAVELS_OF_PART * rates["bytes"] / NETWORK / SERVERS
    return max(clients, servers, network) + rates["bytes"] / NETWORK


WAYS = {"star": star, "tree": tree, "shuffle": shuffle, f"store of {SERVERS}": store}


def reckon(measured):
    """Prints seconds for each way and number of nodes, and returns them."""
    most = max(measured["store"])
    rates = {
        "bins": measured["bins"],
        "bytes": measured["bytes"],
        "many": measured["add"][max(measured["add"])],
        "client": measured["store"][most]["client"],
        "server": measured["store"][most]["server"],
    }
    reckoned = {
        way: [of(PARTS_OF_A_NODE * nodes, nodes, rates) for nodes in NODES] for way, of in WAYS.items()
    }
    print(
        f"seconds for parts of {rates['bins'] / 1e6:.1f} M bins, {rates['bytes'] / 1e6:.0f} MB, ten for each node"
    )
    print("nodes       " + "".join(f"{nodes:9}" for nodes in NODES))
    for way, seconds in reckoned.items():
        print(f"{way:12}" + "".join(f"{each:9.1f}" for each in seconds))
    return reckoned
