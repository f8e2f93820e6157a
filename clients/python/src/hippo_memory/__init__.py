"""Hippo, a memory for AI agents, for programs: search, store, update, delete, in few tokens.

The functions use one client of the default store, which the first call opens:

    from hippo_memory import search, store
    store("Retries need jitter", tags=["incident"])
    for m in search("why do retries fail together?").memories:
        print(m.hash, m.preview)

Client and AsyncClient choose the store. RestClient has every verb of a server. Every error is a HippoError.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Tuple

from ._client import Client
from ._errors import ConnectionLost, HippoError, InvalidError, NotFoundError, ProgramNotFound, SecretError, TimedOut
from ._types import CompactMemory, CompactSearchResult, CompactStorageInfo, Memory, Vote
from ._verbs import Tags

__version__ = "0.1.0"
__api_version__ = "1.0.0"

__all__ = [
    "AsyncClient", "Client", "CompactMemory", "CompactSearchResult", "CompactStorageInfo", "ConnectionLost", "HippoError",
    "InvalidError", "Memory", "NotFoundError", "ProgramNotFound", "RestClient", "SecretError", "TimedOut", "Vote", "close",
    "delete", "expand", "expand_memory", "get", "health", "recall", "search", "search_by_tag", "search_iter", "store", "unvote",
    "update", "votes",
]  # fmt: skip

if TYPE_CHECKING:
    from .aio import AsyncClient
    from .verbs import RestClient


def __getattr__(name: str) -> Any:
    if name == "AsyncClient":  # asyncio takes as long to import as a first call
        from .aio import AsyncClient

        return AsyncClient
    if name == "RestClient":  # HTTP takes longer to import than a first call
        from .verbs import RestClient

        return RestClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_lock = threading.Lock()
_default: Optional[Client] = None


def _client() -> Client:
    global _default
    with _lock:
        if _default is None:
            _default = Client()
        return _default


def search(query: str, limit: int = 5, threshold: Optional[float] = None, tags: Tags = None) -> CompactSearchResult:
    """Return what answers the query, best first. threshold is the least score, 0 to 1; tags must all be there."""
    return _client().search(query, limit, threshold, tags)


def search_by_tag(tags: Tags, limit: Optional[int] = None) -> CompactSearchResult:
    """Return memories with any of the tags; of several tags the newest first."""
    return _client().search_by_tag(tags, limit)


def recall(query: str, n_results: int = 5) -> CompactSearchResult:
    """Return memories of a time in words, such as "last week" or "since 1 March"."""
    return _client().recall(query, n_results)


def search_iter(query: str, batch_size: int = 50) -> Iterator[CompactMemory]:
    """Iterate over all matches, best first, a page of batch_size at a time."""
    return _client().search_iter(query, batch_size)


def store(
    content: str,
    tags: Tags = None,
    memory_type: Optional[str] = None,
    metadata: Optional[Mapping[str, Any]] = None,
    situation: Tags = None,
    importance: Optional[float] = None,
) -> str:
    """Store a memory and return its hash. When it returns, the memory is durable; it is stored once."""
    return _client().store(content, tags, memory_type, metadata, situation, importance)


def delete(hash: str) -> bool:
    """Forget a memory; `hippo restore` undoes it. False: no memory has that hash, or it was forgotten already."""
    return _client().delete(hash)


def update(
    hash: str,
    tags: Tags = None,
    memory_type: Optional[str] = None,
    metadata: Optional[Mapping[str, Any]] = None,
    content: Optional[str] = None,
    clear: Tags = None,
) -> bool:
    """Replace tags, type or content, and merge metadata. clear empties fields, such as "tags", "type", "situation" or
    "valid_until", and removes keys: "metadata.KEY". None and an empty value change nothing. False: no memory has that hash."""
    return _client().update(hash, tags, memory_type, metadata, content, clear)


def expand(hash: str) -> Optional[Memory]:
    """Return a memory whole; None: no memory has that hash."""
    return _client().expand(hash)


get = expand_memory = expand


def votes(hash: str) -> Optional[Tuple[Vote, ...]]:
    """Return the votes on a memory and its openings, the newest last; None: no memory has that hash."""
    return _client().votes(hash)


def unvote(hash: str) -> bool:
    """Take back the newest vote on a memory; HippoError "conflict" if there is none. False: no memory has that hash."""
    return _client().unvote(hash)


def health() -> CompactStorageInfo:
    """Return the state of the store."""
    return _client().health()


def close() -> None:
    """End the program that the functions use; the next call starts it again."""
    global _default
    with _lock:
        client, _default = _default, None
    if client is not None:
        client.close()
