# SPDX-License-Identifier: BSD-3-Clause
"""Runs as jobs of batch systems, whose commands are played by stand-ins that run tasks at once."""

import contextlib
import json
import os
import shutil
import signal
import socket
import stat
import subprocess

import pytest
from batch_runs import CONFIG, OPTIONS, make_run, outputs_of, run_here
from exit_codes import DONE, FAILED, INCOMPLETE, INTERRUPTED, WRONG_USAGE

# Runs the tasks of an array in the order of their last digits, so that they do not come as they are numbered.
SBATCH = r"""#!/bin/sh
for last; do true; done
echo "$@" >> "$CALLS"
eval "$(sed -n 's/^#SBATCH --output=/output=/p' "$last")"
array=$(sed -n 's/^#SBATCH --array=1-//p' "$last")
case "$*" in *afterok:*) [ -e "$CALLS.failed" ] && { echo "dependency never satisfied" >&2; exit 0; } ;; esac
for task in $(seq "${array:-1}" | sort -r); do
  log=$(echo "$output" | sed "s/%a/$task/")
  SLURM_ARRAY_TASK_ID=$task sh "$last" > "$log" 2>&1 || touch "$CALLS.failed"
done
echo "4711;cluster"
"""

CONDOR_SUBMIT_DAG = r"""#!/bin/sh
echo "$@" >> "$CALLS"
for job in parts merge; do
  folder=$(sed -n 's/^initialdir = //p' $job.sub)
  executable=$(sed -n 's/^executable = //p' $job.sub)
  count=$(sed -n 's/^queue *//p' $job.sub)
  for share in $(seq "${count:-1}" | sort -r); do
    (cd "$folder" && ./"$executable" "$share") > "logs/$([ $job = parts ] && echo $share || echo merge).log" 2>&1 || exit 1
  done
done
"""


@pytest.fixture
def batch(tmp_path, monkeypatch):
    """Commands of batch systems in the path; returns the file of their calls."""
    commands = tmp_path / "commands"
    commands.mkdir()
    for name, text in {"sbatch": SBATCH, "condor_submit_dag": CONDOR_SUBMIT_DAG}.items():
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return tmp_path / "calls"


@pytest.fixture
def folder(generate, tmp_path):
    """A folder with inputs and a config."""
    return make_run(tmp_path / "it's here", generate)


@pytest.mark.parametrize("system", ["--slurm", "--htcondor"])
@pytest.mark.parametrize("shares", [0, 2])
def test_jobs_write_the_bytes_of_a_run(system, shares, folder, batch, call):
    expected = run_here(folder, call)
    done = call("submit", system, "--parts", shares, "-o", "job", *OPTIONS, "a b.json", cwd=folder)
    assert done.returncode == DONE, done.stderr
    assert f"3 parts, 3 of them to be computed, in {shares or 3} tasks" in done.stdout
    assert not batch.exists()
    assert call("status", "job", cwd=folder).returncode == INCOMPLETE
    command = done.stdout.splitlines()[-1].strip()
    submitted = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert submitted.returncode == DONE, submitted.stderr
    assert outputs_of(folder) == expected
    status = call("status", "job", cwd=folder)
    assert status.returncode == DONE
    assert (
        status.stdout
        == f"{(shares or 3) + 1} tasks: {(shares or 3) + 1} done, 0 running, 0 waiting, 0 failed\n"
    )
    assert '"computed": 0' in (folder / "a b.report.json").read_text()


def test_faults_are_told_and_the_job_goes_on_from_there(folder, batch, call):
    expected = run_here(folder, call)
    broken = (folder / "part1.root").read_bytes()
    submitted = call("submit", "--slurm", "--go", "-o", "job", *OPTIONS, "a b.json", cwd=folder)
    assert submitted.returncode == DONE
    for path in (folder / "job" / "store").rglob("*.root"):
        path.unlink()
    first, last = len(broken) // 20, len(broken) * 9 // 10
    times = (folder / "part1.root").stat()
    (folder / "part1.root").write_bytes(broken[:first] + bytes(last - first) + broken[last:])
    subprocess.run(["sh", folder / "job" / "submit.sh"], check=True, capture_output=True)
    status = call("status", "job", cwd=folder)
    assert status.returncode == FAILED
    assert "  part 2: failed with exit code 1 on " in status.stdout
    assert "part1.root" in status.stdout
    (folder / "part1.root").write_bytes(broken)
    os.utime(folder / "part1.root", ns=(times.st_atime_ns, times.st_mtime_ns))
    batch.with_name("calls.failed").unlink()
    before = {path: path.stat().st_ino for path in (folder / "job" / "store").rglob("*.root")}
    assert len(before) == 2 * 2
    subprocess.run(["sh", folder / "job" / "submit.sh"], check=True, capture_output=True)
    assert call("status", "job", cwd=folder).returncode == DONE
    assert outputs_of(folder) == expected
    assert all(path.stat().st_ino == inode for path, inode in before.items())


def test_scripts_are_for_people(folder, call):
    call("submit", "-o", "job", "a b.json", "-j", "2", "--cache", "kept blocks", cwd=folder)
    job = folder / "job"
    assert " run --cache 'kept blocks' 'a b.json' --store " in (job / "part.sh").read_text()
    assert sorted(path.name for path in job.iterdir()) == [
        "logs", "merge.sbatch", "merge.sh", "part.sh", "parts.sbatch", "shares", "state", "store", "submit.sh",
    ]  # fmt: skip
    assert "#SBATCH --cpus-per-task=2" in (job / "parts.sbatch").read_text()
    for script in job.glob("*.sh"):
        assert script.stat().st_mode & stat.S_IXUSR
        assert subprocess.run(["sh", "-n", script], check=False).returncode == 0


def test_paths_with_a_meaning_for_condor(folder, call):
    """`$(name)` is a macro in its files, and a line end begins another command."""
    (folder / "a$(b).json").write_text((folder / "a b.json").read_text())
    made = call("submit", "--htcondor", "-o", "job$(c)", "a$(b).json", cwd=folder)
    assert made.returncode == DONE, made.stderr
    lines = (folder / "job$(c)" / "parts.sub").read_text().splitlines()
    assert "batch_name = a$(DOLLAR)(b)" in lines
    assert f"initialdir = {folder}/job$(DOLLAR)(c)" in lines
    for system in ("--slurm", "--htcondor"):
        done = call("submit", system, "-o", "job\nqueue 9", "a b.json", cwd=folder)
        assert done.returncode == WRONG_USAGE and "has a line end in it" in done.stderr
        assert "\nqueue 9" not in done.stderr and not (folder / "job\nqueue 9").exists()


def test_mistakes_are_found_before_anything_is_written(folder, call):
    (folder / "a b.json").write_text((folder / "a b.json").read_text().replace("MET_phi", "MET_phy"))
    done = call("submit", "-o", "job", "a b.json", cwd=folder)
    assert done.returncode == WRONG_USAGE
    assert 'did you mean "MET_phi"' in done.stderr
    assert not (folder / "job" / "submit.sh").exists()


@pytest.fixture
def small_disk(folder):
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False)
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.mark.parametrize("is_there", [False, True], ids=["new", "written anew"])
def test_a_full_disk_leaves_no_job(folder, call, small_disk, is_there):
    if is_there:
        assert call("submit", "-o", "disk/job", "a b.json", cwd=folder).returncode == DONE
    with (small_disk / "full").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        for _ in range(16):
            file.write(bytes(4096))
    before = {path: path.is_file() and path.read_bytes() for path in small_disk.rglob("*")}
    done = call("submit", "--force", "-o", "disk/job", "a b.json", cwd=folder)
    assert done.returncode == FAILED
    assert "No space left on device" in done.stderr
    assert {path: path.is_file() and path.read_bytes() for path in small_disk.rglob("*")} == before


def test_names_that_no_folder_can_have(folder, call):
    done = call("submit", "-o", "j" * 300, "a b.json", cwd=folder)
    assert done.returncode == FAILED
    assert "cannot be made: File name too long" in done.stderr
    assert "itself" not in done.stderr


def test_a_job_is_not_replaced_unasked(folder, call):
    for arguments, code in (((), DONE), ((), WRONG_USAGE), (("--force",), DONE)):
        done = call("submit", "-o", "job", "a b.json", *arguments, cwd=folder)
        assert done.returncode == code
    assert call("status", ".", cwd=folder).returncode == FAILED


def test_what_cannot_be_handed_in(folder, call, monkeypatch, tmp_path):
    (tmp_path / "sbatch").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    done = call("submit", "--go", "-o", "job", "a b.json", cwd=folder)
    assert done.returncode == FAILED
    assert "has failed with exit code 7" in done.stderr


def test_stores_are_looked_after(folder, call):
    for least in (0, 1):
        done = call(
            "run", "--store", "st", "--set", f"variables.least={least}", "--no-report", "a b.json", cwd=folder
        )
        assert done.returncode == DONE
        sizes = {path: path.stat().st_size for path in (folder / "st").rglob("*.root")}
        assert len(sizes) == 2 * 3 * (least + 1)
    said = call("store", "st", "--verify", cwd=folder)
    assert said.returncode == DONE
    assert said.stdout.startswith("12 files of 3 parts, ")
    assert said.stdout.endswith("all of them are whole\n")
    oldest = sorted(sizes, key=lambda path: path.stat().st_ctime_ns)[:3]
    most = sum(size for path, size in sizes.items() if path not in oldest)
    pruned = call("store", "st", "--prune", most, cwd=folder)
    assert pruned.stdout.startswith("removed 3 files of 0 parts, ")
    assert [path for path in sizes if not path.exists()] == sorted(oldest, key=list(sizes).index)
    damaged = next(path for path in sizes if path.exists())
    damaged.write_bytes(damaged.read_bytes()[:-100])
    said = call("store", "st", "--verify", cwd=folder)
    assert said.returncode == FAILED
    assert f"damaged: {damaged.relative_to(folder)}" in said.stdout
    assert call("store", "nowhere", cwd=folder).returncode == FAILED
    assert call("store", "st", "--prune", "many", cwd=folder).returncode == WRONG_USAGE


def test_only_what_runs_have_put_is_pruned(folder, call):
    """Whoever names a folder of his own in place of a store loses nothing."""
    assert call("run", "--store", "st", "--no-report", CONFIG, cwd=folder).returncode == DONE
    st, part = folder / "st", next((folder / "st").rglob("*.results.root")).parent
    mine = [
        folder / "my.skim.root", folder / "ab" / "x.results.root", st / ".bashrc", st / "my.skim.root",
        part / ".profile", part / "my.skim.root", st / "sums" / "notes" / "text",
    ]  # fmt: skip
    left = [
        part / f".{'a' * 32}.skim.root.17-1.part",
        st / f".run-{'b' * 32}",
        st / "sums" / ("c" * 32) / "0.block",
    ]
    for path in [*mine, *left]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("some")
        os.utime(path, (1, 1))
    for place in (".", "st"):
        assert call("store", place, "--prune", "0", cwd=folder).returncode == DONE
    assert [path for path in mine if not path.exists()] == []
    assert [path for path in left if path.exists()] == []
    assert not list(part.glob("*.results.root"))
    assert call("store", "", "--prune", "0", cwd=folder).returncode == WRONG_USAGE


def test_folders_that_may_not_be_read_are_told(folder, skimline):
    store = folder / "st"
    subprocess.run([skimline, "run", "-q", "--store", store, "--no-report", CONFIG], cwd=folder, check=True)
    subprocess.run([skimline, "submit", "-o", "job", "--force", CONFIG], cwd=folder, check=True)
    # Folders are named by the keys of parts, which differ with the paths of files.
    unused = next(store / f"{number:02x}" for number in range(256) if not (store / f"{number:02x}").exists())
    unused.mkdir(mode=0)
    (folder / "job" / "state").chmod(0)
    # Root may read all but without these.
    without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    command = [*(without if os.geteuid() == 0 else []), skimline]
    for arguments, place in ((["store", store, "--verify"], unused), (["status", "job"], "job/state")):
        done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == FAILED
        assert f"{place}: cannot be read: Permission denied" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "", CONFIG], "--output: the value is empty"),
        (["-o", "job", "/dev/stdin"], '"/dev/stdin" is no file'),
        (["-o", "jo\\b", CONFIG], "has a backslash"),
        (["-o", "job", "--reduce", "http://h", CONFIG], "wants servers"),
        (
            ["-o", "job", "--reduce", "redis://h?password=secret", CONFIG],
            "give it to the tasks in REDISCLI_AUTH",
        ),
        (["-o", "job", "--set", "define.a='s3://h/b?token=secret'", CONFIG], "has a password"),
        (["-o", "job", "--set", "skims.s.split=1 MB", CONFIG], "cannot be split"),
        (["-o", "job", "--set", "output.histograms=mine.root", CONFIG], "exists, and is no output"),
    ],
)
def test_what_the_last_task_would_refuse_is_refused_at_once(arguments, message, folder, call):
    shutil.copy(folder / "part0.root", folder / "mine.root")
    done = call("submit", *arguments, cwd=folder)
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr
    assert "secret" not in done.stderr
    assert not (folder / "job").exists()


def test_files_are_replaced_only_if_it_was_asked_for(folder, batch, call):
    expected = run_here(folder, call)
    shutil.copy(folder / "part0.root", folder / "h.root")
    done = call("submit", "--force", "--go", "-o", "job", *OPTIONS, CONFIG, cwd=folder)
    assert done.returncode == DONE, done.stderr
    assert outputs_of(folder) == expected
    assert " --force" in (folder / "job" / "merge.sh").read_text()
    call("submit", "--force", "-o", "job", *OPTIONS, CONFIG, cwd=folder)
    assert " --force" not in (folder / "job" / "merge.sh").read_text()


def test_configs_and_folders_that_look_like_options(folder, batch, call):
    expected = run_here(folder, call)
    (folder / CONFIG).rename(folder / "-a.json")
    done = call("submit", "--go", "--output=-job", *OPTIONS, "--", "-a.json", cwd=folder)
    assert done.returncode == DONE
    assert "skimline status ./-job" in done.stdout
    assert call("status", "./-job", cwd=folder).returncode == DONE
    assert outputs_of(folder) == expected


def test_lines_that_condor_reads_otherwise(folder, call):
    """Blanks at the end of a line do not count there, and a backslash goes on in the next one."""
    for name in ("job ", "job\\"):
        (folder / f"{name}.json").write_text((folder / CONFIG).read_text())
        done = call("submit", "--htcondor", "-o", name, f"{name}.json", cwd=folder)
        assert done.returncode == DONE, done.stderr
        lines = (folder / name / "parts.sub").read_text().splitlines()
        assert lines[0] == "batch_name = job"
        assert f"initialdir = {folder}/{name}/." in lines


def test_what_tasks_note_is_read_with_care(folder, batch, call):
    """An end that is not written whole is none, and logs may be anything."""
    assert call("submit", "--go", "-o", "job", CONFIG, cwd=folder).returncode == DONE
    state, logs = folder / "job" / "state", folder / "job" / "logs"
    (state / "1.exit").write_text("")
    (state / "2.exit").write_text("7\n")
    (logs / "2.log").write_text("x" * 10_000_000 + "\nlast\n")
    status = call("status", "job", cwd=folder)
    assert "4 tasks: 2 done, 1 running, 0 waiting, 1 failed" in status.stdout
    assert len(status.stdout) < 3000 and "    last\n" in status.stdout
    (logs / "2.log").unlink()
    os.mkfifo(logs / "2.log")
    (state / "1.exit").unlink()
    os.mkfifo(state / "1.exit")
    status = call("status", "job", cwd=folder)
    assert "part 2: failed with exit code 7" in status.stdout


def test_a_job_that_is_written_anew_is_not_done(folder, batch, call):
    assert call("submit", "--go", "-o", "job", CONFIG, cwd=folder).returncode == DONE
    assert call("status", "job", cwd=folder).returncode == DONE
    assert call("submit", "--force", "-o", "job", CONFIG, cwd=folder).returncode == DONE
    status = call("status", "job", cwd=folder)
    assert status.returncode == INCOMPLETE
    assert "4 tasks: 0 done, 0 running, 4 waiting, 0 failed" in status.stdout


def test_a_task_that_cannot_begin_has_failed(folder, call):
    (folder / "from").mkdir()
    assert call("submit", "-o", "../job", f"../{CONFIG}", cwd=folder / "from").returncode == DONE
    (folder / "from").rmdir()
    done = subprocess.run(["sh", folder / "job" / "part.sh", "1"], capture_output=True, check=False)
    assert done.returncode != DONE
    assert "1 failed" in call("status", "job", cwd=folder).stdout


def test_more_notes_than_a_command_takes(folder, batch, call):
    assert call("submit", "-o", "job", CONFIG, cwd=folder).returncode == DONE
    state = folder / "job" / "state"
    for number in range(10_000):
        (state / f"{number}.{'x' * 200}").touch()
    subprocess.run(["sh", folder / "job" / "submit.sh"], check=True, capture_output=True)
    assert not list(state.glob("*.x*"))
    assert call("status", "job", cwd=folder).returncode == DONE
    for name in ("state", "logs"):
        shutil.rmtree(folder / "job" / name)
    subprocess.run(["sh", folder / "job" / "submit.sh"], check=True, capture_output=True)
    assert call("status", "job", cwd=folder).returncode == DONE


def test_a_job_that_leaves_out_a_file_is_incomplete(folder, batch, call):
    (folder / "part1.root").write_bytes((folder / "part1.root").read_bytes()[:5000])
    more = ("--set", "on_bad_file=skip", "--set", "max_bad_fraction=0.5", CONFIG)
    assert call("submit", "--go", "-o", "job", *more, cwd=folder).returncode == DONE
    assert len(outputs_of(folder)) == 2
    status = call("status", "job", cwd=folder)
    assert status.returncode == INCOMPLETE
    assert "3 tasks: 2 done, 0 running, 0 waiting, 0 failed, 1 incomplete" in status.stdout
    assert "merge: ended with exit code 3, as something is missing, on " in status.stdout


def test_parts_that_only_a_whole_run_can_compute_are_told(folder, call):
    """Counting what passes all cuts but one fails where the others rely on that."""
    config = json.loads((folder / CONFIG).read_text())
    config["select"].append({"name": "hard", "where": "Muon_pt[0] > 5"})
    config["output"]["n_minus_1"] = True
    (folder / CONFIG).write_text(json.dumps(config))
    filled = call("run", "--store", "st", "--fill-store", "1/1", CONFIG, cwd=folder)
    assert filled.returncode == DONE
    assert "0 of 3 parts computed" in filled.stdout
    assert "3 of the parts can be computed by a run as a whole only" in filled.stderr
    assert call("run", "--store", "st", CONFIG, cwd=folder).returncode == DONE


@pytest.mark.parametrize(
    ("system", "given", "line", "file"),
    [
        ("--slurm", "time=2:00:00", "#SBATCH --time=2:00:00", ".sbatch"),
        ("--slurm", "--account=cms", "#SBATCH --account=cms", ".sbatch"),
        ("--slurm", "-p short", "#SBATCH -p short", ".sbatch"),
        ("--htcondor", "request_memory = 4 GB", "request_memory = 4 GB", ".sub"),
        ("--htcondor", '+JobFlavour = "workday"', '+JobFlavour = "workday"', ".sub"),
    ],
)
def test_clusters_are_told_more(folder, call, system, given, line, file):
    done = call("submit", system, "-o", "job", f"--directive={given}", CONFIG, cwd=folder)
    assert done.returncode == DONE, done.stderr
    for task in ("parts", "merge"):
        lines = (folder / "job" / f"{task}{file}").read_text().splitlines()
        assert lines.count(line) == 1
        assert lines.index(line) < len(lines) - 1  # behind "exec" or "queue" none counts


@pytest.mark.parametrize(
    ("system", "given", "message"),
    [
        ("--slurm", "array=1-5", 'sets "array", which the job needs as it is'),
        ("--slurm", "-a1-5", 'sets "a"'),
        ("--slurm", "--output x", 'sets "output"'),
        ("--slurm", "--", "is no option of sbatch"),
        ("--slurm", "=3", "is no option of sbatch"),
        ("--slurm", "time=1\nrm -rf x", "has more than one line"),
        ("--htcondor", "queue 5", "is no line of a submit description"),
        ("--htcondor", "request_memory", "is no line of a submit description"),
        ("--htcondor", "Arguments = 7", 'sets "arguments"'),
        ("--htcondor", "request_memory = 4 \\", "is no line of a submit description"),
    ],
)
def test_directives_that_are_none(folder, call, system, given, message):
    done = call("submit", system, "-o", "job", f"--directive={given}", CONFIG, cwd=folder)
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr
    assert not (folder / "job").exists()


def test_an_interrupt_leaves_no_folders(skimline, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/a.root:Events"
        config = {
            "schema_version": 1,
            "samples": {"s": {"files": [url]}},
            "histograms": {"met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100]}}},
            "output": {"histograms": "h.root"},
        }
        (tmp_path / "a.json").write_text(json.dumps(config))
        command = [skimline, "submit", "-o", "new/job", "a.json"]
        silent.settimeout(30)
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
            asked, _ = silent.accept()
            with asked:
                assert (tmp_path / "new" / "job").is_dir()
                process.send_signal(signal.SIGINT)
                _, error = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED, error
    assert "interrupted" in error
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_folder_above_that_of_a_link(folder, call, tmp_path):
    (tmp_path / "far" / "away").mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path / "far" / "away")
    done = call("submit", "-o", "link/../job", "a b.json", cwd=folder)
    assert done.returncode == DONE, done.stderr
    assert (tmp_path / "far" / "job" / "submit.sh").is_file()
    assert call("status", "link/../job", cwd=folder).returncode == INCOMPLETE
    assert call("submit", "-o", "link/job", "a b.json", cwd=folder).returncode == DONE
    assert " here/link/job/" in (tmp_path / "far" / "away" / "job" / "submit.sh").read_text()
