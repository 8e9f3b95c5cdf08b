"""CrewAI: the tools that its MCPServerAdapter makes, as its agents call them."""
import asyncio
from importlib.metadata import version

from crewai_tools import MCPServerAdapter
from mcp import StdioServerParameters
from steps import leave, serve


class Client:
    about = {"version": version("crewai-tools"), "asks": False, "cannot": {
        "cancel": "a call of a tool blocks the thread that makes it, and nothing ends it",
        "picture back": "the adapter hands on text alone",
    }}

    async def open(self, url=None, headers=None, command=None, env=None):
        server = {"url": url, "transport": "streamable-http", "headers": headers} if url else StdioServerParameters(command=command[0], args=command[1:], env=env)
        self.adapter = MCPServerAdapter(server, connect_timeout=60)

    async def list(self):
        return {"names": [tool.name for tool in self.adapter.tools]}

    async def call(self, tool, arguments):
        one = next(one for one in self.adapter.tools if one.name == tool)
        return {"text": str(await asyncio.to_thread(one.run, **arguments))}

    async def cancel(self, tool, arguments, until):
        await leave(self.call(tool, arguments), until)

    async def close(self):
        self.adapter.stop()


asyncio.run(serve(Client()))
