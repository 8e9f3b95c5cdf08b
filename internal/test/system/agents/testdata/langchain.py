"""LangChain, with its adapters for MCP."""
import asyncio
from contextlib import AsyncExitStack
from importlib.metadata import version

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI
from steps import leave, serve


class Client:
    about = {"version": version("langchain-mcp-adapters"), "model": "openai", "asks": False, "cannot": {
        "cancel": "a call that is given up goes on: it uses the SDK 1.x, which sends no notice of that",
    }}

    async def open(self, model, url=None, headers=None, command=None, env=None):
        server = {"transport": "streamable_http", "url": url, "headers": headers} if url else {"transport": "stdio", "command": command[0], "args": command[1:], "env": env}
        self.stack = AsyncExitStack()
        session = await self.stack.enter_async_context(MultiServerMCPClient({"windie": server}).session("windie"))
        llm = ChatOpenAI(model="m", base_url=model, api_key="none", streaming=True, use_responses_api=False)
        self.agent = create_agent(llm, await load_mcp_tools(session))

    async def ask(self, prompt):
        await self.agent.ainvoke({"messages": [{"role": "user", "content": prompt}]})

    async def cancel(self, prompt, until):
        await leave(self.ask(prompt), until)

    async def close(self):
        await self.stack.aclose()


asyncio.run(serve(Client()))
