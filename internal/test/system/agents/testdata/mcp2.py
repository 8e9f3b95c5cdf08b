"""The Python SDK of MCP, 2.x, which speaks the newest version of the protocol."""
import asyncio
from contextlib import AsyncExitStack
from importlib.metadata import version

from mcp import Client as SDK, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import ElicitResult
from steps import answer_of, leave, serve


class Client:
    about = {
        "version": version("mcp"),
        "asks": True,
        "cannot": {},
    }

    async def open(self, url=None, headers=None, command=None, env=None):
        self.stack = AsyncExitStack()
        if url:
            server = streamable_http_client(url, http_client=create_mcp_http_client(headers=headers))
        else:
            server = stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=env))
        self.client = await self.stack.enter_async_context(SDK(server, elicitation_callback=self.asked))

    async def asked(self, context, params):
        return ElicitResult(action="accept", content={})

    async def list(self):
        return {"names": [tool.name for tool in (await self.client.list_tools()).tools]}

    async def call(self, tool, arguments):
        return answer_of(await self.client.call_tool(tool, arguments))

    async def cancel(self, tool, arguments, until):
        await leave(self.client.call_tool(tool, arguments), until)

    async def close(self):
        await self.stack.aclose()


asyncio.run(serve(Client()))
