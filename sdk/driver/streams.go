package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// streams are the operations whose response is a stream of events.
var streams = map[string]func(ctx context.Context, c *sdk.Client, r *request, say func(any)) error{
	"prompts.start": func(ctx context.Context, c *sdk.Client, r *request, say func(any)) error {
		start, err := in[sdkapi.PromptStart](&r.Args)
		if err != nil {
			return err
		}
		return hear(c.Prompts.Start(ctx, start), say, promptEvent)
	},
	"prompts.events": func(ctx context.Context, c *sdk.Client, r *request, say func(any)) error {
		return hear(c.Prompts.Events(ctx, r.Args.Path["prompt_id"], r.Opts.LastEventID, r.Args.Query["deltas"] == "true"), say, promptEvent)
	},
	"general.chat": func(ctx context.Context, c *sdk.Client, r *request, say func(any)) error {
		chat, err := in[sdkapi.V1Chat](&r.Args)
		if err != nil {
			return err
		}
		return hear(c.General.Chat(ctx, chat.GeneralSessionID, chat.Message), say, generalEvent)
	},
	"general.stream": func(ctx context.Context, c *sdk.Client, r *request, say func(any)) error {
		return hear(c.General.Stream(ctx, r.Args.Query["general_session_id"], r.Opts.LastEventID), say, generalEvent)
	},
	"runs.follow": func(ctx context.Context, c *sdk.Client, r *request, say func(any)) error {
		after, _ := strconv.ParseInt(r.Opts.LastEventID, 10, 64) // empty means from the beginning
		return hear(c.Runs.Follow(ctx, r.Args.Path["run_id"], after), say, func(e sdkapi.RunEvent) any { return event{Data: e} })
	},
}

// promptEvent returns an event of a prompt with the name that it had in the stream. An unknown event has only its id.
func promptEvent(e sdk.PromptEvent) any {
	for _, of := range []event{
		{sdkapi.EventPromptCreated, e.Created, e.ID}, {sdkapi.EventPromptDelta, e.Delta, e.ID}, {sdkapi.EventPromptOutput, e.Output, e.ID},
		{sdkapi.EventPromptApproval, e.Approval, e.ID}, {sdkapi.EventPromptRepaired, e.Repaired, e.ID}, {sdkapi.EventPromptWarning, e.Warning, e.ID}, {sdkapi.EventPromptProgress, e.Progress, e.ID},
		{sdkapi.EventPromptCompleted, e.Completed, e.ID}, {sdkapi.EventError, e.Failed, e.ID},
	} {
		if text, _ := json.Marshal(of.Data); string(text) != "null" { // cannot fail: the type is known
			return of
		}
	}
	return event{ID: e.ID}
}

// generalEvent returns an event of the general agent service with the name that it had in the stream. An unknown event
// has only its id.
func generalEvent(e sdk.GeneralEvent) any {
	for _, of := range []event{
		{sdkapi.EventAssistantDelta, e.Delta, e.ID}, {sdkapi.EventToolRequest, e.Request, e.ID}, {sdkapi.EventToolResultAck, e.Ack, e.ID},
		{sdkapi.EventToolResult, e.Result, e.ID}, {sdkapi.EventWarning, e.Warning, e.ID}, {sdkapi.EventToolProgress, e.Progress, e.ID}, {sdkapi.EventAssistantFinal, e.Final, e.ID}, {sdkapi.EventResync, e.Resync, e.ID}, {sdkapi.EventError, e.Failed, e.ID},
	} {
		if text, _ := json.Marshal(of.Data); string(text) != "null" { // cannot fail: the type is known
			return of
		}
	}
	return event{ID: e.ID}
}

// wakeUp wakes an agent with one tool of this program, asks it a question, and counts the calls of
// the tool.
func wakeUp(ctx context.Context, c *sdk.Client, a *args) (any, error) {
	var runs atomic.Int64
	agent, err := c.WakeUp(ctx, sdk.WakeOptions{Tools: []sdk.WakeTool{{
		Name: a.Tool.Name, Description: a.Tool.Description, Schema: a.Tool.Schema, Risk: "safe",
		Run: func(context.Context, sdk.WakeCall) sdk.WakeResult {
			return sdk.WakeResult{Output: fmt.Sprintf("run %d", runs.Add(1))}
		},
	}}})
	if err != nil {
		return nil, err
	}
	defer agent.Close()
	answer, err := agent.Ask(ctx, sdk.WakeQuestion{Text: a.Input})
	if err != nil {
		return nil, err
	}
	return map[string]any{"text": answer.Text, "runs": runs.Load()}, nil
}
