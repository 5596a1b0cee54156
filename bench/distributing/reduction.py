# SPDX-License-Identifier: BSD-3-Clause
"""Adding up large collections of histograms in blocks: K at a time, and in servers' memory.

Bins are those of all parts that are added. Times are processor seconds of this process, in which other programs of the machine
do not count; those of the servers are said apart. Blocks have weighted sums of random fills.
"""

import os
import resource
import shutil
import socket
import subprocess
import time
from pathlib import Path

import numpy as np
import skimline as sk
from skimline import _core
from skimline.sum_store import SumStore

DIGEST = "0" * 32
BLOCK = 8_000_000


def seconds():
    return time.process_time()


def histograms(count, bins, weighted):
    """Some filled histograms, of which the collection has each many times."""
    folder = os.environ.get("TMPDIR", "/tmp")
    path = f"{folder}/skimline-bench-{os.getpid()}.root"
    sk.generate("dimuon", path, events=200_000, seed=1)
    events = sk.open(path)
    made = [
        events.hist(
            "MET_pt",
            bins=bins,
            range=(0, 10 + number),
            weight="1 + MET_phi" if weighted else None,
            name=f"h{number}",
        )
        for number in range(20)
    ]
    sk.run(made)
    Path(path).unlink()
    return [made[number % 20].result._core for number in range(count)]


def added(parts, repeat=3):
    """The least processor time of adding all blocks of some parts."""
    best = np.inf
    for _ in range(repeat):
        before = seconds()
        for blocks in zip(*parts, strict=True):
            _core.sum_blocks(blocks)
        best = min(best, seconds() - before)
    return best


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def started(count):
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    ports = [free_port() for _ in range(count)]
    options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    servers = [
        subprocess.Popen([program, "--port", str(port), *options], stdout=subprocess.DEVNULL)
        for port in ports
    ]
    for port in ports:
        while True:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
    return servers, "redis://" + ",".join(f"127.0.0.1:{port}" for port in ports)


def put(parts, num_servers):
    """Processor time of this process and of the servers for putting all parts one after the other."""
    servers, url = started(num_servers)
    try:
        blocks = SumStore(url).blocks(DIGEST, len(parts[0]))
        before = seconds()
        for number, part in enumerate(parts):
            blocks.put(number, part)
        own = seconds() - before
    finally:
        for server in servers:
            server.terminate()
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    for server in servers:
        server.wait()
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own, end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def measure(options):
    """Prints the rates, and returns them in bins per second and core."""
    all_histograms = histograms(options.histograms, options.bins, not options.counts)
    num_bins = options.histograms * (options.bins + 2)
    count = max(4, num_bins * 12 // BLOCK)
    before = seconds()
    parts = [_core.cut_blocks(all_histograms, DIGEST, count, number) for number in range(max(options.parts))]
    cutting = (seconds() - before) / len(parts)
    size = sum(map(len, parts[0]))
    print(f"{num_bins / 1e6:.1f} M bins of a part are {size / 1e6:.0f} MB in {count} blocks")
    rates = {
        "bins": num_bins,
        "bytes": size,
        "blocks": count,
        "cut": num_bins / cutting,
        "add": {},
        "store": {},
    }
    print(f"cut         {rates['cut'] / 1e6:7.0f} M bins/s")
    for number in options.parts:
        rates["add"][number] = number * num_bins / added(parts[:number])
        print(f"add {number:3}     {rates['add'][number] / 1e6:7.0f} M bins/s")
    for num_servers in options.servers:
        own, theirs = (len(parts) * num_bins / each for each in put(parts, num_servers))
        rates["store"][num_servers] = {"client": own, "server": theirs}
        print(f"store of {num_servers}  {own / 1e6:7.0f} M bins/s at clients, {theirs / 1e6:.0f} at servers")
    return rates
