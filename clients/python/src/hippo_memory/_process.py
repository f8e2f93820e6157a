"""One child process, `hippo serve`, that answers calls over stdio."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union

from ._errors import ConnectionLost, HippoError, InvalidError, ProgramNotFound, error_of

PROTOCOL = "2025-06-18"
# How long the program may take to end by itself when its input is closed.
GRACE = 5.0

Path_ = Union[str, "os.PathLike[str]"]


def find_program(given: Optional[Path_]) -> str:
    """Return the path of the program: the given one, $HIPPO_BINARY, the one in this package, or the one of the path."""
    name = "hippo.exe" if sys.platform == "win32" else "hippo"
    packaged = Path(__file__).with_name("bin") / name
    chosen = given or os.environ.get("HIPPO_BINARY")
    if chosen:
        found = shutil.which(os.fspath(chosen))
    else:
        found = str(packaged) if packaged.is_file() else shutil.which(name)
    if not found:
        raise ProgramNotFound(
            f"program {os.fspath(chosen or name)!r} not found: install the wheel for this system, put hippo into the path, "
            "or set HIPPO_BINARY"
        )
    return found


class Process:
    """A running program. Its methods may be called from any thread."""

    def __init__(self, command: List[str], env: Optional[Mapping[str, str]], client: str) -> None:
        self._log = tempfile.TemporaryFile()  # why it ended
        try:
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env=env
            )
        except (OSError, ValueError) as e:
            self._log.close()
            raise ProgramNotFound(f"program {command[0]!r} cannot be started: {e}") from e
        self._lock = threading.Lock()
        # A program that does not read stops the writer, but no caller.
        self._lines: "queue.SimpleQueue[Optional[bytes]]" = queue.SimpleQueue()
        self._pending: Dict[int, "Future[Any]"] = {}
        self._ids = 0
        self.ended: Optional[HippoError] = None
        self._reader = threading.Thread(target=self._read, name="hippo-reader", daemon=True)
        self._writer = threading.Thread(target=self._feed, name="hippo-writer", daemon=True)
        self._reader.start()
        self._writer.start()
        # The calls that follow need not wait for the answer.
        info = {"name": client, "version": "1"}
        self._send("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": info})
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Mapping[str, Any]) -> "Future[Any]":
        """Start a call; the future has its structured result. Cancelling the future cancels the call."""
        return self._send("tools/call", {"name": tool, "arguments": dict(arguments, format="json")})

    def _send(self, method: str, params: Mapping[str, Any]) -> "Future[Any]":
        future: "Future[Any]" = Future()
        with self._lock:
            if self.ended is not None:
                raise self.ended
            self._ids += 1
            number = self._ids
            self._pending[number] = future
        future.add_done_callback(lambda f: self._cancel(number) if f.cancelled() else None)
        try:
            self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        except (TypeError, ValueError) as e:
            self._take(number)
            raise InvalidError(f"arguments: cannot be written as JSON in UTF-8: {e}") from e
        return future

    def _take(self, number: Any) -> "Optional[Future[Any]]":
        with self._lock:
            return self._pending.pop(number, None) if isinstance(number, int) else None

    def _cancel(self, number: int) -> None:
        if self._take(number) is not None:
            self._write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})

    def _write(self, message: Mapping[str, Any]) -> None:
        self._lines.put(json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n")

    def _feed(self) -> None:
        stdin = self._child.stdin
        assert stdin is not None
        try:
            for line in iter(self._lines.get, None):
                stdin.write(line)
                stdin.flush()
        except OSError:  # it ended: the reader fails what is pending
            pass
        try:
            stdin.close()
        except OSError:
            pass

    def _read(self) -> None:
        stdout = self._child.stdout
        assert stdout is not None
        why = "hippo ended before it answered"
        try:
            for line in stdout:
                self._answer(json.loads(line))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
            why = f"hippo broke the protocol: {e}"
            self._child.kill()
        status = self._child.wait()
        why = f"{why} (status {status}) {self._last_words()}".rstrip()
        self._lines.put(None)
        with self._lock:
            self.ended = ConnectionLost(why)
            left, self._pending = self._pending, {}
        for future in left.values():
            if future.set_running_or_notify_cancel():
                future.set_exception(ConnectionLost(why))

    def _last_words(self) -> str:
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - 1000))
        return self._log.read().decode("utf-8", "replace").strip()

    def _answer(self, message: Dict[str, Any]) -> None:
        # All of it is read before the call is taken: one whose answer is malformed fails with the connection.
        number, error, result = message.get("id"), None, None
        if "error" in message:
            error = HippoError(str(message["error"].get("message")))
        elif number is not None:
            reply = message["result"]
            result = reply.get("structuredContent")
            if reply.get("isError"):
                text = " ".join(str(c.get("text", "")) for c in reply.get("content", ()))
                error = error_of(reply.get("_meta", {}).get("hippo", {}).get("error"), text)
        future = self._take(number)
        if future is None or not future.set_running_or_notify_cancel():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def close(self) -> None:
        """End the program: calls that run are answered, then the store is closed. It leaves no process behind."""
        self._lines.put(None)
        try:
            self._child.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        if threading.current_thread() not in (self._reader, self._writer):
            self._reader.join()
            self._writer.join()
            assert self._child.stdout is not None
            self._child.stdout.close()
            self._log.close()
