"""The connection, and the client over it."""

from __future__ import annotations

import atexit
import concurrent.futures
import os
import threading
import weakref
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar

from . import _verbs
from ._errors import ConnectionLost, InvalidError, TimedOut
from ._process import Path_, Process, find_program
from ._types import CompactMemory, CompactSearchResult, CompactStorageInfo, Memory, Vote
from ._verbs import Tags, Verb

__all__ = ["Client", "Connection"]

T = TypeVar("T")


class Connection:
    """The program, started by the first call and again by the call after it ended."""

    def __init__(
        self,
        store: Optional[str] = None,
        project: Optional[str] = None,
        namespace: Optional[str] = None,
        binary: Optional[Path_] = None,
        timeout: Optional[float] = 30.0,
        env: Optional[Mapping[str, str]] = None,
    ) -> None:
        if timeout is not None and not timeout > 0:
            raise InvalidError(f"timeout: must be above 0 seconds, got {timeout!r}", field="timeout")
        self._binary = binary
        self._flags: List[str] = []
        for flag, value in (("--store", store), ("--project", project), ("--namespace", namespace)):
            if value is not None:
                self._flags += [flag, value]
        self._timeout, self._env = timeout, env
        self._process: Optional[Process] = None
        self._closed = False
        self._lock = threading.Lock()
        self._pid = os.getpid()
        this = weakref.ref(self)
        self._at_exit: Callable[[], None] = lambda: _end(this)
        atexit.register(self._at_exit)

    def _running(self) -> Process:
        """Return the program, and start it if it does not run."""
        if self._pid != os.getpid():  # a fork has no threads: it needs a program of its own
            self._pid, self._process, self._lock = os.getpid(), None, threading.Lock()
        with self._lock:
            if self._closed:
                raise InvalidError("client: is closed")
            if self._process is None or self._process.ended is not None:
                if self._process is not None:
                    self._process.close()
                self._process = None
                command = [find_program(self._binary), "serve", *self._flags]
                self._process = Process(command, self._env, "hippo-memory-python")
            return self._process

    def _start(self, call: _verbs.Call) -> "Future[Any]":
        return self._running().call(call.tool, call.arguments)

    def _too_late(self) -> TimedOut:
        return TimedOut(f"no answer within {self._timeout} s; a change may have been stored before the call was cancelled")

    def _end(self) -> None:
        if self._pid != os.getpid():
            return
        with self._lock:
            self._closed, process, self._process = True, self._process, None
        atexit.unregister(self._at_exit)
        if process is not None:
            process.close()

    def __del__(self) -> None:
        if hasattr(self, "_at_exit"):
            self._end()


def _end(this: "weakref.ref[Connection]") -> None:
    connection = this()
    if connection is not None:
        connection._end()


class Client(Connection):
    """A memory. Its methods may be called from any thread; calls of several threads run at the same time.

    store is the URL of the store, "sqlite:PATH" or "dir:PATH"; without it the program's own default. project and
    namespace are the program's --project and --namespace. binary is the program, see find_program. timeout is in
    seconds, per call of the program; None: none. env is the environment of the program; None: this one's.
    """

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _call(self, call: _verbs.Call) -> Any:
        for again in (call.again, False):
            future: "Optional[Future[Any]]" = None
            try:
                future = self._start(call)
                return future.result(self._timeout)
            except ConnectionLost:
                if not again:
                    raise
            except concurrent.futures.TimeoutError as e:
                raise self._too_late() from e
            finally:
                if future is not None:
                    future.cancel()  # after a timeout or an interrupt; else it is done

    def _run(self, verb: Verb[T]) -> T:
        try:
            call = next(verb)
            while True:
                try:
                    answer = self._call(call)
                except Exception as e:
                    call = verb.throw(e)
                else:
                    call = verb.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    def search(
        self, query: str, limit: int = 5, threshold: Optional[float] = None, tags: Tags = None
    ) -> CompactSearchResult:
        """Return what answers the query, best first. threshold is the least score, 0 to 1; tags must all be there."""
        return self._run(_verbs.search(query, limit, threshold, tags))

    def search_by_tag(self, tags: Tags, limit: Optional[int] = None) -> CompactSearchResult:
        """Return memories with any of the tags; of several tags the newest first."""
        return self._run(_verbs.search_by_tag(tags, limit))

    def recall(self, query: str, n_results: int = 5) -> CompactSearchResult:
        """Return memories of a time in words, such as "last week" or "since 1 March"."""
        return self._run(_verbs.recall(query, n_results))

    def search_iter(self, query: str, batch_size: int = 50) -> Iterator[CompactMemory]:
        """Iterate over all matches, best first, a page of batch_size at a time."""
        pages = _verbs.Iteration(query, batch_size)
        return self._iterate(pages)

    def _iterate(self, pages: _verbs.Iteration) -> Iterator[CompactMemory]:
        while pages.more:
            yield from pages.take(self._run(pages.page()))

    def store(
        self,
        content: str,
        tags: Tags = None,
        memory_type: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        situation: Tags = None,
        importance: Optional[float] = None,
    ) -> str:
        """Store a memory and return its hash. When it returns, the memory is durable; it is stored once."""
        return self._run(_verbs.store(content, tags, memory_type, metadata, situation, importance))

    def delete(self, hash: str) -> bool:
        """Forget a memory; `hippo restore` undoes it. False: no memory has that hash, or it was forgotten already."""
        return self._run(_verbs.delete(hash))

    def update(
        self,
        hash: str,
        tags: Tags = None,
        memory_type: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        content: Optional[str] = None,
        clear: Tags = None,
    ) -> bool:
        """Replace tags, type or content, and merge metadata. clear empties fields, such as "tags", "type", "situation" or
        "valid_until", and removes keys: "metadata.KEY". None and an empty value change nothing. False: no memory has that hash."""
        return self._run(_verbs.update(hash, tags, memory_type, metadata, content, clear))

    def expand(self, hash: str) -> Optional[Memory]:
        """Return a memory whole; None: no memory has that hash."""
        return self._run(_verbs.expand(hash))

    get = expand_memory = expand

    def votes(self, hash: str) -> Optional[Tuple[Vote, ...]]:
        """Return the votes on a memory and its openings, the newest last; None: no memory has that hash."""
        return self._run(_verbs.votes(hash))

    def unvote(self, hash: str) -> bool:
        """Take back the newest vote on a memory; HippoError "conflict" if there is none. False: no memory has that hash."""
        return self._run(_verbs.unvote(hash))

    def health(self) -> CompactStorageInfo:
        """Return the state of the store."""
        return self._run(_verbs.health())

    def close(self) -> None:
        """Answer the calls that run, and end the program. Closing again does nothing."""
        self._end()
