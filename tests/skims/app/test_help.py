# SPDX-License-Identifier: BSD-3-Clause
"""What is made from the options themselves: help, the manual page, completion for shells."""

import re
import shutil
import subprocess

import pytest
from exit_codes import DONE, WRONG_USAGE
from help_texts import options_of, part_of


@pytest.fixture(scope="module")
def commands(call):
    shown = part_of(call("--help").stdout, "Subcommands")
    return re.findall(r"^  (\w+) ", shown, re.MULTILINE)


@pytest.fixture(scope="module")
def options(call, commands):
    """The options of each command, as its help has them."""
    return {command: options_of(call(command, "--help").stdout) for command in commands}


def test_help_of_every_command_has_examples(call, commands):
    assert {"run", "plan", "inspect", "verify", "generate", "convert", "merge", "man", "completion"} <= set(
        commands
    )
    for command in commands:
        shown = call(command, "--help")
        assert shown.returncode == DONE
        examples = shown.stdout.split("Examples:\n")[1]
        assert re.search(rf"^  .*\bskimline {command}\b", examples, re.MULTILINE), command


def test_help_has_the_exit_codes(call):
    text = call("--help").stdout
    for code in (0, 1, 2, 3, 4, 130):
        assert re.search(rf"^  {code} +\w", text, re.MULTILINE)


# The manual page


def test_the_manual_page_has_all_commands_and_options(call, options):
    roff = call("man").stdout
    assert roff.split("\n")[1].startswith(".TH SKIMLINE 1 ")
    for command, names in options.items():
        section = roff.split(f".SS skimline {command}\n")[1].split("\n.S")[0]
        for name in names:
            assert "\\fB" + name.replace("-", "\\-") + "\\fR" in section, (command, name)
        assert f"skimline {command}" in section.replace("\\-", "-")


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
def test_the_manual_page_is_sound(call, options):
    roff = call("man").stdout
    made = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii", "-P-c"], input=roff, capture_output=True, text=True, check=True
    )
    assert [line for line in made.stderr.splitlines() if "break" not in line and "adjust" not in line] == []
    shown = re.sub(r".\x08", "", made.stdout)
    assert "\\" not in shown.replace("'\\*_debug'", "")
    assert re.search(r"^ +skimline run --trace trace\.json analysis\.json", shown, re.MULTILINE)
    for heading in ("NAME", "SYNOPSIS", "OPTIONS", "COMMANDS", "Exit codes:"):
        assert heading in shown


# Completion


@pytest.fixture(scope="module")
def complete(call, tmp_path_factory):
    """What bash offers behind words, the last of which is being typed."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "analysis.json").touch()
    (folder / "events.root").touch()
    script = call("completion", "bash").stdout
    (folder / "skimline.bash").write_text(script)

    def run(*words):
        typed = " ".join(f"'{word}'" for word in ("skimline", *words))
        line = (
            f"source ./skimline.bash; COMP_WORDS=({typed}); COMP_CWORD={len(words)}; "
            '_skimline; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(
            ["bash", "--norc", "-c", line], cwd=folder, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return set(done.stdout.split())

    return run


def test_bash_knows_the_function(call):
    script = call("completion", "bash").stdout + "complete -p skimline"
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True)
    assert "-F _skimline skimline" in done.stdout


def test_bash_completes_commands(complete, commands):
    assert complete("") == {*commands, "-h", "--help", "--version", "--verbose"}
    assert complete("ins") == {"inspect"}
    assert complete("--v") == {"--version", "--verbose"}


def test_bash_completes_options_of_each_command(complete, options):
    for command, names in options.items():
        assert complete(command, "-") == names, command
    assert complete("run", "--tr") == {"--trace"}
    assert complete("run", "-v", "--tr") == {"--trace"}


def test_bash_completes_values(complete):
    assert complete("run", "--progress", "") == {"auto", "json", "none"}
    assert complete("run", "--progress", "=", "j") == {"json"}
    assert complete("run", "--progress", "=") == {"auto", "json", "none"}
    assert complete("completion", "") == {"bash", "zsh", "fish"}
    assert complete("run", "--threads", "") == set()


def test_bash_completes_files(complete):
    assert complete("run", "ana") == {"analysis.json"}
    assert complete("verify", "--quiet", "ev") == {"events.root"}
    assert complete("run", "--report", "ana") == {"analysis.json"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_all_options(call, options, shell):
    script = call("completion", shell).stdout
    for command, names in options.items():
        lines = [line for line in script.splitlines() if shell == "zsh" or f"from {command}'" in line]
        if shell == "zsh":
            text = script.split(f"    {command})\n")[1].split(";;")[0]
            assert all(f"'{name}[" in text for name in names), command
        else:
            for name in names:
                option = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                assert any(f" {option} " in line for line in lines), (command, name)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_accepted_by_their_shell(call, shell):
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    script = call("completion", shell).stdout
    subprocess.run([shell, "-n"], input=script, text=True, check=True, capture_output=True)


def test_unknown_shells_are_wrong_usage(call):
    assert call("completion", "csh").returncode == WRONG_USAGE
