"""Agents: their conversations, and the tools that run in this program."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ._async.screens import aupload
from ._async.transport import AsyncTransport
from ._shared import ScreenSource, given, new_id, pause_of
from .errors import APIError, ConnectionFailed, WindieError, error_of
from .tools import Tool, ToolContext, ToolLike, ToolScreen, tool_of

if TYPE_CHECKING:
    from .types import HistoryMessage, ModelList, QueryContext, WSClientMessage, WSManifestResult, WSServerMessage, WSSettings, WSSettingsChange

MAX_ATTEMPTS = 5
"""How often in a row connecting is tried again."""
HANDSHAKE_TIME = 10.0
MAX_MESSAGE = 64 << 20
MAX_KEPT = 500
"""How many calls run at once at most, and how many results are kept so that a call which is sent again is not run again."""
TOO_MANY = f"not run: {MAX_KEPT} calls already run at this client, the maximum; wait until one ends"
ANSWERED = ("load-settings", "update-settings", "list-models", "wakeword-detected")
"""Types of messages that the gateway answers by their ids, and that may be sent twice."""
PASSING = ("RATE_LIMITED", "OVERLOADED", "STATE_UNAVAILABLE", "STORAGE_UNAVAILABLE", "TIMEOUT")
"""Refusals that another try may not meet."""
REFUSED, REVOKED = 1008, 4401

Approver = Callable[["Approval"], "bool | dict[str, Any] | Awaitable[bool | dict[str, Any]]"]
Handler = Callable[[Any], Any]


@dataclass(frozen=True)
class Approval:
    """A question about a call, for the user."""

    tool_name: str
    parameters: dict[str, Any]
    reason: str
    request_id: str
    local: bool
    """The tool is one of this program's, which asks by itself."""


@dataclass(frozen=True)
class Answer:
    """What a turn ended with."""

    text: str
    conversation_ref: str
    turn_ref: str | None


@dataclass
class _Open:
    """A query whose turn has not ended."""

    id: str
    ref: str
    payload: dict[str, Any]
    done: asyncio.Future[Answer]
    begun: bool = False
    gone: bool = False
    """Nobody waits for its end."""
    turn_ref: str | None = None
    error: APIError | None = None


@dataclass
class _Report:
    """An answer that the gateway may not have: it has it when it reports the outcome of the call, or that the turn has ended, and wants none that it refuses."""

    id: str
    ref: str | None
    call: str | None
    """The model's id for the call; None for a bundle."""
    kind: str
    payload: dict[str, Any]


@dataclass
class _Reply:
    """A request that has no answer yet."""

    done: asyncio.Future[Any]


@dataclass
class _Heard:
    """How far a conversation was heard: count messages of seq have come."""

    before: int = 0
    seq: int = 0
    count: int = 0
    skip: int = 0


@dataclass
class _State:
    ready: asyncio.Future[None]
    manifest: WSManifestResult | None = None
    open: list[_Open] = field(default_factory=list[_Open])
    named: bool = False
    """The gateway says on this connection which queries began turns; an older one does not."""
    heard: dict[str, _Heard] = field(default_factory=dict[str, _Heard])
    results: dict[str, asyncio.Task[dict[str, Any]]] = field(default_factory=dict[str, "asyncio.Task[dict[str, Any]]"])
    running: set[str] = field(default_factory=set[str])
    """Of results."""
    unheard: dict[str, _Report] = field(default_factory=dict[str, _Report])
    """By the id of the request."""
    replies: dict[str, _Reply] = field(default_factory=dict[str, "_Reply"])
    outbox: list[str] = field(default_factory=list[str])
    asked: dict[str, Any] = field(default_factory=dict[str, Any])
    """By id: what the gateway answers, and has not yet."""
    failed: WindieError | None = None


class Agent:
    """An agent that is awake. Close it, or use it in an async with."""

    def __init__(
        self, transport: AsyncTransport, *, user_id: str | None, system_prompt: str | None, workspace_path: str | None,
        tools: Sequence[ToolLike], on_approval: Approver | None, disabled_tools: Sequence[str] | None, operating_system: str | None,
    ) -> None:  # fmt: skip
        self._transport = transport
        self._system_prompt, self._workspace = system_prompt, workspace_path
        self._tools: dict[str, Tool] = {t.name: t for t in map(tool_of, tools)}
        self._on_approval = on_approval
        wanted = {"mode": "default_plus_client"} | given(disabled_tools=list(disabled_tools) if disabled_tools else None)
        if self._tools:
            wanted["client_manifest"] = {"version": 1, "tools": [t.manifest() for t in self._tools.values()]}
        definition: dict[str, Any] = {"version": 1, "approvals": "client", "tools": wanted}
        if operating_system:
            definition["runtime"] = {"operating_system": operating_system}
        self._handshake = {"type": "handshake", "user_id": user_id or transport.settings.user_id or "local", "agent_definition": definition}
        self._handlers: dict[str, list[Handler]] = {}
        self._state = _State(asyncio.get_running_loop().create_future())
        self._work: set[asyncio.Task[Any]] = set()
        self._ws: Any = None
        self._check = ""
        self._conversation = f"conv_{new_id()}"
        self._life: asyncio.Task[None] | None = None

    async def connect(self) -> Agent:
        """Connects and brings the tools. wake_up does it."""
        self._life = asyncio.create_task(self._live())
        try:
            await self._state.ready
        except BaseException:
            await self.aclose()
            raise
        rejected = (self._state.manifest or {"rejected": []})["rejected"]
        if rejected:
            await self.aclose()
            raise WindieError("the gateway rejected these tools: " + ", ".join(f"{t['name']} ({t['reason']})" for t in rejected))
        return self

    @property
    def manifest(self) -> WSManifestResult | None:
        """Which of this program's tools the gateway took."""
        return self._state.manifest

    async def __aenter__(self) -> Agent:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the connection. Turns go on without it."""
        self._end(ConnectionFailed("the agent is closed"))
        tasks = [t for t in (self._life, *self._work) if t is not None and t is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # What is said.

    async def ask(
        self, text: str, *, conversation_ref: str | None = None, screenshot_ref: str | None = None, screenshot: ScreenSource = None,
        on_busy: str | None = None, query_context: QueryContext | None = None,
    ) -> Answer:  # fmt: skip
        """Says something to the agent and waits for what it says at the end of the turn.

        Canceling the wait ends that turn and no other; a question that waits for another's end is not asked.
        """
        opened = await self._say(text, conversation_ref, screenshot_ref, screenshot, on_busy, query_context)
        try:
            return await opened.done
        except asyncio.CancelledError:
            self._give_up(opened)
            raise

    def _give_up(self, opened: _Open) -> None:
        """Cancels a turn whose end nobody waits for. A question that was not sent yet never is. A cancel that is lost with its connection, _begin sends again."""
        state = self._state
        if opened not in state.open:
            return  # its end was heard, or there is no connection any more
        opened.gone = True
        if self._unsay(opened):
            state.open.remove(opened)
        elif self._ws is not None:
            self._send("cancel", _cancel_of(opened))

    def _unsay(self, opened: _Open) -> bool:
        """Takes back what was not sent yet of a query, and its cancel; reports whether there was any."""
        outbox = self._state.outbox
        before = len(outbox)
        outbox[:] = [text for text in outbox if (m := json.loads(text))["id"] != opened.id and m["payload"] != _cancel_of(opened)]
        return len(outbox) < before

    async def query(
        self, text: str, *, conversation_ref: str | None = None, screenshot_ref: str | None = None, screenshot: ScreenSource = None,
        on_busy: str | None = None, query_context: QueryContext | None = None,
    ) -> str:  # fmt: skip
        """Says something to the agent, and returns the id of the message. Handlers hear what comes of it."""
        opened = await self._say(text, conversation_ref, screenshot_ref, screenshot, on_busy, query_context)
        opened.done.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody waits
        return opened.id

    async def _say(self, text: str, ref: str | None, screenshot_ref: str | None, screenshot: ScreenSource, on_busy: str | None, context: QueryContext | None) -> _Open:
        if screenshot is None and screenshot_ref:
            screenshot = _file_named(screenshot_ref, self._workspace)
        if screenshot is not None:
            screenshot_ref = (await aupload(self._transport, screenshot, "screen", {}))["artifact_id"]
        payload = {"text": text, "conversation_ref": ref or self._conversation} | given(
            screenshot_ref=screenshot_ref, workspace_path=self._workspace, on_busy=on_busy, query_context=context,
            repo_instruction_messages=[{"path": "system-prompt", "content": self._system_prompt}] if self._system_prompt else None,
        )  # fmt: skip
        opened = _Open(new_id(), payload["conversation_ref"], payload, asyncio.get_running_loop().create_future())
        self._send("query", payload, opened.id)
        self._state.open.append(opened)
        return opened

    def cancel(self, conversation_ref: str | None = None) -> None:
        """Ends the open turn of a conversation."""
        self._send("cancel", {"conversation_ref": conversation_ref or self._conversation})

    def rehydrate(self, messages: Sequence[HistoryMessage], conversation_ref: str | None = None) -> None:
        """Puts a history in place of the gateway's."""
        self._send("rehydrate-conversation", {"conversation_ref": conversation_ref or self._conversation, "messages": list(messages), "rehydrate_mode": "replace"})

    async def settings(self) -> WSSettings:
        return (await self._reply("load-settings", {}))["config"]

    async def update_settings(self, change: WSSettingsChange) -> list[str]:
        return (await self._reply("update-settings", change))["updated_keys"]

    async def models(self) -> ModelList:
        return await self._reply("list-models", {})

    def send(self, type: str, payload: Any) -> str:
        """Sends a message of any type, and returns its id.

        What the gateway answers by that id (load-settings, update-settings, list-models, wakeword-detected) is sent again on each
        connection until the answer is heard; another one is lost if the connection breaks while it is on the way.
        """
        return self._send(type, payload)

    async def _reply(self, kind: str, payload: Any) -> Any:
        id = self._send(kind, payload)
        reply = self._state.replies[id] = _Reply(asyncio.get_running_loop().create_future())
        try:
            return await reply.done
        finally:
            del self._state.replies[id]

    def on(self, type: str, handler: Handler) -> Callable[[], None]:
        """Calls handler for each message of a type, or for all with '*'. It returns what takes the handler off."""
        handlers = self._handlers.setdefault(type, [])
        handlers.append(handler)
        return lambda: handlers.remove(handler)

    async def events(self) -> AsyncIterator[WSServerMessage]:
        """Yields what is heard from now on."""
        queue: asyncio.Queue[WSServerMessage | None] = asyncio.Queue()
        off, over = self.on("*", queue.put_nowait), self._life
        if over:
            over.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (message := await queue.get()) is not None:
                yield message
        finally:
            off()

    # The connection.

    def _send(self, type: str, payload: Any, id: str | None = None) -> str:
        if self._state.failed:
            raise self._state.failed
        message: dict[str, Any] = {"id": id or new_id(), "type": type, "payload": payload}
        if type in ANSWERED:
            self._state.asked[message["id"]] = message
        self._state.outbox.append(_text_of(message))
        self._spawn(self._flush())
        return message["id"]

    async def _flush(self) -> None:
        ws = self._ws
        while ws is not None and ws is self._ws and self._state.outbox:
            text = self._state.outbox.pop(0)
            try:
                await ws.send_text(text)
            except Exception:  # the connection is gone: what was not sent goes first on the next
                self._state.outbox.insert(0, text)
                return

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _live(self) -> None:
        """Keeps a connection for as long as the agent is awake."""
        attempt, again = 0, False
        while True:
            heard = await self._connection(again)
            if isinstance(heard, WindieError) and not isinstance(heard, ConnectionFailed):
                return self._end(heard)
            if isinstance(heard, bool):
                attempt = 0
            again = again or self._state.ready.done()
            if not again or attempt >= MAX_ATTEMPTS:
                return self._end(heard if isinstance(heard, WindieError) else ConnectionFailed("the connection broke"))
            self._transport.settings.log("reconnect", attempt=attempt, message=str(heard))
            await asyncio.sleep(pause_of(attempt))
            attempt += 1

    async def _connection(self, again: bool) -> bool | WindieError:
        """Holds one connection. It returns why there was none, or True if there was one that has ended."""
        import httpx2
        from httpx2.websockets import WebSocketDisconnect, WebSocketUpgradeError

        url = "ws" + self._transport.settings.base_url.removeprefix("http") + "/ws"
        taken, ended = False, WindieError("")
        try:
            async with self._transport.http.websocket(url, headers=self._transport.settings.all_headers(), max_message_size_bytes=MAX_MESSAGE) as ws:
                self._check = new_id()
                try:
                    await ws.send_text(json.dumps(self._handshake, ensure_ascii=False))
                    await ws.send_text(json.dumps({"id": self._check, "type": "load-settings", "payload": {}}))  # its answer says that the handshake is taken
                    while True:
                        message = json.loads(await ws.receive_text(None if taken else HANDSHAKE_TIME))
                        if message.get("in_reply_to") == self._check:
                            taken = True
                            await self._begin(ws, again)
                        else:
                            self._hear(message)
                except WebSocketDisconnect as error:
                    ended = (WindieError if error.code in (REFUSED, REVOKED) else ConnectionFailed)(f"{url}: the socket is closed ({error.code}) {error.reason}".strip())
                except asyncio.CancelledError:
                    raise
                except Exception as error:
                    ended = ConnectionFailed(f"{url}: {error!r}")
                finally:
                    self._ws = None
        except WebSocketUpgradeError as error:
            ended = await self._refusal() or ConnectionFailed(f"{url}: the gateway answers {error.response.status_code}; a hosted gateway asks for a token")
        except httpx2.TransportError as error:
            ended = ConnectionFailed(f"{url}: the gateway cannot be reached: {error!r}")
        except ExceptionGroup as error:
            ended = ended if str(ended) else ConnectionFailed(f"{url}: {error!r}")
        return True if taken and isinstance(ended, ConnectionFailed) else ended

    async def _refusal(self) -> APIError | None:
        """Returns why the gateway refuses a socket: the answer to the request for it is gone when that fails."""
        try:
            await self._transport.json("GET", "/ws")
        except APIError as error:
            return error if error.status in (401, 403) else None
        except WindieError:
            return None
        return None

    async def _begin(self, ws: Any, again: bool) -> None:
        """Sends what belongs first on a connection: the queries that nothing was heard of, where to go on, cancels of those that were given up, and the requests and results that may be lost."""
        state, resumed = self._state, set[str]()
        state.named = False
        messages: list[dict[str, Any]] = []
        for opened in list(state.open) if again else []:
            if opened.gone:
                state.open.remove(opened)
                self._unsay(opened)
                messages.append({"id": new_id(), "type": "cancel", "payload": _cancel_of(opened)})
                continue
            heard = state.heard.get(opened.ref) if opened.begun else None
            if heard is None:
                messages.append({"id": opened.id, "type": "query", "payload": opened.payload})
                state.outbox[:] = [text for text in state.outbox if json.loads(text)["id"] != opened.id]
            elif opened.ref not in resumed:
                heard.skip = heard.count
                messages.append({"id": new_id(), "type": "resume", "payload": {"conversation_ref": opened.ref, "seq": heard.before}})
            resumed.add(opened.ref)
        if again:
            waiting = {json.loads(text)["id"] for text in state.outbox}
            messages += [message for id, message in state.asked.items() if id not in waiting]
            messages += [{"id": r.id, "type": r.kind, "payload": r.payload} for r in state.unheard.values() if r.id not in waiting]
        for message in messages:
            await ws.send_text(_text_of(message))
        self._ws = ws
        if not state.ready.done():
            state.ready.set_result(None)
        await self._flush()

    def _end(self, error: WindieError) -> None:
        state = self._state
        state.failed = state.failed or error
        for future in (state.ready, *(o.done for o in state.open), *(r.done for r in state.replies.values())):
            if not future.done():
                future.set_exception(error)
                future.exception()  # it may be that nobody waits
        state.open.clear()

    # What is heard.

    def _hear(self, message: dict[str, Any]) -> None:
        ref, seq = message.get("conversation_ref"), message.get("seq")
        if ref is not None and seq is not None and self._again(self._state.heard.setdefault(ref, _Heard()), seq):
            return
        self._track(message)
        kind, payload = message["type"], message["payload"]
        if kind == "client-tool-manifest":
            self._state.manifest = payload
        elif not payload.get("answered"):
            work = {"tool-call": self._call, "tool-bundle": self._bundle, "approval-request": self._approve}.get(kind)
            if work:
                self._spawn(work(payload, ref))
        for handler in [*self._handlers.get(kind, []), *self._handlers.get("*", [])]:
            result = handler(cast("WSClientMessage", message))
            if inspect.isawaitable(result):
                self._spawn(result)

    @staticmethod
    def _again(h: _Heard, seq: int) -> bool:
        """Reports whether a message came before the connection broke."""
        if seq < h.seq:
            return True
        if seq == h.seq and h.skip > 0:
            h.skip -= 1
            return True
        if seq > h.seq:
            h.before, h.seq, h.count, h.skip = h.seq, seq, 0, 0
        h.count += 1
        return False

    def _settle(self, message: dict[str, Any]) -> None:
        """Forgets the answers that the gateway needs no longer."""
        kind, payload, ref, to = message["type"], message["payload"], message.get("conversation_ref"), message.get("in_reply_to")

        def has(r: _Report) -> bool:
            if kind == "tool-output":
                return r.ref == ref and r.call is not None and r.call == _call_of(payload)
            if kind == "error":
                return r.id == to and payload.get("code") not in PASSING
            return kind == "streaming-complete" and r.ref == ref

        self._state.unheard = {id: r for id, r in self._state.unheard.items() if not has(r)}

    def _track(self, message: dict[str, Any]) -> None:
        """Notes how far the turns and the questions are."""
        self._settle(message)
        kind, payload, to = message["type"], message["payload"], message.get("in_reply_to")
        self._state.asked.pop(to or "", None)
        reply = self._state.replies.get(to or "")
        if reply and not reply.done.done():
            if kind == "error":
                reply.done.set_exception(_failure(payload))
            else:
                reply.done.set_result(payload)
        refused = next((o for o in self._state.open if kind == "error" and to == o.id), None)
        if refused:
            self._state.open.remove(refused)
            if not refused.done.done():
                refused.done.set_exception(_failure(payload))
            return
        opened = self._about(message)
        if opened is None:
            return
        opened.begun, opened.turn_ref = True, message.get("turn_ref")
        if kind == "error":
            opened.error = _failure(payload)
        if kind != "streaming-complete":
            return
        self._state.open.remove(opened)
        if opened.done.done():
            return
        if opened.error:
            opened.done.set_exception(opened.error)
        else:
            opened.done.set_result(Answer(payload.get("final_response", ""), opened.ref, opened.turn_ref))

    def _about(self, message: dict[str, Any]) -> _Open | None:
        """Returns the open query whose turn a message belongs to."""
        ref, turn, query = message.get("conversation_ref"), message.get("turn_ref"), message.get("query_ref")
        if query is not None:
            self._state.named = True
            return next((o for o in self._state.open if o.id == query), None)
        known = [turn] if self._state.named else [turn, None]  # or the first turn that begins
        return next((o for of in known for o in self._state.open if turn is not None and o.ref == ref and o.turn_ref == of), None)

    # Tools.

    async def _once(self, id: str, run: Callable[[], Any]) -> dict[str, Any] | None:
        """Runs a request once, however often it is asked for. It returns None where as many run as may.

        In place of a result that is kept goes one that the gateway has: it asks for no call again that has an answer.
        """
        state = self._state
        if id not in state.results:
            if len(state.results) >= MAX_KEPT:
                old = next((asked for asked in state.results if asked not in state.running and asked not in state.unheard), None)
                if old is None:
                    return None
                del state.results[old]
            state.running.add(id)
            state.results[id] = asyncio.ensure_future(run())
        return await asyncio.shield(state.results[id])

    def _report(self, ref: str | None, kind: str, asked: str, call: str | None, payload: dict[str, Any]) -> None:
        report = self._state.unheard[asked] = _Report(new_id(), ref, call, kind, payload)
        self._state.running.discard(asked)
        if not self._state.failed:
            self._send(kind, payload, report.id)

    async def _refuse(self, kind: str, payload: dict[str, Any]) -> None:
        """Says that a call is not run, on this connection alone: on another one the gateway asks again."""
        if self._ws is not None:
            with suppress(Exception):
                await self._ws.send_text(_text_of({"id": new_id(), "type": kind, "payload": payload}))

    async def _call(self, asked: dict[str, Any], ref: str | None) -> None:
        id = asked["request_id"]

        async def run() -> dict[str, Any]:
            return {"request_id": id} | await self._run(asked["tool_name"], asked["parameters"], id, asked.get("risk"), asked.get("reason"))

        result = await self._once(id, run)
        if result is None:
            await self._refuse("tool-result", {"request_id": id, "success": False, "data": {}, "error": TOO_MANY})
        else:
            self._report(ref, "tool-result", id, _call_of(asked), result)

    async def _bundle(self, asked: dict[str, Any], ref: str | None) -> None:
        id = asked["bundle_id"]

        async def run() -> dict[str, Any]:
            steps: list[dict[str, Any]] = []
            more: dict[str, Any] = {}
            for i, step in enumerate(asked["tools"]):
                done = await self._run(step["name"], step["args"], f"{id}.{i}", step.get("risk"), step.get("reason"))
                data = done["data"]
                more |= given(screenshot_ref=data.get("screenshot_ref"))
                steps.append({"tool": step["name"], "status": "ok" if done["success"] else "error", "output": data.get("output")} | given(error=done["error"]))
                if not done["success"]:
                    return {"bundle_id": id, "status": "partial_failure" if i else "failure", "step_results": steps, "error": done["error"]} | more
            return {"bundle_id": id, "status": "success", "step_results": steps, "error": None} | more

        result = await self._once(id, run)
        if result is None:
            await self._refuse("tool-bundle-result", {"bundle_id": id, "status": "failure", "step_results": [], "error": TOO_MANY})
        else:
            self._report(ref, "tool-bundle-result", id, None, result)

    async def _run(self, name: str, arguments: dict[str, Any], id: str, risk: str | None, reason: str | None) -> dict[str, Any]:
        tool = self._tools.get(name)
        try:
            if tool is None:
                raise WindieError(f"this client has no tool {name}")
            if risk == "risky" and self._on_approval:
                answer = await self._asked(Approval(name, arguments, reason or "", id, True))
                if not answer["approved"]:
                    raise WindieError("the user denied it" + (f": {answer['reason']}" if answer.get("reason") else ""))
                arguments = arguments if answer.get("input") is None else answer["input"]
            output = await tool.run(arguments, ToolContext(name, id, self._workspace))
            if not isinstance(output, ToolScreen):
                return {"success": True, "data": {"output": _plain(name, output)}, "error": None}
            data = {"output": _plain(name, output.output)}
            stored = await aupload(self._transport, output.screenshot, "screen", {})
            return {"success": True, "data": data | {"screenshot_ref": stored["artifact_id"]}, "error": None}
        except Exception as error:
            return {"success": False, "data": {}, "error": str(error) or repr(error)}

    async def _asked(self, approval: Approval) -> dict[str, Any]:
        answer: Any = self._on_approval(approval) if self._on_approval else {"approved": False, "reason": "this program cannot ask a user"}
        if inspect.isawaitable(answer):
            answer = await answer
        return cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"approved": bool(answer)}

    async def _approve(self, asked: dict[str, Any], ref: str | None) -> None:
        id = asked["request_id"]
        try:
            answer = await self._asked(Approval(asked["tool_name"], asked["parameters"], asked["reason"], id, False))
            decision = {"request_id": id, "approved": answer["approved"]} | given(parameters=answer.get("input"), reason=answer.get("reason"))
            _text_of(decision)  # fails where it is no JSON, before it is kept
        except Exception as error:  # also where the answer is none
            decision = {"request_id": id, "approved": False, "reason": str(error) or repr(error)}
        self._report(ref, "approval-decision", id, _call_of(asked), decision)


def _cancel_of(opened: _Open) -> dict[str, Any]:
    """Returns what cancels the turn of a query, and no other."""
    return {"conversation_ref": opened.ref, "query_id": opened.id}


def _call_of(payload: dict[str, Any]) -> str | None:
    """Returns the model's id for the call that a message is about."""
    metadata: dict[str, Any] = payload.get("metadata") or {}
    return metadata.get("tool_call_id")


def _file_named(ref: str, folder: str | None) -> Path | None:
    """Returns the file that a reference names which is no id of an artifact, as shot.png: one in the workspace, or here."""
    if re.match("[0-9a-f]{8}-", ref):
        return None
    return next((path for path in (Path(folder or ".") / ref, Path(ref)) if path.is_file()), None)


def _text_of(message: dict[str, Any]) -> str:
    """Returns a message as it is sent. Halves of characters, as names of files may have, cannot be: they become question marks."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode(errors="replace").decode()


def _plain(name: str, output: Any) -> Any:
    """Returns what a tool returned, as JSON has it. The tool may change its own later."""
    try:
        return json.loads(json.dumps("" if output is None else output, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise WindieError(f"the result of {name} cannot be encoded as JSON: {error}") from error


def _failure(payload: dict[str, Any]) -> APIError:
    return error_of(payload.get("code") or str(payload.get("reason", "failed")).upper(), payload["message"], details=payload.get("details"))
