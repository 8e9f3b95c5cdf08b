"""The Agents SDK of OpenAI."""
import asyncio
from importlib.metadata import version

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai import AsyncOpenAI
from steps import leave, serve

set_tracing_disabled(True)


class Client:
    about = {"version": version("openai-agents"), "model": "openai", "asks": False, "cannot": {
        "picture back": "its model speaks chat completions, where the answer of a tool is text",
    }}

    async def open(self, model, url=None, headers=None, command=None, env=None):
        if url:
            self.server = MCPServerStreamableHttp({"url": url, "headers": headers}, client_session_timeout_seconds=60)
        else:
            self.server = MCPServerStdio({"command": command[0], "args": command[1:], "env": env}, client_session_timeout_seconds=60)
        await self.server.connect()
        llm = OpenAIChatCompletionsModel("m", AsyncOpenAI(base_url=model, api_key="none"))
        self.agent = Agent("test", instructions="Do as you are told.", mcp_servers=[self.server], model=llm)

    async def ask(self, prompt):
        run = Runner.run_streamed(self.agent, prompt)
        async for _ in run.stream_events():
            pass

    async def cancel(self, prompt, until):
        await leave(self.ask(prompt), until)

    async def close(self):
        await self.server.cleanup()


asyncio.run(serve(Client()))
