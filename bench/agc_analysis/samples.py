# SPDX-License-Identifier: BSD-3-Clause
"""Makes the samples of the AGC, in the proportions of the real ones, and lists them for the programs."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "end_to_end"))
from programs import REPOSITORY, WORK, Programs, run

HERE = Path(__file__).resolve().parent
CONFIGS = REPOSITORY / "configs" / "agc"
FORMATS = ("rntuple", "ttree")

# Events of the CMS Open Data that the AGC reads.
REAL_EVENTS = {
    "ttbar__nominal": 276_079_127,
    "ttbar__scaledown": 39_329_663,
    "ttbar__scaleup": 38_424_467,
    "ttbar__ME_var": 19_098_219,
    "ttbar__PS_var": 19_337_064,
    "single_top_s_chan__nominal": 2_867_199,
    "single_top_t_chan__nominal": 109_305_936,
    "single_top_tW__nominal": 1_999_400,
    "wjets__nominal": 433_719_099,
}
FEWEST = 1000


@dataclass(frozen=True)
class Samples:
    """Files of all samples in one format, with the AGC's list of them."""

    format: str
    inputs: Path
    num_events: int
    file_bytes: int

    @property
    def lines(self) -> Path:
        """The list as the compiled programs read it."""
        return self.inputs.with_name("samples.txt")

    @property
    def paths(self) -> list[Path]:
        return [self.inputs.with_name(f"{name}.root") for name in REAL_EVENTS]


def numbers_of_events(total: int, is_proportional: bool) -> dict[str, int]:
    """How many events to make of each sample: at least a thousand, else rare samples have none that pass."""
    if not is_proportional:
        return dict.fromkeys(REAL_EVENTS, max(FEWEST, total // len(REAL_EVENTS)))
    real = sum(REAL_EVENTS.values())
    return {name: max(FEWEST, round(total * events / real)) for name, events in REAL_EVENTS.items()}


def make_sample(programs: Programs, path: Path, name: str, num_events: int, format: str) -> None:
    if path.exists():
        return
    unfinished = path.with_suffix(".part")
    how = ["--sample", name, "--format", format, "--seed", 1, "--events", num_events]
    run([programs.skimline, "generate", "agc", *how, "-o", unfinished])
    unfinished.rename(path)


def make_samples(programs: Programs, total: int, is_proportional: bool, format: str) -> Samples:
    """Returns the samples, made where they are not there yet."""
    folder = WORK / f"agc_{format}_{total}{'' if is_proportional else '_equal'}"
    folder.mkdir(parents=True, exist_ok=True)
    listed: dict[str, dict] = {}
    numbers = numbers_of_events(total, is_proportional)
    for name, num_events in numbers.items():
        make_sample(programs, folder / f"{name}.root", name, num_events, format)
        process, variation = name.split("__")
        files = [{"path": f"{name}.root", "nevts": num_events}]
        listed.setdefault(process, {})[variation] = {"nevts_total": num_events, "files": files}
    inputs = folder / "nanoaod_inputs.json"
    inputs.write_text(json.dumps(listed, indent=2))
    size = sum((folder / f"{name}.root").stat().st_size for name in numbers)
    samples = Samples(format, inputs, sum(numbers.values()), size)
    run([programs.python, HERE / "list_samples.py", inputs, samples.lines])
    return samples


def read_config(path: Path) -> dict:
    """A config with comments and trailing commas."""
    text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda found: found[1] or "", path.read_text())
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", text))
