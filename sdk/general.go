package sdk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// General holds the routes of the general agent service. In this service, an agent calls tools, and
// this program runs the tools. The methods of General are safe for concurrent use.
type General struct{ client *Client }

// GeneralEvent is one event of a session. Exactly one of its pointers is set.
type GeneralEvent struct {
	ID string

	Delta    *sdkapi.V1Text
	Request  *sdkapi.V1ToolCall // a tool to run; post its outcome with General.Result
	Ack      *sdkapi.V1ToolAck
	Result   *sdkapi.V1ToolResult
	Warning  *sdkapi.V1Warning
	Progress *sdkapi.V1Progress // progress of a running tool call
	Final    *sdkapi.V1Text
	// Resync means that earlier events are no longer stored. Discard what you built from events,
	// and start again.
	Resync *struct{}
	Failed *sdkapi.V1Error
}

// into chooses the field for an event by its name.
func (e *GeneralEvent) into(kind string) any {
	switch kind {
	case sdkapi.EventAssistantDelta:
		return fill(&e.Delta)
	case sdkapi.EventToolRequest:
		return fill(&e.Request)
	case sdkapi.EventToolResultAck:
		return fill(&e.Ack)
	case sdkapi.EventToolResult:
		return fill(&e.Result)
	case sdkapi.EventWarning:
		return fill(&e.Warning)
	case sdkapi.EventToolProgress:
		return fill(&e.Progress)
	case sdkapi.EventAssistantFinal:
		return fill(&e.Final)
	case sdkapi.EventResync:
		return fill(&e.Resync)
	case sdkapi.EventError:
		return fill(&e.Failed)
	}
	return nil
}

// at stores the id, which is the cursor for Stream.
func (e *GeneralEvent) at(id string) { e.ID = id }

// last reports whether the event ends its turn.
func (e *GeneralEvent) last() bool { return e.Final != nil || e.Failed != nil }

// over reports whether the event is a tool request that has its result already.
func (e *GeneralEvent) over() bool { return e.Request != nil && e.Request.Answered }

// Begin creates a session, or resumes the session in.PreferredSessionID.
func (g *General) Begin(ctx context.Context, in sdkapi.V1SessionRequest) (*sdkapi.V1Session, error) {
	return post[sdkapi.V1Session](ctx, g.client, sdkapi.V1SessionsPath, in)
}

// Chat sends a message in a session and yields each event of the turn once, until the turn ends. An
// error ends the loop. If the connection breaks, Chat reconnects and continues after the last
// event. If the caller leaves the loop, the turn continues; Cancel ends the turn.
//
// A message without an id gets a new id. If the message has the id of an earlier message, Chat
// yields the events of the earlier message's turn, except the tool requests that have results.
func (g *General) Chat(ctx context.Context, session string, message sdkapi.V1Message) iter.Seq2[GeneralEvent, error] {
	return func(yield func(GeneralEvent, error) bool) {
		if message.ID == "" {
			message.ID = rand.Text()
		}
		body, err := json.Marshal(sdkapi.V1Chat{GeneralSessionID: session, Mode: "general", Message: message, Stream: true})
		if err != nil {
			yield(GeneralEvent{}, fmt.Errorf("sdk: %w", err))
			return
		}
		f := &follow[GeneralEvent, *GeneralEvent]{heard: func(*GeneralEvent) {}, known: func() bool { return true }}
		f.again = func(ctx context.Context) (*http.Response, error) {
			if f.after == "" { // the message's id keeps it from being sent twice
				return g.client.call(safe(ctx), http.MethodPost, sdkapi.V1ChatPath, http.Header{"Content-Type": {"application/json"}}, body)
			}
			return f.from(ctx, g.client, sdkapi.V1StreamPath+"?general_session_id="+url.QueryEscape(session))
		}
		f.run(ctx, yield, f.again)
	}
}

// Say sends a message in a session, waits for the end of the turn, and returns the agent's last
// text. While Say waits, another caller must post the results of the agent's tool requests.
func (g *General) Say(ctx context.Context, session string, message sdkapi.V1Message) (*sdkapi.V1Answer, error) {
	if message.ID == "" {
		message.ID = rand.Text()
	}
	return post[sdkapi.V1Answer](safe(ctx), g.client, sdkapi.V1ChatPath, sdkapi.V1Chat{GeneralSessionID: session, Mode: "general", Message: message})
}

// Stream yields the events of a session until ctx ends. cursor is the id of the last event that the
// caller has; with an empty cursor, Stream begins with the first event. Stream skips tool requests
// that already have results.
func (g *General) Stream(ctx context.Context, session, cursor string) iter.Seq2[GeneralEvent, error] {
	return func(yield func(GeneralEvent, error) bool) {
		path := sdkapi.V1StreamPath + "?general_session_id=" + url.QueryEscape(session)
		f := &follow[generalStream, *generalStream]{after: cursor, heard: func(*generalStream) {}, known: func() bool { return true }}
		f.again = func(ctx context.Context) (*http.Response, error) { return f.from(ctx, g.client, path) }
		f.run(ctx, func(e generalStream, err error) bool { return yield(e.GeneralEvent, err) }, f.again)
	}
}

// generalStream is an event of a stream that continues after the end of a turn.
type generalStream struct{ GeneralEvent }

// last returns false, because the session's stream continues after each turn.
func (generalStream) last() bool { return false }

// Cancel ends the session's current turn and returns once the turn has ended. If the session has no
// current turn, Cancel returns at once. Cancel may be called twice.
func (g *General) Cancel(ctx context.Context, session string) (*sdkapi.V1Canceled, error) {
	return post[sdkapi.V1Canceled](safe(ctx), g.client, sdkapi.V1CancelPath, sdkapi.V1CancelRequest{GeneralSessionID: session})
}

// Result posts the result of a tool that the agent requested. The same result may be posted twice.
// Result fails with DecisionNotFound if the agent did not request the call, with DecisionConflict
// if the call already has a different result, and with DecisionExpired if the request has expired.
func (g *General) Result(ctx context.Context, session string, result sdkapi.V1ToolResult) error {
	_, err := post[sdkapi.V1Accepted](safe(ctx), g.client, sdkapi.V1ToolResultPath, sdkapi.V1ToolResultRequest{GeneralSessionID: session, ToolResult: result})
	return err
}
