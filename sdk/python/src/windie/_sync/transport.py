"""Sends requests to one gateway, and follows its streams.

Made by scripts/make_sync.py of the asynchronous client: do not edit.
"""

from __future__ import annotations

import time
import json as jsonlib
from collections.abc import Generator, Iterator, Callable, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .._shared import MAX_BREAKS, MAX_SILENCE, CallOptions, EventParser, RawEvent, Seen, Settings, deleted, new_id, passes, pause_of, refuses_key, url_of, wait_for
from ..errors import APIError, CallTimeout, ConnectionFailed, WindieError, error_from

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")


class Transport:
    """Sends requests to one gateway. Close it when it is not needed any longer."""

    def __init__(self, settings: Settings, http_client: httpx2.Client | None = None) -> None:
        self.settings = settings
        self._own = http_client is None
        self._http = http_client

    @property
    def http(self) -> httpx2.Client:
        if self._http is None:
            import httpx2  # here, so that the package is imported fast

            self._http = httpx2.Client(timeout=None, limits=httpx2.Limits(max_connections=None))
        return self._http

    def close(self) -> None:
        if self._own and self._http is not None:
            self._http.close()

    def json(self, method: str, path: str, *, keyed: bool = False, safe: bool | None = None, call: CallOptions | None = None, **more: Any) -> Any:
        """Sends a request and reads its answer as JSON."""
        response = self.request(method, path, keyed=keyed, safe=safe, call=call, **more)
        return response.json() if response.content else None

    def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, json: Any = None, files: Any = None,
        keyed: bool = False, safe: bool | None = None, call: CallOptions | None = None,
    ) -> httpx2.Response:  # fmt: skip
        """Sends a request, again where that does no harm, and returns its answer, which is a success."""
        options: CallOptions = call or {}
        headers = self.settings.all_headers() | dict(options.get("headers", {}))
        key = options.get("idempotency_key") or (new_id() if keyed else None)
        if key and method == "POST":
            headers["Idempotency-Key"] = key
        if json is not None:
            headers["Content-Type"] = "application/json"
        content = None if json is None else jsonlib.dumps(json, ensure_ascii=False).encode()
        retries = options.get("max_retries", self.settings.max_retries)
        attempt = 0
        lost = False  # the answer to a try may be, so that a deletion finds nothing more
        while True:
            harmless = (method != "POST" if safe is None else safe) or "Idempotency-Key" in headers
            self.settings.log("request", method=method, path=path, attempt=attempt)
            wait: float | None = None
            try:
                response = self._once(method, url_of(self.settings.base_url, path, query), headers, content, files, options)
                request_id = response.headers.get("x-request-id")
                self.settings.log("response", method=method, path=path, attempt=attempt, status=response.status_code, request_id=request_id)
                if response.is_success:
                    return response
                if lost and response.status_code == 404 and method == "DELETE" and not path.endswith("/keep"):
                    return deleted(response)
                lost = lost or response.status_code in (502, 504)
                error: WindieError = error_from(response.status_code, response.content, request_id)
                assert isinstance(error, APIError)
                if "Idempotency-Key" in headers and "idempotency_key" not in options and refuses_key(error):
                    del headers["Idempotency-Key"]
                    continue
                wait = wait_for(error, response.headers.get("retry-after"), attempt)
            except (ConnectionFailed, CallTimeout) as failure:
                error, wait, lost = failure, pause_of(attempt), True
            if not harmless or attempt >= retries or wait is None:
                self.settings.log("error", method=method, path=path, attempt=attempt, message=str(error))
                raise error
            self.settings.log("retry", method=method, path=path, attempt=attempt, message=str(error))
            time.sleep(wait)
            attempt += 1

    def _once(self, method: str, url: str, headers: dict[str, str], content: bytes | None, files: Any, options: CallOptions) -> httpx2.Response:
        import httpx2

        limit = options.get("timeout", self.settings.timeout)
        try:
            return self.http.request(method, url, headers=headers, content=content, files=files, timeout=limit)
        except httpx2.TimeoutException as error:
            raise CallTimeout(f"{method} {url} took longer than {limit} s") from error
        except httpx2.TransportError as error:
            raise ConnectionFailed(f"{method} {url}: the gateway cannot be reached, or the connection broke") from error

    @contextmanager
    def stream(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, json: Any = None, call: CallOptions | None = None) -> Generator[httpx2.Response]:
        """Sends a request once, and yields its answer while it comes."""
        import httpx2

        options: CallOptions = call or {}
        headers = self.settings.all_headers() | dict(options.get("headers", {}))
        if "idempotency_key" in options:
            headers["Idempotency-Key"] = options["idempotency_key"]
        silence = httpx2.Timeout(options.get("timeout", MAX_SILENCE))
        url = url_of(self.settings.base_url, path, query)
        try:
            with self.http.stream(method, url, headers=headers, json=json, timeout=silence) as response:
                if not response.is_success:
                    raise error_from(response.status_code, response.read(), response.headers.get("x-request-id"))
                yield response
        except httpx2.TimeoutException as error:
            raise CallTimeout(f"{method} {url}: the stream was silent for too long") from error
        except httpx2.TransportError as error:
            raise ConnectionFailed(f"{method} {url}: the connection broke") from error


class Opener(Protocol):
    """Opens the stream behind the event of an id, None for the beginning."""

    def __call__(self, after: str | None) -> Any: ...


def follow(
    transport: Transport, open: Opener, read: Callable[[RawEvent], T], last: Callable[[T], bool],
    *, after: str | None = None,
) -> Iterator[T]:  # fmt: skip
    """Yields the events of a stream until the last, through connections that break. Leaving the loop closes the connection."""
    seen = Seen()
    breaks = 0
    while True:
        failure: WindieError = ConnectionFailed("the stream ended early")
        try:
            with open(after) as response:
                parser = EventParser()
                with closing(response.iter_raw() if not response.headers.get("content-encoding") else response.iter_bytes()) as chunks:
                    for raw in _events(parser, chunks):
                        if seen.again(raw.id):
                            continue
                        event = read(raw)
                        after = raw.id or after
                        breaks = 0
                        yield event
                        if last(event):
                            return
        except APIError as error:
            if not passes(error):
                raise
            failure = error
        except (ConnectionFailed, CallTimeout) as error:
            failure = error
        if breaks >= MAX_BREAKS:
            raise failure
        transport.settings.log("reconnect", attempt=breaks, message=str(failure))
        time.sleep(pause_of(breaks))
        breaks += 1


def _events(parser: EventParser, chunks: Iterator[bytes]) -> Iterator[RawEvent]:
    for chunk in chunks:
        for raw in parser.feed(chunk):
            yield raw
    for raw in parser.finish():
        yield raw


class Pages(Generic[T]):
    """A list that comes by pages: page() for the first, or go through it for all entries."""

    def __init__(self, load: Callable[[str | None], tuple[list[T], str | None]]) -> None:
        self._load = load

    def page(self, after: str | None = None) -> tuple[list[T], str | None]:
        """Returns a page, and what the next one is behind; None on the last."""
        return self._load(after)

    def __iter__(self) -> Iterator[T]:
        after: str | None = None
        while True:
            items, after = self._load(after)
            for item in items:
                yield item
            if not after:
                return

    def all(self) -> list[T]:
        return [item for item in self]
