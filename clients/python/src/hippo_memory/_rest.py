"""Requests to a server of Hippo, which the verbs of RestClient send."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Generator, Iterable, List, Mapping, NamedTuple, NoReturn, Optional, Tuple, Union

from ._errors import ConnectionLost, HippoError, InvalidError, TimedOut, error_of

__all__ = ["Lines", "Rest", "StreamEvent"]

PREFIX = "/api/v1"
JSON, LINES = "application/json", "application/x-ndjson"

# An export, or its lines.
Lines = Union[bytes, Iterable[bytes]]


class StreamEvent(NamedTuple):
    """An event of a stream. kind is ready, change or reset; data describes the memory that changed."""

    kind: str
    id: str
    data: Mapping[str, Any]


class _SameServer(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would send the token to another place."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Rest:
    """The connection to a server, see RestClient."""

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        timeout: Optional[float] = 60.0,
        insecure_http: bool = False,
    ) -> None:
        if timeout is not None and not timeout > 0:
            raise InvalidError(f"timeout: must be above 0 seconds, got {timeout!r}", field="timeout")
        self._url = _checked(url or os.environ.get("HIPPO_URL", ""), insecure_http)
        self._token = (token or os.environ.get("HIPPO_TOKEN", "")).strip()
        if not self._token or not self._token.isascii() or not self._token.isprintable():
            raise InvalidError("token: must be given, or be in HIPPO_TOKEN, in printable ASCII", field="token")
        self._timeout = timeout
        handlers: List[Any] = [_SameServer]
        if _is_local(urllib.parse.urlsplit(self._url).hostname or ""):
            handlers.append(urllib.request.ProxyHandler({}))  # no proxy for this machine
        self._opener = urllib.request.build_opener(*handlers)
        self._closed = False

    def close(self) -> None:
        """End the use of the client: calls fail from now on. Closing again does nothing."""
        self._closed = True

    def _open(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
        data: Optional[Lines] = None,
        kind: str = JSON,
        least: float = 0.0,
    ) -> Any:
        if self._closed:
            raise InvalidError("client: is closed")
        given: Dict[str, str] = {name: value for name, value in (headers or {}).items() if value is not None}
        given["Authorization"] = f"Bearer {self._token}"
        if data is not None:
            given["Content-Type"] = kind
        url = self._url + PREFIX + path + _query(query or {})
        timed = self._timeout is not None and kind != LINES
        timeout = max(self._timeout or 0, least) if timed else None
        try:
            request = urllib.request.Request(url, data, given, method=method)
            return self._opener.open(request, timeout=timeout)
        except (TypeError, ValueError) as e:
            raise InvalidError(f"arguments: {e}") from e
        except Exception as e:
            _fail(e)

    def _json(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
        body: Optional[Mapping[str, Any]] = None,
        lines: Optional[Lines] = None,
        least: float = 0.0,
    ) -> Any:
        """Return the answer to a request with a body in JSON, or with lines; None if it is empty."""
        data, kind = lines, JSON if lines is None else LINES
        if body is not None:
            data = _encoded({k: v for k, v in body.items() if v is not None})
        with self._open(method, path, query, headers, data, kind, least) as response:
            try:
                text = response.read()
                return json.loads(text) if text else None
            except Exception as e:
                _fail(e)

    def _lines(
        self, path: str, query: Optional[Mapping[str, Any]] = None, headers: Optional[Mapping[str, Optional[str]]] = None
    ) -> Generator[bytes, None, None]:
        """Iterate over the lines of an answer, which is asked for when the first one is."""
        with self._open("GET", path, query, headers) as response:
            rest = b""
            while True:
                try:  # readline of a response takes one that broke off for whole
                    part = response.read1(1 << 16)
                except Exception as e:
                    _fail(e)
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    yield line + b"\n"
                if not part:
                    break
            if rest:
                yield rest

    def _events(self, path: str, headers: Optional[Mapping[str, Optional[str]]] = None) -> Generator[StreamEvent, None, None]:
        """Iterate over the events of a stream until the server ends it."""
        fields: Dict[str, str] = {}
        for raw in self._lines(path, headers=headers):
            line = raw.decode().rstrip("\r\n")
            if line:
                name, _, value = line.partition(":")
                fields[name] = value[1:] if value.startswith(" ") else value
                continue
            if "event" in fields:  # others are comments that keep the connection alive
                yield StreamEvent(fields["event"], fields.get("id", ""), json.loads(fields.get("data", "{}")))
            fields = {}


def quoted(segment: str) -> str:
    """Return a text as one segment of a path."""
    if not segment.strip("."):  # "." and ".." would be another path
        raise InvalidError(f"path: {segment!r} cannot be a name in a path")
    try:
        return urllib.parse.quote(segment, safe="")
    except UnicodeEncodeError as e:
        raise InvalidError(f"path: must be well-formed Unicode, got {segment!r}") from e


def _checked(url: str, insecure: bool) -> str:
    try:
        parts = urllib.parse.urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as e:
        raise InvalidError(f"url: {e}", field="url") from e
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.query or parts.fragment:
        raise InvalidError(f"url: must be given, or be in HIPPO_URL, such as https://HOST or http://127.0.0.1:8420, got {url!r}", field="url")
    if parts.scheme == "http" and not insecure and not _is_local(host):
        raise InvalidError("url: must be https: for another machine, unless insecure_http is set", field="url")
    return url.rstrip("/")


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _query(values: Mapping[str, Any]) -> str:
    pairs: List[Tuple[str, str]] = []
    for name, value in values.items():
        for v in value if isinstance(value, (list, tuple)) else [value]:
            if v is not None:
                pairs.append((name, v if isinstance(v, str) else json.dumps(v)))
    try:
        return "?" + urllib.parse.urlencode(pairs) if pairs else ""
    except UnicodeEncodeError as e:
        raise InvalidError("arguments: must be well-formed Unicode, without lone surrogates") from e


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as e:
        raise InvalidError(f"arguments: have no JSON form: {e}") from e


def _fail(e: BaseException) -> NoReturn:
    """Raise the error of the library for one of the standard library."""
    if isinstance(e, urllib.error.HTTPError):
        with e:
            raise _problem(e) from None
    cause = e.reason if isinstance(e, urllib.error.URLError) else e
    if isinstance(cause, TimeoutError) or type(cause).__name__ == "timeout":  # socket.timeout before Python 3.10
        raise TimedOut("no answer in time; a change may have been stored") from e
    if isinstance(cause, (OSError, ValueError, http.client.HTTPException)):  # or a text that is no JSON
        raise ConnectionLost(f"no answer from the server: {cause}") from e
    raise e


def _problem(e: urllib.error.HTTPError) -> HippoError:
    text = f"the server answered with status {e.code}"
    try:
        body = json.loads(e.read())
    except (OSError, ValueError, http.client.HTTPException):
        return HippoError(text, "unavailable")
    if not isinstance(body, dict):
        return HippoError(text, "unavailable")
    return error_of({**body, "message": body.get("detail") or body.get("title")}, text)
