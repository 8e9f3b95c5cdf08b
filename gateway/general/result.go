package general

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// wait answers with the final text of a turn. began is the number of the turn's first event. If the
// turn waits for a client's tool after the event with the number known, the response is
// TOOL_PENDING with the first waiting call.
func (s *door) wait(ctx context.Context, id string, began, known int64) (*huma.StreamResponse, error) {
	ctx, stop := gateway.UntilClientLeaves(ctx)
	defer stop()
	v := newV1View()
	var pending *sdkapi.V1ToolCall
	err := s.FollowSession(ctx, id, began-1, func(e journal.Event) (enough bool, err error) {
		if _, err = v.show(e); err != nil || v.open == "" || e.Seq < known {
			return v.open == "", err
		}
		pending, err = s.pending(ctx, v)
		return pending != nil, err
	})
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, fault.From(ctx.Err())
	case pending != nil:
		f := fault.New("gateway.v1", sdkapi.ToolPending, "the agent is waiting for the result of the tool %s; post it to %s and send the message again, or set stream to true", pending.Name, sdkapi.V1ToolResultPath)
		f.Details.ToolRequest = pending
		return nil, f
	case v.open != "":
		return nil, fault.New("gateway.v1", sdkapi.Overloaded, "the gateway is stopping, and the next gateway process will finish this answer; send the same message again in a few seconds")
	case v.failed != nil:
		f := fault.New("gateway.v1", codeOfEnd(*v.failed), "%s", v.failed.Message)
		if v.failed.ResetsAt != nil {
			f = f.After(time.Until(*v.failed.ResetsAt))
			f.Details.ResetsAt = v.failed.ResetsAt
		}
		return nil, f
	}
	s.noteSent(ctx, id, v)
	answer := sdkapi.V1Answer{Assistant: sdkapi.V1Message{Parts: []sdkapi.V1Part{{Type: "text", Text: v.final}}}}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		_ = json.NewEncoder(c.BodyWriter()).Encode(strictbody.Lists(answer)) // writing to memory cannot fail
	}}, nil
}

// pending returns the first unanswered request; nil if there is none. It skips requests that are
// answered in the journal although the agent has not read the answer yet.
func (s *door) pending(ctx context.Context, v *view) (*sdkapi.V1ToolCall, error) {
	for i, call := range v.pending {
		d, err := s.Journal.Decision(ctx, v.client[call.ID])
		if err != nil {
			return nil, err
		}
		if d.State == journal.Pending {
			return &v.pending[i], nil
		}
	}
	return nil, nil
}

// codeOfEnd returns the error code of a turn that ended without an answer. Turns that a person
// or a limit ended have codes of their own, because a retry would not help.
func codeOfEnd(e sdkapi.V1Error) sdkapi.Code {
	switch session.EndReason(e.Reason) {
	case session.EndCanceled, session.EndRevoked:
		return sdkapi.Canceled
	case session.EndTime:
		return sdkapi.Timeout
	}
	return cmp.Or(e.Code, sdkapi.ModelError)
}

type streamInput struct {
	GeneralSessionID string `query:"general_session_id" required:"true" maxLength:"256"`
	After            string `query:"after" maxLength:"40" doc:"Id of the last event that you have received. If it is absent, the stream begins at the start of the current turn."`
	LastEventID      string `header:"Last-Event-ID" maxLength:"40" doc:"Cursor that browsers send. If it is set, the gateway ignores \"after\"."`
}

// stream sends the events of a session after the client's cursor. Outside a turn, it ends after
// streamIdle without an event.
func (s *door) stream(ctx context.Context, in *streamInput) (*huma.StreamResponse, error) {
	_, id, state, err := s.find(ctx, in.GeneralSessionID)
	if err != nil {
		return nil, err
	}
	from, field, err := turns.Resume(in.LastEventID, in.After)
	if err != nil {
		return nil, err
	}
	text := cmp.Or(in.LastEventID, in.After)
	begin := int64(0) // the form of an event depends on the earlier events of its turn
	switch {
	case from.Seq > state.Seq:
		return nil, fault.New("gateway.v1", sdkapi.ValidationError, "the session has no event %q yet", text).At(field, "expected the id of an event of this session")
	case text == "" && state.Turn == nil:
		begin = state.Seq
	case text == "" || from.Seq >= state.Began:
		begin = max(state.Began-1, 0)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		s.Core.Stream(humafiber.UnwrapV2(c), func(ctx context.Context, send func(sse.Event) error) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			idle := time.AfterFunc(s.streamIdle, cancel)
			defer idle.Stop()
			t := s.teller(id, state, from, send)
			if state.Turn != nil {
				idle.Stop()
			}
			return s.FollowSession(ctx, id, begin, func(e journal.Event) (bool, error) {
				err := t.tell(ctx, e)
				if t.view.open == "" {
					idle.Reset(s.streamIdle)
				} else {
					idle.Stop()
				}
				return err != nil, err
			})
		})
	}}, nil
}

// toolResult answers a tool.request with the client's result or with the user's decision about an approval.
func (s *door) toolResult(ctx context.Context, in *gateway.Body[sdkapi.V1ToolResultRequest]) (*sdkapi.V1Accepted, error) {
	user, id, state, err := s.find(ctx, in.Body.GeneralSessionID)
	if err != nil {
		return nil, err
	}
	r := in.Body.ToolResult
	decision, approval, err := s.asked(ctx, id, state, r.ID)
	if err != nil {
		return nil, err
	}
	answer := journal.Answer{Denied: !r.OK, Reason: plain.Cut(whyFailed(r), maxReason)}
	if !approval {
		if answer, err = s.answerOf(ctx, decision, r); err != nil {
			return nil, err
		}
	}
	if err := s.Decide(ctx, user, decision, answer, ""); err != nil {
		return nil, err
	}
	return &sdkapi.V1Accepted{Accepted: true}, nil
}

// whyFailed returns the client's reason for a failed call; empty if it gave no reason.
func whyFailed(r sdkapi.V1ToolResult) string {
	if r.Error == nil {
		return ""
	}
	return *r.Error
}

// answerOf converts a tool result to the answer of a decision: the tool's output and the
// screenshot taken after it.
func (s *door) answerOf(ctx context.Context, decision string, r sdkapi.V1ToolResult) (journal.Answer, error) {
	text := r.Result
	if !r.OK {
		text = cmp.Or(whyFailed(r), "The client failed and gave no reason.")
	}
	result := session.Result{IsError: !r.OK}
	screenshot, err := s.screenshot(ctx, decision, r)
	if err != nil {
		return journal.Answer{}, err
	}
	if text != "" || screenshot == "" {
		result.Parts = append(result.Parts, turns.UntrustedText(text))
	}
	if screenshot != "" {
		result.Parts = append(result.Parts, session.Part{Artifact: screenshot})
	}
	value, err := json.Marshal(s.Sessions.Cut(result))
	return journal.Answer{Value: value}, err
}

// screenshot returns the artifact id of a result's screenshot; empty if there is none. It stores
// an inline image only once, even if the client sends the result twice.
func (s *door) screenshot(ctx context.Context, decision string, r sdkapi.V1ToolResult) (string, error) {
	const field = "body.tool_result.screenshot"
	source := sdkapi.ImageSource{ArtifactID: r.ScreenshotRef}
	switch {
	case r.ScreenshotRef == "" && r.Screenshot == "":
		return "", nil
	case r.ScreenshotRef == "":
		source.ImageBase64 = r.Screenshot
	}
	shown, err := s.Core.Picture(ctx, source, field)
	if err != nil {
		f := fault.From(err).Renamed(field+".artifact_id", field+"_ref")
		return "", f.Renamed(field+".image_base64", field)
	}
	d, err := s.Journal.Decision(ctx, decision)
	if err != nil || d.State == journal.Expired {
		return "", err
	}
	if before := turns.KeptBefore(d); before != "" {
		if same, err := shown.Is(ctx, before); same || err != nil {
			return before, err
		}
	}
	err = shown.Keep(ctx)
	return shown.ID, err
}

// maxReason is the maximum length of a client's reason to deny a call, in bytes.
const maxReason = 2000

// asked returns the decision id of a call in the last turn, and whether the decision is an
// approval.
func (s *door) asked(ctx context.Context, id string, state *session.State, call string) (decision string, approval bool, err error) {
	v := newV1View()
	for e, err := range s.Events(ctx, id, max(state.Began-1, 0)) {
		if err == nil {
			_, err = v.show(e)
		}
		if err != nil {
			return "", false, err
		}
	}
	found, asked := v.client[call]
	if !asked {
		return "", false, fault.New("gateway.v1", sdkapi.DecisionNotFound, "unknown tool call %q: this session has not requested it", plain.Cut(call, 100)).
			At("body.tool_result.id", "expected the id of a tool.request")
	}
	return found, v.approval[call], nil
}

// cancel ends the open turn. Canceled is true if a turn was open, or if the last turn was canceled before.
func (s *door) cancel(ctx context.Context, in *gateway.Body[sdkapi.V1CancelRequest]) (*sdkapi.V1Canceled, error) {
	user, id, state, err := s.find(ctx, in.Body.GeneralSessionID)
	if err != nil {
		return nil, err
	}
	out := sdkapi.V1Canceled{Accepted: true}
	if state.Turn != nil {
		if err = s.EndTurn(ctx, id, user, state.Turn.ID, state.Seq); err == nil {
			state, err = s.Sessions.State(ctx, id, user)
		}
	}
	if err != nil {
		return nil, err
	}
	if out.Canceled = state.Turn != nil; !out.Canceled {
		out.Canceled, err = s.wasCanceled(ctx, id, state)
	}
	return &out, err
}

// wasCanceled reports whether the last turn of a session was canceled. The session must have no
// open turn.
func (s *door) wasCanceled(ctx context.Context, id string, state *session.State) (bool, error) {
	_, ended, err := s.lastTurn(ctx, id, state)
	return ended != nil && ended.Reason == session.EndCanceled, err
}
