"""The verbs, written once for both clients: generators that yield calls of tools and are sent their results."""

from __future__ import annotations

import time
from typing import Any, Dict, Generator, Iterable, List, Mapping, NamedTuple, Optional, Set, Tuple, TypeVar, Union

from . import _types
from ._errors import ConnectionLost, InvalidError, NotFoundError
from ._types import CompactMemory, CompactSearchResult, CompactStorageInfo, Memory, Vote

T = TypeVar("T")
Tags = Union[str, Iterable[str], None]

# The limits of the program: hits a page, and tokens of a result that a program reads.
MAX_PAGE = 1000
MAX_TOKENS = 1_000_000


class Call(NamedTuple):
    """A call of a tool."""

    tool: str
    arguments: Dict[str, Any]
    again: bool = True
    """Whether a second call does no harm if nobody knows what became of the first."""


Verb = Generator[Call, Any, T]


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidError(f"{name}: must be a string, got {type(value).__name__}", field=name)
    if not value.strip():
        raise InvalidError(f"{name}: must not be empty", field=name)
    return value


def number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidError(f"{name}: must be a whole number, got {type(value).__name__}", field=name)
    if value < 1:
        raise InvalidError(f"{name}: must be at least 1, got {value}", field=name)
    return value


def tag_list(value: Tags, name: str = "tags") -> List[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [text(name, value)]
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise InvalidError(f"{name}: must be a string or a list of strings, got {type(value).__name__}", field=name)
    return [text(name, v) for v in value]


def mapping(name: str, value: Any) -> Dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
        raise InvalidError(f"{name}: must be a dict with strings as keys", field=name)
    return dict(value)


def pages(arguments: Dict[str, Any], limit: Optional[int], size: int, seen: Set[str]) -> Verb[List[Any]]:
    """Read pages until there are limit hits, none of which is in seen. Return the answers, without those hits."""
    answers, offset = [], 0
    left = limit
    while True:
        count = min(size, left or size, MAX_PAGE)
        answer = yield Call("hippo_search_insights", dict(arguments, limit=count, offset=offset, max_tokens=MAX_TOKENS))
        answer["results"] = [h for h in answer["results"] if h["insight"]["uuid"] not in seen]
        seen.update(h["insight"]["uuid"] for h in answer["results"])
        answers.append(answer)
        offset = answer.get("next_offset", 0)
        if left is not None:
            left -= len(answer["results"])
        if not offset or left == 0:
            return answers


def joined(answers: List[Any], query: str, ranked: bool) -> CompactSearchResult:
    first = answers[0]
    hits = [h for a in answers for h in a["results"]]
    return _types.result(dict(first, results=hits), query, ranked)


def search(query: str, limit: int, threshold: Optional[float], tags: Tags) -> Verb[CompactSearchResult]:
    arguments: Dict[str, Any] = {"query": text("query", query), "tags": tag_list(tags)}
    if threshold is not None:
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or not 0 <= threshold <= 1:
            raise InvalidError(f"threshold: must be a number between 0 and 1, got {threshold!r}", field="threshold")
        arguments["min_relevance"] = threshold
    answers = yield from pages(arguments, number("limit", limit), MAX_PAGE, set())
    return joined(answers, query, True)


def search_by_tag(tags: Tags, limit: Optional[int]) -> Verb[CompactSearchResult]:
    names = list(dict.fromkeys(tag_list(tags)))
    if not names:
        raise InvalidError("tags: must not be empty", field="tags")
    if limit is not None:
        number("limit", limit)
    seen: Set[str] = set()
    found: List[CompactMemory] = []
    for name in names:
        # Of several tags all matches are read, so that the total is exact.
        answers = yield from pages({"tags": [name]}, limit if len(names) == 1 else None, MAX_PAGE, seen)
        one = joined(answers, "", False)
        found += one.memories
    if len(names) > 1:
        found.sort(key=lambda m: m.created, reverse=True)
    total = one.total if len(names) == 1 else len(found)
    return CompactSearchResult(tuple(found[:limit]), total, "tags:" + ",".join(names))


def recall(query: str, n_results: int) -> Verb[CompactSearchResult]:
    answers = yield from pages({"when": text("query", query)}, number("n_results", n_results), MAX_PAGE, set())
    return joined(answers, query, False)


def search_page(query: str, offset: int, size: int) -> Verb[Any]:
    """Return a page of search_iter as the tool returns it."""
    arguments = {"query": text("query", query), "limit": min(number("batch_size", size), MAX_PAGE), "offset": offset}
    return (yield Call("hippo_search_insights", dict(arguments, max_tokens=MAX_TOKENS)))


class Iteration:
    """The state of search_iter: a memory comes once, even if the ranking changes between two pages."""

    def __init__(self, query: str, batch_size: int) -> None:
        self.query, self.size = text("query", query), number("batch_size", batch_size)
        self.offset, self.more = 0, True
        self._seen: Set[str] = set()

    def page(self) -> Verb[Any]:
        return search_page(self.query, self.offset, self.size)

    def take(self, answer: Any) -> List[CompactMemory]:
        self.offset = answer.get("next_offset", 0)
        self.more = self.offset > 0
        new = [h for h in answer["results"] if h["insight"]["uuid"] not in self._seen]
        self._seen.update(h["insight"]["uuid"] for h in new)
        return [_types.compact(h, True) for h in new]


def store(
    content: str,
    tags: Tags,
    memory_type: Optional[str],
    metadata: Optional[Mapping[str, Any]],
    situation: Tags,
    importance: Optional[float],
) -> Verb[str]:
    arguments: Dict[str, Any] = {"content": text("content", content), "tags": tag_list(tags), "situation": tag_list(situation)}
    if memory_type is not None:
        arguments["type"] = text("memory_type", memory_type)
    if metadata is not None:
        arguments["metadata"] = mapping("metadata", metadata)
    if importance is not None:
        arguments["importance"] = importance
    began = time.time()
    try:
        done = yield Call("hippo_record_insight", arguments, again=False)
    except ConnectionLost:
        found = yield from stored_since(began, arguments)
        if found:
            return found
        done = yield Call("hippo_record_insight", arguments, again=False)
    uuid: str = done["uuid"]
    return uuid[-_types.HASH_LENGTH :]


def stored_since(began: float, arguments: Mapping[str, Any]) -> Verb[str]:
    """Return the hash of what a lost call stored, or an empty string if it stored nothing."""
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began))
    answers = yield from pages({"created_after": since, "detail": "full"}, None, MAX_PAGE, set())
    for hit in (h["insight"] for a in answers for h in a["results"]):
        same = hit["content"] == arguments["content"] and (hit.get("metadata") or {}) == (arguments.get("metadata") or {})
        if same and _types.seconds(hit["created_at"]) >= began:
            return str(hit["uuid"])[-_types.HASH_LENGTH :]
    return ""


def delete(hash: str) -> Verb[bool]:
    call = Call("hippo_forget", {"uuids": [text("hash", hash)]}, again=False)
    try:
        try:
            done = yield call
        except ConnectionLost:  # the lost call may have forgotten it
            yield call
            return True
    except NotFoundError:
        return False
    return bool(done["uuids"])


def update(
    hash: str,
    tags: Tags,
    memory_type: Optional[str],
    metadata: Optional[Mapping[str, Any]],
    content: Optional[str],
    clear: Tags,
) -> Verb[bool]:
    arguments: Dict[str, Any] = {"uuid": text("hash", hash), "reinforce": "none"}
    cleared = tag_list(clear, "clear")
    if cleared:
        arguments["clear"] = cleared
    names = tag_list(tags)
    if names:  # an empty list changes nothing
        arguments["tags"] = names
    if memory_type is not None:
        arguments["type"] = text("memory_type", memory_type)
    if metadata is not None:
        arguments["metadata"] = mapping("metadata", metadata)
    if content is not None:
        arguments["content"] = text("content", content)
    if len(arguments) == 2:
        raise InvalidError("update: give tags, memory_type, metadata, content or clear; an empty list of tags changes nothing")
    try:
        yield Call("hippo_modify_insight", arguments)
    except NotFoundError:
        return False
    return True


def expand(hash: str) -> Verb[Optional[Memory]]:
    try:
        found = yield Call("hippo_get", {"ids": [text("hash", hash)], "max_tokens": MAX_TOKENS})
    except NotFoundError:
        return None
    return _types.memory(found["memories"][0])


def votes(hash: str) -> Verb[Optional[Tuple[Vote, ...]]]:
    try:  # to look at votes is no opening
        found = yield Call("hippo_get", {"ids": [text("hash", hash)], "max_tokens": MAX_TOKENS, "no_touch": True})
    except NotFoundError:
        return None
    return _types.votes(found["memories"][0])


def unvote(hash: str) -> Verb[bool]:
    try:  # once: a second call finds no vote to take back, if the first one did
        yield Call("hippo_reinforce_insight", {"undo": [text("hash", hash)]}, again=False)
    except NotFoundError:
        return False
    return True


def health() -> Verb[CompactStorageInfo]:
    status = yield Call("hippo_status", {})
    return _types.info(status)
