"""
The Python client of a Windie gateway.

    with Windie() as windie:
        target = windie.screen("shot.png").resolve("Check out")
        if target:
            click(*target.point)

AsyncWindie has the same methods for programs with an event loop; AgentClient and SyncAgentClient wake agents up besides.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from . import types
    from ._async.client import AsyncWindie
    from ._async.prompts import AsyncPromptStream
    from ._async.screens import AsyncScreen
    from ._shared import CallOptions, ScreenSource, TokenFile
    from ._sync.client import Windie
    from ._sync.prompts import PromptResult, PromptStream
    from ._sync.screens import Screen
    from .agent import Agent, Answer, Approval
    from .errors import AmbiguousMatch, APIError, CallTimeout, ConnectionFailed, NoMatch, RateLimited, ToolPending, TurnRunning, ValidationError, WindieError
    from .local_runtime import LocalRuntime
    from .resolution import Resolution
    from .sdk import AgentClient, AgentSdkClient, SyncAgent, SyncAgentClient
    from .tools import Tool, ToolContext, ToolScreen

_HOMES = {
    "types": "", "AsyncWindie": "_async.client", "AsyncPromptStream": "_async.prompts", "AsyncScreen": "_async.screens",
    "CallOptions": "_shared", "ScreenSource": "_shared", "TokenFile": "_shared",
    "Windie": "_sync.client", "PromptResult": "_sync.prompts", "PromptStream": "_sync.prompts", "Screen": "_sync.screens",
    "Agent": "agent", "Answer": "agent", "Approval": "agent", "Resolution": "resolution",
    "AmbiguousMatch": "errors", "APIError": "errors", "CallTimeout": "errors", "ConnectionFailed": "errors", "NoMatch": "errors", "RateLimited": "errors",
    "ToolPending": "errors", "TurnRunning": "errors", "ValidationError": "errors", "WindieError": "errors",
    "LocalRuntime": "local_runtime", "AgentClient": "sdk", "AgentSdkClient": "sdk", "SyncAgent": "sdk", "SyncAgentClient": "sdk", "Tool": "tools", "ToolContext": "tools", "ToolScreen": "tools",
}  # fmt: skip

__all__ = [
    "APIError", "Agent", "AgentClient", "AgentSdkClient", "AmbiguousMatch", "Answer", "Approval", "AsyncPromptStream", "AsyncScreen", "AsyncWindie", "CallOptions", "CallTimeout",
    "ConnectionFailed", "LocalRuntime", "NoMatch", "PromptResult", "PromptStream", "RateLimited", "Resolution", "Screen", "ScreenSource", "SyncAgent", "SyncAgentClient",
    "TokenFile", "Tool", "ToolContext", "ToolPending", "ToolScreen", "TurnRunning", "ValidationError", "Windie", "WindieError", "__version__", "types",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Loads what is asked for, so that the package is imported fast."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    module = import_module(f".{home or name}", __name__)
    return getattr(module, name) if home else module


def __dir__() -> list[str]:
    return __all__
