package desktop

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

const opResult = "gateway.ws"

// toolResultMessage is the result of a tool that the client ran.
type toolResultMessage struct {
	RequestID string    `json:"request_id"`
	Success   *bool     `json:"success"`
	Data      *toolData `json:"data"`
	Error     *string   `json:"error"`
}

// toolData is a tool's output. The fields system_state_internal and capture_meta, which are only
// for the gateway, are not decoded, so the model does not see them.
type toolData struct {
	Output any `json:"output"`
	screenData
}

// screenData describes the client's screen after a tool ran.
type screenData struct {
	ScreenshotRef string          `json:"screenshot_ref"`
	Screenshot    string          `json:"screenshot"`
	SystemState   json.RawMessage `json:"system_state"`
}

// toolResult answers the decision of one call that the client ran. For a call of a bundle it fails
// with VALIDATION_ERROR: bundleResult answers those.
func (c *client) toolResult(p toolResultMessage) error {
	d, state, err := c.asked(p.RequestID, session.Outside)
	switch {
	case err != nil:
		return err
	case bundled(state, d.ID):
		return fault.New(opResult, sdkapi.ValidationError, "%q is the id of a tool-bundle; send a tool-bundle-result for it", d.ID).
			At("payload.request_id", "expected the request_id of a tool-call")
	case p.Success == nil:
		return fault.New(opResult, sdkapi.ValidationError, "the result must have the field success: true if the tool succeeded, false if it failed").At("payload.success", "expected true or false")
	}
	r := session.Result{IsError: !*p.Success}
	if p.Error != nil && *p.Error != "" {
		r.Parts = append(r.Parts, turns.UntrustedText(*p.Error))
	}
	if p.Data != nil {
		if text := outputText(p.Data.Output); text != "" {
			r.Parts = append(r.Parts, turns.UntrustedText(text))
		}
		if err := c.addScreen(d, &r, p.Data.screenData, "payload.data"); err != nil {
			return err
		}
	}
	return c.decideResult(d.ID, r)
}

// asked returns the user's decision with that id and kind, and the state of its session, if any.
// The client watches that session from then on. Because kind must match, a tool result cannot
// answer an approval.
func (c *client) asked(id, kind string) (journal.Decision, *session.State, error) {
	d, err := c.server.Journal.Decision(c.ctx, id)
	about, known := session.Of(d)
	if fault.CodeOf(err) == sdkapi.ValidationError || err == nil && (d.User != c.user || d.Kind != kind) {
		err = journal.NoDecision(opResult, id)
	}
	if err != nil || !known { // MCP calls have no session
		return d, &session.State{}, err
	}
	state, err := c.server.Sessions.State(c.ctx, about, c.user)
	if err != nil {
		return d, nil, err
	}
	if ref, mine := strings.CutPrefix(about, session.DesktopOf(c.user)); mine {
		err = c.attach(ref, about, restOf(state, d.ID))
	}
	return d, state, err
}

// bundled reports whether an open decision belongs to a step of a bundle.
func bundled(state *session.State, decision string) bool {
	return state.Turn != nil && slices.ContainsFunc(state.Turn.Calls, func(c *session.Call) bool {
		return c.Decision == decision && c.Bundle != ""
	})
}

// outputText converts a tool's output, which may be any JSON value, to text for the model.
func outputText(output any) string {
	switch v := output.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	raw, err := json.Marshal(output)
	if err != nil {
		return ""
	}
	return string(raw)
}

// addScreen adds the client's screen to a result: the system state and a screenshot. It stores an
// inline image as an artifact only once, even if the client sends the same result twice.
func (c *client) addScreen(d journal.Decision, r *session.Result, s screenData, at string) error {
	if len(s.SystemState) > 0 && string(s.SystemState) != "null" {
		r.Parts = append(r.Parts, session.Part{Text: "System state: " + string(s.SystemState), Untrusted: true, Aside: true})
		_ = json.Unmarshal(s.SystemState, &r.Metadata) // ignored unless it is an object
	}
	id := s.ScreenshotRef
	switch {
	case id != "":
		if err := checkScreenshot(c.ctx, c.store, id, at+".screenshot_ref"); err != nil {
			return err
		}
	case s.Screenshot == "" || d.State == journal.Expired:
		return nil
	default:
		if id = turns.KeptBefore(d); id != "" {
			break
		}
		var err error
		if id, err = c.keepInline(s.Screenshot, at+".screenshot"); err != nil {
			return err
		}
	}
	r.Parts = append(r.Parts, session.Part{Artifact: id})
	return nil
}

// checkScreenshot returns an error unless id is an image artifact of the user.
func checkScreenshot(ctx context.Context, store artifacts.Store, id, at string) error {
	info, err := store.Stat(ctx, id)
	if err == nil && !isImage(info.ContentType) {
		err = fault.New(opResult, sdkapi.InvalidImage, "the artifact %q has the type %s; a screenshot must be a %s", id, info.ContentType, perception.Formats).
			At(at, "expected an image")
	}
	return err
}

// isImage reports whether a content type is that of an image, whatever its format.
func isImage(contentType string) bool { return strings.HasPrefix(contentType, "image/") }

// keepInline stores an image, given in base64 or as a data URL, as an artifact of the user. It
// returns the artifact's id.
func (c *client) keepInline(text, at string) (string, error) {
	data, err := query.DecodeBase64(text)
	if err != nil {
		return "", fault.New("gateway.ws", sdkapi.ValidationError, "the screenshot is not valid base64").At(at, "expected base64").Because(err)
	}
	if _, kind := artifacts.Sniff(data); !isImage(kind) {
		return "", fault.New("gateway.ws", sdkapi.InvalidImage, "the screenshot must be a %s", perception.Formats).At(at, "expected an image")
	}
	return artifacts.Keep(c.ctx, c.store, data)
}

// decideResult answers the decision of a call with the result.
func (c *client) decideResult(decision string, r session.Result) error {
	value, err := json.Marshal(c.server.Sessions.Cut(r))
	if err != nil {
		return err
	}
	return c.server.Decide(c.ctx, c.user, decision, journal.Answer{Value: value}, "")
}

// approvalMessage is the user's answer to an approval-request.
type approvalMessage struct {
	RequestID  string          `json:"request_id"`
	Approved   *bool           `json:"approved"`
	Reason     string          `json:"reason"`
	Parameters json.RawMessage `json:"parameters"` // replaces the model's arguments; empty to keep them
}

// approve answers a request for approval with the user's decision. If the payload has parameters,
// they replace the model's arguments.
func (c *client) approve(p approvalMessage) error {
	d, _, err := c.asked(p.RequestID, session.Approval)
	if err == nil {
		err = c.server.MayAnswer(c.ctx, d)
	}
	if err != nil {
		return err
	}
	if p.Approved == nil {
		return fault.New(opResult, sdkapi.ValidationError, "the decision lacks the field approved; send true to allow the call, or false to deny it").At("payload.approved", "expected true or false")
	}
	answer := journal.Answer{Denied: !*p.Approved, Reason: p.Reason, Value: p.Parameters}
	return c.server.Decide(c.ctx, c.user, p.RequestID, answer, "payload.parameters")
}
