# SPDX-License-Identifier: BSD-3-Clause
"""Configs that are made here: their text, and what the engine makes of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, NamedTuple

from skimline import _core
from skimline.arguments import ARROW_ENDINGS
from skimline.errors import ConfigError

__all__ = ["OPENED", "ConfigSource", "core_config", "own_copy", "plain_config", "resolved_config"]

OPENED = (
    "samples",
    "samples_from",
    "sample_defaults",
    "on_bad_file",
    "max_bad_fraction",
    "allow_duplicates",
    "require_checksums",
    "checksum_folder",
    "cache",
    "memory_limit",
    "aliases",
    "collections",
    "objects",
    "defaults",
    "luminosity_pb",
    "sums",
)
"""The keys of a config that are about what is opened."""

_NAME = "<python>"


def seen_from_root(path: str) -> str:
    """The same place for processes that run in other folders: ".." behind a link is left to the system."""
    return os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118  pathlib takes long to import


class ConfigSource(NamedTuple):
    """A config for processes that run in other folders and need not see its file."""

    path: str
    text: str
    options: dict[str, Any]

    @classmethod
    def of(cls, path: str, config: _core.Config, options: Mapping[str, Any]) -> ConfigSource:
        """What was read of `path`, with these options."""
        return cls.of_resolved(
            path, config.resolved, options, n_minus_1=config.n_minus_1, memory_limit=config.memory_limit
        )

    @classmethod
    def of_resolved(
        cls,
        path: str,
        resolved: str,
        options: Mapping[str, Any],
        *,
        n_minus_1: bool,
        memory_limit: int | None = None,
    ) -> ConfigSource:
        """The same of what a config says, of which `n_minus_1` is the only output that matters elsewhere."""
        described = json.loads(resolved)  # which has the settings, and no outputs
        if memory_limit is not None:
            described["memory_limit"] = memory_limit
        described["output"] = {"n_minus_1": n_minus_1}
        if "histograms" in described:
            described["output"]["histograms"] = "histograms.root"
        for name, skim in described.get("skims", {}).items():
            (end, *_) = ARROW_ENDINGS.get(skim.get("format", ""), (".root",))
            skim["file"] = f"{name}_{{sample}}{end}"
        kept = {key: value for key, value in options.items() if key != "sets"}
        return cls(seen_from_root(path), json.dumps(described), kept)

    @classmethod
    def made_here(cls, config: Mapping[str, Any], **options: Any) -> ConfigSource:
        """The same of a config without a file."""
        return cls.of(_NAME, core_config(config, **options), options)

    def read(self, *, finds_inputs: bool = True) -> _core.Config:
        return _core.Config(self.path, self.text, finds_inputs=finds_inputs, **self.options)


def _text(config: dict[str, Any]) -> str:
    """The config as JSON, as messages show it. Throws ConfigError for what JSON cannot say."""
    try:
        text = _lines(config, 2)
    except RecursionError:
        raise ConfigError("a config cannot be nested so deeply") from None
    except ValueError as error:
        if "Circular" in str(error):
            raise ConfigError("a config cannot hold itself") from None
        raise ConfigError("nan and infinity are no numbers that a config can hold") from None
    checked_utf_8(text, "a config")
    return text


def checked_utf_8(text: str, what: str) -> str:
    """Returns the text; throws ConfigError if it has names of files that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = text[max(0, error.start - 20) : error.end + 20]
        raise ConfigError(f"{what} cannot hold what is not UTF-8: ...{found!r}...") from None
    return text


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=lambda value: _plain(value))


def _lines(value: Any, depth: int, margin: str = "") -> str:
    """JSON with a line for each item of the outer objects; the encoder that makes lines of all is slow."""
    if depth == 0 or not isinstance(value, dict) or not value:
        return _ENCODER.encode(value)
    inner = margin + "  "
    items = (
        f"{inner}{_ENCODER.encode(str(key))}: {_lines(each, depth - 1, inner)}" for key, each in value.items()
    )
    return "{\n" + ",\n".join(items) + f"\n{margin}}}"


def own_copy(value: Any) -> Any:
    """The same as JSON has it, which does not change with what was given; what cannot be in a config stays as it is."""
    try:
        return _copied(value)
    except RecursionError:  # which is told where it is written as JSON
        return value


def _copied(value: Any) -> Any:
    if isinstance(value, (str, bytes, set, frozenset)):
        return value
    if hasattr(type(value), "_expression_text"):
        return value._expression_text
    if isinstance(value, Mapping):
        return {key: _copied(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, PathLike):
        return fspath(value)
    return [_copied(each) for each in value] if isinstance(value, Iterable) else value


def plain_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config with its texts as they are: in none of them "${" begins a variable. Whoever has it may change it."""
    text = _text(dict(config))
    plain: dict[str, Any] = _with_texts(json.loads(text), "${", "$${") if "${" in text else own_copy(config)
    return plain


def _with_texts(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [_with_texts(each, old, new) for each in value]
    if isinstance(value, dict):
        return {key: _with_texts(each, old, new) for key, each in value.items()}
    return value


def core_config(
    config: Mapping[str, Any], external: Sequence[Any] = (), *, is_plain: bool = False, **options: Any
) -> _core.Config:
    """A config that was made here, for the engine; a plain one has no variables."""
    text = _text(dict(config))
    if is_plain and "${" in text:
        text = _text(plain_config(config))
    return _core.Config(_NAME, text, functions=list(external), **options)


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy, paths, mappings and sequences as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(type(value), "_expression_text"):
        return value._expression_text
    if isinstance(value, (set, frozenset)) or not isinstance(value, Iterable):
        raise ConfigError(f"a config cannot hold {value!r}")
    return list(value)


def resolved_config(
    config: str | PathLike[str] | Mapping[str, Any], sets: Sequence[str] = ()
) -> dict[str, Any]:
    """The config with what it includes, variables and settings put in, and paths that hold in the working folder."""
    if isinstance(config, Mapping):
        described = {key: value for key, value in config.items() if key != "output"}
        if "histograms" in described:
            described["output"] = {"histograms": "histograms.root"}
        path, read = "", core_config(described, sets=list(sets))
    else:
        path = checked_utf_8(fspath(config), "the name of a config")
        read = _core.Config(path, sets=list(sets))
    resolved: dict[str, Any] = _with_texts(json.loads(read.resolved), "$${", "${")
    folder = os.path.dirname(path)  # noqa: PTH120  pathlib takes long to import
    if folder:
        _move_all(resolved, folder)
    if read.cache:
        resolved["cache"] = read.cache
    if read.memory_limit is not None:
        resolved["memory_limit"] = read.memory_limit
    for name, file in read.skim_files:
        resolved["skims"][name]["file"] = file
    return resolved


def _move_all(resolved: dict[str, Any], folder: str) -> None:
    """Puts the folder in front of relative paths."""

    def path(text: Any) -> Any:
        if isinstance(text, list) or "://" in text:  # URLs of copies of one file
            return text
        mark = "@" if text.startswith("@") else ""
        return mark + os.path.join(folder, text[len(mark) :])  # noqa: PTH118

    def move(described: dict[str, Any], *keys: str) -> None:
        for key in keys:
            if key in described:
                value = described[key]
                described[key] = path(value) if isinstance(value, str) else [path(each) for each in value]

    move(resolved, "checksum_folder")
    for sample in resolved.get("samples", {}).values():
        move(sample, "files", "lumi_mask", "entry_list")
        for friend in sample.get("friends", {}).values():
            move(friend, "files")
    for section in ("corrections", "models"):
        for each in resolved.get(section, {}).values():
            move(each, "file")
    lists = resolved.get("samples_from", [])
    moved = []
    for each in lists if isinstance(lists, list) else [lists]:
        described: dict[str, Any] = {"file": each} if isinstance(each, str) else dict(each)
        move(described, "file")
        if "replace" in described:
            described["replace"] = {old: path(new) for old, new in described["replace"].items()}
        moved.append(described)
    if moved:
        resolved["samples_from"] = moved
