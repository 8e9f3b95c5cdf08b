package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/models"
)

// State is what a session is, as its events tell: the same events give the
// same state, on whichever gateway and however often it is asked. Its zero
// value is a session that does not exist yet.
type State struct {
	User     string
	Settings Settings
	Memory   Recalled  // as the last turn began
	Messages []Message // a call always has its result behind it, save those of Turn
	Turn     *Turn     // nil when no turn is open
	Tokens   int       // that all rounds of all turns used
	Repairs  int       // that helped, or are under way: with them ids of calls were forgotten
	Tainted  bool      // a repair left out text that was untrusted, see untrusted
	Began    int64     // the event that began the last turn; 0 before the first
	Ref      string    `json:",omitempty"` // what the client calls the message that the last turn began with, see TurnStarted
	Queued   int64     // last entry of the control stream's queue that was taken
	NextCall int       // number of the next call, if its id is made here
	Seq      int64     // of the last event in it
}

// Turn is a user's message and what came of it so far.
type Turn struct {
	ID      string
	Control int64  // see TurnStarted
	Install string `json:",omitempty"` // likewise
	Fence   string // of the messages of this turn
	Started time.Time
	Round   int          // that was asked last; 0 before the first
	Asked   int          // how often that round was asked
	Waiting bool         // the model was asked and has not answered, or not to the end
	Cut     bool         // the last message is what there is of its answer; void if it is asked again
	Usage   models.Usage // of the rounds before
	End     models.EndReason
	Calls   []*Call         // of the last answer, in its order
	Made    map[string]int  // how often each call was made, by digest
	Lost    map[string]bool // calls whose outcome nobody knows, by digest
	Cancel  bool            // somebody asked to end it

	Empty     int          // answers without a word or a call, the last ones
	Malformed int          // answers before the last with nothing but malformed calls, in a row
	Repaired  RepairReason // why it was repaired; empty if it was not
	Renewed   bool         // it was repaired, and nobody has asked the model since
	Mended    bool         // it was repaired, and the model has answered since
	before    []Message    // the history that was repaired
	condensed int          // how many of the State's messages stand for it
}

// Call is one call of a model's answer, and how far it is.
type Call struct {
	models.Call // Arguments are those that it is made with
	Phase       CallPhase
	Decision    string // that it waits for
	Bundle      string
	Consent     agent.Consent `json:",omitempty"`
	Began       time.Time     `json:"-"` // here, in this process; zero when another began it
	Risk        agent.Risk    `json:"-"` // of the tool, once it is judged here
	Asked       string        `json:"-"` // why the client should ask its user
	Allowed     bool          `json:"-"` // a rule says that nobody needs to ask
	Outcome     Outcome       // once it has ended
	Failed      bool          // likewise: the result is that it could not be done
	Malformed   bool          // likewise: see ToolEnded

	invoked atomic.Bool // in this process: the registry was asked, and tells its observers
}

// CallPhase says how far a call is.
type CallPhase string

// The phases, in order. A call may leave any of them for CallEnded.
const (
	CallNew       CallPhase = ""
	CallAsked     CallPhase = "asked"     // for approval
	CallApproved  CallPhase = "approved"  // and may be made
	CallRequested CallPhase = "requested" // of the client
	CallStarted   CallPhase = "started"   // in the gateway
	CallEnded     CallPhase = "ended"
)

// call returns the call of that id.
func (t *Turn) call(id string) *Call {
	for _, c := range t.Calls {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Apply brings s up to date with an event, which is the next one. An event that
// says what cannot be is an error, and leaves s as it was.
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

// changesNothing reports whether events of a kind are for those who watch alone.
// They are the most and the largest events, and are not decoded for a state.
func changesNothing(kind string) bool {
	switch kind {
	case KindSystemPrompt, KindUserMessage, KindToolSchemas, KindModelThought, KindModelText, KindWarned:
		return true
	}
	return false
}

// apply makes the change of an event with the number seq. An event without a
// case changes nothing, as does one of a newer gateway.
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
		return s.approvalRequested(e)
	case ApprovalDecided:
		return s.approvalDecided(e)
	case ToolRequested:
		return s.toolRequested(e)
	case ToolStarted:
		return s.toolStarted(e)
	case ToolEnded:
		return s.toolEnded(e)
	case TurnEnded:
		return s.turnEnded(e)
	case Resync:
		return s.resync(e)
	}
	return nil
}

func (s *State) replaced(e Replaced) error {
	if s.Turn != nil {
		return fmt.Errorf("the turn %s is open", s.Turn.ID)
	}
	s.Messages, s.Tainted = e.Messages, false
	for id := range callIDs(e.Messages) { // a client may bring ids that were made here
		if of, ours := strings.CutPrefix(id, models.MadeID); ours {
			if number, err := strconv.Atoi(of); err == nil {
				s.NextCall = max(s.NextCall, number+1)
			}
		}
	}
	return nil
}

func (s *State) turnStarted(e TurnStarted, seq int64) error {
	if s.Turn != nil {
		return fmt.Errorf("the turn %s is open", s.Turn.ID)
	}
	s.Queued, s.Began, s.Ref = e.Queued, seq, e.Ref
	s.Turn = &Turn{ID: e.Turn, Control: e.Control, Install: e.Install, Fence: e.Fence, Started: e.Started, Made: map[string]int{}, Lost: map[string]bool{}}
	s.Messages = append(s.Messages, Message{Role: models.User, Parts: e.Parts, Fence: e.Fence})
	return nil
}

// open returns the open turn, which must be that one.
func (s *State) open(turn string) (*Turn, error) {
	if s.Turn == nil || s.Turn.ID != turn {
		return nil, fmt.Errorf("the turn %s is not open", turn)
	}
	return s.Turn, nil
}

func (s *State) modelAsked(e ModelAsked) error {
	t, err := s.open(e.Turn)
	if err != nil {
		return err
	}
	if e.Round != t.Round {
		t.Asked, t.Malformed = 0, t.malformed()
	}
	t.Asked++
	if t.Cut { // by a gateway that ended no turn with it, as older ones did when they were stopped
		s.Messages, t.Cut = s.Messages[:len(s.Messages)-1], false
	}
	t.Round, t.Waiting, t.Calls, t.Renewed = e.Round, true, nil, false
	return nil
}

func (s *State) modelAnswered(e ModelAnswered) error {
	t, err := s.open(e.Turn)
	if err != nil {
		return err
	}
	t.Waiting, t.End, t.Usage = e.End == "", e.End, t.Usage.Add(e.Usage)
	e.Message.Cut = e.End == ""
	said := e.Message.text() != "" || len(e.Message.calls()) > 0
	switch {
	case e.End == models.Stop && !said: // its thoughts are no message that the model could be asked behind
		t.Empty++
		e.Message.Parts = nil
	case e.End != "" && said:
		t.Empty, t.Mended = 0, t.Repaired != ""
	}
	s.Tokens += e.Usage.Total()
	if e.Message.Cut { // no call of an answer that is not whole is made
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

// change finds the open call that an event is about.
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

func (s *State) approvalRequested(e ApprovalRequested) error {
	return s.change(e.Turn, e.Call, func(c *Call) { c.Phase, c.Decision = CallAsked, e.Decision })
}

func (s *State) approvalDecided(e ApprovalDecided) error {
	return s.change(e.Turn, e.Call, func(c *Call) {
		c.Decision = ""
		c.Consent = e.consent()
		if !e.Denied {
			c.Phase = CallApproved
		}
		if len(e.Arguments) > 0 {
			c.Arguments = e.Arguments
		}
	})
}

func (s *State) toolRequested(e ToolRequested) error {
	return s.change(e.Turn, e.Call, func(c *Call) {
		c.Phase, c.Decision, c.Bundle, c.Arguments = CallRequested, e.Decision, e.Bundle, e.Arguments
		s.Turn.made(c)
	})
}

func (s *State) toolStarted(e ToolStarted) error {
	return s.change(e.Turn, e.Call, func(c *Call) {
		c.Phase, c.Arguments = CallStarted, e.Arguments
		s.Turn.made(c)
	})
}

// made counts how often the very same call was made in this turn. One about
// which nobody was asked is one that the rules allow.
func (t *Turn) made(c *Call) {
	if c.Consent == agent.Unasked {
		c.Consent = agent.RulesAllow
	}
	if digest, err := journal.Digest(c.Name, c.Arguments); err == nil {
		t.Made[digest]++
	}
}

// toolEnded puts the result behind its call. Those of one answer are in one
// message, in the order in which they ended.
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
	if t.Repaired != "" && !t.Mended { // the history was not what was wrong
		s.Messages = append(slices.Clone(t.before), s.Messages[t.condensed:]...)
		s.Repairs--
	}
	s.Turn = nil
	return nil
}

// resync begins with a snapshot, which is a State. There is none where it would
// have been too large.
func (s *State) resync(e Resync) error {
	var snapshot *State
	if err := json.Unmarshal(e.Snapshot, &snapshot); err != nil {
		return err
	}
	if snapshot == nil {
		return errForgotten
	}
	*s = *snapshot
	return nil
}

// LatestImage returns the artifact that was seen last, empty for none.
func (s *State) LatestImage() string {
	for _, m := range slices.Backward(s.Messages) {
		if id := latestImage(m.Parts); id != "" {
			return id
		}
	}
	return ""
}

func latestImage(parts []Part) string {
	for _, p := range slices.Backward(parts) {
		if p.Artifact != "" {
			return p.Artifact
		}
		if p.Result != nil {
			if id := latestImage(p.Result.Parts); id != "" {
				return id
			}
		}
	}
	return ""
}
