package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// call performs one operation with the client.
type call func(ctx context.Context, c *sdk.Client, a *args) (any, error)

// in decodes the body of a call.
func in[T any](a *args) (T, error) {
	var of T
	if len(a.Body) == 0 {
		return of, nil
	}
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.DisallowUnknownFields()
	err := d.Decode(&of)
	if err != nil {
		err = fmt.Errorf("%w: the body does not fit its parameters: %w", errCannot, err)
	}
	return of, err
}

// with adapts a client method that takes the body.
func with[In, Out any](method func(*sdk.Client, context.Context, *args, In) (Out, error)) call {
	return func(ctx context.Context, c *sdk.Client, a *args) (any, error) {
		body, err := in[In](a)
		if err != nil {
			return nil, err
		}
		return method(c, ctx, a, body)
	}
}

// at adapts a client method that takes one path parameter.
func at[Out any](name string, method func(*sdk.Client, context.Context, string) (Out, error)) call {
	return func(ctx context.Context, c *sdk.Client, a *args) (any, error) { return method(c, ctx, a.Path[name]) }
}

// silent adapts a client method that returns no value.
func silent(method func(context.Context, *sdk.Client, *args) error) call {
	return func(ctx context.Context, c *sdk.Client, a *args) (any, error) { return nil, method(ctx, c, a) }
}

// limit returns the query parameter limit; 0 if it is missing or invalid.
func (a *args) limit() int {
	n, _ := strconv.Atoi(a.Query["limit"]) // 0 if absent
	return n
}

// number returns a query parameter that is a number; 0 if it is missing or invalid.
func (a *args) number(name string) int {
	n, _ := strconv.Atoi(a.Query[name]) // 0 if absent
	return n
}

// time returns a query parameter that is a time in RFC 3339; the zero time if it is missing or invalid.
func (a *args) time(name string) time.Time {
	at, _ := time.Parse(time.RFC3339, a.Query[name]) // zero if absent
	return at
}

// as returns the user, the model and the mode that the query parameters name.
func (a *args) as() sdk.As {
	return sdk.As{UserID: a.Query["user_id"], ModelID: a.Query["model_id"], ModelProvider: a.Query["model_provider"], InteractionMode: a.Query["interaction_mode"]}
}

// hashed reads a file to its end and returns the hash of its bytes.
func hashed(r io.ReadCloser, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	defer r.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return nil, err
	}
	return map[string]any{"sha256": hex.EncodeToString(sum.Sum(nil))}, nil
}

type (
	ctx    = context.Context
	client = *sdk.Client
)

// calls are the operations of the API document, by their x-sdk names.
var calls = map[string]call{
	"health":       func(x ctx, c client, _ *args) (any, error) { return c.Health(x) },
	"ready":        func(x ctx, c client, _ *args) (any, error) { return c.Ready(x) },
	"metrics":      func(x ctx, c client, _ *args) (any, error) { return c.Metrics(x) },
	"capabilities": func(x ctx, c client, _ *args) (any, error) { return c.Tools.Capabilities(x) },
	"usage":        func(x ctx, c client, _ *args) (any, error) { return c.Usage(x) },
	"register": with(func(c client, x ctx, _ *args, in sdkapi.InstallRequest) (any, error) {
		return c.Install.Register(x, in.OperatingSystem)
	}),
	"wakeUp": wakeUp,

	"artifacts.upload": func(x ctx, c client, a *args) (any, error) {
		return c.UploadArtifact(x, a.Name, bytes.NewReader(a.File))
	},
	"artifacts.list": func(x ctx, c client, a *args) (any, error) { return c.ListArtifacts(x, a.Query["after"], a.limit()) },
	"artifacts.download": func(x ctx, c client, a *args) (any, error) {
		r, _, err := c.OpenArtifact(x, a.Path["artifact_id"])
		return hashed(r, err)
	},
	"artifacts.describe": at("artifact_id", func(c client, x ctx, id string) (any, error) { return c.StatArtifact(x, id) }),
	"artifacts.delete":   silent(func(x ctx, c client, a *args) error { return c.DeleteArtifact(x, a.Path["artifact_id"]) }),
	"artifacts.keep":     at("artifact_id", func(c client, x ctx, id string) (any, error) { return c.KeepArtifact(x, id, true) }),
	"artifacts.unkeep":   at("artifact_id", func(c client, x ctx, id string) (any, error) { return c.KeepArtifact(x, id, false) }),

	"screen.read": with(func(c client, x ctx, _ *args, in sdkapi.OCRRunRequest) (any, error) {
		if in != (sdkapi.OCRRunRequest{Image: in.Image}) {
			return nil, fmt.Errorf("%w: it cannot send languages", errCannot)
		}
		return c.OCR.Run(x, in.Image)
	}),
	"screen.find": with(func(c client, x ctx, _ *args, in sdkapi.OCRTextRequest) (any, error) { return c.OCR.FindText(x, in) }),
	"screen.candidates": with(func(c client, x ctx, _ *args, in sdkapi.OCRTextRequest) (any, error) {
		return c.OCR.FindTextCandidates(x, in)
	}),
	"screen.resolve": with(func(c client, x ctx, _ *args, in sdkapi.OCRTextRequest) (any, error) { return c.OCR.ResolveText(x, in) }),
	"screen.candidate": with(func(c client, x ctx, _ *args, in sdkapi.OCRResolveCandidateRequest) (any, error) {
		return c.OCR.ResolveCandidate(x, in)
	}),
	"screen.element": with(func(c client, x ctx, _ *args, in sdkapi.VisionResolveCandidateRequest) (any, error) {
		return c.Vision.ResolveCandidate(x, in)
	}),
	"screen.inspect": with(func(c client, x ctx, _ *args, in sdkapi.OCRInspectRequest) (any, error) { return c.OCR.Inspect(x, in) }),
	"screen.overlay": overlay,
	"screen.locate": with(func(c client, x ctx, _ *args, in sdkapi.VisionLocateRequest) (any, error) {
		return c.Vision.Locate(x, in)
	}),
	"screen.locateAll": with(func(c client, x ctx, _ *args, in sdkapi.VisionLocateAllRequest) (any, error) {
		return c.Vision.LocateAll(x, in)
	}),
	"screen.describe": with(func(c client, x ctx, _ *args, in sdkapi.VisionDescribeRequest) (any, error) {
		return c.Vision.Describe(x, in)
	}),
	"screen.elements": with(func(c client, x ctx, _ *args, in sdkapi.ScreenElementsRequest) (any, error) {
		return c.Screen.Elements(x, in)
	}),
	"screen.at":   with(func(c client, x ctx, _ *args, in sdkapi.ScreenAtRequest) (any, error) { return c.Screen.At(x, in) }),
	"screen.diff": with(func(c client, x ctx, _ *args, in sdkapi.ScreenDiffRequest) (any, error) { return c.Screen.Diff(x, in) }),

	"tools.list": func(x ctx, c client, a *args) (any, error) {
		if tag := a.Query["tag"]; tag != "" {
			return c.Tools.ListTag(x, tag)
		}
		return c.Tools.List(x)
	},
	"tools.get": at("tool_id", func(c client, x ctx, id string) (any, error) { return c.Tools.Get(x, id) }),
	"tools.invoke": func(x ctx, c client, a *args) (any, error) {
		var arguments any
		if len(a.Body) > 0 {
			arguments = a.Body
		}
		return c.Tools.Invoke(x, a.Path["tool_id"], arguments)
	},
	"audit.list": func(x ctx, c client, a *args) (any, error) {
		return c.Audit(x, sdk.AuditQuery{
			User: a.Query["user"], Tool: a.Query["tool"], Protocol: a.Query["protocol"], Outcome: a.Query["outcome"],
			Since: a.time("since"), Until: a.time("until"), After: a.Query["after"], Limit: a.limit(),
		})
	},
	"plugins.list":     func(x ctx, c client, _ *args) (any, error) { return c.Plugins.List(x) },
	"plugins.get":      at("name", func(c client, x ctx, name string) (any, error) { return c.Plugins.Get(x, name) }),
	"plugins.remove":   silent(func(x ctx, c client, a *args) error { return c.Plugins.Remove(x, a.Path["name"]) }),
	"plugins.enable":   at("name", func(c client, x ctx, name string) (any, error) { return c.Plugins.Enable(x, name, true) }),
	"plugins.disable":  at("name", func(c client, x ctx, name string) (any, error) { return c.Plugins.Enable(x, name, false) }),
	"plugins.getGrant": at("name", func(c client, x ctx, name string) (any, error) { return c.Plugins.Grant(x, name) }),
	"plugins.putGrant": silent(func(x ctx, c client, a *args) error { return c.Plugins.SetGrant(x, a.Path["name"], a.Body) }),

	"prompts.get": at("prompt_id", func(c client, x ctx, id string) (any, error) { return c.Prompts.Get(x, id) }),
	"prompts.list": func(x ctx, c client, a *args) (any, error) {
		return c.Prompts.List(x, sdk.PromptQuery{
			Status: a.Query["status"], Conversation: a.Query["conversationId"], Since: a.time("since"), Until: a.time("until"), After: a.Query["after"], Limit: a.limit(),
		})
	},
	"prompts.delete": silent(func(x ctx, c client, a *args) error { return c.Prompts.Delete(x, a.Path["prompt_id"]) }),
	"prompts.approve": with(func(c client, x ctx, a *args, in sdkapi.PromptApprove) (any, error) {
		return nil, c.Prompts.Approve(x, a.Path["prompt_id"], in.ToolCallID, in.Input)
	}),
	"prompts.reject": with(func(c client, x ctx, a *args, in sdkapi.PromptReject) (any, error) {
		return nil, c.Prompts.Reject(x, a.Path["prompt_id"], in.ToolCallID, in.Reason)
	}),
	"prompts.cancel": silent(func(x ctx, c client, a *args) error { return c.Prompts.Cancel(x, a.Path["prompt_id"]) }),
	"conversations.list": func(x ctx, c client, a *args) (any, error) {
		return c.Prompts.Conversations(x, a.Query["after"], a.limit())
	},
	"conversations.delete": silent(func(x ctx, c client, a *args) error {
		_, err := c.Prompts.DeleteConversation(x, a.Path["conversation_id"])
		return err
	}),
	"decisions.list": func(x ctx, c client, a *args) (any, error) {
		return c.Decisions.List(x, sdk.DecisionQuery{State: a.Query["state"], Via: a.Query["via"], After: a.Query["after"], Limit: a.limit()})
	},
	"decisions.get":   at("decision_id", func(c client, x ctx, id string) (any, error) { return c.Decisions.Get(x, id) }),
	"decisions.rules": func(x ctx, c client, _ *args) (any, error) { return c.Decisions.Rules(x) },
	"decisions.setRules": with(func(c client, x ctx, _ *args, in sdkapi.Rules) (any, error) {
		return in.Rules, c.Decisions.SetRules(x, in.Rules)
	}),
	"decisions.approve": with(func(c client, x ctx, a *args, in sdkapi.DecisionAnswer) (any, error) {
		return c.Decisions.Answer(x, a.Path["decision_id"], in)
	}),
}
