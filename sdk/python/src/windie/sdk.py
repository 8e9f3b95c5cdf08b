"""The clients of the desktop's reference: everything that AsyncWindie and Windie do, and agents."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ._async.client import AsyncWindie
from ._shared import ScreenSource
from ._sync.client import Windie
from .agent import Agent, Answer, Approver, Handler
from .tools import ToolLike

if TYPE_CHECKING:
    from .types import ModelList, PromptPreview, PromptRequest, QueryPlan, SystemPrompt, ToolCapabilities, ToolSchemaLists, WSSettings, WSSettingsChange

T = TypeVar("T")


class AgentClient(AsyncWindie):
    """An asynchronous client that wakes agents up. Its options are those of AsyncWindie."""

    async def get_system_prompt(self) -> SystemPrompt:
        return await self.agent.system_prompt()

    async def get_tool_schemas(self) -> ToolSchemaLists:
        return await self.agent.tool_schemas()

    async def get_tool_capabilities(self, tool_name: str) -> ToolCapabilities:
        return await self.agent.tool_capabilities(tool_name)

    async def get_prompt_preview(self, request: PromptRequest) -> PromptPreview:
        return await self.agent.prompt_preview(request)

    async def get_query_plan(self, request: PromptRequest) -> QueryPlan:
        return await self.agent.query_plan(request)

    async def wake_up(
        self, *, system_prompt: str | None = None, workspace_path: str | None = None, tools: Sequence[ToolLike] = (), user_id: str | None = None,
        on_approval: Approver | None = None, disabled_tools: Sequence[str] | None = None, operating_system: str | None = None,
    ) -> Agent:  # fmt: skip
        """
        Connects, brings the tools, and returns an agent that can be asked.

        A tool is a function with type hints, or a dict of name, schema and module, as my_project.tools:save_note, which is looked for in the
        workspace first. on_approval answers questions about calls that can change something: without it, such calls of the gateway's tools are
        denied, and tools of this program run.
        """
        agent = Agent(
            self._transport, user_id=user_id, system_prompt=system_prompt, workspace_path=workspace_path, tools=tools, on_approval=on_approval,
            disabled_tools=disabled_tools, operating_system=operating_system,
        )  # fmt: skip
        return await agent.connect()


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="windie", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class SyncAgent:
    """An agent that is awake, for programs without an event loop. Close it, or use it in a with. Handlers run in a thread of the agent's."""

    def __init__(self, loop: _Loop, client: AgentClient, agent: Agent) -> None:
        self._loop, self._client, self._agent = loop, client, agent
        self._open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. Turns go on without it."""
        if self._open:
            self._open = False
            self._loop.run(self._agent.aclose())
            self._loop.run(self._client.aclose())
            self._loop.close()

    def ask(
        self, text: str, *, conversation_ref: str | None = None, screenshot_ref: str | None = None, screenshot: ScreenSource = None, on_busy: str | None = None
    ) -> Answer:
        """Says something to the agent and waits for what it says at the end of the turn."""
        return self._loop.run(self._agent.ask(text, conversation_ref=conversation_ref, screenshot_ref=screenshot_ref, screenshot=screenshot, on_busy=on_busy))

    def query(
        self, text: str, *, conversation_ref: str | None = None, screenshot_ref: str | None = None, screenshot: ScreenSource = None, on_busy: str | None = None
    ) -> str:
        """Says something to the agent, and returns the id of the message. Handlers hear what comes of it."""
        return self._loop.run(self._agent.query(text, conversation_ref=conversation_ref, screenshot_ref=screenshot_ref, screenshot=screenshot, on_busy=on_busy))

    def on(self, type: str, handler: Handler) -> Callable[[], None]:
        return self._agent.on(type, handler)

    def cancel(self, conversation_ref: str | None = None) -> None:
        """Ends the open turn of a conversation."""

        async def cancel() -> None:
            self._agent.cancel(conversation_ref)

        self._loop.run(cancel())

    def settings(self) -> WSSettings:
        return self._loop.run(self._agent.settings())

    def update_settings(self, change: WSSettingsChange) -> list[str]:
        return self._loop.run(self._agent.update_settings(change))

    def models(self) -> ModelList:
        return self._loop.run(self._agent.models())


class AgentSdkClient(AgentClient):
    """AgentClient with the names of the desktop's reference."""

    def __init__(self, backend_url: str | None = None, default_user_id: str | None = None, **options: Any) -> None:
        super().__init__(backend_url, user_id=default_user_id, **options)


class SyncAgentClient(Windie):
    """AgentClient for programs without an event loop. Its options are those of Windie."""

    def __init__(self, base_url: str | None = None, **options: Any) -> None:
        super().__init__(base_url, **options)
        self._base_url = base_url
        self._options: Mapping[str, Any] = {name: value for name, value in options.items() if name != "http_client"}

    def get_system_prompt(self) -> SystemPrompt:
        return self.agent.system_prompt()

    def get_tool_schemas(self) -> ToolSchemaLists:
        return self.agent.tool_schemas()

    def get_tool_capabilities(self, tool_name: str) -> ToolCapabilities:
        return self.agent.tool_capabilities(tool_name)

    def get_prompt_preview(self, request: PromptRequest) -> PromptPreview:
        return self.agent.prompt_preview(request)

    def get_query_plan(self, request: PromptRequest) -> QueryPlan:
        return self.agent.query_plan(request)

    def wake_up(self, **options: Any) -> SyncAgent:
        """Does what AgentClient.wake_up does, with the same options."""
        loop = _Loop()
        given: dict[str, Any] = {**self._options, "token": self._transport.settings.token}
        client = AgentClient(self._base_url, **given)
        try:
            return SyncAgent(loop, client, loop.run(client.wake_up(**options)))
        except BaseException:
            loop.run(client.aclose())
            loop.close()
            raise
