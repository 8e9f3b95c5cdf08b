"""What can go wrong. Branch on APIError.code; the classes are for what programs act on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from .types import ErrorDetails, FieldError, Target, V1ToolCall


class WindieError(Exception):
    """Every error of this package."""


class ConnectionFailed(WindieError):
    """The gateway could not be reached, or the connection broke and could not be had again."""


class CallTimeout(WindieError):
    """The gateway took longer than the call may take."""


class APIError(WindieError):
    """The gateway refused, or failed."""

    def __init__(self, message: str, *, status: int = 0, code: str = "INTERNAL", details: ErrorDetails | None = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        """The HTTP status; 0 for an error that came by a stream or a socket."""
        self.code = code
        self.details: ErrorDetails = details or {}
        self.request_id = request_id
        """What to search the gateway's log for."""

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class AmbiguousMatch(APIError):
    """Several places on the screen match alike."""

    @property
    def candidates(self) -> list[Target]:
        payload = self.details.get("resolver_payload")
        return payload["candidates"] if payload else []


class NoMatch(APIError):
    """Nothing on the screen matches. The nearest misses are listed."""

    @property
    def nearest(self) -> list[Target]:
        payload = self.details.get("resolver_payload")
        return payload["candidates"] if payload else []


class ValidationError(APIError):
    """Fields of the request are wrong."""

    @property
    def fields(self) -> list[FieldError]:
        return self.details.get("fields", [])


class RateLimited(APIError):
    """Too much was asked for."""

    @property
    def retry_after(self) -> int | None:
        """After how many seconds to ask again."""
        return self.details.get("retry_after")


class TurnRunning(APIError):
    """The last message of the session or conversation is still worked on."""


class ToolPending(APIError):
    """The agent waits for what comes of a tool."""

    @property
    def tool_request(self) -> V1ToolCall | None:
        return self.details.get("tool_request")


_CLASSES: dict[str, type[APIError]] = {
    "AMBIGUOUS_MATCH": AmbiguousMatch,
    "TEXT_NOT_FOUND": NoMatch,
    "TARGET_NOT_FOUND": NoMatch,
    "VALIDATION_ERROR": ValidationError,
    "RATE_LIMITED": RateLimited,
    "BUDGET_EXCEEDED": RateLimited,
    "TURN_RUNNING": TurnRunning,
    "TOOL_PENDING": ToolPending,
}


def error_of(code: str, message: str, *, status: int = 0, details: Mapping[str, Any] | None = None, request_id: str | None = None) -> APIError:
    """Makes the error of a code."""
    return _CLASSES.get(code, APIError)(message, status=status, code=code, details=cast("ErrorDetails", dict(details or {})), request_id=request_id)


_CODES_OF_STATUS = {401: "AUTH_REQUIRED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RATE_LIMITED"}
"""The codes of responses without a body, such as those to HEAD."""


def error_from(status: int, body: bytes, request_id: str | None) -> APIError:
    """Reads a response that is no success. A proxy's page becomes an error too."""
    if not body and status in _CODES_OF_STATUS:
        return error_of(_CODES_OF_STATUS[status], f"the response was {status}", status=status, request_id=request_id)
    try:
        error: dict[str, Any] = json.loads(body)["error"]
        details: dict[str, Any] = error.get("details") or {}
        return error_of(error["code"], error["message"], status=status, details=details, request_id=details.get("request_id") or request_id)
    except (ValueError, KeyError, TypeError, AttributeError):
        message = f"the response was {status} without an error body; check that the URL is that of a Windie gateway"
        return APIError(message, status=status, request_id=request_id)
