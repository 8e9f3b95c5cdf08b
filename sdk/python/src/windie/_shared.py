"""What the asynchronous and the synchronous client have in common."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, TypeVar, cast
from urllib.parse import urlencode
from uuid import uuid4

from .errors import APIError

DEFAULT_URL = "http://127.0.0.1:8765"
MIN_PAUSE = 0.1
MAX_PAUSE = 5.0
MAX_WAIT = 30.0
"""Who is told to come back later than this, in seconds, hears so instead of waiting."""
MAX_SILENCE = 45.0
"""How long a stream may be silent, in seconds. The gateway sends a sign of life every 15."""
MAX_BREAKS = 10
"""How often in a row a stream may break without an event in between."""
MAX_SEEN = 1000
"""How many ids are kept to know events by that come again."""

Logger = Callable[[Mapping[str, Any]], None]


class CallOptions(TypedDict, total=False):
    """What each call can say for itself."""

    timeout: float
    """Seconds that the call may take, of a stream those that it may be silent."""
    max_retries: int
    """How often the call is tried again where that does no harm."""
    headers: Mapping[str, str]
    idempotency_key: str
    """Any text that no other request has: the same request with the same key is done once. A call that makes something has one of its own."""


@dataclass(frozen=True)
class Settings:
    """How a client reaches its gateway."""

    base_url: str
    token: str | None = field(default=None, repr=False)
    user_id: str | None = None
    approval_key: str | None = field(default=None, repr=False)
    runs_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    max_retries: int = 2
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    logger: Logger | None = field(default=None, repr=False)

    @classmethod
    def of(cls, base_url: str | None, token: str | None, **more: Any) -> Settings:
        url = (base_url or os.environ.get("WINDIE_URL") or DEFAULT_URL).rstrip("/")
        if not url.startswith(("http://", "https://")) or url.endswith("//"):
            raise ValueError(f"windie: {url!r} is not the URL of a gateway, as {DEFAULT_URL}")
        return cls(url, token or os.environ.get("WINDIE_TOKEN") or None, **more)

    def all_headers(self) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self.token}" if self.token else "",
            "X-User-Id": self.user_id or "",
            "X-Windie-Key": self.approval_key or "",
            "X-Windie-Runs-Key": self.runs_key or "",
        }
        return {name: value for name, value in headers.items() if value} | dict(self.headers)

    def log(self, event: str, **more: Any) -> None:
        if self.logger:
            self.logger({"event": event} | more)


def url_of(base: str, path: str, query: Mapping[str, Any] | None) -> str:
    asked = {name: _query_text(value) for name, value in (query or {}).items() if value is not None}
    return base + path + (f"?{urlencode(asked)}" if asked else "")


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def given(**values: Any) -> dict[str, Any]:
    """Leaves out what is None."""
    return {name: value for name, value in values.items() if value is not None}


def pause_of(attempt: int) -> float:
    """Returns the pause before another try, in seconds: it grows, and differs from client to client."""
    return min(MAX_PAUSE, MIN_PAUSE * 2**attempt) * (0.5 + random.random() / 2)


def passes(error: APIError) -> bool:
    """Reports whether an error may pass while somebody waits."""
    return error.status in (429, 502, 503, 504) and error.code not in ("OCR_UNAVAILABLE", "BUDGET_EXCEEDED", "RUNS_UNAVAILABLE")


def wait_for(error: APIError, retry_after: str | None, attempt: int) -> float | None:
    """Returns how long to wait before an error's request is sent again, None if that would not help."""
    if error.status != 408 and error.code != "IDEMPOTENCY_KEY_IN_USE" and not passes(error):
        return None
    if retry_after is None or not retry_after.isdigit():
        return pause_of(attempt)
    return None if float(retry_after) > MAX_WAIT else float(retry_after) + random.random() * MIN_PAUSE


def refuses_key(error: APIError) -> bool:
    """Reports whether a gateway keeps no idempotency keys."""
    return error.code == "FEATURE_UNAVAILABLE" and "idempotency-key" in error.message.lower()


R = TypeVar("R")


def deleted(missing: R) -> R:
    """Returns the answer to a deletion whose first answer was lost, where another try finds nothing more."""
    return cast("Any", type(missing))(200, json={"deleted": True, "removed": 0})


def new_id() -> str:
    return str(uuid4())


@dataclass
class RawEvent:
    """A server-sent event, as it came."""

    id: str | None
    event: str
    data: str

    def json(self) -> dict[str, Any]:
        """Returns it as types.PromptEvent and types.GeneralEvent have it."""
        event: dict[str, Any] = {"event": self.event, "data": json.loads(self.data)}
        if self.id is not None:
            event["id"] = self.id
        return event


class EventParser:
    """Reads server-sent events (HTML standard, section 9.2), however their bytes are cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []

    def feed(self, data: bytes) -> Iterator[RawEvent]:
        """Yields the events that are whole. Lines are split as bytes, so that no character is cut."""
        text = self._rest + data
        held = b""
        if text.endswith(b"\r"):  # it may be half of a \r\n
            text, held = text[:-1], b"\r"
        lines = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop() + held
        for line in lines:
            event = self._line(line.decode("utf-8", "replace"))
            if event:
                yield event

    def finish(self) -> Iterator[RawEvent]:
        """Yields what the end of the stream makes whole."""
        if self._rest.endswith(b"\r"):
            yield from self.feed(b"\n")

    def _line(self, line: str) -> RawEvent | None:
        if line == "":
            event = RawEvent(self._id, self._event or "message", "\n".join(self._data)) if self._data else None
            self._event, self._data = "", []
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id":
            self._id = value
        return None


class Seen:
    """Knows events that come again by their ids."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def again(self, id: str | None) -> bool:
        if id is None:
            return False
        if id in self._ids:
            return True
        self._ids[id] = None
        if len(self._ids) > MAX_SEEN:
            del self._ids[next(iter(self._ids))]
        return False


ScreenSource = Any
"""A picture of a screen: a path, bytes, a file that is open for reading, a PIL image, or an array of numpy."""


def picture_of(source: ScreenSource) -> bytes:
    """Reads a picture."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(cast("bytes", source))
    if isinstance(source, (str, os.PathLike)):
        return Path(cast("str | os.PathLike[str]", source)).read_bytes()
    if hasattr(source, "save") and hasattr(source, "getbands"):  # an image of PIL
        from io import BytesIO

        to = BytesIO()
        source.save(to, format="PNG")
        return to.getvalue()
    if hasattr(source, "__array_interface__"):
        return _png_of_array(source)
    if hasattr(source, "read"):
        return bytes(source.read())
    raise TypeError(f"windie: {type(source).__name__} is no picture: give a path, bytes, an open file, a PIL image or a numpy array")


def _png_of_array(array: Any) -> bytes:
    """Writes an array of height x width x 1, 3 or 4 bytes as a PNG, without a library."""
    import struct
    import zlib

    if array.dtype.name == "bool":
        array = array * 255
    if array.dtype.name != "uint8":
        raise TypeError(f"windie: an array of {array.dtype.name} is no picture; its numbers are uint8")
    channels = 1 if array.ndim == 2 else array.shape[2] if array.ndim == 3 else 0
    if channels not in (1, 3, 4):
        raise TypeError(f"windie: an array of shape {array.shape} is no picture; it is height x width, or that x 1, 3 or 4")
    height, width = array.shape[:2]
    raw = array.tobytes()
    row = width * channels
    lines = b"".join(b"\0" + raw[i : i + row] for i in range(0, height * row, row))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 1)) + chunk(b"IEND", b"")


class TokenFile:
    """Keeps the token of an install in a file that only its owner can read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def load(self) -> str | None:
        try:
            return self.path.read_text(encoding="utf-8").strip() or None
        except FileNotFoundError:
            return None

    def save(self, token: str) -> None:
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(token + "\n")
        part.replace(self.path)
