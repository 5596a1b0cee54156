# SPDX-License-Identifier: BSD-3-Clause
"""The analysis of bit_rot.json by each reader, in a process of its own for each run, so that nothing outlives a crash."""

import hashlib
import json
import os
import resource
import select
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from places import COLUMNS

TIMEOUT_SECONDS = 60
# So much memory is for no sane run; beyond it allocations fail, as on a machine that has no more.
MEMORY_BYTES = 8 << 30

Histograms = list[list[float]]  # of each: entries, contents and summed squares of all bins, flow bins too


@dataclass(frozen=True)
class Run:
    """How a run ended: "result", "error", "signal" or "timeout"; the digest of its result; what it printed as errors."""

    end: str
    digest: str
    errors: str


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class SkimlineReader:
    """`skimline run` and `skimline verify`; the result is the histogram file, byte for byte."""

    def __init__(self, program: Path, folder: Path):
        self._program = program
        self._config = folder / "bit_rot.json"
        self._output = folder / "histograms.root"

    def prepare(self, path: Path) -> None:
        config = json.loads(Path(__file__).with_name("bit_rot.json").read_text())
        config["samples"]["dimuon"]["files"] = [f"{path}:Events"]
        config["output"]["histograms"] = str(self._output)
        self._config.write_text(json.dumps(config))

    def run(self, path: Path) -> Run:
        self._output.unlink(missing_ok=True)
        run = self._start("run", self._config)
        if run.end == "result":
            return Run(run.end, hashlib.sha256(self._output.read_bytes()).hexdigest(), run.errors)
        if self._output.exists():
            raise RuntimeError(f"{self._output}: there after a failure: {run.errors}")
        return run

    def verify(self, path: Path) -> Run:
        return self._start("verify", path)

    def histograms(self, path: Path) -> Histograms:
        import uproot

        self.run(path)
        with uproot.open(self._output) as file:
            return [
                [
                    file[name].member("fEntries"),
                    *file[name].values(flow=True),
                    *file[name].variances(flow=True),
                ]
                for name in ("mass", "met")
            ]

    def _start(self, command: str, argument: Path) -> Run:
        words = [self._program, command, argument]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, preexec_fn=_limit_memory
            )
        except subprocess.TimeoutExpired:
            return Run("timeout", "", "")
        if done.returncode < 0:
            return Run("signal", "", f"{signal.Signals(-done.returncode).name}\n{done.stderr}")
        return Run("error" if done.returncode else "result", "", done.stderr)


class ForkedReader:
    """Runs a function in a child of this process, which has loaded all that it needs."""

    def __init__(self, analyse: Callable[[Path], Histograms]):
        self._analyse = analyse

    def prepare(self, path: Path) -> None:
        pass

    def histograms(self, path: Path) -> Histograms:
        return self._analyse(path)

    def run(self, path: Path) -> Run:
        results, to_parent = os.pipe()
        with tempfile.TemporaryFile() as printed:
            child = os.fork()
            if child == 0:
                os.close(results)
                self._run_child(path, to_parent, printed.fileno())
            os.close(to_parent)
            digest = _read_until(results, time.monotonic() + TIMEOUT_SECONDS)
            os.close(results)
            if digest is None:
                os.kill(child, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            printed.seek(0)
            errors = printed.read().decode(errors="replace")
        if digest is None:
            return Run("timeout", "", errors)
        if code < 0:
            return Run("signal", "", f"{signal.Signals(-code).name}\n{errors}")
        return Run("error" if code else "result", digest.decode(), errors)

    def _run_child(self, path: Path, to_parent: int, printed: int) -> None:
        """Never returns: what this process has open and at exit belongs to its parent."""
        code = 1
        try:
            os.dup2(printed, 1)
            os.dup2(printed, 2)
            _limit_memory()
            bins = b"".join(struct.pack(f"{len(values)}d", *values) for values in self._analyse(path))
            os.write(to_parent, hashlib.sha256(bins).hexdigest().encode())
            code = 0
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(code)


def _read_until(descriptor: int, deadline: float) -> bytes | None:
    """Returns all bytes to the end of the pipe, or None if the time is over before."""
    content = b""
    while select.select([descriptor], [], [], max(0, deadline - time.monotonic()))[0]:
        block = os.read(descriptor, 4096)
        if not block:
            return content
        content += block
    return None


def rdataframe_reader() -> ForkedReader:
    """RDataFrame; what prints stacks for seconds when a run dies is off."""
    import ROOT

    ROOT.gEnv.SetValue("Root.Stacktrace", 0)
    ROOT.gSystem.ResetSignals()
    header = Path(__file__).with_name("rdataframe_analysis.h")
    if not ROOT.gInterpreter.Declare(f'#include "{header}"'):
        raise RuntimeError(f"{header}: does not compile")
    return ForkedReader(lambda path: [list(values) for values in ROOT.analyse(str(path))])


def parquet_reader(verify_checksums: bool) -> ForkedReader:
    """pyarrow and numpy; the threads of pyarrow do not survive a fork, so it has none."""
    import numpy
    import pyarrow.parquet

    def pairs(table, name: str, chosen):
        lists = table[name].combine_chunks()
        offsets = lists.offsets.to_numpy()
        if numpy.any(numpy.diff(offsets)[chosen] != 2):
            raise ValueError(f"{name}: lists of other sizes than nMuon says")
        first = offsets[:-1][chosen]
        values = lists.values.to_numpy(zero_copy_only=False)
        return values[first], values[first + 1]

    def fill(values, weights, bins: int, low: float, high: float) -> list[float]:
        cells = numpy.floor((values - low) * (bins / (high - low))) + 1
        cells = numpy.nan_to_num(numpy.clip(cells, 0, bins + 1), nan=bins + 1).astype(numpy.int64)
        sums = [numpy.bincount(cells, factor, bins + 2) for factor in (weights, weights * weights)]
        return [float(len(values)), *sums[0], *sums[1]]

    def analyse(path: Path) -> Histograms:
        table = pyarrow.parquet.read_table(
            path,
            columns=list(COLUMNS),
            use_threads=False,
            page_checksum_verification=verify_checksums,
        )
        chosen = table["nMuon"].to_numpy() == 2
        charges = pairs(table, "Muon_charge", chosen)
        opposite = charges[0] != charges[1]
        pt, eta, phi, mass = (
            [values[opposite].astype(numpy.float64) for values in pairs(table, name, chosen)]
            for name in ("Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass")
        )
        with numpy.errstate(all="ignore"):
            x = sum(pt[i] * numpy.cos(phi[i]) for i in (0, 1))
            y = sum(pt[i] * numpy.sin(phi[i]) for i in (0, 1))
            z = sum(pt[i] * numpy.sinh(eta[i]) for i in (0, 1))
            energy = sum(numpy.sqrt((pt[i] * numpy.cosh(eta[i])) ** 2 + mass[i] ** 2) for i in (0, 1))
            invariant = numpy.sqrt(energy**2 - x**2 - y**2 - z**2)
            weights = table["genWeight"].to_numpy()[chosen][opposite].astype(numpy.float64)
            met = table["MET_pt"].to_numpy()[chosen][opposite].astype(numpy.float64)
            return [fill(invariant, weights, 120, 60, 120), fill(met, weights, 100, 0, 200)]

    return ForkedReader(analyse)
