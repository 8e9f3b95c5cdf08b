"""The Python SDK of MCP, 1.x."""
import asyncio
from contextlib import AsyncExitStack
from importlib.metadata import version

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from steps import answer_of, leave, serve


class Client:
    about = {
        "version": version("mcp"),
        "asks": True,
        "cannot": {"cancel": "a call that is given up goes on: the SDK sends no notice of that"},
    }

    async def open(self, url=None, headers=None, command=None, env=None):
        self.stack = AsyncExitStack()
        if url:
            streams = await self.stack.enter_async_context(streamable_http_client(url, http_client=create_mcp_http_client(headers=headers)))
        else:
            streams = await self.stack.enter_async_context(stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=env)))
        self.session = await self.stack.enter_async_context(ClientSession(streams[0], streams[1], elicitation_callback=self.asked))
        await self.session.initialize()

    async def asked(self, context, params):
        return types.ElicitResult(action="accept", content={})

    async def list(self):
        return {"names": [tool.name for tool in (await self.session.list_tools()).tools]}

    async def call(self, tool, arguments):
        return answer_of(await self.session.call_tool(tool, arguments))

    async def cancel(self, tool, arguments, until):
        await leave(self.session.call_tool(tool, arguments), until)

    async def close(self):
        await self.stack.aclose()


asyncio.run(serve(Client()))
