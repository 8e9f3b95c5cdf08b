package prompts

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

type decisionListInput struct {
	State string `query:"state" enum:"pending,approved,denied,expired,any" default:"pending" doc:"Only decisions with this status. Pending decisions are listed oldest first, all others newest first."`
	Via   string `query:"via" enum:"mcp,prompt,ws,general,host" doc:"Only decisions on calls that were made through this protocol."`
	Paged
}

// streamsVia maps each protocol to the prefix of the journal streams with its decisions.
var streamsVia = map[string]string{
	agent.ViaMCP: "decisions/", agent.ViaPrompt: "session/api/", agent.ViaWS: "session/ws/", agent.ViaGeneral: "session/v1/", agent.ViaHost: "session/host/",
}

// listing returns the journal query that in describes.
func (in *decisionListInput) listing(user string) (l journal.Listing, err error) {
	l = journal.Listing{User: user, Kind: session.Approval, Stream: streamsVia[in.Via], Limit: in.Limit, Newest: in.State != sdkapi.DecisionPending}
	switch in.State {
	case sdkapi.DecisionPending:
		l.State = journal.Pending
	case sdkapi.DecisionExpires:
		l.State = journal.Expired
	case sdkapi.DecisionApproved, sdkapi.DecisionDenied:
		l.State, l.Denied = journal.Decided, in.State == sdkapi.DecisionDenied
	}
	last, err := parsePage(in.After)
	if last.id != "" {
		l.After = &journal.Decision{ID: last.id, Created: last.at}
	}
	return l, err
}

// listDecisions returns one page of the caller's decisions. If only pending ones are requested, it
// omits those whose call no longer waits, so the page may have fewer than Limit decisions and still
// have a next page.
func (s *door) listDecisions(ctx context.Context, in *decisionListInput) (*sdkapi.DecisionList, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	l, err := in.listing(user)
	if err != nil {
		return nil, err
	}
	found, err := s.Journal.List(ctx, l)
	if err != nil {
		return nil, err
	}
	out := sdkapi.DecisionList{Decisions: []sdkapi.Decision{}}
	if len(found) == l.Limit {
		last := found[len(found)-1]
		out.Next = page{last.Created, last.ID}.String()
	}
	for _, d := range found {
		told, waits, err := s.wireQuestion(ctx, d)
		if err != nil {
			return nil, err
		}
		if waits || l.State != journal.Pending {
			out.Decisions = append(out.Decisions, told)
		}
	}
	return &out, nil
}

// wireQuestion returns the wire form of a decision, with the prompt or session of its call. waits
// reports whether the call still waits for the answer. A call stops waiting when its turn ends.
func (s *door) wireQuestion(ctx context.Context, d journal.Decision) (out sdkapi.Decision, waits bool, err error) {
	out = approvals.WireDecision(d)
	id, inSession := strings.CutPrefix(d.Stream, "session/")
	out.Via = agent.ViaMCP
	if !inSession {
		return out, d.State == journal.Pending, nil
	}
	out.Via = audit.Via(id)
	var call session.Question
	_ = json.Unmarshal(d.Request, &call) // older gateways stored only the arguments
	out.ToolCallID = call.Call
	switch part := id[strings.LastIndexByte(id, '/')+1:]; out.Via {
	case agent.ViaPrompt:
		out.PromptID = ref{part: part, seq: call.Began}.id()
	default:
		out.SessionID = part
	}
	if d.State != journal.Pending {
		return out, false, nil
	}
	q, waits, err := approvals.QuestionOf(ctx, s.Sessions, d)
	switch {
	case err != nil:
		return out, false, err
	case waits:
		out.Tool, out.Arguments, out.Why = q.Tool, q.Arguments, q.Why
	default:
		out.State = sdkapi.DecisionExpires
	}
	return out, waits, nil
}

// decideQuestion stores the answer to a decision. It fails with DECISION_EXPIRED if the turn has
// ended.
func (s *door) decideQuestion(ctx context.Context, d journal.Decision, answer journal.Answer) (journal.Decision, error) {
	_, waits, err := s.wireQuestion(ctx, d)
	if err != nil {
		return d, err
	}
	if d.State == journal.Pending && !waits {
		return d, fault.New("gateway.decisions", sdkapi.DecisionExpired, "the decision %q is no longer needed: its turn has ended", d.ID)
	}
	decide := s.Journal.Decide
	if s.Sessions != nil {
		decide = s.Sessions.Decide // all protocols decide through the sessions
	}
	return decide(ctx, d.ID, journal.Decider{User: d.User, Digest: d.Digest}, answer)
}
