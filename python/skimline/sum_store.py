# SPDX-License-Identifier: BSD-3-Clause
"""Sums of parts in the memory of Redis or Valkey: whoever puts a block where there are some takes them, and puts the sum.

Of each block the servers have some *pieces*, sums of different parts. Whoever adds holds those that he takes under a
lease; the sum takes their place in one atomic step, which fails if the lease is over. So each part is in one piece, and
one only, whoever is killed when. Bytes that come from a server are hostile until their checksum and bounds were checked.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from skimline import _core
from skimline.distribution import in_one_line
from skimline.errors import ConfigError, Error
from skimline.optional import require

__all__ = ["LEASE_MS", "StoredBlocks", "SumStore", "shown_servers"]

LEASE_MS = 60_000
"""After which pieces that somebody took are there for others again."""
_MOST_TAKEN = 7
_LARGE_VALUE = 4096
_READ_AT_ONCE = 1 << 20
_MOST_PARTS = 4_000_000
"""Of a sum: what a server says of others is none of ours."""
_SECONDS_TO_ANSWER = 60
_SECONDS_TO_CONNECT = 10
_MOST_RETRIES = 4
_FEW = 4
"""So many pieces of a block lie there before who puts one adds them: several at once take less time than one by one."""

# What nobody touches for a fortnight is forgotten. All scripts have these keys: parts (bits), free (list of pieces), pieces
# (their parts), leases (by when they end), holders, next (a counter); the bytes of a piece are behind the last key,
# KEYS[7] .. number.
_BEGIN = """
local parts, free, pieces, leases, holders, counter, data = unpack(KEYS)
local life = 14 * 24 * 3600000
local function refresh()
  for _, key in ipairs({parts, free, pieces, leases, holders, counter}) do redis.call('PEXPIRE', key, life) end
end
local function let_go(id)
  redis.call('ZREM', leases, id)
  redis.call('HDEL', holders, id)
  redis.call('RPUSH', free, id)
end
local function remove(id)
  redis.call('ZREM', leases, id)
  redis.call('HDEL', holders, id)
  redis.call('HDEL', pieces, id)
  redis.call('DEL', data .. id)
end
"""

# token, lease in ms, most pieces, least pieces, new part or "": "known", "put", or the pieces that are held now.
_TAKE = (
    _BEGIN
    + """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do let_go(id) end
if ARGV[5] ~= '' and redis.call('GETBIT', parts, ARGV[5]) == 1 then return {'known'} end
if redis.call('LLEN', free) < tonumber(ARGV[4]) then return {'put'} end
local taken = {'taken'}
while #taken < 1 + 3 * tonumber(ARGV[3]) do
  local id = redis.call('LPOP', free)
  if not id then break end
  redis.call('ZADD', leases, now + ARGV[2], id)
  redis.call('HSET', holders, id, ARGV[1])
  table.insert(taken, id)
  table.insert(taken, redis.call('HGET', pieces, id) or '')
  table.insert(taken, redis.call('GET', data .. id) or '')
end
refresh()
return taken
"""
)

# token, new part or "", ranges of parts, bytes, pieces that were taken: "kept", or "known" or "lost", and nothing is
# changed but that the pieces are let go.
_PUT = (
    _BEGIN
    + """
local lost = false
for i = 5, #ARGV do lost = lost or redis.call('HGET', holders, ARGV[i]) ~= ARGV[1] end
local known = ARGV[2] ~= '' and redis.call('GETBIT', parts, ARGV[2]) == 1
if lost or known then
  for i = 5, #ARGV do
    if redis.call('HGET', holders, ARGV[i]) == ARGV[1] then let_go(ARGV[i]) end
  end
  return known and 'known' or 'lost'
end
for i = 5, #ARGV do remove(ARGV[i]) end
if ARGV[2] ~= '' then redis.call('SETBIT', parts, ARGV[2], 1) end
local id = redis.call('INCR', counter)
redis.call('SET', data .. id, ARGV[4], 'PX', life)
redis.call('HSET', pieces, id, ARGV[3])
redis.call('RPUSH', free, id)
refresh()
return 'kept'
"""
)

# token, pieces: lets them go.
_RELEASE = (
    _BEGIN
    + """
for i = 2, #ARGV do
  if redis.call('HGET', holders, ARGV[i]) == ARGV[1] then let_go(ARGV[i]) end
end
"""
)

# token, piece that is damaged, unless another holds it, most parts: its parts are missing from now on.
_DISCARD = (
    _BEGIN
    + """
local holder = redis.call('HGET', holders, ARGV[2])
if holder and holder ~= ARGV[1] then return end
redis.call('LREM', free, 0, ARGV[2])
local most = math.min(redis.call('STRLEN', parts) * 8, tonumber(ARGV[3])) - 1
for first, last in string.gmatch(redis.call('HGET', pieces, ARGV[2]) or '', '(%d+)-(%d+)') do
  for part = tonumber(first), math.min(tonumber(last), most) do redis.call('SETBIT', parts, part, 0) end
end
remove(ARGV[2])
"""
)

# All pieces, held or not: id, parts, bytes.
_READ = (
    _BEGIN
    + """
local all = {}
for _, id in ipairs(redis.call('HKEYS', pieces)) do
  table.insert(all, id)
  table.insert(all, redis.call('HGET', pieces, id))
  table.insert(all, redis.call('GET', data .. id) or '')
end
return all
"""
)

_CLEAR = (
    _BEGIN
    + """
for _, id in ipairs(redis.call('HKEYS', pieces)) do redis.call('DEL', data .. id) end
redis.call('DEL', parts, free, pieces, leases, holders, counter)
"""
)

_SUFFIXES = ("parts", "free", "pieces", "leases", "holders", "next", "data:")


def _urls(servers: str) -> list[str]:
    """The URL of each of "redis://host:1,host:2". Throws ConfigError."""
    first, *others = servers.split(",")
    scheme = first.partition("://")[0]
    urls = [first, *(other if "://" in other else f"{scheme}://{other}" for other in others)]
    if not all(_is_server(url) for url in urls):
        raise ConfigError(
            f'"{shown_servers(servers)}" is no server of sums: give "redis://host:port", or "rediss://" with TLS; '
            "a comma in a password is %2C"
        )
    return [_SCHEMES[urlsplit(url).scheme] + url[url.index("://") :] for url in urls]


def _is_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_database = not parts.path.strip("/") or parts.path[1:].isdecimal()
        return parts.scheme in _SCHEMES and bool(parts.hostname) and (parts.port or 1) > 0 and is_database
    except ValueError:  # such as a port that is no number
        return False


_SCHEMES = {"redis": "redis", "rediss": "rediss", "valkey": "redis", "valkeys": "rediss"}


def shown_servers(servers: str) -> str:
    """What messages say: nothing of what comes before an "@", whatever letters a password has."""
    scheme, mark, rest = servers.partition("://")
    return scheme + mark + rest.rpartition("@")[2] if mark else servers.rpartition("@")[2]


def _retry() -> Any:
    """Of a command whose connection is lost: no script does harm that runs twice. A server that is silent is not asked again."""
    from redis.backoff import ExponentialBackoff
    from redis.exceptions import ConnectionError as Lost
    from redis.retry import Retry

    return Retry(ExponentialBackoff(cap=1, base=0.05), _MOST_RETRIES, supported_errors=(Lost,))


def _place_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port or 6379}"


class _Packer:
    """Commands as servers read them, without the copy of large values that the client library makes."""

    def pack(self, name: str | bytes, *arguments: Any) -> list[bytes]:
        words = [*(name.encode() if isinstance(name, str) else name).split(), *arguments]
        chunks, small = [], [b"*%d\r\n" % len(words)]
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode()
            small.append(b"$%d\r\n" % len(data))
            if len(data) > _LARGE_VALUE:
                chunks += [b"".join(small), data]
                small = []
            else:
                small.append(data)
            small.append(b"\r\n")
        return [*chunks, b"".join(small)]


Ranges = Sequence[tuple[int, int]]
"""Parts, from the first to the one behind the last."""


class _Piece(NamedTuple):
    id: bytes
    ranges: Ranges
    block: bytes


class SumStore:
    """One server or more; block number n of a sum is on server n modulo their number.

    A password is in the URL, or in the variable REDISCLI_AUTH. Throws ConfigError for what is no URL, Error where a
    server does not answer, ImportError without the client library.
    """

    def __init__(self, servers: str, *, lease_ms: int = LEASE_MS) -> None:
        redis = require("redis", 'reduce="redis://..."')
        urls = _urls(servers)
        self._places = [_place_of(url) for url in urls]
        self.shown = ",".join(self._places)
        self.lease_ms = lease_ms
        password = os.environ.get("REDISCLI_AUTH")
        options = {
            "command_packer": _Packer(),
            "socket_read_size": _READ_AT_ONCE,
            "socket_timeout": _SECONDS_TO_ANSWER,
            "socket_connect_timeout": _SECONDS_TO_CONNECT,
            "socket_keepalive": True,
            "retry": _retry(),
        }
        try:
            self._clients = [
                redis.Redis.from_url(
                    url, **options, **({"password": password} if password and "@" not in url else {})
                )
                for url in urls
            ]
            for client in self._clients:
                client.connection_pool.make_connection()  # which reaches no server yet
        except (TypeError, ValueError) as problem:  # of what is behind a "?"
            raise ConfigError(f'"{shown_servers(servers)}" is no server of sums: {problem}') from None
        self._problems = (redis.exceptions.RedisError, OSError)

    def __len__(self) -> int:
        return len(self._clients)

    def blocks(self, digest: str, count: int) -> StoredBlocks:
        """The blocks of one sum."""
        return StoredBlocks(self, digest, count)

    def call(self, number: int, keys: Sequence[str], script: str, *arguments: Any) -> Any:
        """Runs a script on the server of a block. Throws Error if that is impossible."""
        client = self._clients[number % len(self._clients)]
        try:
            return client.register_script(script)(keys=list(keys), args=list(arguments))
        except self._problems as problem:
            raise self._error(number, problem) from None

    def bits(self, number: int, key: str) -> bytes:
        """The bytes of a key, empty if there is none; not more than there are parts."""
        try:
            found = self._clients[number % len(self._clients)].getrange(key, 0, _MOST_PARTS // 8 - 1)
            return bytes(found)
        except self._problems as problem:
            raise self._error(number, problem) from None

    def _error(self, number: int, problem: Exception) -> Error:
        said = in_one_line(problem).partition(": ")[2]
        if said.startswith(("HELLO must be called", "NOAUTH", "Authentication required")):
            said = "wants a password, in the URL or in the variable REDISCLI_AUTH"
        return Error(f"{self._shown(number)}: {said}")

    def _shown(self, number: int) -> str:
        return self._places[number % len(self._places)]


class StoredBlocks:
    """The blocks of one sum in a store, for any number of processes at once."""

    def __init__(self, store: SumStore, digest: str, count: int) -> None:
        self._store = store
        self._digest = digest
        self.count = count
        self.problems: list[str] = []
        """What was found damaged; its parts are missing."""

    def put(self, part: int, blocks: Sequence[bytes]) -> bool:
        """Puts the blocks of a part, made here, that are not there yet; returns whether any was not.

        Each process begins with another block, so that few wait for the same one. Throws Error.
        """
        if len(blocks) != self.count:
            raise Error(f"a part has {len(blocks)} blocks, where {self.count} were expected")
        order = [(part + number) % self.count for number in range(self.count)]
        said = [self._put(number, part, blocks[number]) for number in order]  # all of them
        return any(said)

    def known_parts(self) -> set[int]:
        """Parts of which all blocks are there."""
        known: set[int] | None = None
        for number in range(self.count):
            bits = self._store.bits(number, self._keys(number)[0])
            here = {8 * i + j for i, byte in enumerate(bits) for j in range(8) if byte & (128 >> j)}
            known = here if known is None else known & here
        return known or set()

    def read(self, number: int) -> tuple[bytes, set[int]]:
        """The sum of all pieces of a block, empty if there are none, and the parts that are in it. Throws Error."""
        self._add_up(number)
        pieces = self._checked(number, self._call(number, _READ), "", "")
        parts = {part for piece in pieces for first, last in piece.ranges for part in range(first, last)}
        blocks = [piece.block for piece in pieces]
        return (_core.sum_blocks(blocks, verified=True) if blocks else b""), parts

    def clear(self) -> None:
        """Forgets all of them."""
        for number in range(self.count):
            self._call(number, _CLEAR)

    def num_pieces(self) -> int:
        """Pieces that the servers have now."""
        return sum(len(self._call(number, _READ)) // 3 for number in range(self.count))

    def _keys(self, number: int) -> list[str]:
        return [f"skimline:{{{self._digest}:{self.count}:{number}}}:{suffix}" for suffix in _SUFFIXES]

    def _call(self, number: int, script: str, *arguments: Any) -> Any:
        return self._store.call(number, self._keys(number), script, *arguments)

    def _put(self, number: int, part: int, block: bytes) -> bool:
        said = "lost"
        while said == "lost":
            said = self._exchange(number, str(part), block)
        return said == "kept"

    def _add_up(self, number: int) -> None:
        """Until there is but one piece that nobody holds."""
        while self._exchange(number, "", None) != "put":
            pass

    def _exchange(self, number: int, part: str, block: bytes | None) -> str:
        """Takes pieces, and puts their sum with the block of a new part, if there is one, in their place."""
        token = uuid.uuid4().hex
        least = _FEW if block is not None else 2
        said, *taken = self._call(number, _TAKE, token, self._store.lease_ms, _MOST_TAKEN, least, part)
        if said == b"known" or (said == b"put" and block is None):
            return str(said, "ascii")
        ids = taken[::3]
        try:
            pieces = self._checked(number, taken, token, part)
            ids = [piece.id for piece in pieces]
            own = [] if block is None else [block]
            if not own and not pieces:
                return "lost"
            blocks = [*own, *(piece.block for piece in pieces)]
            whole = _core.sum_blocks(blocks, verified=True) if len(blocks) > 1 else blocks[0]
            put = self._call(number, _PUT, token, part, _ranges_of(whole), whole, *ids)
        except BaseException:
            with suppress(Error):  # else the lease ends in time
                self._call(number, _RELEASE, token, *ids)
            raise
        return str(put, "ascii")

    def _checked(self, number: int, taken: Sequence[bytes], token: str, new: str) -> list[_Piece]:
        """Pieces that are what they say, to which a new part may be added. Others are removed, unless somebody else holds
        them, and told in `problems`."""
        pieces = []
        for id_, ranges, block in zip(taken[::3], taken[1::3], taken[2::3]):
            try:
                pieces.append(self._piece(number, id_, ranges, block))
            except Error as problem:
                self._discard(number, token, id_, str(ranges, "ascii", "replace")[:200], str(problem))
        doubled = _doubled([piece.ranges for piece in pieces], [(int(new), int(new) + 1)] if new else [])
        for which in doubled:
            why = "some are in another sum besides, as happens where a server forgets keys"
            self._discard(number, token, pieces[which].id, _shown(pieces[which].ranges), why)
        return [piece for which, piece in enumerate(pieces) if which not in doubled]

    def _discard(self, number: int, token: str, id_: bytes, parts: str, why: str) -> None:
        self.problems.append(f"{self._store.shown}: parts {parts} of block {number} are lost: {why}")
        self._call(number, _DISCARD, token, id_, _MOST_PARTS)

    def _piece(self, number: int, id_: bytes, ranges: bytes, block: bytes) -> _Piece:
        digest, own_number, count, parts = _core.block_facts(block)
        if (digest, own_number, count) != (self._digest, number, self.count):
            raise Error("it is a block of another sum")
        if _shown(parts) != str(ranges, "ascii", "replace"):
            raise Error("it has other parts than the server says")
        return _Piece(id_, parts, block)


def _doubled(all_ranges: Sequence[Ranges], new: Ranges) -> set[int]:
    """The numbers of those of which parts are in others, too, or new."""
    ordered = sorted((*each, which) for which, ranges in enumerate([*all_ranges, new]) for each in ranges)
    found: set[int] = set()
    reach, farthest = 0, -1  # of those that begin earlier, the one that ends last
    for first, end, which in ordered:
        if first < reach:
            found |= {which, farthest}
        if end > reach:
            reach, farthest = end, which
    return found - {len(all_ranges)}


def _ranges_of(made_here: bytes) -> str:
    return _shown(_core.block_facts(made_here, verified=True)[3])


def _shown(ranges: Iterable[tuple[int, int]]) -> str:
    return ",".join(f"{first}-{last - 1}" for first, last in ranges)
