"""The client for asyncio, which hippo_memory imports when it is used."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, AsyncIterator, Mapping, Optional, Tuple, Type, TypeVar

from . import _verbs
from ._client import Client, Connection
from ._errors import ConnectionLost
from ._types import CompactMemory, CompactSearchResult, CompactStorageInfo, Memory, Vote
from ._verbs import Tags, Verb

__all__ = ["AsyncClient"]

T = TypeVar("T")


class AsyncClient(Connection):
    """A memory for asyncio. Its arguments and verbs are those of Client; a cancelled task cancels its call."""

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def _call(self, call: _verbs.Call) -> Any:
        for again in (call.again, False):
            try:
                process = self._process
                if process is None or process.ended is not None:
                    process = await asyncio.get_running_loop().run_in_executor(None, self._running)
                future = asyncio.wrap_future(process.call(call.tool, call.arguments))
                return await asyncio.wait_for(future, self._timeout)
            except ConnectionLost:
                if not again:
                    raise
            except asyncio.TimeoutError as e:
                raise self._too_late() from e

    async def _run(self, verb: Verb[T]) -> T:
        try:
            call = next(verb)
            while True:
                try:
                    answer = await self._call(call)
                except Exception as e:
                    call = verb.throw(e)
                else:
                    call = verb.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    async def search(
        self, query: str, limit: int = 5, threshold: Optional[float] = None, tags: Tags = None
    ) -> CompactSearchResult:
        return await self._run(_verbs.search(query, limit, threshold, tags))

    async def search_by_tag(self, tags: Tags, limit: Optional[int] = None) -> CompactSearchResult:
        return await self._run(_verbs.search_by_tag(tags, limit))

    async def recall(self, query: str, n_results: int = 5) -> CompactSearchResult:
        return await self._run(_verbs.recall(query, n_results))

    async def search_iter(self, query: str, batch_size: int = 50) -> AsyncIterator[CompactMemory]:
        pages = _verbs.Iteration(query, batch_size)
        while pages.more:
            for m in pages.take(await self._run(pages.page())):
                yield m

    async def store(
        self,
        content: str,
        tags: Tags = None,
        memory_type: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        situation: Tags = None,
        importance: Optional[float] = None,
    ) -> str:
        return await self._run(_verbs.store(content, tags, memory_type, metadata, situation, importance))

    async def delete(self, hash: str) -> bool:
        return await self._run(_verbs.delete(hash))

    async def update(
        self,
        hash: str,
        tags: Tags = None,
        memory_type: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        content: Optional[str] = None,
        clear: Tags = None,
    ) -> bool:
        return await self._run(_verbs.update(hash, tags, memory_type, metadata, content, clear))

    async def expand(self, hash: str) -> Optional[Memory]:
        return await self._run(_verbs.expand(hash))

    get = expand_memory = expand

    async def votes(self, hash: str) -> Optional[Tuple[Vote, ...]]:
        return await self._run(_verbs.votes(hash))

    async def unvote(self, hash: str) -> bool:
        return await self._run(_verbs.unvote(hash))

    async def health(self) -> CompactStorageInfo:
        return await self._run(_verbs.health())

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self._end)


for _name, _verb in vars(Client).items():  # help() of a verb is that of Client
    if _name in vars(AsyncClient) and not _name.startswith("_"):
        getattr(AsyncClient, _name).__doc__ = _verb.__doc__
