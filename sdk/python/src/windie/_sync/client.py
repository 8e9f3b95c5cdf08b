"""The client of one gateway.

Made by scripts/make_sync.py of the asynchronous client: do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack

from .._shared import CallOptions, Logger, ScreenSource, Settings, TokenFile, given
from .._version import __version__
from .prompts import General, Prompts, ToolHosts
from .resources import Artifacts, Audit, Conversations, Decisions, Embeddings, Introspection, Memory, Operator, Plugins, Runs, Semantic, Tools
from .screens import Screen
from .transport import Transport

if TYPE_CHECKING:
    import httpx2

    from ..types import Capabilities, Health, InstallRegistration, SocketTicket, Usage


class Windie:
    """An synchronous client of one gateway. Close it, or use it in a with."""

    def __init__(
        self, base_url: str | None = None, *, token: str | None = None, user_id: str | None = None, approval_key: str | None = None,
        runs_key: str | None = None, timeout: float = 60.0, max_retries: int = 2, headers: Mapping[str, str] | None = None,
        logger: Logger | None = None, http_client: httpx2.Client | None = None,
    ) -> None:  # fmt: skip
        """base_url and token are by default WINDIE_URL and WINDIE_TOKEN of the environment, and timeout is in seconds."""
        settings = Settings.of(
            base_url, token, user_id=user_id, approval_key=approval_key, runs_key=runs_key, timeout=timeout, max_retries=max_retries,
            headers=headers or {}, logger=logger,
        )  # fmt: skip
        self._transport = Transport(settings, http_client)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    @cached_property
    def artifacts(self) -> Artifacts:
        return Artifacts(self._transport)

    @cached_property
    def tools(self) -> Tools:
        return Tools(self._transport)

    @cached_property
    def prompts(self) -> Prompts:
        return Prompts(self._transport)

    @cached_property
    def conversations(self) -> Conversations:
        return Conversations(self._transport)

    @cached_property
    def decisions(self) -> Decisions:
        return Decisions(self._transport)

    @cached_property
    def memory(self) -> Memory:
        return Memory(self._transport)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self._transport)

    @cached_property
    def embeddings(self) -> Embeddings:
        return Embeddings(self._transport)

    @cached_property
    def semantic(self) -> Semantic:
        return Semantic(self._transport)

    @cached_property
    def general(self) -> General:
        return General(self._transport)

    @cached_property
    def tool_hosts(self) -> ToolHosts:
        return ToolHosts(self._transport)

    @cached_property
    def plugins(self) -> Plugins:
        return Plugins(self._transport)

    @cached_property
    def audit(self) -> Audit:
        return Audit(self._transport)

    @cached_property
    def operator(self) -> Operator:
        return Operator(self._transport)

    @cached_property
    def agent(self) -> Introspection:
        """What a model is asked, without asking it."""
        return Introspection(self._transport)

    @property
    def mcp_url(self) -> str:
        """Where clients of the Model Context Protocol find the gateway."""
        return self._transport.settings.base_url + "/mcp"

    def screen(self, source: ScreenSource = None, *, artifact_id: str | None = None) -> Screen:
        """Returns a screen to ask about: a path, bytes, an open file, a PIL image or a numpy array, or an artifact that shows one."""
        return Screen(self._transport, source, artifact_id)

    def register(self, operating_system: str | None = None, **call: Unpack[CallOptions]) -> InstallRegistration:
        """Makes a user and a token of a hosted gateway. It is not tried again: the token is told once."""
        return self._transport.json("POST", "/api/install/register", json=given(operating_system=operating_system), call=call)

    def socket_ticket(self, path: str = "/ws", **call: Unpack[CallOptions]) -> SocketTicket:
        """Returns a ticket, which opens one WebSocket of a hosted gateway in place of the token: as a page needs it, which cannot send headers."""
        return self._transport.json("POST", "/api/socket-tickets", json={"path": path}, safe=True, call=call)

    def ensure_registered(self, store: TokenFile, operating_system: str | None = None) -> str:
        """Uses the token that store keeps from now on, and registers for one the first time. It returns the token."""
        token = store.load()
        if token is None:
            token = (self.register(operating_system))["install_token"]
            store.save(token)
        self._transport.settings = replace(self._transport.settings, token=token)
        return token

    def health(self, **call: Unpack[CallOptions]) -> Health:
        return self._transport.json("GET", "/health", call=call)

    def ready(self, **call: Unpack[CallOptions]) -> Health:
        return self._transport.json("GET", "/ready", call=call)

    def check_version(self, **call: Unpack[CallOptions]) -> dict[str, Any]:
        """Compares the gateway's release with this package's. The logger hears of a difference."""
        gateway = (self.health(**call))["version"]
        known = gateway[:1].isdigit() or gateway[:2].lstrip("v")[:1].isdigit()
        same = not known or __version__ == "0.0.0" or gateway.lstrip("v").split(".")[:2] == __version__.split(".")[:2]
        if not same:
            self._transport.settings.log("warning", message=f"the gateway is {gateway}, and this package {__version__}")
        return {"gateway": gateway, "sdk": __version__, "same": same}

    def capabilities(self, **call: Unpack[CallOptions]) -> Capabilities:
        return self._transport.json("GET", "/api/capabilities", call=call)

    def usage(self, **call: Unpack[CallOptions]) -> Usage:
        """Returns what was spent on models today."""
        return self._transport.json("GET", "/api/usage", call=call)

    def metrics(self, **call: Unpack[CallOptions]) -> str:
        """Returns figures for Prometheus, for the operator."""
        return (self._transport.request("GET", "/metrics", call=call)).text
