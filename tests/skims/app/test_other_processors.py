# SPDX-License-Identifier: BSD-3-Clause
"""Processors with fewer instructions, emulated by QEMU, write the same bytes; scripts/check baseline tries more of them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

NO_AVX2 = "Nehalem"
# Of Haswell what the emulator has.
NO_AVX512 = "Haswell,-pcid,-x2apic,-tsc-deadline,-hle,-invpcid,-rtm"
FLAGS = {"avx2": NO_AVX2, "avx512f": NO_AVX512}


@pytest.fixture(scope="module")
def emulator(unsanitized) -> str:
    found = shutil.which("qemu-x86_64")
    if found is None:
        pytest.skip("needs qemu-x86_64")
    return found


@pytest.fixture(scope="module")
def converted(emulator, skimline, generate, tmp_path_factory):
    """Converts a TTree on a processor, and returns the file's bytes and the names of the code that ran."""
    folder = tmp_path_factory.mktemp("processors")
    tree = generate("adl", folder / "tree.root", 200, "--format", "ttree")

    def run(processor: str) -> tuple[bytes, set[str]]:
        log, output = folder / "log.txt", folder / "converted.root"
        emulated = [emulator, "-cpu", processor, "-d", "in_asm", "-D", log]
        subprocess.run(
            [*emulated, skimline, "convert", "--force", f"{tree}:Events", "-o", output],
            check=True,
            capture_output=True,
        )
        return output.read_bytes(), set(
            re.findall(r"^IN: (\S*run_with_avx\S+)", log.read_text(), re.MULTILINE)
        )

    return run


@pytest.mark.thorough
def test_the_processor_decides_which_kernels_run(converted):
    before, plain = converted(NO_AVX2)
    after, vectorised = converted(NO_AVX512)
    assert before == after
    assert not plain
    assert any("run_with_avx2" in name for name in vectorised)
    assert not any("run_with_avx512" in name for name in vectorised)


@pytest.mark.thorough
@pytest.mark.parametrize("missing", FLAGS)
def test_the_same_bytes_as_here(emulator, skimline, repository, missing):
    if missing not in Path("/proc/cpuinfo").read_text():
        pytest.skip(f"this processor has no {missing} either")
    emulated = f"{emulator} -cpu {FLAGS[missing]} {skimline}"
    command = [repository / "scripts" / "same-bytes", "--quick", "--events", "300", skimline, emulated]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("most", ["sse2", "avx2"])
def test_fewer_instructions_give_the_same_bytes(skimline, repository, unsanitized, most):
    command = [repository / "scripts" / "same-bytes", "--quick", "--events", "5000"]
    fewer = f"env SKIMLINE_INSTRUCTIONS={most} {skimline}"
    done = subprocess.run([*command, skimline, fewer], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
