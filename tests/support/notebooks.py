# SPDX-License-Identifier: BSD-3-Clause
"""Notebooks: run as a reader would, and what they show."""

import os
from pathlib import Path

import nbclient
import nbformat

# What readers of notebooks can show.
KEPT = ("text/plain", "text/html", "image/png")
WIDGET = "application/vnd.jupyter.widget-view+json"


def executed(path: Path, folder: Path, package: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of a run in a folder, with the package in another one."""
    notebook = nbformat.read(path, as_version=4)
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,  # a text comes in as many parts as time allows
    )
    client.execute(env=environment)
    return notebook


def compact(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The same without what differs from run to run: times of cells, progress, other forms of outputs."""
    notebook.metadata = {key: notebook.metadata[key] for key in ("kernelspec",)} | {
        "language_info": {"name": "python"}
    }
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [kept(output) for output in cell.outputs if is_result(output)]
    return notebook


def is_result(output: nbformat.NotebookNode) -> bool:
    """Whether it is the same in each run: not progress, as text or as a widget."""
    return output.get("name") != "stderr" and WIDGET not in output.get("data", {})


def kept(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    if "data" in output:
        output.data = {form: output.data[form] for form in KEPT if form in output.data}
    return output


def shown(notebook: nbformat.NotebookNode) -> list[str]:
    """The texts that its outputs show; of a picture, that there is one."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", []) if is_result(output)]
    return [
        "picture"
        if "image/png" in output.get("data", {})
        else output.get("text") or output.data["text/plain"]
        for output in outputs
    ]
