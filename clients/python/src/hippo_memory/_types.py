"""The results of the library: immutable, and short when printed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple

__all__ = ["CompactMemory", "CompactSearchResult", "CompactStorageInfo", "Memory", "Vote"]

# The short hash is the end of the ID, which is random; its beginning is a time.
HASH_LENGTH = 8
PREVIEW_LENGTH = 200


class CompactMemory(NamedTuple):
    """A memory in few tokens."""

    hash: str
    """The short ID: the last 8 hexadecimal digits."""
    preview: str
    """At most 200 characters: the beginning, or of a long content the part that was found."""
    tags: Tuple[str, ...]
    created: float
    """Seconds since 1970, UTC."""
    score: float = 0.0
    """The relevance, from 0; 1.0 where nothing was ranked."""
    id: str = ""
    """The whole ID. Every function that takes a hash takes it."""


class CompactSearchResult(NamedTuple):
    """A page of memories, best first."""

    memories: Tuple[CompactMemory, ...]
    total: int
    """How many there are, on other pages, too."""
    query: str
    weak: str = ""
    """Why these may well not answer the query; empty if they should."""

    def __repr__(self) -> str:
        return f"SearchResult(found={self.total}, shown={len(self.memories)})"


class CompactStorageInfo(NamedTuple):
    """The state of the store."""

    backend: str
    """"sqlite", "dir" or "memory"."""
    count: int  # type: ignore[assignment]  # the name of the design, and a method of tuples
    ready: bool
    """False if something is damaged: `hippo status` says what."""
    version: str = ""


class Memory(NamedTuple):
    """A memory whole."""

    hash: str
    id: str
    content: str
    tags: Tuple[str, ...]
    memory_type: str
    metadata: Mapping[str, Any]
    situation: Tuple[str, ...]
    importance: float
    created: float
    data: Mapping[str, Any]
    """All fields, as the program returns them."""


class Vote(NamedTuple):
    """Votes on a memory, or openings of it, of one kind for one question."""

    kind: str
    """"up", "down" or "opened"."""
    day: int
    """The active day of the newest of them."""
    weight: float
    """How many they are, decayed as of that day."""
    tied: bool
    """They count for questions like the one that was asked; otherwise for none in particular."""
    newest: bool
    """It is the newest vote, which unvote takes back."""


def seconds(text: Any) -> float:
    """Return the seconds since 1970 of a time in RFC 3339, whose fraction may have up to nine digits."""
    whole, zone = str(text).replace("Z", "+00:00"), ""
    for sign in "+-":
        at = whole.rfind(sign)
        if at > whole.find("T") > 0:
            whole, zone = whole[:at], whole[at:]
            break
    whole, _, fraction = whole.partition(".")
    return datetime.fromisoformat(whole + zone).timestamp() + float("0." + (fraction or "0"))


def compact(hit: Mapping[str, Any], ranked: bool) -> CompactMemory:
    """Return a hit of a search."""
    m: Dict[str, Any] = hit["insight"]
    content: str = m["content"]
    return CompactMemory(
        m["uuid"][-HASH_LENGTH:],
        content[:PREVIEW_LENGTH],
        tuple(m.get("tags") or ()),
        seconds(m["created_at"]),
        float(hit["relevance"]) if ranked else 1.0,
        m["uuid"],
    )


def result(answer: Mapping[str, Any], query: str, ranked: bool) -> CompactSearchResult:
    """Return a page of a search."""
    hits: List[Any] = answer["results"]
    return CompactSearchResult(
        tuple(compact(h, ranked) for h in hits), int(answer["total_count"]), query, str(answer.get("weak", ""))
    )


def memory(whole: Mapping[str, Any]) -> Memory:
    """Return a memory that was read whole."""
    m: Dict[str, Any] = whole["insight"]
    return Memory(
        m["uuid"][-HASH_LENGTH:],
        m["uuid"],
        m["content"],
        tuple(m.get("tags") or ()),
        m.get("type", ""),
        m.get("metadata") or {},
        tuple(m.get("situation") or ()),
        float(m["importance"]),
        seconds(m["created_at"]),
        m,
    )


def votes(whole: Mapping[str, Any]) -> Tuple[Vote, ...]:
    """Return the votes on a memory that was read whole, the newest last."""
    feedback: List[Any] = whole["insight"].get("feedback") or []
    return tuple(Vote(f["kind"], int(f["day"]), float(f["weight"]), bool(f.get("question")), "former" in f) for f in feedback)


def info(status: Mapping[str, Any]) -> CompactStorageInfo:
    """Return the state of the store."""
    ready = not status.get("problems")  # a memory that waits for its vector does not make a store unready
    return CompactStorageInfo(
        str(status.get("store", "")).partition(":")[0], int(status["memories"]), ready, str(status.get("version", ""))
    )
