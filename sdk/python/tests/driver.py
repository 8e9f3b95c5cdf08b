"""The driver by which `windie conformance` holds this package to the dialogues; cmd/conformance/README.md has the protocol."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import inspect
import json
import re
import sys
from collections.abc import Callable
from typing import Any

from windie import AgentClient, APIError, Tool, ToolContext

Fields = dict[str, Any]


class Cannot(Exception):
    """The client has no way to make a call."""


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name)


def say(**line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def fitted(method: Callable[..., Any], fields: Fields, body: Any) -> Fields:
    """Returns the keyword arguments of a call by the names of the method's parameters. One that stands for the whole request gets the body."""
    taken = {"general_session_id": "session_id", "q": "q", "tool_result": "result", "after": "after"}
    known = inspect.signature(method).parameters
    out: Fields = {}
    for name, value in fields.items():
        here = snake(name)
        here = here if here in known else taken.get(name, here)
        if here in known:
            out[here] = value
        elif name in (body or {}):
            whole = [p for p in ("query", "beat", "event", "message", "grant") if p in known and p not in fields]
            if not whole:
                raise Cannot(f"{method.__qualname__} has no parameter {here}")
            out[whole[0]] = body
        else:
            raise Cannot(f"{method.__qualname__} has no parameter {here}")
    return out


def screen_of(client: AgentClient, image: Any) -> Any:
    """Returns a picture to ask about: the client stores pictures, and asks about what it has stored."""
    if isinstance(image, dict) and image.get("artifact_id") and not image.get("image_base64"):
        return client.screen(artifact_id=image["artifact_id"])
    raise Cannot("the client stores a picture before it asks about it")


async def ask(client: AgentClient, args: Fields) -> Fields:
    """Wakes an agent up with a tool of this program, asks it, and counts how often the tool ran."""
    runs = 0

    def count() -> str:
        nonlocal runs
        runs += 1
        return f"run {runs}"

    of = args["tool"]
    async with await client.wake_up(tools=[Tool(of["name"], of["schema"], function=lambda **_: count(), description=of["description"], risk="safe")]) as agent:
        answer = await agent.ask(args["input"])
        return {"text": answer.text, "runs": runs}


class Sessions:
    """Agents that are awake, by the calls that woke them up, and what their tools and questions wait for."""

    def __init__(self) -> None:
        self.awake: dict[int, tuple[Any, dict[str, asyncio.Future[Fields]]]] = {}

    async def hold(self, id: int, client: AgentClient, tools: list[str]) -> None:
        """Wakes an agent up, and says what it hears until the call is aborted."""
        waits: dict[str, asyncio.Future[Fields]] = {}

        async def run(context: ToolContext, **_: Any) -> Any:
            return (await self.wait(waits, context.request_id))["output"]

        made = [Tool(name, {"type": "object"}, function=run, description=name) for name in tools]
        async with await client.wake_up(tools=made, on_approval=lambda asked: asked.local or self.wait(waits, asked.request_id)) as agent:
            agent.on("*", lambda message: say(id=id, event={"event": message["type"], "data": message}))
            self.awake[id] = (agent, waits)
            say(id=id, event={"event": "open"})
            await asyncio.Event().wait()

    @staticmethod
    def wait(waits: dict[str, asyncio.Future[Fields]], request: str) -> asyncio.Future[Fields]:
        return waits.setdefault(request, asyncio.get_running_loop().create_future())

    def take(self, op: str, args: Fields) -> None:
        """Sends a message of an agent's, or answers what waits."""
        agent, waits = self.awake[args["call"]]
        if op == "session.answer":
            self.wait(waits, args["name"]).set_result(args["body"])
        else:
            agent.send(args["name"], args["body"])


sessions = Sessions()


async def on_screen(client: AgentClient, name: str, body: Fields, options: Fields) -> Any:
    if name == "diff":
        before, after = screen_of(client, body["before"]), screen_of(client, body["after"])
        return await before.diff(after, **{k: v for k, v in body.items() if k not in ("before", "after")}, **options)
    method = getattr(screen_of(client, body.get("image")), name)
    value = await method(**fitted(method, {k: v for k, v in body.items() if k != "image"}, body), **options)
    if hasattr(value, "status"):
        if value.error:
            raise value.error
        return value.match
    return value.info if hasattr(value, "info") else value


async def make(client: AgentClient, op: str, args: Fields, opts: Fields) -> Any:
    options: Fields = {"idempotency_key": opts["idempotencyKey"]} if opts.get("idempotencyKey") else {}
    path, query, body = args.get("path") or {}, args.get("query") or {}, args.get("body")
    group, _, name = ("." + snake(op)).rpartition(".")
    holder = getattr(client, group.strip(".")) if group.strip(".") else client
    if op == "wakeUp":
        return await ask(client, args)
    if group == ".screen":
        return await on_screen(client, name, body or {}, options)
    if op == "artifacts.upload":
        return await client.artifacts.upload(base64.b64decode(args["file"]), filename=args["name"], **options)
    if op == "tools.invoke":
        return await client.tools.invoke(path["tool_id"], body, **options)
    if op == "general.chat":
        stream, body = opts.get("stream", False), {k: v for k, v in (body or {}).items() if k != "stream"}
        name = "chat" if stream else "say"
    if op == "decisions.approve" and not (body or {}).get("approved"):
        name = "reject"
    if op == "decisions.approve":
        body = {k: v for k, v in (body or {}).items() if k != "approved"}
    if op == "plugins.putGrant":
        return await client.plugins.put_grant(path["name"], body, **options)
    after = query.pop("after", None)
    if opts.get("lastEventId"):
        query["after"] = opts["lastEventId"]
    if "accept" in query:
        query["accept"] = query["accept"].split(",")
    method = getattr(holder, name)
    positional = list(path.values()) if len(path) == 1 else []
    value = method(*positional, **fitted(method, {**({} if positional else path), **query, **(body if isinstance(body, dict) else {})}, body), **options)
    if inspect.isawaitable(value):
        value = await value
    if hasattr(value, "page"):
        items, next = await value.page(after)
        return {"items": items} | ({"next": next} if next is not None else {})
    return {"sha256": hashlib.sha256(value).hexdigest()} if isinstance(value, bytes) else value


async def run(id: int, op: str, args: Fields, opts: Fields) -> None:
    client = AgentClient(
        opts["baseURL"], user_id=opts.get("userId"), token=opts.get("token"), approval_key=opts.get("approvalKey"), runs_key=opts.get("runsKey")
    )  # fmt: skip
    try:
        async with client:
            if op == "session":
                return await sessions.hold(id, client, args["body"]["tools"])
            if op == "host":
                raise Cannot("the client has no WebSocket at a tool host")
            if op.startswith("session."):
                return say(id=id, ok=sessions.take(op, args))
            value = await make(client, op, args, opts)
            if not opts.get("stream"):
                return say(id=id, ok=value)
            async for event in value:
                say(id=id, event=event if "event" in event and "data" in event else {"data": event})
            say(id=id, ok=None)
    except Cannot as error:
        say(id=id, cannot=str(error))
    except APIError as error:
        say(id=id, error={"code": error.code, "status": error.status, "requestId": error.request_id or "", "message": error.message})
    except asyncio.CancelledError:
        say(id=id, error={"message": "aborted"})
    except Exception as error:
        say(id=id, error={"message": f"{type(error).__name__}: {error}"})


async def main() -> None:
    say(language="python")
    calls: dict[int, asyncio.Task[None]] = {}
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        call = json.loads(line)
        if call["op"] == "abort":
            calls[call["args"]["call"]].cancel()
            say(id=call["id"], ok=None)
        else:
            calls[call["id"]] = asyncio.create_task(run(call["id"], call["op"], call.get("args") or {}, call["opts"]))


if __name__ == "__main__":
    asyncio.run(main())
