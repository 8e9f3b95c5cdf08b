"""The gateway's other routes, a class for each group."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Unpack, cast
from urllib.parse import quote

from .._shared import CallOptions, RawEvent, ScreenSource, given
from .screens import aupload
from .transport import AsyncPages, AsyncTransport, afollow

if TYPE_CHECKING:
    from datetime import datetime

    from ..types import (
        Artifact, ArtifactSummary, AuditRecord, ConversationSummary, Decision, Deleted, Embedding, EmbeddingsHealth, Grant, History, KeptKind, MCPServer, ModelCatalogue, OperatorToken,
        OperatorUser, OperatorUserDetails, Plugin, PromptPreview, PromptRequest, Pruned, QueryPlan, Run, RunAction, RunAnswer, RunControlled, RunControlMode, RunEvent,
        RunEvents, RunFile, RunHeartbeat, RunHeartbeatAnswer, RunRelay, RunRelayed, RunsStopped, RunState, RunWorker, SemanticHealth, SemanticSummary, SemanticTitle, Setting, SystemPrompt, Tool, ToolCapabilities, ToolSchemaLists,
        V1MemoryChange, V1MemoryFile, V1MemoryPassage, V1MemoryResult, V1MemoryWritten, WSPolicyRule,
    )  # fmt: skip


def _at(id: str) -> str:
    return quote(id, safe="")


class _Routes:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def _pages(self, path: str, key: str, query: dict[str, Any], call: CallOptions) -> AsyncPages[Any]:
        async def load(after: str | None) -> tuple[list[Any], str | None]:
            page = await self._transport.json("GET", path, query=query | {"after": after}, call=call)
            return page[key], page.get("next")

        return AsyncPages(load)


class AsyncArtifacts(_Routes):
    """Stored files."""

    async def upload(self, source: ScreenSource, *, filename: str = "file", **call: Unpack[CallOptions]) -> Artifact:
        return await aupload(self._transport, source, filename, call, keyed=True)

    async def download(self, artifact_id: str, **call: Unpack[CallOptions]) -> bytes:
        """Returns the file; of it a range of bytes if headers ask for one."""
        return (await self._transport.request("GET", f"/api/artifacts/{_at(artifact_id)}", call=call)).content

    async def describe(self, artifact_id: str, **call: Unpack[CallOptions]) -> dict[str, str]:
        """Returns the headers of a file, in lower case: its content-type, content-length and etag."""
        return dict((await self._transport.request("HEAD", f"/api/artifacts/{_at(artifact_id)}", call=call)).headers)

    def list(self, *, limit: int | None = None, **call: Unpack[CallOptions]) -> AsyncPages[ArtifactSummary]:
        return self._pages("/api/artifacts/", "artifacts", {"limit": limit}, call)

    async def delete(self, artifact_id: str, **call: Unpack[CallOptions]) -> Deleted:
        return await self._transport.json("DELETE", f"/api/artifacts/{_at(artifact_id)}", call=call)

    async def keep(self, artifact_id: str, **call: Unpack[CallOptions]) -> Artifact:
        """Keeps a file until it is deleted."""
        return await self._transport.json("PUT", f"/api/artifacts/{_at(artifact_id)}/keep", call=call)

    async def unkeep(self, artifact_id: str, **call: Unpack[CallOptions]) -> Artifact:
        return await self._transport.json("DELETE", f"/api/artifacts/{_at(artifact_id)}/keep", call=call)


class AsyncTools(_Routes):
    """Tools of the gateway."""

    async def list(self, *, tag: str | None = None, **call: Unpack[CallOptions]) -> list[Tool]:
        return (await self._transport.json("GET", "/api/tools", query={"tag": tag}, call=call))["tools"]

    async def get(self, tool_id: str, **call: Unpack[CallOptions]) -> Tool:
        return await self._transport.json("GET", f"/api/tools/{_at(tool_id)}", call=call)

    async def invoke(self, tool_id: str, input: dict[str, Any] | None = None, **call: Unpack[CallOptions]) -> Any:
        """Calls a tool, once, and returns its result."""
        return (await self._transport.json("POST", f"/api/tools/{_at(tool_id)}/invoke", json=input or {}, keyed=True, call=call))["result"]


class AsyncConversations(_Routes):
    async def create(self, **call: Unpack[CallOptions]) -> str:
        """Begins a conversation, and returns its id, which goes into prompts."""
        return (await AsyncTools(self._transport).invoke("conversation.create", **call))["id"]

    def list(
        self, *, since: datetime | str | None = None, until: datetime | str | None = None, limit: int | None = None, **call: Unpack[CallOptions]
    ) -> AsyncPages[ConversationSummary]:
        return self._pages("/api/conversations", "conversations", {"since": since, "until": until, "limit": limit}, call)

    async def get(self, conversation_id: str, *, limit: int | None = None, cursor: str | None = None, **call: Unpack[CallOptions]) -> dict[str, Any]:
        """Returns a conversation with its prompts, the oldest first."""
        input = {"conversationId": conversation_id} | given(limit=limit, cursor=cursor)
        return await AsyncTools(self._transport).invoke("conversation.get", input, **call)

    async def delete(self, conversation_id: str, **call: Unpack[CallOptions]) -> Deleted:
        return await self._transport.json("DELETE", f"/api/conversations/{_at(conversation_id)}", call=call)


class AsyncDecisions(_Routes):
    """What waits for a person's yes or no. A local gateway asks for the approval_key of the client."""

    def list(self, *, state: str | None = None, via: str | None = None, limit: int | None = None, **call: Unpack[CallOptions]) -> AsyncPages[Decision]:
        return self._pages("/api/decisions", "decisions", {"state": state, "via": via, "limit": limit}, call)

    async def get(self, decision_id: str, **call: Unpack[CallOptions]) -> Decision:
        return await self._transport.json("GET", f"/api/decisions/{_at(decision_id)}", call=call)

    async def approve(self, decision_id: str, **call: Unpack[CallOptions]) -> Decision:
        return await self._transport.json("POST", f"/api/decisions/{_at(decision_id)}", json={"approved": True}, safe=True, call=call)

    async def reject(self, decision_id: str, *, reason: str | None = None, **call: Unpack[CallOptions]) -> Decision:
        return await self._transport.json("POST", f"/api/decisions/{_at(decision_id)}", json={"approved": False} | given(reason=reason), safe=True, call=call)

    async def rules(self, **call: Unpack[CallOptions]) -> builtins.list[WSPolicyRule]:
        """What the user said about calls once and for all."""
        return (await self._transport.json("GET", "/api/rules", call=call))["rules"]

    async def set_rules(self, rules: builtins.list[WSPolicyRule], **call: Unpack[CallOptions]) -> builtins.list[WSPolicyRule]:
        """Puts rules in place of those before. They hold from the next answer of a model."""
        return (await self._transport.json("PUT", "/api/rules", json={"rules": rules}, call=call))["rules"]


class AsyncMemory(_Routes):
    """What the user's memory holds."""

    async def write(self, content: str, *, target: str = "daily", session_id: str | None = None, **call: Unpack[CallOptions]) -> V1MemoryWritten:
        json = {"content": content, "target": target} | given(general_session_id=session_id)
        return await self._transport.json("POST", "/v1/memory/write", json=json, keyed=True, call=call)

    async def search(self, q: str, *, kind: str | None = None, limit: int | None = None, **call: Unpack[CallOptions]) -> list[V1MemoryResult]:
        return (await self._transport.json("GET", "/v1/memory/search", query={"q": q, "kind": kind, "limit": limit}, call=call))["results"]

    async def get(self, path: str, *, line_start: int | None = None, line_end: int | None = None, **call: Unpack[CallOptions]) -> V1MemoryPassage:
        return await self._transport.json("GET", "/v1/memory/get", query={"path": path, "line_start": line_start, "line_end": line_end}, call=call)

    async def files(self, **call: Unpack[CallOptions]) -> list[V1MemoryFile]:
        return (await self._transport.json("GET", "/v1/memory/files", call=call))["files"]

    async def edit(self, path: str, was: str, text: str, *, line_start: int | None = None, **call: Unpack[CallOptions]) -> V1MemoryWritten:
        """Puts text in place of what was read of a file, from line_start on. Fails with MEMORY_CHANGED if it is not so any longer."""
        json = {"path": path, "was": was, "text": text} | given(line_start=line_start)
        return await self._transport.json("PUT", "/v1/memory/files", json=json, safe=False, call=call)  # where was is empty, text would be added twice

    async def history(self, path: str, *, limit: int | None = None, **call: Unpack[CallOptions]) -> list[V1MemoryChange]:
        """What was changed of a file, the newest first. Editing was back in place of text takes a change back."""
        return (await self._transport.json("GET", "/v1/memory/history", query={"path": path, "limit": limit}, call=call))["changes"]

    async def delete_file(self, path: str, **call: Unpack[CallOptions]) -> Deleted:
        return await self._transport.json("DELETE", "/v1/memory/files", query={"path": path}, call=call)

    async def delete_all(self, **call: Unpack[CallOptions]) -> Deleted:
        return await self._transport.json("DELETE", "/v1/memory", call=call)


class AsyncEmbeddings(_Routes):
    async def create(self, text: str, *, model_name: str | None = None, **call: Unpack[CallOptions]) -> Embedding:
        """Returns the vector of a text. Texts of similar meaning have vectors that are close to each other."""
        return await self._transport.json("POST", "/api/embeddings/", json={"text": text} | given(model_name=model_name), safe=True, call=call)

    async def health(self, **call: Unpack[CallOptions]) -> EmbeddingsHealth:
        return await self._transport.json("GET", "/api/embeddings/health", call=call)


class AsyncSemantic(_Routes):
    async def summarize(self, conversations: list[str], user_id: str, **call: Unpack[CallOptions]) -> SemanticSummary:
        json = {"conversations": conversations, "user_id": user_id}
        return await self._transport.json("POST", "/api/semantic/summarize", json=json, safe=True, call=call)

    async def title(self, user_id: str, user_message: str, assistant_message: str, *, model_id: str | None = None, **call: Unpack[CallOptions]) -> SemanticTitle:
        json = {"user_id": user_id, "user_message": user_message, "assistant_message": assistant_message} | given(model_id=model_id)
        return await self._transport.json("POST", "/api/semantic/title", json=json, safe=True, call=call)

    async def health(self, **call: Unpack[CallOptions]) -> SemanticHealth:
        return await self._transport.json("GET", "/api/semantic/health", call=call)


class AsyncPlugins(_Routes):
    """Plugins, for the operator."""

    async def list(self, **call: Unpack[CallOptions]) -> list[Plugin]:
        return (await self._transport.json("GET", "/api/plugins", call=call))["plugins"]

    async def add(self, files: dict[str, Any], **call: Unpack[CallOptions]) -> Plugin:
        """Adds a plugin, or a new version of it: the files of the form, by field, as httpx2 takes them."""
        return await self._transport.json("POST", "/api/plugins", files=files, keyed=True, call=call)

    async def get(self, name: str, **call: Unpack[CallOptions]) -> Plugin:
        return await self._transport.json("GET", f"/api/plugins/{_at(name)}", call=call)

    async def remove(self, name: str, **call: Unpack[CallOptions]) -> None:
        await self._transport.request("DELETE", f"/api/plugins/{_at(name)}", call=call)

    async def enable(self, name: str, **call: Unpack[CallOptions]) -> Plugin:
        return await self._transport.json("POST", f"/api/plugins/{_at(name)}/enable", safe=True, call=call)

    async def disable(self, name: str, **call: Unpack[CallOptions]) -> Plugin:
        return await self._transport.json("POST", f"/api/plugins/{_at(name)}/disable", safe=True, call=call)

    async def get_grant(self, name: str, **call: Unpack[CallOptions]) -> Grant:
        return await self._transport.json("GET", f"/api/plugins/{_at(name)}/grant", call=call)

    async def put_grant(self, name: str, grant: Grant, **call: Unpack[CallOptions]) -> Any:
        return await self._transport.json("PUT", f"/api/plugins/{_at(name)}/grant", json=grant, call=call)


class AsyncIntrospection(_Routes):
    """What a model is asked, without asking it. The parameters say by whose settings, in place of the user's own."""

    async def _get(self, path: str, user_id: str | None, model_id: str | None, model_provider: str | None, interaction_mode: str | None, call: CallOptions) -> Any:
        query = {"user_id": user_id, "model_id": model_id, "model_provider": model_provider, "interaction_mode": interaction_mode}
        return await self._transport.json("GET", "/api/sdk/" + path, query=query, call=call)

    async def models(
        self, *, user_id: str | None = None, model_id: str | None = None, model_provider: str | None = None, interaction_mode: str | None = None, **call: Unpack[CallOptions]
    ) -> ModelCatalogue:
        return await self._get("models", user_id, model_id, model_provider, interaction_mode, call)

    async def tool_schemas(
        self, *, user_id: str | None = None, model_id: str | None = None, model_provider: str | None = None, interaction_mode: str | None = None, **call: Unpack[CallOptions]
    ) -> ToolSchemaLists:
        return await self._get("tool-schemas", user_id, model_id, model_provider, interaction_mode, call)

    async def tool_capabilities(
        self, tool_name: str, *, user_id: str | None = None, model_id: str | None = None, model_provider: str | None = None, interaction_mode: str | None = None, **call: Unpack[CallOptions]
    ) -> ToolCapabilities:
        return await self._get(f"tool-capabilities/{_at(tool_name)}", user_id, model_id, model_provider, interaction_mode, call)

    async def system_prompt(
        self, *, user_id: str | None = None, model_id: str | None = None, model_provider: str | None = None, interaction_mode: str | None = None, **call: Unpack[CallOptions]
    ) -> SystemPrompt:
        return await self._get("system-prompt", user_id, model_id, model_provider, interaction_mode, call)

    async def prompt_preview(self, query: PromptRequest, **call: Unpack[CallOptions]) -> PromptPreview:
        return await self._transport.json("POST", "/api/sdk/prompt-preview", json=query, safe=True, call=call)

    async def query_plan(self, query: PromptRequest, **call: Unpack[CallOptions]) -> QueryPlan:
        return await self._transport.json("POST", "/api/sdk/query-plan", json=query, safe=True, call=call)


class AsyncRuns(_Routes):
    """Runs, and the workers that carry them out. They need the runs_key of the client."""

    async def create(
        self, workspace_id: str, agent_id: str, query: str, *, requested_by: str | None = None, files: list[RunFile] | None = None,
        metadata: dict[str, Any] | None = None, queue: bool | None = None, **call: Unpack[CallOptions],
    ) -> RunAnswer:  # fmt: skip
        """Asks for a run, once."""
        json = {"workspace_id": workspace_id, "agent_id": agent_id, "query": query} | given(requested_by=requested_by, files=files, metadata=metadata, queue=queue)
        return await self._transport.json("POST", "/api/runs/", json=json, keyed=True, call=call)

    async def get(self, run_id: str, **call: Unpack[CallOptions]) -> Run:
        return (await self._transport.json("GET", _run(run_id), call=call))["run"]

    def list(
        self, *, workspace_id: str | None = None, agent_id: str | None = None, requested_by: str | None = None, status: str | None = None,
        since: datetime | str | None = None, limit: int | None = None, **call: Unpack[CallOptions],
    ) -> AsyncPages[Run]:  # fmt: skip
        query = {"workspace_id": workspace_id, "agent_id": agent_id, "requested_by": requested_by, "status": status, "since": since, "limit": limit}
        return self._pages("/api/runs/", "runs", query, call)

    async def events(self, run_id: str, *, after_seq: int | None = None, limit: int | None = None, **call: Unpack[CallOptions]) -> RunEvents:
        """Returns a page of a run's timeline behind a number."""
        return await self._transport.json("GET", _run(run_id, "/events"), query={"after_seq": after_seq, "limit": limit}, call=call)

    def follow(self, run_id: str, *, after: int | None = None, **call: Unpack[CallOptions]) -> AsyncIterator[RunEvent]:
        """Yields a run's timeline behind a number until the run has ended, through connections that break."""

        def open(after: str | None) -> Any:
            headers = dict(call.get("headers", {})) | given(**{"Last-Event-ID": after})
            return self._transport.stream("GET", _run(run_id, "/events/stream"), call={"headers": headers})

        def read(raw: RawEvent) -> RunEvent:
            return cast("RunEvent", raw.json()["data"])

        return afollow(self._transport, open, read, lambda e: e["event_type"] == "run-ended", after=None if after is None else str(after))

    async def control(self, run_id: str, action: RunAction, *, control_mode: RunControlMode | None = None, requested_by: str | None = None, **call: Unpack[CallOptions]) -> RunControlled:
        json = {"action": action} | given(control_mode=control_mode, requested_by=requested_by)
        return await self._transport.json("POST", _run(run_id, "/control"), json=json, call=call)

    async def stop_all(self, *, workspace_id: str | None = None, requested_by: str | None = None, **call: Unpack[CallOptions]) -> RunsStopped:
        return await self._transport.json("POST", "/api/runs/stop-all", json=given(workspace_id=workspace_id, requested_by=requested_by), safe=True, call=call)

    async def file(self, run_id: str, artifact_id: str, **call: Unpack[CallOptions]) -> bytes:
        """Returns a file of a run, for its worker."""
        return (await self._transport.request("GET", _run(run_id, f"/files/{_at(artifact_id)}"), call=call)).content

    async def workers(self, *, workspace_id: str | None = None, **call: Unpack[CallOptions]) -> list[RunWorker]:
        return (await self._transport.json("GET", "/api/runs/workers", query={"workspace_id": workspace_id}, call=call))["workers"]

    async def heartbeat(self, beat: RunHeartbeat, **call: Unpack[CallOptions]) -> RunHeartbeatAnswer:
        return await self._transport.json("POST", "/api/runs/workers/heartbeat", json=beat, safe=True, call=call)

    async def dispatched(
        self, run_id: str, worker_id: str, turn_ref: str, *, user_id: str | None = None, conversation_ref: str | None = None, lease_epoch: int | None = None, **call: Unpack[CallOptions]
    ) -> RunState:
        json = {"worker_id": worker_id, "turn_ref": turn_ref} | given(user_id=user_id, conversation_ref=conversation_ref, lease_epoch=lease_epoch)
        return await self._transport.json("POST", _run(run_id, "/worker-dispatched"), json=json, call=call)

    async def relay(self, run_id: str, event: RunRelay, **call: Unpack[CallOptions]) -> RunRelayed:
        """Relays an event of a worker. With its worker_seq it is there once, however often it is sent."""
        return await self._transport.json("POST", _run(run_id, "/events"), json=event, safe="worker_seq" in event, call=call)


def _run(run_id: str, below: str = "") -> str:
    return f"/api/runs/{_at(run_id)}{below}"


class AsyncAudit(_Routes):
    """The calls of tools that were made, for the operator."""

    def list(
        self, *, user: str | None = None, tool: str | None = None, protocol: str | None = None, outcome: str | None = None,
        since: datetime | str | None = None, until: datetime | str | None = None, limit: int | None = None, **call: Unpack[CallOptions],
    ) -> AsyncPages[AuditRecord]:  # fmt: skip
        query = {"user": user, "tool": tool, "protocol": protocol, "outcome": outcome, "since": since, "until": until, "limit": limit}
        return self._pages("/api/audit", "records", query, call)


class AsyncOperator(_Routes):
    """Settings, MCP servers, users and what is kept. A local gateway without an operator's token asks for the approval_key of the client."""

    async def settings(self, **call: Unpack[CallOptions]) -> list[Setting]:
        """Returns the settings in force, each with where it comes from, without secrets."""
        return (await self._transport.json("GET", "/api/operator/settings", call=call))["settings"]

    async def mcp_servers(self, **call: Unpack[CallOptions]) -> list[MCPServer]:
        """Returns the MCP servers whose tools the gateway uses."""
        return (await self._transport.json("GET", "/api/operator/mcp-servers", call=call))["servers"]

    async def accept_mcp_server(self, name: str, changes: str, **call: Unpack[CallOptions]) -> list[str]:
        """Lets the tools of an MCP server be used that are not what they were, and returns their names.

        The changes are those of the server as mcp_servers() listed it. If they are others by now, it fails with DECISION_CONFLICT
        and accepts nothing.
        """
        path = f"/api/operator/mcp-servers/{_at(name)}/accept"
        return (await self._transport.json("POST", path, json={"changes": changes}, safe=True, call=call))["accepted"]

    def users(self, *, limit: int | None = None, **call: Unpack[CallOptions]) -> AsyncPages[OperatorUser]:
        """Lists the users, with what they spent today."""
        return self._pages("/api/operator/users", "users", {"limit": limit}, call)

    async def create_user(self, **call: Unpack[CallOptions]) -> OperatorUser:
        """Makes a user without installs."""
        return await self._transport.json("POST", "/api/operator/users", call=call)

    async def user(self, user_id: str, **call: Unpack[CallOptions]) -> OperatorUserDetails:
        """Returns what a user has: installs, what was spent today, and how much is kept."""
        return await self._transport.json("GET", f"/api/operator/users/{_at(user_id)}", call=call)

    async def set_budget(
        self, user_id: str, *, tokens: int | None = None, money_micros: int | None = None, default: bool | None = None, **call: Unpack[CallOptions]
    ) -> OperatorUser:
        """Gives a user a budget of their own, or by default that of the settings again."""
        json = given(tokens=tokens, money_micros=money_micros, default=default)
        return await self._transport.json("PUT", f"/api/operator/users/{_at(user_id)}/budget", json=json, call=call)

    async def create_token(self, user_id: str, operating_system: str | None = None, **call: Unpack[CallOptions]) -> OperatorToken:
        """Makes a token for a user. It is not tried again: the token is told once."""
        return await self._transport.json("POST", f"/api/operator/users/{_at(user_id)}/tokens", json=given(operating_system=operating_system), call=call)

    async def revoke_install(self, install_id: str, **call: Unpack[CallOptions]) -> None:
        """Lets an install in no more."""
        await self._transport.request("DELETE", f"/api/operator/installs/{_at(install_id)}", call=call)

    async def history(self, **call: Unpack[CallOptions]) -> History:
        """Returns the figures of the last day, in periods of five minutes."""
        return await self._transport.json("GET", "/api/operator/history", call=call)

    async def kept(self, **call: Unpack[CallOptions]) -> list[KeptKind]:
        """Returns what the gateway keeps, and for how long."""
        return (await self._transport.json("GET", "/api/operator/kept", call=call))["kinds"]

    async def prune(self, older_than_hours: dict[str, int], *, dry_run: bool | None = None, **call: Unpack[CallOptions]) -> Pruned:
        """Deletes the data that is older than the given age of its kind, or only counts it."""
        json = {"older_than_hours": older_than_hours} | given(dry_run=dry_run)
        return await self._transport.json("POST", "/api/operator/prune", json=json, safe=True, call=call)
