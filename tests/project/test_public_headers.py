# SPDX-License-Identifier: BSD-3-Clause
"""What users include is little, is documented, and is what docs/public-api.md names."""

from pathlib import Path

import public_headers
import pytest
import source_tree

ROOT = Path(__file__).resolve().parents[2]

MOST_LINES = 3000


@pytest.fixture(scope="module")
def files():
    return source_tree.cxx_files(ROOT)


def test_installed_headers_are_few(files):
    lines = sum(file.text.count("\n") for file in public_headers.installed_headers(files))
    assert 1000 < lines < MOST_LINES


def test_public_declarations_have_comments(files):
    found = [
        each
        for file in public_headers.installed_headers(files)
        for each in public_headers.declarations(file.text)
    ]
    assert len(found) > 200
    assert public_headers.undocumented(files) == []


def test_the_page_on_what_is_public_names_all_installed_headers(files):
    installed = {"Skimline::framework": {"version.h"}}
    for file in public_headers.installed_headers(files):
        installed.setdefault(public_headers.target_of(file), set()).add(file.path.name)
    assert public_headers.table_of_headers(ROOT) == installed


HEADER = """
namespace skimline {

/// A thing.
struct Thing {
  int value = 0;
  bool is_good() const { return f(value); }

  /// Both are counted.
  int low() const;
  int high() const;
};

enum class Kind { kA, kB };
enum class Known { kA };  ///< of a thing

class Box;
class Box {
 public:
  explicit Box(int size);
  ~Box();
  Box(const Box&) = delete;
  template <typename T>
  T get(const std::function<void(int)>& f = {}) const;

 private:
  int size() const;
};

inline constexpr int kMost = 3;
void add(Thing& sum, const Thing& other);

/// Says
/// what it is.
int first();
int second();

int third();

}  // namespace skimline
"""


def test_what_has_no_comment_is_found():
    found = [(each.text.split("(")[0], each.is_documented) for each in public_headers.declarations(HEADER)]
    assert found == [
        ("struct Thing", True),
        ("bool is_good", False),
        ("int low", True),
        ("int high", True),
        ("enum class Kind", False),
        ("enum class Known", True),
        ("class Box", False),
        ("explicit Box", False),
        ("template <typename T> T get", False),
        ("inline constexpr int kMost = 3", False),
        ("void add", False),
        ("int first", True),
        ("int second", True),
        ("int third", False),
    ]
