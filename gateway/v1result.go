package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// decoded returns what an event says.
func decoded[T any](e journal.Event) (data T, err error) {
	err = json.Unmarshal(e.Data, &data)
	return data, err
}

// v1Wait answers with the last words of a turn. One that waits for the client
// behind an event, up to which all has happened, is told as such, with what it
// waits for first.
func (s *Server) v1Wait(ctx context.Context, id string, began, known int64) (*huma.StreamResponse, error) {
	ctx, stop := untilClientLeaves(ctx)
	defer stop()
	v := newV1View()
	var pending *sdkapi.V1ToolCall
	err := s.followSession(ctx, id, began-1, func(e journal.Event) (enough bool, err error) {
		if _, err = v.show(e); err != nil || v.open == "" || e.Seq < known {
			return v.open == "", err
		}
		pending, err = s.v1Pending(ctx, v)
		return pending != nil, err
	})
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, fault.From(ctx.Err())
	case pending != nil:
		f := fault.New("gateway.v1", sdkapi.ToolPending, "the agent waits for what comes of the tool %s; post it to %s and send the message again, or ask with stream", pending.Name, sdkapi.V1ToolResultPath)
		f.Details.ToolRequest = pending
		return nil, f
	case v.failed != nil:
		code := v.failed.Code
		if code == "" {
			code = sdkapi.ModelError
		}
		return nil, fault.New("gateway.v1", code, "%s", v.failed.Message)
	}
	answer := sdkapi.V1Answer{Assistant: sdkapi.V1Message{Parts: []sdkapi.V1Part{{Type: "text", Text: v.final}}}}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		_ = humafiber.UnwrapV2(c).Status(http.StatusOK).JSON(answer) // it can be written as JSON
	}}, nil
}

// v1Pending returns the first request that nobody has answered, nil for none:
// of those answered the agent may not know yet.
func (s *Server) v1Pending(ctx context.Context, v *v1View) (*sdkapi.V1ToolCall, error) {
	for i, call := range v.pending {
		d, err := s.cfg.Journal.Decision(ctx, v.client[call.ID])
		if err != nil {
			return nil, err
		}
		if d.State == journal.Pending {
			return &v.pending[i], nil
		}
	}
	return nil, nil
}

type v1StreamInput struct {
	GeneralSessionID string `query:"general_session_id" required:"true" maxLength:"256"`
	After            string `query:"after" maxLength:"40" doc:"The id of the last event that you have; without it, what is worked on is told from its beginning, and then what comes."`
	LastEventID      string `header:"Last-Event-ID" maxLength:"40" doc:"The same, as browsers send it. It goes before the query's."`
}

func (s *Server) v1Stream(ctx context.Context, in *v1StreamInput) (*huma.StreamResponse, error) {
	_, id, state, err := s.v1Find(ctx, in.GeneralSessionID)
	if err != nil {
		return nil, err
	}
	text := first(in.LastEventID, in.After)
	from, ok := parseCursor(text)
	if !ok {
		return nil, fault.New("gateway.v1", sdkapi.ValidationError, "%q is not the id of an event", text).At("query.after", "expected the id of the last event that you have")
	}
	begin := int64(0) // what an event is shown as follows from those of its turn before it
	switch {
	case from.seq > state.Seq:
		return nil, fault.New("gateway.v1", sdkapi.ValidationError, "the session has no event %q yet", text).At("query.after", "expected the id of an event of this session")
	case text == "" && state.Turn == nil:
		begin = state.Seq
	case text == "" || from.seq >= state.Began:
		begin = max(state.Began-1, 0)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		s.stream(humafiber.UnwrapV2(c), func(ctx context.Context, send func(sse) error) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			idle := time.AfterFunc(s.cfg.StreamIdle, cancel)
			defer idle.Stop()
			v := newV1View()
			if state.Turn != nil {
				idle.Stop()
			}
			return s.followSession(ctx, id, begin, func(e journal.Event) (bool, error) {
				shown, err := v.show(e)
				if err != nil {
					return true, err
				}
				if v.open == "" {
					idle.Reset(s.cfg.StreamIdle)
				} else {
					idle.Stop()
				}
				return false, sendAll(from.after(e.Seq, shown), send)
			})
		})
	}}, nil
}

func (s *Server) v1ToolResult(ctx context.Context, in *body[sdkapi.V1ToolResultRequest]) (*body[sdkapi.V1Accepted], error) {
	user, id, state, err := s.v1Find(ctx, in.Body.GeneralSessionID)
	if err != nil {
		return nil, err
	}
	r := in.Body.ToolResult
	decision, approval, err := s.v1Asked(ctx, id, state, r.ID)
	if err != nil {
		return nil, err
	}
	why := ""
	if r.Error != nil {
		why = *r.Error
	}
	answer := journal.Answer{Denied: !r.OK, Reason: truncate(why, maxReason)}
	if !approval {
		text := r.Result
		if !r.OK {
			text = first(why, "The client could not do it, and does not say why.")
		}
		value, err := json.Marshal(s.cfg.Sessions.Cut(session.Result{IsError: !r.OK, Parts: []session.Part{untrustedText(text)}}))
		if err != nil {
			return nil, err
		}
		answer = journal.Answer{Value: value}
	}
	if err := s.decide(ctx, user, decision, answer, ""); err != nil {
		return nil, err
	}
	return &body[sdkapi.V1Accepted]{Body: sdkapi.V1Accepted{Accepted: true}}, nil
}

// maxReason bounds why a client does not want a call, in bytes.
const maxReason = 2000

// v1Asked returns the decision that a call of the last turn waits or waited
// for, and whether it is an approval.
func (s *Server) v1Asked(ctx context.Context, id string, state *session.State, call string) (decision string, approval bool, err error) {
	v := newV1View()
	for after := max(state.Began-1, 0); ; {
		events, err := s.cfg.Sessions.Read(ctx, id, after)
		if err != nil {
			return "", false, err
		}
		for _, e := range events {
			after = e.Seq
			if _, err := v.show(e); err != nil {
				return "", false, err
			}
		}
		if len(events) > 0 {
			continue
		}
		found, asked := v.client[call]
		if !asked {
			return "", false, fault.New("gateway.v1", sdkapi.DecisionNotFound, "nobody asked for the tool call %q", truncate(call, 100)).
				At("body.tool_result.id", "expected the id of a tool.request")
		}
		return found, v.approval[call], nil
	}
}
