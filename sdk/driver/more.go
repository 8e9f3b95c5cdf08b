package main

import (
	"encoding/json"
	"fmt"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// init adds agentCalls to calls.
func init() {
	for op, make := range agentCalls {
		calls[op] = make
	}
}

// agentCalls are the operations that calls does not list.
var agentCalls = map[string]call{
	"general.openSession":   with(func(c client, x ctx, _ *args, in sdkapi.V1SessionRequest) (any, error) { return c.General.Begin(x, in) }),
	"general.sessions":      func(x ctx, c client, a *args) (any, error) { return c.General.Sessions(x, a.Query["after"], a.limit()) },
	"general.deleteSession": silent(func(x ctx, c client, a *args) error { return c.General.Delete(x, a.Path["session_id"]) }),
	"general.chat": with(func(c client, x ctx, _ *args, in sdkapi.V1Chat) (any, error) {
		return c.General.Say(x, in.GeneralSessionID, in.Message)
	}),
	"general.toolResult": with(func(c client, x ctx, _ *args, in sdkapi.V1ToolResultRequest) (any, error) {
		return nil, c.General.Result(x, in.GeneralSessionID, in.ToolResult)
	}),
	"general.cancel": with(func(c client, x ctx, _ *args, in sdkapi.V1CancelRequest) (any, error) {
		return c.General.Cancel(x, in.GeneralSessionID)
	}),
	"memory.write": with(func(c client, x ctx, _ *args, in sdkapi.V1MemoryWrite) (any, error) { return c.General.Remember(x, in) }),
	"memory.search": func(x ctx, c client, a *args) (any, error) {
		return c.General.Recall(x, a.Query["q"], a.Query["kind"], a.limit())
	},
	"memory.get": func(x ctx, c client, a *args) (any, error) {
		return c.General.Passage(x, a.Query["path"], a.number("line_start"), a.number("line_end"))
	},
	"memory.files": func(x ctx, c client, _ *args) (any, error) { return c.General.MemoryFiles(x) },
	"memory.edit": with(func(c client, x ctx, _ *args, in sdkapi.V1MemoryEdit) (any, error) {
		return c.General.EditMemory(x, in)
	}),
	"memory.history": func(x ctx, c client, a *args) (any, error) {
		return c.General.MemoryHistory(x, a.Query["path"], a.limit())
	},
	"memory.deleteFile": silent(func(x ctx, c client, a *args) error { return c.General.DeleteMemoryFile(x, a.Query["path"]) }),
	"memory.deleteAll": silent(func(x ctx, c client, _ *args) error {
		_, err := c.General.DeleteMemory(x)
		return err
	}),

	"toolHosts.sessions": func(x ctx, c client, a *args) (any, error) {
		return c.ToolHosts.Sessions(x, a.Query["after"], a.limit())
	},
	"toolHosts.session":       at("id", func(c client, x ctx, id string) (any, error) { return c.ToolHosts.Session(x, id) }),
	"toolHosts.deleteSession": silent(func(x ctx, c client, a *args) error { return c.ToolHosts.Delete(x, a.Path["id"]) }),
	"toolHosts.open": func(x ctx, c client, _ *args) (any, error) {
		host, err := c.ToolHosts.Open(x, sdk.HostOptions{})
		if err != nil {
			return nil, err
		}
		return sdkapi.AgentSession{SessionID: host.ID()}, nil
	},

	"agent.models":      func(x ctx, c client, a *args) (any, error) { return c.Agent.Models(x, a.as()) },
	"agent.toolSchemas": func(x ctx, c client, a *args) (any, error) { return c.Agent.ToolSchemas(x, a.as()) },
	"agent.toolCapabilities": func(x ctx, c client, a *args) (any, error) {
		return c.Agent.ToolCapabilities(x, a.Path["tool_name"], a.as())
	},
	"agent.systemPrompt": func(x ctx, c client, a *args) (any, error) { return c.Agent.SystemPrompt(x, a.as()) },
	"agent.promptPreview": with(func(c client, x ctx, _ *args, in sdkapi.PromptRequest) (any, error) {
		return c.Agent.PromptPreview(x, in)
	}),
	"agent.queryPlan": with(func(c client, x ctx, _ *args, in sdkapi.PromptRequest) (any, error) { return c.Agent.QueryPlan(x, in) }),

	"embeddings.create": with(func(c client, x ctx, _ *args, in sdkapi.EmbeddingRequest) (any, error) {
		if in.ModelName != "" {
			return nil, fmt.Errorf("%w: it cannot send a model_name", errCannot)
		}
		return c.Embed(x, in.Text)
	}),
	"embeddings.health":  func(x ctx, c client, _ *args) (any, error) { return c.EmbeddingsHealth(x) },
	"semantic.summarize": with(func(c client, x ctx, _ *args, in sdkapi.SemanticSummarize) (any, error) { return c.Summarize(x, in) }),
	"semantic.title":     with(func(c client, x ctx, _ *args, in sdkapi.SemanticTitleRequest) (any, error) { return c.Title(x, in) }),
	"semantic.health":    func(x ctx, c client, _ *args) (any, error) { return c.SemanticHealth(x) },

	"runs.create": with(func(c client, x ctx, _ *args, in sdkapi.RunRequest) (any, error) { return c.Runs.Create(x, in) }),
	"runs.list": func(x ctx, c client, a *args) (any, error) {
		return c.Runs.List(x, sdk.RunQuery{
			WorkspaceID: a.Query["workspace_id"], AgentID: a.Query["agent_id"], RequestedBy: a.Query["requested_by"], Status: a.Query["status"],
			Since: a.time("since"), After: a.Query["after"], Limit: a.limit(),
		})
	},
	"runs.get": at("run_id", func(c client, x ctx, id string) (any, error) { return c.Runs.Get(x, id) }),
	"runs.events": func(x ctx, c client, a *args) (any, error) {
		return c.Runs.Events(x, a.Path["run_id"], int64(a.number("after_seq")), a.limit())
	},
	"runs.file": func(x ctx, c client, a *args) (any, error) {
		return hashed(c.Runs.File(x, a.Path["run_id"], a.Path["artifact_id"]))
	},
	"runs.control": with(func(c client, x ctx, a *args, in sdkapi.RunControlRequest) (any, error) {
		return c.Runs.Control(x, a.Path["run_id"], in)
	}),
	"runs.stopAll":   with(func(c client, x ctx, _ *args, in sdkapi.RunStopAll) (any, error) { return c.Runs.StopAll(x, in) }),
	"runs.workers":   func(x ctx, c client, a *args) (any, error) { return c.Runs.Workers(x, a.Query["workspace_id"]) },
	"runs.heartbeat": with(func(c client, x ctx, _ *args, in sdkapi.RunHeartbeat) (any, error) { return c.Runs.Heartbeat(x, in) }),
	"runs.dispatched": with(func(c client, x ctx, a *args, in sdkapi.RunDispatch) (any, error) {
		return c.Runs.Dispatched(x, a.Path["run_id"], in)
	}),
	"runs.relay": with(func(c client, x ctx, a *args, in sdkapi.RunRelay) (any, error) {
		return c.Runs.Relay(x, a.Path["run_id"], in)
	}),
}

// overlay draws texts, or points and regions: two operations of the API under one name.
func overlay(x ctx, c client, a *args) (any, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(a.Body, &fields); err != nil {
		return nil, err
	}
	if fields["points"] == nil && fields["regions"] == nil {
		return with(func(c client, x ctx, _ *args, in sdkapi.OCROverlayRequest) (any, error) { return c.OCR.Overlay(x, in) })(x, c, a)
	}
	return with(func(c client, x ctx, _ *args, in sdkapi.VisionOverlayRequest) (any, error) {
		return c.Vision.Overlay(x, in)
	})(x, c, a)
}
