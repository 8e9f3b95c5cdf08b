"""mcp-use, whose agent has a model of LangChain's."""
import asyncio
from importlib.metadata import version

from langchain_openai import ChatOpenAI
from mcp.types import ElicitResult
from mcp_use import MCPAgent, MCPClient
from steps import leave, serve


class Client:
    about = {"version": version("mcp-use"), "model": "openai", "asks": True, "cannot": {
        "cancel": "a call that is given up goes on: it uses the SDK 1.x, which sends no notice of that",
    }}

    async def open(self, model, url=None, headers=None, command=None, env=None):
        server = {"url": url, "headers": headers} if url else {"command": command[0], "args": command[1:], "env": env}
        self.client = MCPClient({"mcpServers": {"windie": server}}, elicitation_callback=self.asked)
        self.llm = ChatOpenAI(model="m", base_url=model, api_key="none", streaming=True, use_responses_api=False)
        self.agent = MCPAgent(llm=self.llm, client=self.client, memory_enabled=False, max_steps=10)
        await self.agent.initialize()

    async def asked(self, context, params):
        return ElicitResult(action="accept", content={})

    async def ask(self, prompt):
        await self.agent.run(prompt)

    async def cancel(self, prompt, until):
        await leave(self.ask(prompt), until)

    async def close(self):
        await self.agent.close()


asyncio.run(serve(Client()))
