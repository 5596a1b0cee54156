# SPDX-License-Identifier: BSD-3-Clause
"""The compiled part of Skimline. What users call is in the modules beside it."""

from collections.abc import Mapping, Sequence
from typing import Any, Callable, final

import numpy as np
from numpy.typing import NDArray

Buffer = bytes | bytearray | memoryview | NDArray[Any]

version: str
commit: str

def run_program(
    arguments: list[str] | list[bytes],
    draw_pictures: Callable[[str], tuple[bool, str, bool]] | None = None,
    compute_parts: Callable[[str, Callable[[], bool]], tuple[bool, str]] | None = None,
) -> int:
    """Runs the program `skimline`, and returns its exit code."""

def did_you_mean(name: object, candidates: Sequence[str]) -> str:
    """Returns ` (did you mean "x"?)` with the nearest candidate, or an empty text."""

def hide_secrets(text: bytes) -> bytes:
    """Returns a text in UTF-8 with `***` for what is secret in the URLs in it."""

def problem_of_new_name(name: str, what: str) -> str:
    """Returns why definitions and the like, such as `what`, cannot have a name; an empty text if they can."""

def is_reserved(name: str) -> bool:
    """Returns whether a name means something else in every expression."""

def plain_name(text: str) -> str:
    """Returns the name in a text that is one name in back-quotes, else the text."""

def in_expression(name: str) -> str:
    """Returns the name of a column as expressions have it: in back-quotes where it is no name otherwise."""

def mentioned_names(expression: str) -> list[str]:
    """Returns the names of columns, definitions and functions in an expression, without back-quotes, each once."""

def mentioned_patterns(expression: str) -> list[str]:
    """Returns the patterns of columns in an expression, those of AnyOf and AllOf."""

def with_other_names(expression: str, names: Mapping[str, str], functions: Mapping[str, str]) -> str:
    """Returns an expression with other texts in place of names of columns and definitions, and of functions."""

class Config:
    """A config, read and checked as far as that is possible without its files."""

    def __init__(
        self,
        path: str,
        text: str | None = None,
        *,
        sets: Sequence[str] = ...,
        inputs: Sequence[str] = ...,
        samples: Sequence[str] = ...,
        limit_files: int | None = None,
        limit_events: int | None = None,
        shard: tuple[int, int] | None = None,
        entries: tuple[int, int] | None = None,
        chosen_entries: Any = None,
        functions: Sequence[ExternalFunction] = ...,
        known_files: Mapping[str, Sequence[tuple[str, str, int, str, int]]] = ...,
        finds_inputs: bool = True,
    ) -> None: ...
    @property
    def resolved(self) -> str: ...
    @property
    def cache(self) -> str: ...
    @property
    def memory_limit(self) -> int | None: ...
    @property
    def corrections(self) -> list[ExternalFunction]:
        """Its corrections, as functions of these names."""
    @property
    def models(self) -> list[ExternalFunction]:
        """Its models, as functions of these names."""
    @property
    def entry_choices(self) -> dict[str, list[tuple[str, str, str]]]:
        """By sample, what says which entries are taken, and lists of samples: its path, the file that it is said of or "" for all, and a
        digest of it."""
    @property
    def skim_files(self) -> list[tuple[str, str]]:
        """Name and file of each skim; relative files are relative to the working folder."""
    @property
    def n_minus_1(self) -> bool: ...
    @property
    def sample_names(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]: ...

Pairs = Sequence[tuple[str, str]]

class SampleColumns:
    """The columns of a sample, and the types of expressions of them."""

    def __init__(self, config: Config, sample: int = 0) -> None: ...
    @property
    def columns(self) -> list[tuple[str, str, str]]:
        """Name, type and description of each."""
    @property
    def aliases(self) -> list[tuple[str, str]]:
        """Name, and the column that it stands for."""
    @property
    def collections(self) -> dict[str, list[str]]:
        """The members of each, objects of the config included."""
    @property
    def collection_columns(self) -> dict[str, list[str]]:
        """The columns of each collection of the files, without objects of the config."""
    @property
    def names_of_one_field(self) -> list[list[str]]:
        """The columns of each field that is several."""
    @property
    def other_names(self) -> dict[str, list[str]]:
        """What is no column, but may be in expressions: metadata, and aliases of trees with the names in these."""
    @property
    def unsupported(self) -> list[tuple[str, str, str]]:
        """Name, type and reason of fields that expressions cannot use."""
    @property
    def files(self) -> list[tuple[str, str, str, int]]:
        """Path, name of the RNTuple or TTree, "RNTuple" or "TTree", entries."""
    @property
    def known_files(self) -> list[tuple[str, str, int, str, int]]:
        """Path, name, entries, UUID and bytes of columns of each file, friends included."""
    @property
    def differences(self) -> list[str]: ...
    @property
    def num_entries(self) -> int: ...
    @property
    def may_vary(self) -> bool:
        """Whether variations are for the sample, unless they are for others by name."""
    @property
    def is_data(self) -> bool: ...
    @property
    def clusters(self) -> list[int]:
        """The first entry of each cluster."""
    def definitions(
        self, functions: Pairs, definitions: Pairs, *, external: Sequence[ExternalFunction] = ...
    ) -> list[tuple[str, str, str]]:
        """Name, type and expression of each definition."""
    def type_of(
        self,
        functions: Pairs,
        definitions: Pairs,
        expression: str,
        *,
        external: Sequence[ExternalFunction] = ...,
    ) -> str: ...
    def check_condition(
        self,
        functions: Pairs,
        definitions: Pairs,
        expression: str,
        *,
        external: Sequence[ExternalFunction] = ...,
    ) -> None: ...
    def check_function(
        self,
        functions: Pairs,
        definitions: Pairs,
        signature: str,
        body: str,
        *,
        external: Sequence[ExternalFunction] = ...,
    ) -> None: ...
    def check_name(
        self, functions: Pairs, definitions: Pairs, name: str, *, external: Sequence[ExternalFunction] = ...
    ) -> None: ...
    def check_definition(
        self,
        functions: Pairs,
        definitions: Pairs,
        name: str,
        expression: str,
        *,
        external: Sequence[ExternalFunction] = ...,
    ) -> None: ...
    def check_variation(
        self,
        functions: Pairs,
        definitions: Pairs,
        name: str,
        replacements: Pairs,
        *,
        external: Sequence[ExternalFunction] = ...,
    ) -> None:
        """Replacements are pairs of a name and an expression."""

class Histogram:
    """A filled histogram."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def value_title(self) -> str: ...
    @property
    def storage(self) -> str: ...
    @property
    def axes(self) -> list[dict[str, Any]]: ...
    @property
    def num_sums(self) -> int: ...
    def sums(self, sum: int) -> NDArray[np.float64]:
        """Sums of weights, their squares, weight times value, weight times value squared; flow included."""
    @property
    def entries(self) -> int: ...
    @property
    def num_nan(self) -> int: ...
    @property
    def num_bad_weights(self) -> int: ...
    def __iadd__(self, other: Histogram) -> Histogram: ...
    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[Any, ...]) -> None: ...
    def copy(self) -> Histogram: ...

FilledHistogram = tuple[str, str, str, str, Histogram]
"""Sample or sum of samples, name in the config, region, variation or that of the weight, and the histogram."""

def check_outputs(
    config: Config, *, writes_histograms: bool = True, writes_report: bool = False, force: bool = False
) -> None:
    """Throws ConfigError if run() would for files that are there."""

def run(
    config: Config,
    *,
    threads: int = 0,
    writes_histograms: bool = True,
    writes_report: bool = False,
    force: bool = False,
    store: str = "",
    progress: Callable[[Mapping[str, Any]], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> tuple[str, str, list[FilledHistogram]]:
    """Runs a config; returns the report as JSON and as text, and the histograms.

    If it fails, `warn` is given the warnings so far; else the report has them.
    """

Part = tuple[int, int, str, str, str, int, int, float, str, bool]
"""Sample and number in it, file as records call it, its path, its RNTuple or TTree, first entry and their number,
stored bytes, key, whether it is in the store."""

FactsOfSample = tuple[str, float | None, str, bool]
"""Name, normalisation, digest of the columns, whether a part of it needs all files."""

class Parts:
    """The parts of a config. Not for several threads at a time."""

    def __init__(
        self,
        config: Config,
        *,
        store: str,
        threads: int = 0,
        samples: Sequence[FactsOfSample] = ...,
        read_with_inputs: Callable[[], Config] | None = None,
    ) -> None: ...
    def parts(self) -> list[Part]: ...
    def facts(self) -> list[FactsOfSample]: ...
    def compute(self, part: Part) -> None: ...
    def sums(self) -> list[tuple[str, int, int] | None]:
        """Of each sample the digest of sums of its results, and their bytes and cells; None if there is no digest."""
    def make_skims(self) -> bool:
        """Whether any sample has skims that are made part by part: they are in no sum."""
    def compute_blocks(self, part: Part, digest: str, num_blocks: int) -> list[bytes]:
        """Computes a part and returns its results in blocks; none if the part is left to a run."""
    def read_sum(self, sample: int, blocks: Sequence[bytes]) -> list[tuple[int, Histogram]]:
        """Results that are whole in blocks of a sum, by their numbers: histograms, then counts, then weights."""

def sum_blocks(blocks: Sequence[Buffer], *, verified: bool = False) -> bytes:
    """The sum of blocks of one place: its bytes do not depend on their order. Throws Error if they do not fit.

    `verified` is whether this process has made or verified all of them: their checksums are not looked at then.
    """

def block_facts(block: Buffer, *, verified: bool = False) -> tuple[str, int, int, list[tuple[int, int]]]:
    """Verifies a block, unless it is `verified`. Returns digest, number, number of all blocks, and ranges of parts."""

def cut_blocks(histograms: Sequence[Histogram], digest: str, num_blocks: int, part: int) -> list[bytes]:
    """Histograms with exact sums as the blocks of one part."""

def plan(config: Config, *, threads: int = 0) -> tuple[str, str]:
    """Returns what a run would do, as JSON and as text."""
@final
class ExternalFunction:
    """A function of expressions that is not written in their language. Immutable; may be used in any number of
    runs, by any threads. It keeps alive what it was made of."""

    @staticmethod
    def compiled(
        name: str,
        address: int,
        parameters: list[str],
        result: str,
        *,
        takes_arrays: bool = False,
        owner: object = None,
    ) -> ExternalFunction:
        """Make one of the C function at `address`, whose types are spelled as "float" or "std::int32_t".

        It takes single values, or, with `takes_arrays`, is
        ``void f(int64_t count, const void* const* arguments, void* results)``. `owner` is kept alive. Nobody
        can check that the function is there and has that signature: a wrong one ends the process.
        """
    @staticmethod
    def batch(
        name: str,
        function: Callable[[int, list[tuple[Any, ...]]], tuple[Any, ...]],
        num_parameters: int,
        scalar: str,
        depth: int = 0,
    ) -> ExternalFunction:
        """Make one of `function(num_entries, columns)`, called with Python's lock by one thread at a time.

        Each column is a tuple of NumPy arrays: values, offsets for lists, inner offsets for lists of lists.
        The result is such a tuple with contiguous arrays of the declared type, and of uint32 for offsets.
        """
    @property
    def name(self) -> str: ...
    @property
    def signature(self) -> str:
        """As messages show it: ``"smear(double, float)"``."""
    @property
    def content(self) -> str:
        """Tells what it computes from all else; empty if only its name is known."""

class EventReader:
    """Reads the events of a sample that pass the cuts of a config, part by part.

    Each output is (name, expression). Another thread must not read at the same time: that is an Error.
    """

    def __init__(
        self, config: Config, outputs: list[tuple[str, str]], *, sample: int = 0, threads: int = 0
    ) -> None: ...
    @property
    def columns(self) -> list[tuple[str, str, str, int]]:
        """For each column: output, member (of a Lorentz vector, else ""), C++ type or "string", depth of lists."""

    @property
    def warnings(self) -> list[str]:
        """What a run of the same events would warn of, and which inputs are left out."""

    def read(
        self,
        *,
        events: int | None = None,
        bytes: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[int, list[tuple[list[Any], Any]]]:
        """Returns the events of the next part, 0 after the last one, and (levels of offsets, values) of each column.

        All are arrays that own their memory: offsets of int64, strings of uint8 with one more level of offsets.
        """

def permutation(count: int, seed: int) -> Any:
    """Returns the numbers below `count` in an order of chance that follows from the seed alone, as uint32."""

def sorted_with_ranks(order: Any) -> tuple[Any, Any]:
    """Returns numbers of uint32 in ascending order, and for each of them its place there."""

def take(values: Sequence[Any], order: Any) -> Any:
    """Returns values of the events in an order, which numbers them through all arrays: numpy arrays of one type."""

def find_lists(offsets: Sequence[Any], order: Any) -> tuple[Any, Any]:
    """Returns where the lists of these events begin, which is counted through the values of all arrays, and the offsets
    that they have one behind the other."""

def take_lists(values: Sequence[Any], firsts: Any, ends: Any) -> Any:
    """Returns the values of lists that `find_lists` has found, one behind the other."""

def take_padded(values: Sequence[Any], firsts: Any, ends: Any, width: int) -> tuple[Any, Any]:
    """The same with `width` values of each list, zeros behind its end, and whether there is a value."""

class ChunkWriter:
    """Writes an RNTuple from chunks. Arrays must be contiguous, of native byte order, offsets int64."""

    def __init__(
        self,
        path: str | bytes,
        name: str,
        fields: list[tuple[str, tuple[Any, ...]]],
        *,
        description: str,
        compression: str,
        cluster_bytes: int,
        page_bytes: int,
        threads: int,
        record_of: str | bytes = ...,
    ) -> None: ...
    def extend(self, columns: list[tuple[Any, ...]], num_entries: int) -> None: ...
    def finish(self) -> None: ...
    @property
    def statistics(self) -> dict[str, int]: ...

def set_arrow_library(library: Callable[[dict[str, Any], Callable[[], bool]], tuple[bool, str]]) -> None: ...
def copy_record(source: str | bytes, target: str | bytes) -> bool: ...
def is_legal_name(name: str) -> bool: ...
def inspect(location: str | bytes) -> tuple[str, str]: ...
def verify(
    paths: list[bytes], *, write_checksums: bool, checksum_folder: str | bytes, threads: int
) -> tuple[bool, str, list[dict[str, Any]], list[tuple[str, int, str]]]: ...
def merge(
    output: str | bytes,
    inputs: list[bytes],
    *,
    include: list[str],
    exclude: list[str],
    skip_bad: bool,
    allow_overlap: bool,
    allow_changed: bool,
    require_checksums: bool,
    compression: str | None,
    method: str,
    missing_fields: str,
    cluster_size: str,
    verify: bool | None,
    incomplete: bool,
    keep_order: bool,
    force: bool,
    threads: int,
) -> tuple[str, str]: ...
def convert(
    inputs: list[bytes],
    output: str | bytes,
    *,
    name: str,
    keep: list[str],
    drop: list[str],
    columns_in_common: bool,
    collections: str,
    compression: str,
    allow_duplicates: bool,
    require_checksums: bool,
    force: bool,
    threads: int,
) -> tuple[dict[str, Any], str]: ...
def generate(
    model: str,
    output: str | bytes,
    *,
    events: int,
    seed: int,
    sample: str,
    format: str,
    name: str,
    compression: str,
    force: bool,
    threads: int,
) -> tuple[dict[str, Any], str]: ...
def check_replaced(path: str | bytes, command: str, arguments: list[str | bytes]) -> None: ...
def mark_as_output(path: str | bytes, command: str, arguments: list[str | bytes]) -> None: ...
def read_histograms(path: str | bytes, *, allow_changed: bool) -> list[tuple[str, Histogram]]: ...
def read_drawn_histograms(path: str | bytes) -> tuple[list[tuple[str, Histogram]], dict[str, str]]:
    """All histograms by name, and why others cannot be read though no damage is known."""

def read_histogram(path: str | bytes, name: str | bytes, *, allow_changed: bool) -> Histogram: ...
def histogram_catalogue(path: str | bytes) -> str:
    """Which sample, region and variation the histograms of a file belong to, as JSON: histogram_catalogue.h."""

def read_record(path: str | bytes) -> tuple[str, str]: ...

class TemporaryFolder:
    """A new folder that goes when the process does: temporary_folder.h."""

    def __init__(self) -> None: ...
    @property
    def path(self) -> bytes: ...
    def remove(self) -> None: ...
