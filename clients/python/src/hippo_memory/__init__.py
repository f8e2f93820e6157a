"""Hippo, a memory for AI agents, for programs: search, store, update, delete, in few tokens.

The functions use one client of the default store, which the first call opens:

    from hippo_memory import search, store
    store("Retries need jitter", tags=["incident"])
    for m in search("why do retries fail together?").memories:
        print(m.hash, m.preview)

Client and AsyncClient choose the store. Every error is a HippoError.
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
    "InvalidError", "Memory", "NotFoundError", "ProgramNotFound", "SecretError", "TimedOut", "Vote", "close", "delete", "expand",
    "expand_memory", "get", "health", "recall", "search", "search_by_tag", "search_iter", "store", "unvote", "update", "votes",
]  # fmt: skip

if TYPE_CHECKING:
    from .aio import AsyncClient


def __getattr__(name: str) -> Any:
    if name == "AsyncClient":  # asyncio takes as long to import as a first call
        from .aio import AsyncClient

        return AsyncClient
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
    """See Client.search."""
    return _client().search(query, limit, threshold, tags)


def search_by_tag(tags: Tags, limit: Optional[int] = None) -> CompactSearchResult:
    """See Client.search_by_tag."""
    return _client().search_by_tag(tags, limit)


def recall(query: str, n_results: int = 5) -> CompactSearchResult:
    """See Client.recall."""
    return _client().recall(query, n_results)


def search_iter(query: str, batch_size: int = 50) -> Iterator[CompactMemory]:
    """See Client.search_iter."""
    return _client().search_iter(query, batch_size)


def store(
    content: str,
    tags: Tags = None,
    memory_type: Optional[str] = None,
    metadata: Optional[Mapping[str, Any]] = None,
    situation: Tags = None,
    importance: Optional[float] = None,
) -> str:
    """See Client.store."""
    return _client().store(content, tags, memory_type, metadata, situation, importance)


def delete(hash: str) -> bool:
    """See Client.delete."""
    return _client().delete(hash)


def update(
    hash: str,
    tags: Tags = None,
    memory_type: Optional[str] = None,
    metadata: Optional[Mapping[str, Any]] = None,
    content: Optional[str] = None,
) -> bool:
    """See Client.update."""
    return _client().update(hash, tags, memory_type, metadata, content)


def expand(hash: str) -> Optional[Memory]:
    """See Client.expand."""
    return _client().expand(hash)


get = expand_memory = expand


def votes(hash: str) -> Optional[Tuple[Vote, ...]]:
    """See Client.votes."""
    return _client().votes(hash)


def unvote(hash: str) -> bool:
    """See Client.unvote."""
    return _client().unvote(hash)


def health() -> CompactStorageInfo:
    """See Client.health."""
    return _client().health()


def close() -> None:
    """End the program that the functions use; the next call starts it again."""
    global _default
    with _lock:
        client, _default = _default, None
    if client is not None:
        client.close()
