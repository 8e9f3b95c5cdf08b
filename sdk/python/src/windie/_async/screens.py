"""Questions about screens."""

from __future__ import annotations

import asyncio
import html
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Unpack, cast

from .._shared import CallOptions, ScreenSource, given, picture_of
from ..errors import AmbiguousMatch, APIError, NoMatch
from ..resolution import Resolution
from .transport import AsyncTransport

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ..types import (
        Artifact, Element, ElementRole, Overlay, OverlayPoint, OverlayRegion, OCRInspectResult, Region, Row, ScreenAtResult, ScreenDiffResult, Target, VisionDescribeResult,
    )  # fmt: skip


async def aupload(transport: AsyncTransport, source: ScreenSource, filename: str, call: CallOptions, *, keyed: bool = False) -> Artifact:
    """
    Stores a file. A key would keep an upload whose answer is lost from being stored twice, and costs the gateway as much as
    the upload itself: a screen does without, as a second copy of it does no harm.
    """
    files = {"file": (filename, picture_of(source))}
    return await transport.json("POST", "/api/artifacts/", files=files, keyed=keyed, safe=not keyed, call=call)


class AsyncScreen:
    """A screen that can be asked about. Its picture is uploaded once, when the first question is asked."""

    def __init__(self, transport: AsyncTransport, source: ScreenSource = None, artifact_id: str | None = None) -> None:
        if (source is None) == (artifact_id is None):
            raise TypeError("windie: a screen is a picture, or an artifact_id")
        self._transport = transport
        self._source = source
        self._stored = artifact_id
        self._lock = asyncio.Lock()

    async def artifact_id(self) -> str:
        """Returns the id of the picture's artifact, which is uploaded for it."""
        async with self._lock:
            if self._stored is None:
                self._stored = (await aupload(self._transport, self._source, "screen", {}))["artifact_id"]
            return self._stored

    async def _ask(self, path: str, call: CallOptions, body: dict[str, Any], *, keyed: bool = False) -> Any:
        for again in (self._source is not None and not hasattr(self._source, "read"), False):
            json = {"image": {"artifact_id": await self.artifact_id()}} | given(**body)
            try:
                return await self._transport.json("POST", "/api/sdk/" + path, json=json, safe=not keyed, keyed=keyed, call=call)
            except APIError as error:
                if not again or error.code != "ARTIFACT_NOT_FOUND":
                    raise
                self._stored = None  # it has expired, or was deleted
        return None

    async def read(self, *, languages: str | None = None, **call: Unpack[CallOptions]) -> list[Row]:
        """Returns all rows of text, in reading order."""
        return (await self._ask("ocr/run", call, {"languages": languages}))["results"]

    async def find(
        self, text: str, *, threshold: float | None = None, max_results: int | None = None, languages: str | None = None,
        region: Region | None = None, near: str | None = None, occurrence: int | None = None, **call: Unpack[CallOptions],
    ) -> list[Row]:  # fmt: skip
        """Returns the rows that match a text, best first."""
        body = {"text": text, "threshold": threshold, "max_results": max_results, "languages": languages, "region": region, "near": near, "occurrence": occurrence}
        return (await self._ask("ocr/find-text", call, body))["matches"]

    async def candidates(
        self, text: str, *, threshold: float | None = None, max_results: int | None = None, languages: str | None = None,
        region: Region | None = None, near: str | None = None, occurrence: int | None = None, **call: Unpack[CallOptions],
    ) -> list[Row]:  # fmt: skip
        """Returns the rows that a text may mean, best first, also those below the threshold."""
        body = {"text": text, "threshold": threshold, "max_results": max_results, "languages": languages, "region": region, "near": near, "occurrence": occurrence}
        return (await self._ask("ocr/find-text-candidates", call, body))["matches"]

    async def resolve(
        self, text: str, *, threshold: float | None = None, languages: str | None = None,
        region: Region | None = None, near: str | None = None, occurrence: int | None = None, **call: Unpack[CallOptions],
    ) -> Resolution:  # fmt: skip
        """Returns the one place where a text stands, or what there is to choose from."""
        body = {"text": text, "threshold": threshold, "languages": languages, "region": region, "near": near, "occurrence": occurrence}
        return await _aresolution(lambda: self._ask("ocr/resolve-text", call, body))

    async def candidate(self, candidate_id: str, *, languages: str | None = None, **call: Unpack[CallOptions]) -> Row:
        """Returns the row of a candidate_id."""
        return (await self._ask("ocr/resolve-candidate", call, {"candidate_id": candidate_id, "languages": languages}))["match"]

    async def locate(self, description: str, *, region: Region | None = None, languages: str | None = None, **call: Unpack[CallOptions]) -> Resolution:
        """Returns the one thing that a description means, as "orange search button", or what there is to choose from."""
        return await _aresolution(lambda: self._ask("vision/locate", call, {"description": description, "region": region, "languages": languages}))

    async def locate_all(self, description: str, *, region: Region | None = None, max_results: int | None = None, **call: Unpack[CallOptions]) -> list[Target]:
        """Returns what a description may mean, best first."""
        return (await self._ask("vision/locate-all", call, {"description": description, "region": region, "max_results": max_results}))["matches"]

    async def element(self, id: str, *, languages: str | None = None, **call: Unpack[CallOptions]) -> Target:
        """Returns the element with an id, for example of a candidate."""
        return (await self._ask("vision/resolve-candidate", call, {"id": id, "languages": languages}))["match"]

    async def describe(self, *, region: Region | None = None, languages: str | None = None, **call: Unpack[CallOptions]) -> VisionDescribeResult:
        """Says what is on the screen, in words and lists."""
        return await self._ask("vision/describe", call, {"region": region, "languages": languages})

    async def elements(
        self, *, role: ElementRole | None = None, text: str | None = None, region: Region | None = None, max_results: int | None = None, **call: Unpack[CallOptions]
    ) -> list[Element]:
        """Returns buttons, fields, icons and whatever else a person can act on."""
        return (await self._ask("screen/elements", call, {"role": role, "text": text, "region": region, "max_results": max_results}))["elements"]

    async def at(self, x: int, y: int, **call: Unpack[CallOptions]) -> ScreenAtResult:
        """Returns what is at a point."""
        return await self._ask("screen/at", call, {"x": x, "y": y})

    async def inspect(
        self, text: str | None = None, *, threshold: float | None = None, max_results: int | None = None, include_overlay: bool | None = None, languages: str | None = None,
        region: Region | None = None, near: str | None = None, occurrence: int | None = None, **call: Unpack[CallOptions],
    ) -> OCRInspectResult:  # fmt: skip
        """Returns everything that the questions about text answer, at once."""
        body = {"text": text, "threshold": threshold, "max_results": max_results, "include_overlay": include_overlay, "languages": languages}
        return await self._ask("ocr/inspect", call, body | {"region": region, "near": near, "occurrence": occurrence})

    async def overlay(
        self, text: str | None = None, *, points: Sequence[OverlayPoint] | None = None, regions: Sequence[OverlayRegion] | None = None,
        show_labels: bool | None = None, threshold: float | None = None, max_results: int | None = None, languages: str | None = None,
        region: Region | None = None, near: str | None = None, occurrence: int | None = None, **call: Unpack[CallOptions],
    ) -> AsyncOverlayPicture:  # fmt: skip
        """Draws the rows of text, those that match text, or points and regions, onto the screen."""
        if points is None and regions is None:
            body = {"text": text, "show_labels": show_labels, "threshold": threshold, "max_results": max_results, "languages": languages}
            made = await self._ask("ocr/overlay", call, body | {"region": region, "near": near, "occurrence": occurrence}, keyed=True)
        else:
            made = await self._ask("vision/overlay", call, {"points": points, "regions": regions, "show_labels": show_labels}, keyed=True)
        picture = await self._transport.request("GET", f"/api/artifacts/{made['artifact_id']}")
        return AsyncOverlayPicture(made, picture.content)

    async def diff(self, after: AsyncScreen, *, max_results: int | None = None, **call: Unpack[CallOptions]) -> ScreenDiffResult:
        """Returns what changed from this screen to another of the same size."""
        json = {"before": {"artifact_id": await self.artifact_id()}, "after": {"artifact_id": await after.artifact_id()}}
        return await self._transport.json("POST", "/api/sdk/screen/diff", json=json | given(max_results=max_results), safe=True, call=call)


async def _aresolution(ask: Callable[[], Awaitable[Any]]) -> Resolution:
    try:
        match = cast("Target", (await ask())["match"])
        return Resolution("found", match=match, candidates=[match])
    except AmbiguousMatch as error:
        return Resolution("ambiguous", candidates=error.candidates, error=error)
    except NoMatch as error:
        return Resolution("missing", candidates=error.nearest, error=error)


class AsyncOverlayPicture:
    """A picture with annotations. Notebooks show it."""

    def __init__(self, info: Overlay, data: bytes) -> None:
        self.info = info
        self.data = data
        """The picture itself, as a file."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        kind = self.info["content_type"]
        text = b64encode(self.data).decode()
        return {kind: text, "text/html": f'<img src="data:{html.escape(kind)};base64,{text}">', "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<overlay {self.info['artifact_id']}, {self.info['annotation_count']} annotations>"
