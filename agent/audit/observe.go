package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var _ agent.Observer = (*Log)(nil)

// Begin implements agent.Observer.
func (l *Log) Begin(ctx context.Context, _ string, _ agent.Origin) context.Context { return ctx }

// End implements agent.Observer.
func (l *Log) End(_ context.Context, tool string, origin agent.Origin, call agent.Call, res agent.Result, err error) {
	r := recordOf(tool, call)
	r.Outcome, r.Code = outcomeOf(res, err)
	if r.Outcome != Refused {
		r.Origin = string(origin.Kind)
	}
	r.used(res.Usage)
	l.add(r)
}

// outcomeOf returns the outcome and the error code of a call of a registered tool.
func outcomeOf(res agent.Result, err error) (Outcome, string) {
	if err == nil {
		if res.IsError {
			return Failed, string(sdkapi.ToolError)
		}
		return Done, ""
	}
	code := fault.CodeOf(err)
	switch {
	case code == sdkapi.Canceled:
		return Canceled, string(code)
	case res.Usage.WallTime == 0:
		return Refused, string(code)
	}
	return Failed, string(code)
}

// Ended records the end of a tool call that the registry did not observe, for example a call of a client's tool. Use
// Ended as session.Config.Ended.
func (l *Log) Ended(call agent.Call, client bool, e session.ToolEnded) {
	r := recordOf(e.Tool, call)
	r.Outcome = Outcome(e.Outcome)
	if e.Outcome == session.Done && e.Result.IsError {
		r.Outcome, r.Code = Failed, string(sdkapi.ToolError)
	}
	if client && (e.Outcome == session.Done || e.Outcome == session.Unknown) {
		r.Origin = string(agent.Client)
	}
	r.used(e.Usage)
	r.Duration = time.Duration(e.Seconds * float64(time.Second))
	l.add(r)
}

// Limits of texts from callers, in bytes.
const (
	maxText = 128 // of users and names
	maxID   = 256 // of calls and sessions
)

// recordOf returns the part of a record that is known before the call.
func recordOf(tool string, call agent.Call) Record {
	r := Record{
		User: clean(call.User, maxText), Tool: clean(tool, agent.MaxNameLen), Protocol: call.Via,
		Session: clean(strings.TrimPrefix(call.Session, "session/"), maxID), Call: clean(call.ID, maxID),
		Parent: clean(call.Parent(), agent.MaxNameLen), Digest: digestOf(tool, call.Arguments),
		Decision: cmp.Or(Decision(call.Consent), None), Tokens: int64(call.Spent),
	}
	switch call.Consent {
	case agent.UserApproved, agent.UserEdited, agent.UserDenied:
		r.By = r.User
	default:
	}
	return r
}

// used sets the usage of a record. Fields that were not measured are 0.
func (r *Record) used(u agent.Usage) {
	r.Duration, r.Fuel, r.Memory, r.HostCalls, r.Egress = u.WallTime, u.Fuel, u.PeakMemory, u.HostCalls, u.EgressBytes
}

// digestOf returns the digest of a call, empty if the arguments are invalid or too long.
func digestOf(tool string, arguments json.RawMessage) string {
	if len(arguments) > agent.MaxArguments {
		return ""
	}
	if len(arguments) == 0 {
		arguments = json.RawMessage(`{}`)
	}
	digest, err := journal.Digest(tool, arguments)
	if err != nil {
		return ""
	}
	return digest
}

// clean returns at most limit bytes of a text, without characters that a database refuses.
func clean(text string, limit int) string {
	if len(text) <= limit && utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	text = strings.ReplaceAll(text[:min(len(text), limit)], "\x00", "")
	return strings.ToValidUTF8(text, "")
}

// Via derives the protocol of a session, for example "ws", from the session's id. Use it as
// session.Config.Via.
func Via(id string) string {
	switch kind, _, _ := strings.Cut(id, "/"); kind {
	case "ws":
		return agent.ViaWS
	case "api":
		return agent.ViaPrompt
	case "v1":
		return agent.ViaGeneral
	case "host":
		return agent.ViaHost
	}
	return ""
}
