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

// General holds the routes of the general agent service: an agent whose tools
// the program runs. Its methods may be called from several goroutines at once.
type General struct{ client *Client }

// GeneralEvent is one event of a session. One of its pointers is set.
type GeneralEvent struct {
	ID string

	Delta    *sdkapi.V1Text
	Request  *sdkapi.V1ToolCall // run the tool, and give Result what came of it
	Ack      *sdkapi.V1ToolAck
	Result   *sdkapi.V1ToolResult
	Warning  *sdkapi.V1Warning
	Progress *sdkapi.V1Progress // how far a running call is
	Final    *sdkapi.V1Text
	Resync   *struct{} // what was heard before is kept no longer: begin with an empty view
	Failed   *sdkapi.V1Error
}

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

func (e *GeneralEvent) at(id string) { e.ID = id }

func (e *GeneralEvent) last() bool { return e.Final != nil || e.Failed != nil }

func (e *GeneralEvent) over() bool { return e.Request != nil && e.Request.Answered }

// Begin begins a session, or goes on with PreferredSessionID.
func (g *General) Begin(ctx context.Context, in sdkapi.V1SessionRequest) (*sdkapi.V1Session, error) {
	return post[sdkapi.V1Session](ctx, g.client, sdkapi.V1SessionsPath, in)
}

// Chat says something in a session and yields each event that comes of it once, until the
// end. If the connection breaks, it goes on where it was. A message without an id gets
// one; the id of an earlier message yields that turn, less the requests that were
// answered. Leaving the loop does not end the turn; Cancel does. The error ends the loop.
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
			if f.after == "" { // its id keeps it from being said twice
				return g.client.call(safe(ctx), http.MethodPost, sdkapi.V1ChatPath, http.Header{"Content-Type": {"application/json"}}, body)
			}
			return f.from(ctx, g.client, sdkapi.V1StreamPath+"?general_session_id="+url.QueryEscape(session))
		}
		f.run(ctx, yield, f.again)
	}
}

// Say says something in a session and returns the agent's last words. Its calls of tools are answered from elsewhere.
func (g *General) Say(ctx context.Context, session string, message sdkapi.V1Message) (*sdkapi.V1Answer, error) {
	if message.ID == "" {
		message.ID = rand.Text()
	}
	return post[sdkapi.V1Answer](safe(ctx), g.client, sdkapi.V1ChatPath, sdkapi.V1Chat{GeneralSessionID: session, Mode: "general", Message: message})
}

// Stream yields what happens in a session after an event, from the beginning if after is empty, until the context ends.
// Requests that were answered are left out.
func (g *General) Stream(ctx context.Context, session, after string) iter.Seq2[GeneralEvent, error] {
	return func(yield func(GeneralEvent, error) bool) {
		path := sdkapi.V1StreamPath + "?general_session_id=" + url.QueryEscape(session)
		f := &follow[generalStream, *generalStream]{after: after, heard: func(*generalStream) {}, known: func() bool { return true }}
		f.again = func(ctx context.Context) (*http.Response, error) { return f.from(ctx, g.client, path) }
		f.run(ctx, func(e generalStream, err error) bool { return yield(e.GeneralEvent, err) }, f.again)
	}
}

// generalStream is an event of a stream that goes on behind the end of a turn.
type generalStream struct{ GeneralEvent }

func (generalStream) last() bool { return false }

// Cancel ends the turn that the agent works on, and returns once it has ended;
// where there is none, at once. It may be called twice.
func (g *General) Cancel(ctx context.Context, session string) (*sdkapi.V1Canceled, error) {
	return post[sdkapi.V1Canceled](safe(ctx), g.client, sdkapi.V1CancelPath, sdkapi.V1CancelRequest{GeneralSessionID: session})
}

// Result posts the result of a tool, and may do so twice. It fails with DecisionNotFound if
// nobody asked, DecisionConflict after another result, and DecisionExpired if it is too late.
func (g *General) Result(ctx context.Context, session string, result sdkapi.V1ToolResult) error {
	_, err := post[sdkapi.V1Accepted](safe(ctx), g.client, sdkapi.V1ToolResultPath, sdkapi.V1ToolResultRequest{GeneralSessionID: session, ToolResult: result})
	return err
}
