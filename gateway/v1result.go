package gateway

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

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
	case v.open != "":
		return nil, fault.New("gateway.v1", sdkapi.Overloaded, "the gateway stops before the agent is done, and leaves that to the next one; send the message again in a few seconds to hear its answer")
	case v.failed != nil:
		return nil, fault.New("gateway.v1", codeOfEnd(*v.failed), "%s", v.failed.Message)
	}
	answer := sdkapi.V1Answer{Assistant: sdkapi.V1Message{Parts: []sdkapi.V1Part{{Type: "text", Text: v.final}}}}
	return &huma.StreamResponse{Body: func(c huma.Context) { s.v1Last(humafiber.UnwrapV2(c), answer, id, v.turn) }}, nil
}

// v1Last answers c with the last words of a turn, and has it noted that they came
// to the client.
func (s *Server) v1Last(c *fiber.Ctx, answer sdkapi.V1Answer, id, turn string) {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	r := requestOf(c.UserContext())
	ctx, cancel := context.WithCancel(context.WithValue(s.streams, requestKey{}, r))
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer cancel()
		defer watch(r.conn, cancel)()
		h, e := hearing{server: s, id: id, conn: r.conn}, sse{}
		defer h.wait()
		h.ending(ctx, turn, &e)
		if json.NewEncoder(w).Encode(answer) == nil && (eventWriter{w, r.conn}).send() == nil {
			close(e.written)
			return
		}
		cancel()
	})
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

// codeOfEnd returns the code of a turn that ended without an answer. One that a
// person or a limit ended says so: to ask the model again would not help.
func codeOfEnd(e sdkapi.V1Error) sdkapi.Code {
	switch session.EndReason(e.Reason) {
	case session.EndCanceled, session.EndRevoked:
		return sdkapi.Canceled
	case session.EndTime:
		return sdkapi.Timeout
	}
	if e.Code == "" {
		return sdkapi.ModelError
	}
	return e.Code
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
	name, text := "header.Last-Event-ID", in.LastEventID
	if text == "" {
		name, text = "query.after", in.After
	}
	from, ok := parseCursor(text)
	if !ok {
		return nil, fault.New("gateway.v1", sdkapi.ValidationError, "%q is not the id of an event", text).At(name, "expected the id of the last event that you have")
	}
	begin := int64(0) // what an event is shown as follows from those of its turn before it
	switch {
	case from.seq > state.Seq:
		return nil, fault.New("gateway.v1", sdkapi.ValidationError, "the session has no event %q yet", text).At(name, "expected the id of an event of this session")
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
			t := s.v1Teller(ctx, id, state, from, send)
			defer t.wait()
			if state.Turn != nil {
				idle.Stop()
			}
			return s.followSession(ctx, id, begin, func(e journal.Event) (bool, error) {
				err := t.tell(ctx, e)
				if t.view.open == "" {
					idle.Reset(s.cfg.StreamIdle)
				} else {
					idle.Stop()
				}
				return err != nil, err
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
	answer := journal.Answer{Denied: !r.OK, Reason: truncate(v1Why(r), maxReason)}
	if !approval {
		if answer, err = s.v1Told(ctx, decision, r); err != nil {
			return nil, err
		}
	}
	if err := s.decide(ctx, user, decision, answer, ""); err != nil {
		return nil, err
	}
	return &body[sdkapi.V1Accepted]{Body: sdkapi.V1Accepted{Accepted: true}}, nil
}

// v1Why is why a client could not do what it was asked for, as far as it says.
func v1Why(r sdkapi.V1ToolResult) string {
	if r.Error == nil {
		return ""
	}
	return *r.Error
}

// v1Told returns the answer to a decision that a result is: what the tool put
// out, and what the screen looked like behind it.
func (s *Server) v1Told(ctx context.Context, decision string, r sdkapi.V1ToolResult) (journal.Answer, error) {
	text := r.Result
	if !r.OK {
		text = cmp.Or(v1Why(r), "The client could not do it, and does not say why.")
	}
	result := session.Result{IsError: !r.OK}
	screenshot, err := s.v1Screenshot(ctx, decision, r)
	if err != nil {
		return journal.Answer{}, err
	}
	if text != "" || screenshot == "" {
		result.Parts = append(result.Parts, untrustedText(text))
	}
	if screenshot != "" {
		result.Parts = append(result.Parts, session.Part{Artifact: screenshot})
	}
	value, err := json.Marshal(s.cfg.Sessions.Cut(result))
	return journal.Answer{Value: value}, err
}

// v1Screenshot returns the artifact that is the screenshot of a result, empty for
// none. One that comes with the result is kept, unless the same result was
// before: the client may say it twice.
func (s *Server) v1Screenshot(ctx context.Context, decision string, r sdkapi.V1ToolResult) (string, error) {
	const field = "body.tool_result.screenshot"
	source := sdkapi.ImageSource{ArtifactID: r.ScreenshotRef}
	switch {
	case r.ScreenshotRef == "" && r.Screenshot == "":
		return "", nil
	case r.ScreenshotRef == "":
		source.ImageBase64 = r.Screenshot
	}
	shown, err := s.picture(ctx, source, field)
	if err != nil {
		f := fault.From(err).Renamed(field+".artifact_id", field+"_ref")
		return "", f.Renamed(field+".image_base64", field)
	}
	d, err := s.cfg.Journal.Decision(ctx, decision)
	if err != nil || d.State == journal.Expired {
		return "", err
	}
	if before := keptBefore(d); before != "" {
		if same, err := shown.is(ctx, before); same || err != nil {
			return before, err
		}
	}
	err = shown.keep(ctx)
	return shown.id, err
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
