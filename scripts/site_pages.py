# SPDX-License-Identifier: BSD-3-Clause
"""What mkdocs does not do by itself: pages made of files outside of docs/, and links to them.

Links are written as GitHub follows them, from file to file of the source tree.
"""

import json
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# Pages by their files in the source tree.
PAGES = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "SECURITY.md": "security.md",
    "bench/README.md": "benchmarks.md",
    "docs/tutorial.ipynb": "tutorial.md",
}
CONFIG_FOLDERS = {
    "examples": "The dimuon example",
    "adl": "The ADL benchmark",
    "agc": "The Analysis Grand Challenge",
}
LANGUAGES = {".json": "json", ".yml": "yaml", ".txt": "text", ".config": "text", ".py": "python"}

FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()[^)\s]+(?=\))")
PICTURE = re.compile(r'(?<=src=")[^"]+(?=")')


def on_files(files: Files, config) -> Files:
    """Adds the pages that are made here, and the files that pages lead to."""
    files.remove(files.get_file_from_path("tutorial.ipynb"))
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        made = notebook_page(json.loads(text)) if source.endswith(".ipynb") else text
        files.append(File.generated(config, page, content=made))
    for folder, title in CONFIG_FOLDERS.items():
        files.append(File.generated(config, f"configs/{folder}.md", content=config_page(folder, title)))
    for path in ("configs/schema/skimline-1.schema.json", "bench/many_histograms", "LICENSE"):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Turns links from file to file of the source tree into links from page to page."""
    here = page.file.src_uri
    return mapped_outside_of_code(markdown, lambda link: link_of_site(source_of(here), here, link))


def mapped_outside_of_code(markdown: str, change) -> str:
    """The text with each of its links changed; what is fenced stays as it is."""
    parts, end = [], 0
    for block in FENCED.finditer(markdown):
        parts += [mapped(markdown[end : block.start()], change), block[0]]
        end = block.end()
    return "".join([*parts, mapped(markdown[end:], change)])


def mapped(text: str, change) -> str:
    """The text with each of its links and pictures changed."""
    for pattern in (LINK, PICTURE):
        text = pattern.sub(lambda match: change(match[0]), text)
    return text


def source_of(page: str) -> str:
    """The file in the source tree from which the links of a page lead."""
    made = {page: source for source, page in PAGES.items()}
    return made.get(page, page if page.startswith("configs/") else f"docs/{page}")


def link_of_site(source: str, page: str, link: str) -> str:
    """The link in a page of the site for one that is in a file of the source tree."""
    if re.match(r"[a-z]+:|#", link):
        return link
    path, mark, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    place, own_anchor = place_of(target)
    up = posixpath.relpath(place, posixpath.dirname(page) or ".")
    return up + (mark + anchor if anchor else own_anchor)


def place_of(target: str) -> tuple[str, str]:
    """Where a file or folder of the source tree is in the site, and the anchor on that page."""
    if target in PAGES:
        return PAGES[target], ""
    parts = target.split("/")
    if parts[0] == "configs" and len(parts) > 1 and parts[1] in CONFIG_FOLDERS:
        return f"configs/{parts[1]}.md", f"#{anchor_of('/'.join(parts[2:]))}" if len(parts) > 2 else ""
    return target.removeprefix("docs/"), ""


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w-]", "", heading.lower())


def config_page(folder: str, title: str) -> str:
    """A page with all files of a folder of configs, and of those in it."""
    top = ROOT / "configs" / folder
    sections = [f"# {title}\n\nThe files of `configs/{folder}`."]
    for path in sorted(path for path in top.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8").rstrip()
        sections.append(f"## {path.relative_to(top)}\n\n```{LANGUAGES[path.suffix]}\n{text}\n```")
    return "\n\n".join(sections) + "\n"


def notebook_page(notebook: dict) -> str:
    """A page with the cells of a notebook and what is stored of their outputs."""
    return "\n\n".join(part for cell in notebook["cells"] for part in cell_parts(cell)) + "\n"


def cell_parts(cell: dict) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *[output_part(output) for output in cell["outputs"]]]


def output_part(output: dict) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output["data"]
    if "image/png" in data:
        return f"![What the cell draws](data:image/png;base64,{''.join(data['image/png']).strip()})"
    if "text/html" in data:
        return f"<div>{' '.join(''.join(data['text/html']).split())}</div>"
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"
