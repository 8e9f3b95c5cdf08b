"""How operators look after a gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from .._shared import CallOptions, given
from .resources import _at, _Routes
from .transport import AsyncPages

if TYPE_CHECKING:
    from ..types import KeptKind, MCPServer, OperatorToken, OperatorUser, OperatorUserDetails, Pruned, Setting

_BASE = "/api/operator"


class AsyncOperator(_Routes):
    """Settings, MCP servers, users and what is kept. A local gateway without an operator's token asks for the approval_key of the client."""

    async def settings(self, **call: Unpack[CallOptions]) -> list[Setting]:
        """Returns the settings in force, each with where it comes from, without secrets."""
        return (await self._transport.json("GET", f"{_BASE}/settings", call=call))["settings"]

    async def mcp_servers(self, **call: Unpack[CallOptions]) -> list[MCPServer]:
        """Returns the MCP servers whose tools the gateway uses."""
        return (await self._transport.json("GET", f"{_BASE}/mcp-servers", call=call))["servers"]

    async def accept_mcp_server(self, name: str, **call: Unpack[CallOptions]) -> list[str]:
        """Lets the tools of an MCP server be used that are not what they were, and returns their names."""
        return (await self._transport.json("POST", f"{_BASE}/mcp-servers/{_at(name)}/accept", safe=True, call=call))["accepted"]

    def users(self, *, limit: int | None = None, **call: Unpack[CallOptions]) -> AsyncPages[OperatorUser]:
        """Lists the users, with what they spent today."""
        return self._pages(f"{_BASE}/users", "users", {"limit": limit}, call)

    async def create_user(self, **call: Unpack[CallOptions]) -> OperatorUser:
        """Makes a user without installs."""
        return await self._transport.json("POST", f"{_BASE}/users", call=call)

    async def user(self, user_id: str, **call: Unpack[CallOptions]) -> OperatorUserDetails:
        """Returns what a user has: installs, what was spent today, and how much is kept."""
        return await self._transport.json("GET", f"{_BASE}/users/{_at(user_id)}", call=call)

    async def set_budget(
        self, user_id: str, *, tokens: int | None = None, money_micros: int | None = None, default: bool | None = None, **call: Unpack[CallOptions]
    ) -> OperatorUser:
        """Gives a user a budget of their own, or by default that of the settings again."""
        json = given(tokens=tokens, money_micros=money_micros, default=default)
        return await self._transport.json("PUT", f"{_BASE}/users/{_at(user_id)}/budget", json=json, call=call)

    async def create_token(self, user_id: str, operating_system: str | None = None, **call: Unpack[CallOptions]) -> OperatorToken:
        """Makes a token for a user. It is not tried again: the token is told once."""
        return await self._transport.json("POST", f"{_BASE}/users/{_at(user_id)}/tokens", json=given(operating_system=operating_system), call=call)

    async def revoke_install(self, install_id: str, **call: Unpack[CallOptions]) -> None:
        """Lets an install in no more."""
        await self._transport.request("DELETE", f"{_BASE}/installs/{_at(install_id)}", call=call)

    async def kept(self, **call: Unpack[CallOptions]) -> list[KeptKind]:
        """Returns what the gateway keeps, and for how long."""
        return (await self._transport.json("GET", f"{_BASE}/kept", call=call))["kinds"]

    async def prune(self, older_than_hours: dict[str, int], *, dry_run: bool | None = None, **call: Unpack[CallOptions]) -> Pruned:
        """Removes what is older than an age, by kind, or only counts it."""
        json = {"older_than_hours": older_than_hours} | given(dry_run=dry_run)
        return await self._transport.json("POST", f"{_BASE}/prune", json=json, safe=True, call=call)
