"""Sends requests to one gateway, and follows its streams."""

from __future__ import annotations

import asyncio
import json as jsonlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .._shared import MAX_BREAKS, MAX_SILENCE, CallOptions, EventParser, RawEvent, Seen, Settings, deleted, new_id, passes, pause_of, refuses_key, url_of, wait_for
from ..errors import APIError, CallTimeout, ConnectionFailed, WindieError, error_from

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")


class AsyncTransport:
    """Sends requests to one gateway. Close it when it is not needed any longer."""

    def __init__(self, settings: Settings, http_client: httpx2.AsyncClient | None = None) -> None:
        self.settings = settings
        self._own = http_client is None
        self._http = http_client

    @property
    def http(self) -> httpx2.AsyncClient:
        if self._http is None:
            import httpx2  # here, so that the package is imported fast

            self._http = httpx2.AsyncClient(timeout=None, limits=httpx2.Limits(max_connections=None))
        return self._http

    async def aclose(self) -> None:
        if self._own and self._http is not None:
            await self._http.aclose()

    async def json(self, method: str, path: str, *, keyed: bool = False, safe: bool | None = None, call: CallOptions | None = None, **more: Any) -> Any:
        """Sends a request and reads its answer as JSON."""
        response = await self.request(method, path, keyed=keyed, safe=safe, call=call, **more)
        return response.json() if response.content else None

    async def request(
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
                response = await self._once(method, url_of(self.settings.base_url, path, query), headers, content, files, options)
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
            await asyncio.sleep(wait)
            attempt += 1

    async def _once(self, method: str, url: str, headers: dict[str, str], content: bytes | None, files: Any, options: CallOptions) -> httpx2.Response:
        import httpx2

        limit = options.get("timeout", self.settings.timeout)
        try:
            return await self.http.request(method, url, headers=headers, content=content, files=files, timeout=limit)
        except httpx2.TimeoutException as error:
            raise CallTimeout(f"{method} {url} took longer than {limit} s") from error
        except httpx2.TransportError as error:
            raise ConnectionFailed(f"{method} {url}: the gateway cannot be reached, or the connection broke") from error

    @asynccontextmanager
    async def stream(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, json: Any = None, call: CallOptions | None = None) -> AsyncGenerator[httpx2.Response]:
        """Sends a request once, and yields its answer while it comes."""
        import httpx2

        options: CallOptions = call or {}
        headers = self.settings.all_headers() | dict(options.get("headers", {}))
        if "idempotency_key" in options:
            headers["Idempotency-Key"] = options["idempotency_key"]
        silence = httpx2.Timeout(options.get("timeout", MAX_SILENCE))
        url = url_of(self.settings.base_url, path, query)
        try:
            async with self.http.stream(method, url, headers=headers, json=json, timeout=silence) as response:
                if not response.is_success:
                    raise error_from(response.status_code, await response.aread(), response.headers.get("x-request-id"))
                yield response
        except httpx2.TimeoutException as error:
            raise CallTimeout(f"{method} {url}: the stream was silent for too long") from error
        except httpx2.TransportError as error:
            raise ConnectionFailed(f"{method} {url}: the connection broke") from error


class AsyncOpener(Protocol):
    """Opens the stream behind the event of an id, None for the beginning."""

    def __call__(self, after: str | None) -> Any: ...


async def afollow(
    transport: AsyncTransport, open: AsyncOpener, read: Callable[[RawEvent], T], last: Callable[[T], bool],
    *, after: str | None = None,
) -> AsyncIterator[T]:  # fmt: skip
    """Yields the events of a stream until the last, through connections that break. Leaving the loop closes the connection."""
    seen = Seen()
    breaks = 0
    while True:
        failure: WindieError = ConnectionFailed("the stream ended early")
        try:
            async with open(after) as response:
                parser = EventParser()
                async with aclosing(response.aiter_raw() if not response.headers.get("content-encoding") else response.aiter_bytes()) as chunks:
                    async for raw in _events(parser, chunks):
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
        await asyncio.sleep(pause_of(breaks))
        breaks += 1


async def _events(parser: EventParser, chunks: AsyncIterator[bytes]) -> AsyncIterator[RawEvent]:
    async for chunk in chunks:
        for raw in parser.feed(chunk):
            yield raw
    for raw in parser.finish():
        yield raw


class AsyncPages(Generic[T]):
    """A list that comes by pages: await page() for the first, or go through it for all entries."""

    def __init__(self, load: Callable[[str | None], Awaitable[tuple[list[T], str | None]]]) -> None:
        self._load = load

    async def page(self, after: str | None = None) -> tuple[list[T], str | None]:
        """Returns a page, and what the next one is behind; None on the last."""
        return await self._load(after)

    async def __aiter__(self) -> AsyncIterator[T]:
        after: str | None = None
        while True:
            items, after = await self._load(after)
            for item in items:
                yield item
            if not after:
                return

    async def all(self) -> list[T]:
        return [item async for item in self]
