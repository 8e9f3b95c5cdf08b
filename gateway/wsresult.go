package gateway

import (
	"encoding/json"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// wsToolResult is what came of a tool at the client.
type wsToolResult struct {
	RequestID string      `json:"request_id"`
	Success   bool        `json:"success"`
	Data      *wsToolData `json:"data"`
	Error     *string     `json:"error"`
}

// wsToolData is a tool's output. What is for the gateway alone,
// system_state_internal and capture_meta, is not shown to the model.
type wsToolData struct {
	Output any `json:"output"`
	wsScreen
}

// wsScreen is what a client's screen looked like behind a tool.
type wsScreen struct {
	ScreenshotRef string          `json:"screenshot_ref"`
	Screenshot    string          `json:"screenshot"`
	SystemState   json.RawMessage `json:"system_state"`
}

func (c *wsClient) toolResult(p wsToolResult) error {
	d, err := c.asked(p.RequestID, session.Outside)
	if err != nil {
		return err
	}
	r := session.Result{IsError: !p.Success}
	if p.Error != nil && *p.Error != "" {
		r.Parts = append(r.Parts, untrustedText(*p.Error))
	}
	if p.Data != nil {
		if text := outputText(p.Data.Output); text != "" {
			r.Parts = append(r.Parts, untrustedText(text))
		}
		if err := c.addScreen(d, &r, p.Data.wsScreen); err != nil {
			return err
		}
	}
	return c.decideResult(d.ID, r)
}

// asked returns a decision of a kind that the user can make. An approval is
// none that a result could answer.
func (c *wsClient) asked(id, kind string) (journal.Decision, error) {
	d, err := c.server.cfg.Journal.Decision(c.ctx, id)
	if fault.CodeOf(err) == sdkapi.ValidationError || err == nil && (d.User != c.user || d.Kind != kind) {
		err = journal.NoDecision("gateway.ws", id)
	}
	return d, err
}

func untrustedText(text string) session.Part { return session.Part{Text: text, Untrusted: true} }

// outputText writes a tool's output, which is text or anything, for the model.
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

// addScreen adds to a result what the screen looked like. An image that comes
// with the message is kept as an artifact, unless the same result was kept
// before: the client may say it twice.
func (c *wsClient) addScreen(d journal.Decision, r *session.Result, s wsScreen) error {
	if len(s.SystemState) > 0 && string(s.SystemState) != "null" {
		r.Parts = append(r.Parts, session.Part{Text: "System state: " + string(s.SystemState), Untrusted: true, Aside: true})
		_ = json.Unmarshal(s.SystemState, &r.Metadata) // text is no metadata
	}
	id := s.ScreenshotRef
	switch {
	case id != "":
		if _, err := c.store.Stat(c.ctx, id); err != nil {
			return err
		}
	case s.Screenshot == "" || d.State == journal.Expired:
		return nil
	default:
		if id = keptBefore(d); id != "" {
			break
		}
		var err error
		if id, err = c.keepInline(s.Screenshot); err != nil {
			return err
		}
	}
	r.Parts = append(r.Parts, session.Part{Artifact: id})
	return nil
}

// keptBefore returns the artifact of an answer that is there already.
func keptBefore(d journal.Decision) string {
	var before session.Result
	if d.State != journal.Decided || json.Unmarshal(d.Answer.Value, &before) != nil {
		return ""
	}
	for _, p := range before.Parts {
		if p.Artifact != "" {
			return p.Artifact
		}
	}
	return ""
}

// keepInline stores a base64 image or data URL as the user's artifact.
func (c *wsClient) keepInline(text string) (string, error) {
	data, err := decodeBase64(text)
	if err != nil {
		return "", fault.New("gateway.ws", sdkapi.ValidationError, "the screenshot is not valid base64").Because(err)
	}
	if _, kind := artifacts.Sniff(data); !strings.HasPrefix(kind, "image/") {
		return "", fault.New("gateway.ws", sdkapi.InvalidImage, "the screenshot is no PNG, JPEG, GIF or WebP")
	}
	return keepFile(c.ctx, c.store, data)
}

// decideResult answers the decision that a call waits for.
func (c *wsClient) decideResult(decision string, r session.Result) error {
	value, err := json.Marshal(c.server.cfg.Sessions.Cut(r))
	if err != nil {
		return err
	}
	return c.server.decide(c.ctx, c.user, decision, journal.Answer{Value: value}, "")
}

// wsBundleResult is what came of a bundle at the client.
type wsBundleResult struct {
	BundleID string `json:"bundle_id"`
	Status   string `json:"status"`
	wsScreen
	StepResults []wsStep `json:"step_results"`
	Error       *string  `json:"error"`
}

// wsStep is what came of one step of a bundle.
type wsStep struct {
	Status string                     `json:"status"` // "ok", or "error"
	Output any                        `json:"output"`
	Error  string                     `json:"error"`
	more   map[string]json.RawMessage // other fields
}

// UnmarshalJSON keeps the fields that the gateway does not know.
func (s *wsStep) UnmarshalJSON(raw []byte) error {
	type known wsStep
	if err := json.Unmarshal(raw, (*known)(s)); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &s.more); err != nil {
		return err
	}
	for _, name := range []string{"tool", "status", "output", "error"} {
		delete(s.more, name)
	}
	return nil
}

func (s wsStep) result() session.Result {
	r := session.Result{IsError: s.Status != "ok", Metadata: s.more}
	for _, text := range []string{outputText(s.Output), s.Error} {
		if text != "" {
			r.Parts = append(r.Parts, untrustedText(text))
		}
	}
	return r
}

// bundleResult answers the decisions of a bundle, whose id is that of the
// first. Steps that the client did not come to are told as not done, and why.
func (c *wsClient) bundleResult(p wsBundleResult) error {
	first, err := c.asked(p.BundleID, session.Outside)
	if err != nil {
		return err
	}
	decisions, err := c.server.cfg.Sessions.Bundle(c.ctx, first)
	if err != nil {
		return err
	}
	if len(decisions) == 0 {
		return journal.NoDecision("gateway.ws", p.BundleID)
	}
	results := make([]session.Result, len(decisions))
	for i, id := range decisions {
		r := session.Result{IsError: true, Parts: []session.Part{{Text: "The client did not come to this step."}}}
		if i < len(p.StepResults) {
			r = p.StepResults[i].result()
		}
		if p.Error != nil && *p.Error != "" && r.IsError {
			r.Parts = append(r.Parts, untrustedText(*p.Error))
		}
		if i == len(decisions)-1 {
			last, err := c.asked(id, session.Outside)
			if err != nil {
				return err
			}
			if err := c.addScreen(last, &r, p.wsScreen); err != nil {
				return err
			}
		}
		results[i] = r
	}
	for i, id := range decisions {
		if err := c.decideResult(id, results[i]); err != nil {
			return err
		}
	}
	return nil
}

// wsApproval is the user's answer to an approval-request.
type wsApproval struct {
	RequestID  string          `json:"request_id"`
	Approved   bool            `json:"approved"`
	Reason     string          `json:"reason"`
	Parameters json.RawMessage `json:"parameters"` // to change them
}

func (c *wsClient) approve(p wsApproval) error {
	d, err := c.asked(p.RequestID, session.Approval)
	if err == nil {
		err = c.server.mayAnswer(c.ctx, d)
	}
	if err != nil {
		return err
	}
	answer := journal.Answer{Denied: !p.Approved, Reason: p.Reason, Value: p.Parameters}
	return c.server.decide(c.ctx, c.user, p.RequestID, answer, "payload.parameters")
}
