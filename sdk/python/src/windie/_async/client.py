"""The client of one gateway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack

from .._shared import CallOptions, Logger, ScreenSource, Settings, TokenFile, given
from .._version import __version__
from .prompts import AsyncGeneral, AsyncPrompts, AsyncToolHosts
from .resources import AsyncArtifacts, AsyncAudit, AsyncConversations, AsyncDecisions, AsyncEmbeddings, AsyncIntrospection, AsyncMemory, AsyncOperator, AsyncPlugins, AsyncRuns, AsyncSemantic, AsyncTools
from .screens import AsyncScreen
from .transport import AsyncTransport

if TYPE_CHECKING:
    import httpx2

    from ..types import Capabilities, Health, InstallRegistration, SocketTicket, Usage


class AsyncWindie:
    """An asynchronous client of one gateway. Close it, or use it in a with."""

    def __init__(
        self, base_url: str | None = None, *, token: str | None = None, user_id: str | None = None, approval_key: str | None = None,
        runs_key: str | None = None, timeout: float = 60.0, max_retries: int = 2, headers: Mapping[str, str] | None = None,
        logger: Logger | None = None, http_client: httpx2.AsyncClient | None = None,
    ) -> None:  # fmt: skip
        """base_url and token are by default WINDIE_URL and WINDIE_TOKEN of the environment, and timeout is in seconds."""
        settings = Settings.of(
            base_url, token, user_id=user_id, approval_key=approval_key, runs_key=runs_key, timeout=timeout, max_retries=max_retries,
            headers=headers or {}, logger=logger,
        )  # fmt: skip
        self._transport = AsyncTransport(settings, http_client)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._transport.aclose()

    @cached_property
    def artifacts(self) -> AsyncArtifacts:
        return AsyncArtifacts(self._transport)

    @cached_property
    def tools(self) -> AsyncTools:
        return AsyncTools(self._transport)

    @cached_property
    def prompts(self) -> AsyncPrompts:
        return AsyncPrompts(self._transport)

    @cached_property
    def conversations(self) -> AsyncConversations:
        return AsyncConversations(self._transport)

    @cached_property
    def decisions(self) -> AsyncDecisions:
        return AsyncDecisions(self._transport)

    @cached_property
    def memory(self) -> AsyncMemory:
        return AsyncMemory(self._transport)

    @cached_property
    def runs(self) -> AsyncRuns:
        return AsyncRuns(self._transport)

    @cached_property
    def embeddings(self) -> AsyncEmbeddings:
        return AsyncEmbeddings(self._transport)

    @cached_property
    def semantic(self) -> AsyncSemantic:
        return AsyncSemantic(self._transport)

    @cached_property
    def general(self) -> AsyncGeneral:
        return AsyncGeneral(self._transport)

    @cached_property
    def tool_hosts(self) -> AsyncToolHosts:
        return AsyncToolHosts(self._transport)

    @cached_property
    def plugins(self) -> AsyncPlugins:
        return AsyncPlugins(self._transport)

    @cached_property
    def audit(self) -> AsyncAudit:
        return AsyncAudit(self._transport)

    @cached_property
    def operator(self) -> AsyncOperator:
        return AsyncOperator(self._transport)

    @cached_property
    def agent(self) -> AsyncIntrospection:
        """What a model is asked, without asking it."""
        return AsyncIntrospection(self._transport)

    @property
    def mcp_url(self) -> str:
        """Where clients of the Model Context Protocol find the gateway."""
        return self._transport.settings.base_url + "/mcp"

    def screen(self, source: ScreenSource = None, *, artifact_id: str | None = None) -> AsyncScreen:
        """Returns a screen to ask about: a path, bytes, an open file, a PIL image or a numpy array, or an artifact that shows one."""
        return AsyncScreen(self._transport, source, artifact_id)

    async def register(self, operating_system: str | None = None, **call: Unpack[CallOptions]) -> InstallRegistration:
        """Makes a user and a token of a hosted gateway. It is not tried again: the token is told once."""
        return await self._transport.json("POST", "/api/install/register", json=given(operating_system=operating_system), call=call)

    async def socket_ticket(self, path: str = "/ws", **call: Unpack[CallOptions]) -> SocketTicket:
        """Returns a ticket, which opens one WebSocket of a hosted gateway in place of the token: as a page needs it, which cannot send headers."""
        return await self._transport.json("POST", "/api/socket-tickets", json={"path": path}, safe=True, call=call)

    async def ensure_registered(self, store: TokenFile, operating_system: str | None = None) -> str:
        """Uses the token that store keeps from now on, and registers for one the first time. It returns the token."""
        token = store.load()
        if token is None:
            token = (await self.register(operating_system))["install_token"]
            store.save(token)
        self._transport.settings = replace(self._transport.settings, token=token)
        return token

    async def health(self, **call: Unpack[CallOptions]) -> Health:
        return await self._transport.json("GET", "/health", call=call)

    async def ready(self, **call: Unpack[CallOptions]) -> Health:
        return await self._transport.json("GET", "/ready", call=call)

    async def check_version(self, **call: Unpack[CallOptions]) -> dict[str, Any]:
        """Compares the gateway's release with this package's. The logger hears of a difference."""
        gateway = (await self.health(**call))["version"]
        known = gateway[:1].isdigit() or gateway[:2].lstrip("v")[:1].isdigit()
        same = not known or __version__ == "0.0.0" or gateway.lstrip("v").split(".")[:2] == __version__.split(".")[:2]
        if not same:
            self._transport.settings.log("warning", message=f"the gateway is {gateway}, and this package {__version__}")
        return {"gateway": gateway, "sdk": __version__, "same": same}

    async def capabilities(self, **call: Unpack[CallOptions]) -> Capabilities:
        return await self._transport.json("GET", "/api/capabilities", call=call)

    async def usage(self, **call: Unpack[CallOptions]) -> Usage:
        """Returns what was spent on models today."""
        return await self._transport.json("GET", "/api/usage", call=call)

    async def metrics(self, **call: Unpack[CallOptions]) -> str:
        """Returns figures for Prometheus, for the operator."""
        return (await self._transport.request("GET", "/metrics", call=call)).text
