"""The errors of the library. All of them are a HippoError."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type

__all__ = [
    "ConnectionLost",
    "HippoError",
    "InvalidError",
    "NotFoundError",
    "ProgramNotFound",
    "SecretError",
    "TimedOut",
]


class HippoError(RuntimeError):
    """A call failed.

    code is one of the error codes of Hippo, such as "invalid" or "unavailable"; field names the argument at fault and
    hint says what to do. Both are empty if there is none.
    """

    code = "internal"

    def __init__(self, message: str, code: str = "", field: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.field = field
        self.hint = hint


class InvalidError(HippoError, ValueError):
    """An argument breaks a rule; nothing was changed."""

    code = "invalid"


class NotFoundError(HippoError, LookupError):
    """No memory has that ID."""

    code = "not_found"


class SecretError(HippoError):
    """A text seems to hold a key, a token or a password; nothing was stored."""

    code = "secret"


class ProgramNotFound(HippoError):
    """The program hippo is not there or cannot be started."""

    code = "unavailable"


class ConnectionLost(HippoError, ConnectionError):
    """The program ended, or broke the protocol, before it answered, and so did the one started in its place."""

    code = "unavailable"


class TimedOut(HippoError, TimeoutError):
    """No answer arrived in time. The call was cancelled; a change may have been stored before that."""

    code = "canceled"


_BY_CODE: Dict[str, Type[HippoError]] = {"invalid": InvalidError, "not_found": NotFoundError, "secret": SecretError}


def error_of(body: Any, text: str) -> HippoError:
    """Return the error for a failed call; body is its error object, text what a model would read."""
    if not isinstance(body, dict):
        return HippoError(text)
    code, message = str(body.get("code", "internal")), str(body.get("message", text))
    field: Optional[Any] = body.get("field")
    return _BY_CODE.get(code, HippoError)(message, code, str(field or ""), str(body.get("hint") or ""))
