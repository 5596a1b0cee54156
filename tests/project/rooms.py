# SPDX-License-Identifier: BSD-3-Clause
"""The rooms of a folder: which exist, which may include which, and what is in them."""

import ast
import re
from collections import defaultdict
from pathlib import Path, PurePosixPath

from source_tree import INNER_LIBRARIES, SourceFile

# Headers for other folders without a source of their name, by the room whose units they declare or serve; others
# count as the first room of their folder, and may include that one only.
ROOMS_OF_HEADERS = {
    "framework/maths": "maths",
    "framework/sink": "engine",
    "framework/run_report": "engine",
    "framework/planned_pass": "engine",
    "framework/stage": "engine",
    "framework/plan_outline": "engine",
    "framework/accumulator": "engine",
    "framework/plan": "engine",
    "framework/evaluation_purpose": "engine",
    "io/collection": "columns",
    "io/input_source": "columns",
    "io/unsupported_field": "columns",
    "io/tree_relations": "columns",
    "io/shared_list": "columns",
    "io/tree_descriptor": "ttree",
    "io/column_filler": "rntuple",
    "io/merge_options": "histograms",
    "io/writer_settings": "compression",
    "io/merge_summary": "histograms",
    "io/missing_fields": "rntuple",
    "io/verification": "inputs",
    "skims/run_record": "record",
    "skims/inspection_report": "files",
    "skims/plan_report": "report",
    "skims/job_options": "run",
}

FOLDERS_OF_ONE_ROOM = ("skims/app", "python/src")


def rooms(root: Path) -> dict[str, list[str]]:
    """The rooms of each folder in their order, from the table in docs/architecture.md."""
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = defaultdict(list)
    for folder, room in re.findall(r"^\| `(\w+)/src/([\w/]+)` \|", text, re.MULTILINE):
        found[folder].append(room)
    return dict(found)


def unit_of(file: SourceFile) -> str:
    """A header and the source of the same name are one unit: "io/rntuple_sink"."""
    return f"{file.folder}/{file.path.name.split('.')[0]}"


def rooms_of_units(root: Path, files: list[SourceFile]) -> dict[str, str]:
    """The room of each unit of folders that have rooms."""
    known = rooms(root)
    placed = {}
    for file in files:
        parts = file.path.parts
        if file.is_product and file.folder in known and parts[1] == "src":
            placed[unit_of(file)] = str(PurePosixPath(*parts[2:-1]))
    for file in files:
        unit = unit_of(file)
        if file.is_product and file.folder in known and unit not in placed and file.tier:
            placed[unit] = ROOMS_OF_HEADERS.get(unit, known[file.folder][0])
    return placed


def _included_units(file: SourceFile) -> list[str]:
    """The units of the file's own folder that it includes."""
    found = []
    for path, is_quoted in file.includes():
        parts = PurePosixPath(path).parts
        is_own = parts[1] == file.folder if parts[0] == "skimline" else is_quoted
        if is_own:
            found.append(f"{file.folder}/{parts[-1].split('.')[0]}")
    return [unit for unit in found if unit != unit_of(file)]


def _product_files(files: list[SourceFile]) -> list[SourceFile]:
    return [file for file in files if file.is_product and file.path.parts[:2] != ("skims", "app")]


def room_faults(root: Path, files: list[SourceFile]) -> list[str]:
    """Lists files outside of the rooms, and includes of rooms that come later in the table."""
    known, placed = rooms(root), rooms_of_units(root, files)
    faults = [
        f"{unit}: no room {room!r}" for unit, room in placed.items() if room not in known[unit.split("/")[0]]
    ]
    for file in _product_files(files):
        order = known.get(file.folder)
        room = placed.get(unit_of(file))
        if order is None or room not in order:
            continue
        for unit in _included_units(file):
            target = placed.get(unit)
            if target in order and order.index(target) > order.index(room):
                faults.append(f"{file.path}: {room} must not include {unit} of {target}")
    return faults


def circles(files: list[SourceFile]) -> list[list[str]]:
    """Lists the units that include each other in a circle."""
    includes: dict[str, set[str]] = defaultdict(set)
    for file in _product_files(files):
        includes[unit_of(file)].update(_included_units(file))
    return [sorted(group) for group in _strong_components(includes) if len(group) > 1]


def python_circles(root: Path) -> list[list[str]]:
    """Lists the modules of the Python package that import each other in a circle, wherever they do it."""
    package = root / "python" / "skimline"
    imports = {path.stem: _imported_modules(path) for path in sorted(package.glob("*.py"))}
    return [sorted(group) for group in _strong_components(imports) if len(group) > 1]


def _imported_modules(path: Path) -> set[str]:
    """Modules of the package that one of them imports; names of the package itself are not told apart."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "skimline":
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
    return {name.removeprefix("skimline.") for name in found} - {path.stem}


def _strong_components(edges: dict[str, set[str]]) -> list[list[str]]:
    """Tarjan's algorithm, SIAM J. Comput. 1 (1972) 146."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(unit):
        numbers[unit] = lowest[unit] = len(numbers)
        stack.append(unit)
        for other in sorted(edges.get(unit, ())):
            if other not in numbers:
                visit(other)
                lowest[unit] = min(lowest[unit], lowest[other])
            elif other in stack:
                lowest[unit] = min(lowest[unit], numbers[other])
        if lowest[unit] == numbers[unit]:
            group = []
            while not group or group[-1] != unit:
                group.append(stack.pop())
            found.append(group)

    for unit in sorted(edges):
        if unit not in numbers:
            visit(unit)
    return found


def first_comment(text: str) -> str:
    """What the first lines of a file say about it; empty if nothing."""
    lines = []
    for line in text.splitlines()[1:]:
        if not line.startswith("// "):
            break
        lines.append(line[3:])
    return " ".join(lines)


def first_sentence(comment: str) -> str:
    """Up to the first full stop that ends a sentence."""
    match = re.match(r".*?[.!?](?=\s+[A-Z]|\s*$)", comment)
    return match.group(0) if match else comment


def _comment_of(files: list[SourceFile]) -> str:
    def rank(file):
        return (file.path.suffix != ".h", bool(file.tier))

    return next(
        (comment for file in sorted(files, key=rank) if (comment := first_comment(file.text))),
        "",
    )


def room_list(root: Path, files: list[SourceFile]) -> str:
    """docs/rooms.md: a line for each file of each room."""
    units: dict[tuple[str, str], dict[str, list[SourceFile]]] = defaultdict(lambda: defaultdict(list))
    placed = rooms_of_units(root, files)
    for file in _product_files(files):
        if file.folder == "python":
            continue
        unit = unit_of(file)
        room = placed.get(unit, "")
        units[file.folder, room][unit].append(file)
    lines = [
        "# Rooms",
        "",
        "Which file holds what: made by `scripts/list-rooms` from the first sentence of each file. What the rooms are",
        "and which may include which is said in [architecture.md](architecture.md#rooms).",
    ]
    order = rooms(root)
    for folder in ("framework", "histograms", "io", "generate", "skims"):
        place = INNER_LIBRARIES[folder][0] if folder in INNER_LIBRARIES else folder
        for room in order.get(folder, [""]):
            lines += _heading(f"{place}/src{'/' + room if room else ''}")
            for unit, members in sorted(units[folder, room].items()):
                lines.append(f"| `{unit.split('/')[1]}` | {first_sentence(_comment_of(members))} |")
    for folder in FOLDERS_OF_ONE_ROOM:
        lines += _heading(folder)
        for unit, members in sorted(_units_of_folder(files, folder).items()):
            lines.append(f"| `{unit}` | {first_sentence(_comment_of(members))} |")
    lines += _heading("python/skimline")
    for path in sorted((root / "python" / "skimline").glob("*.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first = " ".join(said.partition("\n\n")[0].split())
        lines.append(f"| `{path.stem}` | {first_sentence(first)} |")
    return "\n".join(lines) + "\n"


def _heading(place: str) -> list[str]:
    return ["", f"## `{place}`", "", "| file | what |", "| --- | --- |"]


def _units_of_folder(files: list[SourceFile], folder: str) -> dict[str, list[SourceFile]]:
    """Headers and sources of one name, by it."""
    units = defaultdict(list)
    for file in files:
        if str(file.path.parent) == folder:
            units[file.path.stem].append(file)
    return units


def files_without_comment(files: list[SourceFile]) -> list[str]:
    """Lists units of which no file says what it holds."""
    units = defaultdict(list)
    for file in _product_files(files):
        if file.folder != "python":
            units[unit_of(file)].append(file)
    for folder in FOLDERS_OF_ONE_ROOM:
        for unit, members in _units_of_folder(files, folder).items():
            units[f"{folder}/{unit}"] = members
    return sorted(unit for unit, members in units.items() if not _comment_of(members))


def modules_without_row(root: Path) -> list[str]:
    """Lists modules of the Python package that the table in docs/architecture.md leaves out."""
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("| `python/skimline` |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`(\w+)`", table))
    modules = {path.stem for path in (root / "python" / "skimline").glob("*.py")}
    return sorted(modules - named - {"__init__", "__main__"})
