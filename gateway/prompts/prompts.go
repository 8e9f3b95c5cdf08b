package prompts

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

const tag = "prompts"

// addPrompts registers the routes that start, return, follow, approve, reject and cancel a prompt.
func (s *door) addPrompts() {
	gateway.Register(s.Core, huma.Operation{
		OperationID: "prompt", Method: http.MethodPost, Path: sdkapi.PromptPath, Tags: []string{tag}, Security: gateway.AsksForUser,
		Summary: "Send a prompt",
		Description: "Returns server-sent events. The first is `prompt.created`. Each complete text, tool call and file is a `prompt.output`. " +
			"If a call needs approval, there is a `prompt.approval`. The last event is `prompt.completed` or `error`. If the connection breaks, the prompt " +
			"continues. To read its further events, request `GET /api/prompts/{prompt_id}/events`, with the last `id` in the header `Last-Event-ID`.",
		MaxBodyBytes: sdkapi.MaxPromptBody + 1, BodyReadTimeout: -1, // as in gateway.Post
		Responses: s.eventStream(), Errors: []int{400, 401, 403, 404, 408, 409, 413, 415, 422, 502, 503, 507},
	}, s.prompt)
	get := func(id, below, summary, description string, errors ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: http.MethodGet, Path: sdkapi.PromptsPath + "/{promptId}" + below, Tags: []string{tag}, Security: gateway.AsksForUser,
			Summary: summary, Description: description, Errors: append(errors, 401, 403, 404, 422, 503),
		}
	}
	gateway.RegisterJSON(s.Core, get("get-prompt", "", "Get a prompt", "Returns the output of the prompt so far, and its open approvals."), s.getPrompt)
	events := get("prompt-events", "/events", "Follow a prompt",
		"Returns the prompt's events after the cursor, and then new events until the last event. Without a cursor, it returns all events.")
	events.Responses = s.eventStream()
	gateway.Register(s.Core, events, s.events)
	s.addPromptDecisions()
}

// addPromptDecisions registers the routes that approve a call, deny a call, and cancel a prompt.
func (s *door) addPromptDecisions() {
	about := func(verb, summary, description string) huma.Operation {
		return huma.Operation{
			OperationID: verb + "-prompt", Method: http.MethodPost, Path: sdkapi.PromptsPath + "/{promptId}/" + verb, Tags: []string{tag}, Security: gateway.AsksForUser,
			Summary: summary, Description: description, Errors: []int{400, 401, 403, 404, 408, 409, 410, 413, 415, 422, 503},
		}
	}
	approve := about("approve", "Approve a call",
		"Answers a `prompt.approval`, and the prompt continues. `input` replaces the call's arguments. The same answer again is accepted.")
	approve.MaxBodyBytes, approve.BodyReadTimeout = agent.MaxArguments+4<<10, -1
	gateway.RegisterJSON(s.Core, approve, s.approvePrompt)
	reject := about("reject", "Deny a call", "Answers a `prompt.approval`. The model gets the denial, and the prompt continues.")
	reject.MaxBodyBytes, reject.BodyReadTimeout = 16<<10, -1
	gateway.RegisterJSON(s.Core, reject, s.rejectPrompt)
	gateway.RegisterJSON(s.Core, about("cancel", "Cancel a prompt", "Stops the model and tools within a second. The stream ends with an `error` whose reason is `canceled`."), s.cancelPrompt)
}

// eventStream describes a response with the events of a prompt.
func (s *door) eventStream() map[string]*huma.Response {
	return gateway.EventStream("Server-sent events with data in JSON.", gateway.Union(s.Core, "PromptEvent", sdkapi.PromptEvents))
}

// ref locates a prompt. A prompt's id consists of part, the session's id without the user, and
// seq, the number of the event that began the turn.
type ref struct {
	user, part string
	seq        int64
}

var idForm = regexp.MustCompile(`^((?:prompt|conv)_[a-z2-7]{26})\.([1-9][0-9]{0,17})$`)

// id returns the prompt's id in the API.
func (p ref) id() string { return promptlist.IDOf(p.part, p.seq) }

// session returns the id of the session that has the prompt's events.
func (p ref) session() string { return promptlist.SessionOf(p.user, p.part) }

// begins reports whether e is the first event of the prompt.
func (p ref) begins(e journal.Event) bool { return e.Seq == p.seq && e.Kind == session.KindTurnStarted }

// refOf returns the ref of a prompt id in ctx's request. It does not check that the prompt
// exists.
func refOf(ctx context.Context, id string) (ref, error) {
	user, err := gateway.UserOf(ctx)
	if err != nil {
		return ref{}, err
	}
	p, ok := parsePromptID(user, id)
	if !ok {
		return p, noPrompt(id)
	}
	return p, nil
}

// parsePromptID parses the id of a user's prompt. ok is false if the id is malformed.
func parsePromptID(user, id string) (p ref, ok bool) {
	found := idForm.FindStringSubmatch(id)
	if found == nil {
		return p, false
	}
	seq, err := strconv.ParseInt(found[2], 10, 64)
	return ref{user, found[1], seq}, err == nil
}

// noPrompt returns the fault PROMPT_NOT_FOUND, with at most 100 bytes of id.
func noPrompt(id string) error {
	return fault.New("gateway.prompts", sdkapi.PromptNotFound, "there is no prompt %q", plain.Cut(id, 100)).
		At("path.promptId", "expected the promptId of the stream's first event")
}

// view returns a new view of the prompt, without events.
func (s *door) view(p ref, deltas bool) *view {
	v := &view{id: p.id(), deltas: deltas, registered: s.registeredName}
	if strings.HasPrefix(p.part, "conv_") {
		v.conversation = p.part
	}
	return v
}

// registeredName returns the registered name of a tool, given its name for models. It returns
// the given name for an unknown tool.
func (s *door) registeredName(model string) string {
	if d, found := s.Tools.Named(model); found {
		return d.Name
	}
	return model
}

type startInput struct {
	LastEventID string `header:"Last-Event-ID" maxLength:"40" doc:"Id of the last event that you have received. Only for a repeated request with the same Idempotency-Key."`
	Body        sdkapi.PromptStart
}

// prompt begins a prompt and streams its events.
func (s *door) prompt(ctx context.Context, in *startInput) (*huma.StreamResponse, error) {
	user, err := gateway.UserOf(ctx)
	if err != nil {
		return nil, err
	}
	from, _, err := turns.Resume(in.LastEventID, "")
	if err == nil {
		err = gateway.RequestOf(ctx).Quota.Hold()
	}
	if err != nil {
		return nil, err
	}
	if p, known := begunBefore(ctx, user); known {
		_, v, err := s.known(ctx, p) // the gateway may have trimmed or deleted the session since
		if err != nil {
			return nil, err
		}
		return s.streamPrompt(p, from, in.Body.Deltas, !v.ended.IsZero()), nil
	}
	if err := gateway.RequestOf(ctx).Quota.TakeCall(); err != nil {
		return nil, err
	}
	if s.prompts != nil {
		if err := s.prompts.Fits(ctx, user); err != nil {
			return nil, err
		}
	}
	p, err := s.beginPrompt(ctx, user, in.Body)
	if err != nil {
		return nil, err
	}
	return s.streamPrompt(p, from, in.Body.Deltas, false), nil
}

// streamPrompt streams the events of a prompt behind a cursor. ended means that the prompt had
// already ended.
func (s *door) streamPrompt(p ref, from turns.Cursor, deltas, ended bool) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(c huma.Context) {
		s.Core.Stream(humafiber.UnwrapV2(c), func(ctx context.Context, send func(sse.Event) error) error {
			return s.followPrompt(ctx, s.view(p, deltas), p, from, ended, send)
		})
	}}
}

// beginPrompt prepares the session and begins a turn with the user's input.
func (s *door) beginPrompt(ctx context.Context, user string, in sdkapi.PromptStart) (ref, error) {
	p := ref{user: user, part: "prompt_" + newPart(ctx)}
	if in.ConversationID != "" {
		if s.conversations == nil {
			return p, fault.New("gateway.prompt", sdkapi.FeatureUnavailable, "this gateway stores no conversations; send the prompt without conversationId").
				At("body.conversationId", "expected no conversationId")
		}
		if err := s.conversations.Touch(ctx, user, in.ConversationID); err != nil {
			return p, fault.At(err, "body.conversationId", "expected the id of one of your conversations")
		}
		p.part = in.ConversationID
	}
	parts, err := s.partsOf(ctx, in)
	if err != nil {
		return p, err
	}
	settings := session.Settings{Model: s.promptModels[in.Model]}
	_, err = s.Prepare(ctx, p.session(), p.user, func(session.Settings) session.Settings { return settings })
	if sent := gateway.RequestOf(ctx).Claim != nil; err != nil && (!sent || fault.CodeOf(err) != sdkapi.TurnRunning) { // the open turn may be this request's own
		return p, s.running(ctx, p, err)
	}
	begun, err := s.startPrompt(ctx, p, parts)
	return begun, s.running(ctx, p, err)
}

// newPart returns a random name for a new prompt. Requests with the same idempotency key get
// the same name.
func newPart(ctx context.Context) string {
	if claim := gateway.RequestOf(ctx).Claim; claim != nil {
		return claim.Nonce
	}
	return strings.ToLower(rand.Text())
}

// partsOf returns the parts of the user's message: the images, then the text. It stores images
// that are not artifacts yet.
func (s *door) partsOf(ctx context.Context, in sdkapi.PromptStart) ([]session.Part, error) {
	var parts []session.Part
	for i, image := range in.Images {
		shown, err := s.Core.Picture(ctx, image, fmt.Sprintf("body.images[%d]", i))
		if err == nil {
			err = shown.Keep(ctx)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, session.Part{Artifact: shown.ID})
	}
	return append(parts, session.Part{Text: in.Input}), nil
}

// running returns err. If err is TURN_RUNNING, the returned error also names the open prompt
// and how to cancel it.
func (s *door) running(ctx context.Context, p ref, err error) error {
	if fault.CodeOf(err) != sdkapi.TurnRunning {
		return err
	}
	state, failed := s.Sessions.State(ctx, p.session(), p.user)
	if failed != nil || state.Turn == nil {
		return err
	}
	p.seq = state.Began
	return fault.New("gateway.prompt", sdkapi.TurnRunning, "the conversation's last prompt is still running; wait until it ends, or cancel it with POST %s/%s/cancel",
		sdkapi.PromptsPath, p.id())
}

// followPrompt sends a prompt's events behind a cursor until the prompt's last event. It also feeds
// earlier events to the view, whose state depends on them. If ended is true, all approval requests
// count as answered. If the prompt's first event is no longer stored, followPrompt fails with PROMPT_NOT_FOUND.
func (s *door) followPrompt(ctx context.Context, v *view, p ref, from turns.Cursor, ended bool, send func(sse.Event) error) error {
	return s.FollowSession(ctx, p.session(), p.seq-1, func(e journal.Event) (enough bool, err error) {
		if v.seq == 0 && !p.begins(e) {
			return true, noPrompt(p.id())
		}
		shown, err := v.show(e)
		if err != nil {
			return true, err
		}
		for i, of := range shown {
			if asked, asks := of.Data.(sdkapi.PromptApproval); asks {
				if asked.Answered = ended; !ended {
					asked.Answered, err = s.Answered(ctx, asked.DecisionID)
				}
				shown[i].Data = asked
			}
		}
		if err != nil {
			return true, err
		}
		return !v.ended.IsZero(), turns.SendAll(from.After(e.Seq, shown), send)
	})
}

// known reads the state of a prompt from its events. It fails with PROMPT_NOT_FOUND if the
// event p.seq did not begin a turn or is no longer stored.
func (s *door) known(ctx context.Context, p ref) (*sdkapi.Prompt, *view, error) {
	v := s.view(p, false)
	out := newPrompt(v)
	for e, err := range s.Events(ctx, p.session(), p.seq-1) {
		if err != nil {
			return nil, nil, err
		}
		if v.seq == 0 && !p.begins(e) {
			break
		}
		if err := addToPrompt(out, v, e); err != nil {
			return nil, nil, err
		}
		if !v.ended.IsZero() {
			break
		}
	}
	if v.seq == 0 {
		return nil, nil, noPrompt(p.id())
	}
	return out, v, nil
}

// find parses a prompt id in ctx's request and reads the prompt's state.
func (s *door) find(ctx context.Context, id string) (p ref, known *sdkapi.Prompt, v *view, err error) {
	if p, err = refOf(ctx, id); err == nil {
		known, v, err = s.known(ctx, p)
	}
	return p, known, v, err
}

// cancelPrompt cancels a prompt and returns its state. If the turn has not ended within CancelTime,
// the status is sdkapi.PromptCanceling. A prompt that has already ended does not change.
func (s *door) cancelPrompt(ctx context.Context, in *PromptNamed) (*sdkapi.Prompt, error) {
	p, known, v, err := s.find(ctx, in.PromptID)
	if err == nil && v.ended.IsZero() {
		if err = s.EndTurn(ctx, p.session(), p.user, v.turn, v.seq); err == nil {
			known, v, err = s.known(ctx, p)
		}
	}
	if err != nil {
		return nil, err
	}
	if v.ended.IsZero() {
		known.Status, known.Approvals = sdkapi.PromptCanceling, nil
	}
	return known, nil
}
