# SPDX-License-Identifier: BSD-3-Clause
"""The comparison with RDataFrame, and docs/compatibility.md, which says what came of it."""

import json
import re
import subprocess

from compared_constructs import DIFFERENT, GROUPS, OURS, REFUSED, THEIRS
from expression_oracle import difference, evaluate_by_rdataframe, evaluate_by_skimline


def differences(skimline, input_file, library):
    """What differs of each expression of THEIRS, in this order; None of those that are the same."""
    ours = evaluate_by_skimline(skimline, input_file, OURS)
    theirs, types = evaluate_by_rdataframe(input_file, THEIRS, library)
    names = [f"e{index}" for index in range(len(THEIRS))]
    return [
        difference(name, kind, ours[name].array(), theirs[name].array())
        for name, kind in zip(names, types, strict=True)
    ]


def refused(skimline, input_file):
    """The texts of REFUSED that Skimline refuses."""
    config = {
        "schema_version": 1,
        "samples": {"sample": {"files": [input_file.name]}},
        "define": {f"r{index}": each.text for index, each in enumerate(REFUSED)},
        "skims": {"values": {"file": "refused.root"}},
    }
    path = input_file.parent / "refused.json"
    path.write_text(json.dumps(config, indent=1))
    done = subprocess.run([skimline, "validate", path], capture_output=True, text=True, check=False)
    lines = path.read_text().splitlines()
    marked = {
        lines[int(line) - 1].strip() for line in re.findall(r"refused\.json:(\d+):\d+: error", done.stderr)
    }
    return {
        each.text
        for index, each in enumerate(REFUSED)
        if any(line.startswith(f'"r{index}":') for line in marked)
    }


def page(found, are_refused):
    """The text of the page for these differences, and texts that are refused."""
    same = {text for text, problem in zip(THEIRS, found, strict=True) if problem is None}
    differ = [text for text in THEIRS if text not in same]
    why = {each.text: each.why for each in DIFFERENT}
    rows = ["| construct | the same types and values |", "| --- | --- |"]
    for group, texts in GROUPS.items():
        rows.append(f"| {group} | {', '.join(_code(text) for text in texts if text in same)} |")
    rows += ["", "## Different", "", "| expression | why |", "| --- | --- |"]
    rows += [f"| {_code(text)} | {why.get(text, 'unknown')} |" for text in differ]
    rows += ["", "## Refused", "", "| expression of RDataFrame | what to write | |", "| --- | --- | --- |"]
    for each in REFUSED:
        if each.text in are_refused and (each.instead is None or each.text in same):
            rows.append(
                f"| {_code(each.text)} | {_code(each.instead) if each.instead else 'nothing'} | {each.remark} |"
            )
    return (
        _HEAD.format(same=sum(text in same for texts in GROUPS.values() for text in texts))
        + "\n".join(rows)
        + "\n"
    )


_HEAD = """<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Compatibility with RDataFrame

`scripts/write-compatibility` writes this page: RDataFrame and Skimline compute each expression for 3000 events of random and extreme numbers, in one file, and all bits are
compared, NaN with NaN. The functions of the C library are Skimline's in both, since
[they are rounded otherwise](expression-language.md#differences). The tests do the same and compare the page.

Columns are `f` (`float`), `d` (`double`), `i8`, `u16`, `i32`, `i64`, `u64`, `n` (`std::uint32_t`), `flag` (`bool`), `text` (a string), and lists: `pt`, `eta`, `phi`, `mass` (`float`), `vd` (`double`),
`charge` (`std::int32_t`), `tight` (`bool`). What has no answer, such as an index out of range, is undefined in RDataFrame and
[an error](expression-language.md#differences) here; it cannot be compared.

## Same

{same} expressions:

"""


def _code(text):
    return "`" + text.replace("|", "\\|") + "`"
