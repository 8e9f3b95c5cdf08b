package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/state/journal"
)

// State is the state of a session. It is derived only from its events, so equal events give equal
// states on every gateway. The zero value is a session that does not exist.
type State struct {
	User     string
	Settings Settings
	Memory   Recalled  // the user's memory at the start of the last turn
	Messages []Message // the history; each call is followed by its result, except the calls of Turn
	Turn     *Turn     // the open turn; nil if no turn is open
	Tokens   int       // tokens of all rounds of all turns
	Repairs  int       // number of repairs that were not undone; if not 0, the ids of earlier calls are unknown
	Tainted  bool      // whether a repair has removed untrusted text
	Began    int64     // number of the event that began the last turn; 0 before the first one
	Ref      string    `json:",omitempty"` // client's id for the last turn's message, see TurnStarted.Ref
	// Query is the client's id by which CancelQuery finds the last turn's message; see
	// TurnStarted.Query.
	Query    string   `json:",omitempty"`
	Refs     []string `json:",omitempty"` // nonempty refs of the last turns, newest last, at most maxRefs
	Queued   int64    // number of the last entry that was taken from the queue in the control stream
	NextCall int      // number of the next call, for ids of calls that the gateway makes
	Seq      int64    // number of the session's last event
}

// Turn is an open turn: a user's message and everything that has followed so far.
type Turn struct {
	ID      string
	Control int64  // number of the last control event before the turn, see TurnStarted.Control
	Install string `json:",omitempty"` // install that began the turn, see TurnStarted.Install
	Fence   string // mark around untrusted text in the messages of this turn
	Started time.Time
	Round   int  // number of the last round; 0 before the first one
	Asked   int  // number of requests to the model in this round
	Waiting bool // whether the model was asked and has not finished its answer
	// Cut reports whether the last message is an incomplete answer. A repeated round discards the
	// message.
	Cut    bool
	Usage  models.Usage // usage of the previous rounds
	End    models.EndReason
	Calls  []*Call         // calls of the model's last answer, in order
	Made   map[string]int  // number of times that each call was made; the key is the call's digest
	Lost   map[string]bool // calls whose outcome is unknown, by digest
	Cancel bool            // whether a client asked the gateway to end the turn

	Empty     int          // number of consecutive answers with neither text nor calls
	Malformed int          // number of consecutive answers in which all calls were malformed, not counting the last answer
	Repaired  RepairReason // reason for the repair of the turn; empty if the turn was not repaired
	Renewed   bool         // whether the gateway has repaired the turn but has not asked the model since
	Mended    bool         // whether the model has given an answer since the repair
	before    []Message    // history before the repair
	condensed int          // number of messages that replace before
}

// Call is a tool call in a model's answer.
type Call struct {
	models.Call // with the final arguments
	Phase       CallPhase
	Decision    string // id of the pending decision; empty if there is none
	Questions   int    `json:",omitempty"` // number of questions to the user about this call
	Of          string `json:",omitempty"` // hash of the tool in the last question, see ApprovalRequested.Of
	Bundle      string
	Consent     agent.Consent `json:",omitempty"`
	Began       time.Time     `json:"-"` // time at which this process began the call; zero if another process began it
	Risk        agent.Risk    `json:"-"` // risk of the tool; set after this process has judged the call
	Asked       string        `json:"-"` // reason why the client should ask its user
	Allowed     bool          `json:"-"` // whether a rule allows the call, so that nobody needs to ask
	Outcome     Outcome       // outcome of the call; valid once the call has ended
	Failed      bool          // whether the result is an error; valid once the call has ended
	Malformed   bool          // whether the call was malformed, see ToolEnded; valid once the call has ended

	invoked atomic.Bool // whether the registry, with its observers, made it in this process
}

// CallPhase is the progress of a call.
type CallPhase string

// The phases, in order. CallEnded may follow any of them.
const (
	CallNew       CallPhase = ""
	CallAsked     CallPhase = "asked"     // the call waits for approval
	CallApproved  CallPhase = "approved"  // the call may be made
	CallRequested CallPhase = "requested" // the call was sent to the client
	CallStarted   CallPhase = "started"   // the call runs in the gateway
	CallEnded     CallPhase = "ended"
)

// call returns the call of the last answer with this id; nil if there is none.
func (t *Turn) call(id string) *Call {
	for _, c := range t.Calls {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Apply applies the next event to s. If an event contradicts s, it returns an error and does not
// change s.
func (s *State) Apply(e journal.Event) error {
	if !changesNothing(e.Kind) {
		data, err := Decode(e)
		if err == nil {
			err = s.apply(data, e.Seq)
		}
		if err != nil {
			return fmt.Errorf("event %d, %s: %w", e.Seq, e.Kind, err)
		}
	}
	s.Seq = e.Seq
	return nil
}

// apply applies an event with the number seq. Unknown events change nothing.
func (s *State) apply(event Event, seq int64) error {
	switch e := event.(type) {
	case Created:
		s.User = e.User
	case Configured:
		s.Settings = e.Settings
	case Recalled:
		s.Memory = e
	case Dropped:
		s.Queued = e.Queued
	case Replaced:
		return s.replaced(e)
	case TurnStarted:
		return s.turnStarted(e, seq)
	case ModelAsked:
		return s.modelAsked(e)
	case ModelAnswered:
		return s.modelAnswered(e)
	case Repaired:
		return s.repaired(e)
	case ApprovalRequested:
		return s.change(e.Turn, e.Call, func(c *Call) {
			c.Phase, c.Decision, c.Of = CallAsked, e.Decision, e.Of
			c.Questions++
		})
	case ApprovalDecided:
		return s.approvalDecided(e)
	case ToolRequested:
		return s.change(e.Turn, e.Call, func(c *Call) {
			c.Phase, c.Decision, c.Bundle, c.Arguments = CallRequested, e.Decision, e.Bundle, e.Arguments
			s.Turn.made(c)
		})
	case ToolStarted:
		return s.change(e.Turn, e.Call, func(c *Call) {
			c.Phase, c.Arguments = CallStarted, e.Arguments
			s.Turn.made(c)
		})
	case ToolEnded:
		return s.toolEnded(e)
	case TurnEnded:
		return s.turnEnded(e)
	case Resync:
		return s.resync(e.Snapshot)
	}
	return nil
}

// replaced sets the history that a client sent. NextCall moves beyond the ids in it, so that no new
// call gets one of them.
func (s *State) replaced(e Replaced) error {
	if s.Turn != nil {
		return fmt.Errorf("the turn %s is open", s.Turn.ID)
	}
	s.Messages, s.Tainted = e.Messages, false
	for id := range callIDs(e.Messages) { // a client may send ids that were made here
		if of, ours := strings.CutPrefix(id, models.MadeID); ours {
			if number, err := strconv.Atoi(of); err == nil {
				s.NextCall = max(s.NextCall, number+1)
			}
		}
	}
	return nil
}

// turnStarted opens a turn with the user's message. seq is the number of the event.
func (s *State) turnStarted(e TurnStarted, seq int64) error {
	if s.Turn != nil {
		return fmt.Errorf("the turn %s is open", s.Turn.ID)
	}
	s.Queued, s.Began, s.Ref, s.Query = e.Queued, seq, e.Ref, e.Query
	if e.Ref != "" {
		s.Refs = append(s.Refs[max(0, len(s.Refs)-maxRefs+1):], e.Ref)
	}
	s.Turn = &Turn{ID: e.Turn, Control: e.Control, Install: e.Install, Fence: e.Fence, Started: e.Started, Made: map[string]int{}, Lost: map[string]bool{}}
	s.Messages = append(s.Messages, Message{Role: models.User, Parts: e.Parts, Fence: e.Fence})
	return nil
}

// maxRefs is the maximum number of remembered refs: twice the messages that can wait.
const maxRefs = 2 * MaxQueued

// QueryID works like TurnStarted.QueryID, for the last turn.
func (s *State) QueryID() string { return cmp.Or(s.Query, s.Ref) }

// answers reports whether the open turn began with a message that has this query and content.
func (s *State) answers(query string, parts []Part) bool {
	return s.Turn != nil && query != "" && s.Query == query && slices.ContainsFunc(s.Messages, func(m Message) bool {
		return m.Role == models.User && m.Fence == s.Turn.Fence && sameParts(m.Parts, parts)
	})
}

// Said reports whether a message with this ref began a recent turn. It knows the last maxRefs turns
// that have a ref.
func (s *State) Said(ref string) bool {
	return ref != "" && (s.Ref == ref || slices.Contains(s.Refs, ref))
}

// open returns the open turn. It fails if the turn has another id.
func (s *State) open(turn string) (*Turn, error) {
	if s.Turn == nil || s.Turn.ID != turn {
		return nil, fmt.Errorf("the turn %s is not open", turn)
	}
	return s.Turn, nil
}

// modelAsked notes a request to the model. It removes an incomplete answer from the history,
// because the model answers again.
func (s *State) modelAsked(e ModelAsked) error {
	t, err := s.open(e.Turn)
	if err != nil {
		return err
	}
	if e.Round != t.Round {
		t.Asked, t.Malformed = 0, t.malformed()
	}
	t.Asked++
	if t.Cut { // by an older gateway, which did not end the turn with it
		s.Messages, t.Cut = s.Messages[:len(s.Messages)-1], false
	}
	t.Round, t.Waiting, t.Calls, t.Renewed = e.Round, true, nil, false
	return nil
}

// modelAnswered adds an answer and its calls. It drops the calls of an incomplete answer.
func (s *State) modelAnswered(e ModelAnswered) error {
	t, err := s.open(e.Turn)
	if err != nil {
		return err
	}
	t.Waiting, t.End, t.Usage = e.End == "", e.End, t.Usage.Add(e.Usage)
	e.Message.Cut = e.End == ""
	said := e.Message.text() != "" || len(e.Message.calls()) > 0
	switch {
	case e.End == models.Stop && !said: // a message with only thoughts is invalid
		t.Empty++
		e.Message.Parts = nil
	case e.End != "" && said:
		t.Empty, t.Mended = 0, t.Repaired != ""
	}
	s.Tokens += e.Usage.Total()
	if e.Message.Cut { // calls of an incomplete answer are not made
		e.Message.Parts = slices.DeleteFunc(e.Message.Parts, func(p Part) bool { return p.Call != nil })
	}
	s.NextCall += len(e.Message.calls())
	for _, c := range e.Message.calls() {
		t.Calls = append(t.Calls, &Call{Call: *c})
	}
	if len(e.Message.Parts) > 0 {
		s.Messages = append(s.Messages, e.Message)
		t.Cut = e.Message.Cut
	}
	return nil
}

// change edits the open call of an event.
func (s *State) change(turn, call string, edit func(*Call)) error {
	t, err := s.open(turn)
	if err != nil {
		return err
	}
	c := t.call(call)
	if c == nil || c.Phase == CallEnded {
		return fmt.Errorf("there is no open call %s", call)
	}
	edit(c)
	return nil
}

// approvalDecided records a decision. A denied call keeps its phase until its result ends it.
func (s *State) approvalDecided(e ApprovalDecided) error {
	return s.change(e.Turn, e.Call, func(c *Call) {
		c.Decision, c.Consent = "", e.consent()
		if !e.Denied {
			c.Phase = CallApproved
		}
		if len(e.Arguments) > 0 {
			c.Arguments = e.Arguments
		}
	})
}

// made counts the identical calls of this turn. If nobody was asked about the call, it was allowed
// by the rules.
func (t *Turn) made(c *Call) {
	if c.Consent == agent.Unasked {
		c.Consent = agent.RulesAllow
	}
	if digest, err := journal.Digest(c.Name, c.Arguments); err == nil {
		t.Made[digest]++
	}
}

// toolEnded adds the result to the history. The results of one answer are one message, in the order
// in which the calls ended.
func (s *State) toolEnded(e ToolEnded) error {
	err := s.change(e.Turn, e.Call, func(c *Call) {
		c.Phase, c.Decision, c.Outcome, c.Failed, c.Malformed = CallEnded, "", e.Outcome, e.Result.IsError, e.Malformed
		if digest, err := journal.Digest(c.Name, c.Arguments); err == nil && e.Outcome == Unknown {
			s.Turn.Lost[digest] = true
		}
	})
	if err != nil {
		return err
	}
	part := Part{Result: &e.Result}
	if last := &s.Messages[len(s.Messages)-1]; last.Role == models.ToolRole {
		last.Parts = append(last.Parts, part)
		return nil
	}
	s.Messages = append(s.Messages, Message{Role: models.ToolRole, Parts: []Part{part}, Fence: s.Turn.Fence})
	return nil
}

// turnEnded closes the turn, whose calls must all have results. It takes back a repair of the
// history that did not help.
func (s *State) turnEnded(e TurnEnded) error {
	t, err := s.open(e.Turn)
	if err != nil {
		return err
	}
	for _, c := range t.Calls {
		if c.Phase != CallEnded {
			return fmt.Errorf("the call %s has no result", c.ID)
		}
	}
	if t.Repaired != "" && !t.Mended { // the repair did not help
		s.Messages = append(slices.Clone(t.before), s.Messages[t.condensed:]...)
		s.Repairs--
	}
	s.Turn = nil
	return nil
}

// resync replaces s with the State in a snapshot. The snapshot is null if the State was too large;
// then resync fails with errForgotten.
func (s *State) resync(raw json.RawMessage) error {
	var snapshot *State
	if err := json.Unmarshal(raw, &snapshot); err != nil {
		return err
	}
	if snapshot == nil {
		return errForgotten
	}
	*s = *snapshot
	return nil
}

// LatestImage returns the artifact id of the last image in the history. It is empty if the history
// has no image.
func (s *State) LatestImage() (id string) {
	for p := range partsOf(s.Messages) {
		id = cmp.Or(p.Artifact, id)
	}
	return id
}

// MaxQueued is the maximum number of waiting messages in a session.
const MaxQueued = 20

// sameParts reports whether two messages have equal content.
func sameParts(a, b []Part) bool {
	one, _ := json.Marshal(a) // parts always marshal
	other, _ := json.Marshal(b)
	return bytes.Equal(one, other)
}

// errForgotten means that events were trimmed after a state was read, because a newer state was
// stored. The newer state includes the trimmed events, so a reader reads the stored state again.
var errForgotten = errors.New("the first events were deleted, and the session has no snapshot; read the session with Sessions.State first")

// malformed returns the number of consecutive answers, the last one included, that have only
// malformed calls and calls canceled because of them.
func (t *Turn) malformed() int {
	wrong := false
	for _, c := range t.Calls {
		if !c.Malformed && c.Outcome != Canceled {
			return 0
		}
		wrong = wrong || c.Malformed
	}
	if !wrong {
		return 0
	}
	return t.Malformed + 1
}

// repaired replaces the history. The end of the turn restores it if the repair did not help.
func (s *State) repaired(e Repaired) error {
	t, err := s.open(e.Turn)
	if err != nil {
		return err
	}
	if t.Repaired != "" || len(e.Messages) == 0 {
		return fmt.Errorf("the turn %s cannot be repaired with %d messages: it was already repaired, or the repair is empty", t.ID, len(e.Messages))
	}
	s.Tainted = s.Tainted || anyUntrusted(s.Messages)
	s.Repairs++
	t.before, t.condensed, s.Messages = s.Messages, len(e.Messages), e.Messages
	t.Repaired, t.Renewed, t.Calls = e.Reason, true, nil
	return nil
}

// in returns the calls of the last answer that are in a phase, in the order of the answer.
func (t *Turn) in(phase CallPhase) []*Call {
	var calls []*Call
	for _, c := range t.Calls {
		if c.Phase == phase {
			calls = append(calls, c)
		}
	}
	return calls
}

// userApproved reports whether the user has approved the call, for the tool c.Of.
func (c *Call) userApproved() bool {
	return c.Consent == agent.UserApproved || c.Consent == agent.UserEdited
}

// equalBefore returns the number of identical calls before c in its answer that were not made yet.
func (t *Turn) equalBefore(c *Call, digest string) (n int) {
	for _, before := range t.Calls {
		if before == c {
			break
		}
		if before.Name != c.Name || before.Phase == CallEnded || before.Phase == CallRequested || before.Phase == CallStarted {
			continue
		}
		if other, err := journal.Digest(before.Name, before.Arguments); err == nil && other == digest {
			n++
		}
	}
	return n
}

// find returns the tool with a name as in Tool.Name. It reports false if the list has no such tool.
func find(list []Tool, name string) (Tool, bool) {
	for _, t := range list {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// decisionID returns the id of a decision about a call of the last answer: of its result, or of its
// approval number nth, counted from 0.
func (t *Turn) decisionID(c *Call, kind string, nth int) string {
	about := []any{t.ID, t.Round, c.ID}
	if kind == Approval && nth > 0 {
		about = append(about, nth)
	}
	raw, err := json.Marshal(about)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	id, err := journal.Digest(kind, raw)
	if err != nil {
		panic(err) // it was marshaled just now
	}
	return kind + "_" + id[:32]
}

// allEnded reports whether each call of the last answer has a result.
func (t *Turn) allEnded() bool { return len(t.in(CallEnded)) == len(t.Calls) }
