# SPDX-License-Identifier: BSD-3-Clause
"""Rooms are entered in one direction only, and docs/rooms.md says what is in each."""

from pathlib import Path

import pytest
import rooms
import source_tree

ROOT = Path(__file__).resolve().parents[2]

LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"


@pytest.fixture(scope="module")
def files():
    return source_tree.cxx_files(ROOT)


def test_there_is_a_table_of_rooms():
    found = rooms.rooms(ROOT)
    assert found["framework"] == ["base", "maths", "expression", "engine"]
    assert set(found) == {"framework", "io", "skims"}


def test_rooms_include_only_rooms_before_them(files):
    assert rooms.room_faults(ROOT, files) == []


def test_no_files_include_each_other_in_a_circle(files):
    assert rooms.circles(files) == []


def test_the_list_of_rooms_is_up_to_date(files):
    """As scripts/list-rooms writes it."""
    assert (ROOT / "docs" / "rooms.md").read_text(encoding="utf-8") == rooms.room_list(ROOT, files)


def test_every_file_says_what_it_holds(files):
    assert rooms.files_without_comment(files) == []


def test_every_module_of_the_python_package_has_a_row():
    assert rooms.modules_without_row(ROOT) == []


def test_modules_without_a_row_are_caught(tmp_path):
    for name in ("docs/architecture.md", "python/skimline/roof.py", "python/skimline/stone.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    table = "| `python/skimline` | what |\n| --- | --- |\n| `roof` | tiles |\n\n`stone` is elsewhere.\n"
    (tmp_path / "docs" / "architecture.md").write_text(table)
    assert rooms.modules_without_row(tmp_path) == ["stone"]


def test_modules_of_the_python_package_have_an_order():
    assert rooms.python_circles(ROOT) == []


def test_circles_of_modules_are_caught(tmp_path):
    package = tmp_path / "python" / "skimline"
    package.mkdir(parents=True)
    (package / "roof.py").write_text("from skimline.stone import Stone\nimport re\n")
    (package / "stone.py").write_text("from skimline import tile\n")
    (package / "tile.py").write_text("def f():\n    import skimline.roof\n")
    (package / "tent.py").write_text("from skimline import roof\nfrom skimline.tent import f\n")
    assert rooms.python_circles(tmp_path) == [["roof", "stone", "tile"]]


@pytest.fixture
def house(tmp_path):
    """Two rooms, of which `upper` includes `lower`."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "architecture.md").write_text(
        "| room | what |\n| --- | --- |\n| `io/src/lower` | a |\n| `io/src/upper` | b |\n"
    )
    write(tmp_path, "io/src/lower/stone.h", "// Stones.\n#pragma once\n")
    write(tmp_path, "io/src/lower/stone.cc", '#include "lower/stone.h"\n')
    write(tmp_path, "io/src/upper/roof.h", '// A roof. Of tiles.\n#pragma once\n#include "lower/stone.h"\n')
    write(tmp_path, "io/include/skimline/io/house.h", '// A house.\n#pragma once\n#include "upper/roof.h"\n')
    write(tmp_path, "io/src/upper/house.cc", '#include "skimline/io/house.h"\n')
    return tmp_path


def write(root, path, text):
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(LICENCE + text)


def faults_in(root):
    files = source_tree.cxx_files(root)
    return rooms.room_faults(root, files), rooms.circles(files), rooms.files_without_comment(files)


def test_a_house_in_order(house):
    assert faults_in(house) == ([], [], [])
    listed = rooms.room_list(house, source_tree.cxx_files(house))
    assert (
        "## `io/src/upper`\n\n| file | what |\n| --- | --- |\n| `house` | A house. |\n| `roof` | A roof. |\n"
        in listed
    )


def test_an_include_against_the_order_is_caught(house):
    write(house, "io/src/lower/stone.cc", '#include "lower/stone.h"\n#include "skimline/io/house.h"\n')
    order, circles, _ = faults_in(house)
    assert order == ["io/src/lower/stone.cc: lower must not include io/house of upper"]
    assert circles == [["io/house", "io/roof", "io/stone"]]


def test_files_outside_of_rooms_and_without_words_are_caught(house):
    write(house, "io/src/tent.h", "#pragma once\n")
    order, _, silent = faults_in(house)
    assert order == ["io/tent: no room '.'"]
    assert silent == ["io/tent"]
