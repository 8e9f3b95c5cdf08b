"""Prompts, and the general agent service."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack, cast
from urllib.parse import quote

from .._shared import CallOptions, RawEvent, given, new_id
from ..errors import APIError, error_of
from .transport import AsyncPages, AsyncTransport, afollow

if TYPE_CHECKING:
    from datetime import datetime

    from ..types import (
        AgentAccepted, AgentClientMessage, AgentSession, AgentSessionInfo, Deleted, GeneralEvent, ImageSource, Prompt, PromptApproval, PromptDecided, PromptError, PromptEvent, PromptModel, PromptOutput, PromptSummary, PromptUsage,
        V1Accepted, V1Answer, V1Canceled, V1Message, V1Session, V1SessionSummary, V1ToolResult, WSClientManifest,
    )  # fmt: skip

AsyncApprover = Callable[[Any], "bool | dict[str, Any] | Awaitable[bool | dict[str, Any]]"]
"""Answers a question about a call: a yes or a no, or a dict of approved, input and reason."""


@dataclass(frozen=True)
class PromptResult:
    """What came of a prompt."""

    prompt_id: str
    text: str
    """All that the model said."""
    outputs: list[PromptOutput]
    usage: PromptUsage


def _event(raw: RawEvent) -> PromptEvent:
    return cast("PromptEvent", raw.json())


def _last(event: PromptEvent) -> bool:
    return event["event"] in ("prompt.completed", "error")


def _failure(data: PromptError) -> APIError:
    code = data.get("code") or str(data.get("reason", "failed")).upper()
    return error_of(code, data["message"], details=given(resets_at=data.get("resets_at")))


class AsyncPromptStream:
    """A prompt that goes on: its events, or all that comes of it. Leaving the loop does not end it; cancel does."""

    def __init__(self, prompts: AsyncPrompts, events: AsyncIterator[PromptEvent], on_approval: AsyncApprover | None, prompt_id: str | None = None) -> None:
        self._prompts = prompts
        self._events = events
        self._on_approval = on_approval
        self.prompt_id = prompt_id
        """The prompt's id, once it has begun."""

    async def __aiter__(self) -> AsyncIterator[PromptEvent]:
        async for event in self._events:
            if event["event"] == "prompt.created":
                self.prompt_id = event["data"]["promptId"]
            if event["event"] == "prompt.approval":
                if event["data"].get("answered"):
                    continue  # who acts on it would do it twice
                await self._answer(event["data"])
            yield event

    async def _answer(self, approval: PromptApproval) -> None:
        if self._on_approval is None:
            return
        answer: Any = self._on_approval(approval)
        if inspect.isawaitable(answer):
            answer = await answer
        told: dict[str, Any] = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"approved": answer}
        try:
            if told["approved"]:
                await self._prompts.approve(approval["promptId"], approval["toolCallId"], input=told.get("input"))
            else:
                await self._prompts.reject(approval["promptId"], approval["toolCallId"], reason=told.get("reason"))
        except APIError as error:
            if error.code not in ("DECISION_CONFLICT", "DECISION_EXPIRED"):  # somebody else has answered
                raise

    async def final(self) -> PromptResult:
        """Waits for the end. It raises what the prompt failed with."""
        outputs: list[PromptOutput] = []
        async for event in self:
            if event["event"] == "prompt.output":
                outputs.append(event["data"])
            if event["event"] == "prompt.completed":
                text = "\n".join(o.get("content", "") for o in outputs if o["type"] == "text")
                return PromptResult(event["data"]["promptId"], text, outputs, event["data"]["usage"])
            if event["event"] == "error":
                raise _failure(event["data"])
        raise error_of("INTERNAL", "the stream ended before the prompt did")

    async def cancel(self) -> None:
        """Ends the prompt within a second."""
        if self.prompt_id is not None:
            await self._prompts.cancel(self.prompt_id)


class AsyncPrompts:
    """Asks language models. It needs the user_id of the client."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def start(
        self, input: str, *, model: PromptModel | None = None, conversation_id: str | None = None, images: list[ImageSource] | None = None,
        deltas: bool | None = None, on_approval: AsyncApprover | None = None, **call: Unpack[CallOptions],
    ) -> AsyncPromptStream:  # fmt: skip
        """Asks a model. Go through what is returned for the events, or wait for its final()."""
        json = {"input": input} | given(model=model, conversationId=conversation_id, images=images, deltas=deltas)
        once: CallOptions = {"idempotency_key": new_id(), **call}
        begun: list[str] = []

        def open(after: str | None) -> Any:
            if begun:
                return self._from(begun[0], after, call, deltas)
            return self._transport.stream("POST", "/api/prompt", json=json, call=once)

        def read(raw: RawEvent) -> PromptEvent:
            event = _event(raw)
            if event["event"] == "prompt.created":
                begun[:] = [event["data"]["promptId"]]
            return event

        return AsyncPromptStream(self, afollow(self._transport, open, read, _last), on_approval)

    def events(
        self, prompt_id: str, *, after: str | None = None, deltas: bool | None = None, on_approval: AsyncApprover | None = None, **call: Unpack[CallOptions]
    ) -> AsyncPromptStream:
        """Returns the events of a prompt behind one, from its beginning without, and then new ones until the last."""

        def open(after: str | None) -> Any:
            return self._from(prompt_id, after, call, deltas)

        return AsyncPromptStream(self, afollow(self._transport, open, _event, _last, after=after), on_approval, prompt_id)

    def _from(self, prompt_id: str, after: str | None, call: CallOptions, deltas: bool | None) -> Any:
        return self._transport.stream("GET", _path(prompt_id, "/events"), query={"deltas": deltas}, call=_behind(after, call))

    async def get(self, prompt_id: str, **call: Unpack[CallOptions]) -> Prompt:
        return await self._transport.json("GET", _path(prompt_id), call=call)

    def list(
        self, *, status: str | None = None, conversation_id: str | None = None, since: datetime | str | None = None, until: datetime | str | None = None,
        limit: int | None = None, **call: Unpack[CallOptions],
    ) -> AsyncPages[PromptSummary]:  # fmt: skip
        async def load(after: str | None) -> tuple[list[PromptSummary], str | None]:
            query = {"status": status, "conversationId": conversation_id, "since": since, "until": until, "limit": limit, "after": after}
            page = await self._transport.json("GET", "/api/prompts", query=query, call=call)
            return page["prompts"], page.get("next")

        return AsyncPages(load)

    async def delete(self, prompt_id: str, **call: Unpack[CallOptions]) -> Deleted:
        return await self._transport.json("DELETE", _path(prompt_id), call=call)

    async def approve(self, prompt_id: str, tool_call_id: str, *, input: dict[str, Any] | None = None, **call: Unpack[CallOptions]) -> PromptDecided:
        """Lets a tool be called, with other arguments if input has some. The same answer again is accepted."""
        json = {"toolCallId": tool_call_id} | given(input=input)
        return await self._transport.json("POST", _path(prompt_id, "/approve"), json=json, safe=True, call=call)

    async def reject(self, prompt_id: str, tool_call_id: str, *, reason: str | None = None, **call: Unpack[CallOptions]) -> PromptDecided:
        """Denies a call of a tool, and gives the model the reason."""
        json = {"toolCallId": tool_call_id} | given(reason=reason)
        return await self._transport.json("POST", _path(prompt_id, "/reject"), json=json, safe=True, call=call)

    async def cancel(self, prompt_id: str, **call: Unpack[CallOptions]) -> None:
        """Ends a prompt within a second. One that has ended stays as it is."""
        await self._transport.request("POST", _path(prompt_id, "/cancel"), safe=True, call=call)


def _path(prompt_id: str, below: str = "") -> str:
    return f"/api/prompts/{quote(prompt_id, safe='')}{below}"


def _behind(after: str | None, call: CallOptions) -> CallOptions:
    """Returns the options of a request for the events behind one."""
    options: CallOptions = {"headers": dict(call.get("headers", {})) | given(**{"Last-Event-ID": after})}
    if "timeout" in call:
        options["timeout"] = call["timeout"]
    return options


class AsyncGeneral:
    """The general agent service, at /v1: sessions whose tools the program runs."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def open_session(self, *, preferred_session_id: str | None = None, tools: WSClientManifest | None = None, **call: Unpack[CallOptions]) -> V1Session:
        """Begins a session, or goes on with one."""
        json = given(preferred_session_id=preferred_session_id, tools=tools)
        return await self._transport.json("POST", "/v1/sessions", json=json, keyed=True, call=call)

    def sessions(self, *, limit: int | None = None, **call: Unpack[CallOptions]) -> AsyncPages[V1SessionSummary]:
        async def load(after: str | None) -> tuple[list[V1SessionSummary], str | None]:
            page = await self._transport.json("GET", "/v1/sessions", query={"limit": limit, "after": after}, call=call)
            return page["sessions"], page.get("next")

        return AsyncPages(load)

    async def delete_session(self, session_id: str, **call: Unpack[CallOptions]) -> Deleted:
        return await self._transport.json("DELETE", f"/v1/sessions/{quote(session_id, safe='')}", call=call)

    def chat(self, session_id: str, message: str | V1Message, **call: Unpack[CallOptions]) -> AsyncIterator[GeneralEvent]:
        """Says something, and yields what happens until the agent's last words, through connections that break. A message without an id gets one."""
        json = {"general_session_id": session_id, "message": _message(message), "stream": True}

        def open(after: str | None) -> Any:
            if after is None:
                return self._transport.stream("POST", "/v1/chat", json=json, call=call)
            return self._from(session_id, after, call)

        return afollow(self._transport, open, _general, lambda e: e["event"] in ("assistant.final", "error"))

    async def say(self, session_id: str, message: str | V1Message, **call: Unpack[CallOptions]) -> V1Answer:
        """Says something, and returns the agent's last words. Its calls of tools are answered from elsewhere."""
        json = {"general_session_id": session_id, "message": _message(message), "stream": False}
        options: CallOptions = {"timeout": 600.0, **call}
        return await self._transport.json("POST", "/v1/chat", json=json, safe=True, call=options)

    def stream(self, session_id: str, *, after: str | None = None, **call: Unpack[CallOptions]) -> AsyncIterator[GeneralEvent]:
        """Yields what happens in a session behind an event."""
        return afollow(self._transport, lambda after: self._from(session_id, after, call), _general, lambda _: False, after=after)

    def _from(self, session_id: str, after: str | None, call: CallOptions) -> Any:
        return self._transport.stream("GET", "/v1/stream", query={"general_session_id": session_id}, call=_behind(after, call))

    async def tool_result(self, session_id: str, result: V1ToolResult, **call: Unpack[CallOptions]) -> V1Accepted:
        """Answers a tool.request. The same result again is accepted."""
        return await self._transport.json("POST", "/v1/tools/result", json={"general_session_id": session_id, "tool_result": result}, safe=True, call=call)

    async def cancel(self, session_id: str, **call: Unpack[CallOptions]) -> V1Canceled:
        """Ends what the agent works on."""
        return await self._transport.json("POST", "/v1/cancel", json={"general_session_id": session_id}, safe=True, call=call)


class AsyncToolHosts:
    """Sessions with an agent that calls tools of the program: the remote tool host, over HTTP."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def open(self, **call: Unpack[CallOptions]) -> AgentSession:
        """Begins a session."""
        return await self._transport.json("POST", "/api/agent/sessions", keyed=True, call=call)

    def sessions(self, *, limit: int | None = None, **call: Unpack[CallOptions]) -> AsyncPages[AgentSessionInfo]:
        async def load(after: str | None) -> tuple[list[AgentSessionInfo], str | None]:
            page = await self._transport.json("GET", "/api/agent/sessions", query={"limit": limit, "after": after}, call=call)
            return page["sessions"], page.get("next")

        return AsyncPages(load)

    async def session(self, session_id: str, **call: Unpack[CallOptions]) -> AgentSessionInfo:
        return await self._transport.json("GET", _host(session_id), call=call)

    async def delete_session(self, session_id: str, **call: Unpack[CallOptions]) -> Deleted:
        return await self._transport.json("DELETE", _host(session_id), call=call)

    async def send(self, session_id: str, message: AgentClientMessage, **call: Unpack[CallOptions]) -> AgentAccepted:
        """Sends a message: hello with the tools first, then what the user says, and results. A result, and a user.message with a
        messageId, may be sent again."""
        safe = message["type"] != "user.message" or "messageId" in message
        return await self._transport.json("POST", _host(session_id) + "/messages", json=dict(message), safe=safe, call=call)

    def stream(
        self, session_id: str, *, after: str | None = None, client_id: str | None = None, accept: list[str] | None = None, watch: bool | None = None,
        **call: Unpack[CallOptions],
    ) -> AsyncIterator[dict[str, Any]]:  # fmt: skip
        """Yields the messages of a session behind a seq, through connections that break. Say hello first; docs/protocols.md has the types."""
        query = {"clientId": client_id, "watch": watch, "accept": ",".join(accept) if accept else None}

        def open(after: str | None) -> Any:
            return self._transport.stream("GET", _host(session_id) + "/stream", query=query, call=_behind(after, call))

        return afollow(self._transport, open, _said, lambda _: False, after=after)


def _host(session_id: str) -> str:
    return f"/api/agent/sessions/{quote(session_id, safe='')}"


def _said(raw: RawEvent) -> dict[str, Any]:
    return cast("dict[str, Any]", raw.json()["data"])


def _general(raw: RawEvent) -> GeneralEvent:
    return cast("GeneralEvent", raw.json())


def _message(message: str | V1Message) -> V1Message:
    """Returns a message with an id: what is sent again with it is the same message."""
    said: V1Message = {"parts": [{"type": "text", "text": message}]} if isinstance(message, str) else message
    return {**said, "id": said.get("id") or new_id()}
