"""The tools of this machine, by the installed program `windie`."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from types import TracebackType
from typing import Any, cast

from ._version import __version__
from .errors import CallTimeout, ConnectionFailed, WindieError
from .tools import Tool, ToolScreen

_PROTOCOL = "2025-06-18"
_BEGIN_TIME = 30.0
"""Seconds that the program may take to begin."""
_END_TIME = 5.0
"""Seconds that it may take to end once its input has."""
_MAX_SAID = 1_000
"""How much of what the program says about itself stands in an error."""
_GATEWAYS_OWN = re.compile(r"(artifact|memory|ocr|vision|web)_|screen_(at|diff|elements)$")
"""Names of tools that the gateway has itself."""


class LocalRuntime:
    """
    The tools of this machine (its screen, files, programs), by `windie mcp --computer`, which runs for as long as this does:

        with LocalRuntime(dir="/home/ada/project") as runtime:
            agent = client.wake_up(tools=runtime.tools)

    command is the program: by default WINDIE_BIN of the environment, or else `windie` on PATH. dir is the folder of files that
    tools may use, and args are more arguments, as ["--program", "make", "--read-only"]. on_approval gets a call that can change
    something as text, and allows it; without it such calls are denied. Where the agent's own on_approval has asked already, give
    `lambda message: True`. only chooses tools by name; by default those of the machine, as the gateway has the others itself. A call
    may take timeout seconds. Methods may be called from several threads, and so may the tools.
    """

    def __init__(
        self, *, command: str | None = None, dir: str | os.PathLike[str] | None = None, args: Sequence[str] = (), env: Mapping[str, str] | None = None,
        on_approval: Callable[[str], bool] | None = None, only: Callable[[str], bool] | None = None, timeout: float = 120.0,
    ) -> None:  # fmt: skip
        self.tools: list[Tool] = []
        """What an agent can be given."""
        self._on_approval, self._timeout = on_approval, timeout
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[Any]] = {}
        self._last = 0
        self._said = ""
        self._failure: WindieError | None = None
        self._command = command or os.environ.get("WINDIE_BIN") or "windie"
        arguments = [self._command, "mcp", "--computer", *([] if dir is None else ["--dir", os.fspath(dir)]), *args]
        try:
            self._program = subprocess.Popen(
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(env or {})},
            )  # fmt: skip
        except FileNotFoundError as error:
            raise WindieError(
                f"there is no program {self._command!r}: install Windie on this machine and have windie on PATH, "
                "or name the program in WINDIE_BIN, or as command of LocalRuntime"
            ) from error
        except OSError as error:
            raise ConnectionFailed(f"{self._command} cannot be started: {error}") from error
        self._threads = [threading.Thread(target=f, daemon=True) for f in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()
        try:
            self._begin(only or (lambda name: not _GATEWAYS_OWN.match(name)))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> LocalRuntime:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> str | ToolScreen:
        """Calls a tool. A picture in its answer is the screen behind the call."""
        answer = self._ask("tools/call", {"name": name, "arguments": dict(arguments or {})}, self._timeout)
        output = "\n".join(part.get("text", "") for part in answer["content"] if part["type"] == "text")
        if answer.get("isError"):
            raise WindieError(output or f"{name} failed")
        pictures = [part["data"] for part in answer["content"] if part["type"] == "image"]
        return ToolScreen(base64.b64decode(pictures[-1]), output) if pictures else output

    def close(self) -> None:
        """Ends the program. It ends with this one too, however this one ends, as its input does then."""
        program = self._program
        if program.stdin and not program.stdin.closed:
            try:
                program.stdin.close()
            except OSError:
                pass  # it has ended already
        try:
            program.wait(_END_TIME)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
        for thread in self._threads:
            thread.join()
        for stream in (program.stdout, program.stderr):
            if stream:
                stream.close()

    def _begin(self, only: Callable[[str], bool]) -> None:
        client = {"name": "windie", "version": __version__}
        self._ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {"elicitation": {}}, "clientInfo": client}, _BEGIN_TIME)
        self._send({"method": "notifications/initialized"})
        cursor: str | None = None
        while True:
            page = self._ask("tools/list", {} if cursor is None else {"cursor": cursor}, _BEGIN_TIME)
            self.tools += [self._tool(of) for of in page["tools"] if only(of["name"])]
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    def _tool(self, of: Mapping[str, Any]) -> Tool:
        name: str = of["name"]

        def run(**arguments: Any) -> str | ToolScreen:
            return self.call(name, arguments)

        safe = of.get("annotations", {}).get("readOnlyHint")
        return Tool(name=name, schema=of["inputSchema"], function=run, description=of.get("description", ""), risk="safe" if safe else "risky")

    def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with self._lock:
            try:
                assert self._program.stdin
                self._program.stdin.write(line)
                self._program.stdin.flush()
            except (OSError, ValueError):
                pass  # that the program is gone shows elsewhere

    def _ask(self, method: str, params: Mapping[str, Any], limit: float) -> Any:
        answer: Future[Any] = Future()
        with self._lock:
            if self._failure:
                raise self._failure
            self._last += 1
            number = self._last
            self._waiting[number] = answer
        self._send({"id": number, "method": method, "params": params})
        try:
            return answer.result(limit)
        except Late:
            self._send({"method": "notifications/cancelled", "params": {"requestId": number}})
            raise CallTimeout(f"{method} took longer than {limit} s") from None
        finally:
            with self._lock:
                self._waiting.pop(number, None)

    def _read(self) -> None:
        assert self._program.stdout
        for line in self._program.stdout:
            with suppress(ValueError):  # a script around the program may print a greeting
                message = json.loads(line)
                if isinstance(message, dict):
                    self._hear(cast("dict[str, Any]", message))
        code = self._program.wait()
        self._threads[1].join()
        with self._lock:
            self._failure = ConnectionFailed(f"the program {self._command} has ended ({code}). {self._said}".strip())
            waiting = list(self._waiting.values())
        for answer in waiting:
            if not answer.done():
                answer.set_exception(self._failure)

    def _read_errors(self) -> None:
        assert self._program.stderr
        for line in self._program.stderr:
            self._said = (self._said + line.decode(errors="replace"))[-_MAX_SAID:]

    def _hear(self, message: dict[str, Any]) -> None:
        if "method" in message:
            if "id" in message:
                threading.Thread(target=self._answer, args=(message,), daemon=True).start()
            return
        with self._lock:
            answer = self._waiting.get(cast("int", message.get("id")))
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(WindieError(message["error"]["message"]))
        else:
            answer.set_result(message.get("result"))

    def _answer(self, message: dict[str, Any]) -> None:
        """Answers what the program asks: whether it is heard, and whether a call may be made."""
        if message["method"] == "ping":
            self._send({"id": message["id"], "result": {}})
        elif message["method"] == "elicitation/create":
            allowed = False
            try:
                allowed = self._on_approval is not None and self._on_approval(message["params"]["message"])
            finally:
                self._send({"id": message["id"], "result": {"action": "accept", "content": {}} if allowed else {"action": "decline"}})
        else:
            self._send({"id": message["id"], "error": {"code": -32601, "message": "the client does not know this method"}})
