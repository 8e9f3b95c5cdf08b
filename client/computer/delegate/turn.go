package delegate

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// How a turn ended.
const (
	ended     = "ended"     // the agent stopped
	cutShort  = "cut short" // by a limit of the agent
	refused   = "refused"
	cancelled = "cancelled"
)

// turn records the events from a message to an agent until it stops. Its methods are safe for
// concurrent use. Events after close are dropped.
type turn struct {
	report func(string) // shows a line of progress to people

	over chan struct{} // closed with the turn

	mu      sync.Mutex
	closed  bool
	text    []byte          // everything that the agent says in the turn, as one growing message
	last    int             // offset in text after the last tool
	message string          // id of the growing message
	tools   map[string]tool // by their ids
	order   []string
	asking  int // pending questions to the user
	alive   time.Time
	shown   time.Time
}

// tool is a tool call of the agent.
type tool struct {
	title   string
	running bool
	failed  bool
}

// newTurn returns an open turn. The turn calls report while it holds mu, so report must not call
// the turn.
func newTurn(report func(string)) *turn {
	return &turn{report: report, over: make(chan struct{}), tools: map[string]tool{}, alive: time.Now()}
}

// said appends the agent's text. id is that of the agent's own message, or empty.
func (t *turn) said(id, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if id != t.message && len(t.text) > 0 && t.message != "" {
		t.add("\n\n")
	}
	t.message = id
	t.add(text)
	t.live()
}

// add appends to the turn's text, which keeps its last MaxAnswer bytes: the answer comes last. The
// caller holds mu.
func (t *turn) add(text string) {
	t.text = append(t.text, text...)
	if over := len(t.text) - MaxAnswer; over > 0 {
		t.text = slices.Delete(t.text, 0, over)
		t.last = max(0, t.last-over)
	}
}

// used records a tool call of the agent, or its new state. An empty title keeps the earlier one.
func (t *turn) used(id, title string, running, failed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	known, ok := t.tools[id]
	if !ok {
		t.order = append(t.order, id)
		if len(t.text) > 0 && t.text[len(t.text)-1] != '\n' {
			t.add("\n\n")
		}
		t.last, t.message = len(t.text), ""
	}
	if title == "" {
		title = known.title
	}
	t.tools[id] = tool{title, running, failed}
	t.live()
}

// live records activity. The caller holds mu.
func (t *turn) live() {
	t.alive = time.Now()
	if time.Since(t.shown) < reportEvery {
		return
	}
	t.shown = time.Now()
	t.report(t.line())
}

// reportEvery is the shortest time between two reports of a turn.
const reportEvery = 200 * time.Millisecond

// line describes the current activity in one line. The caller holds mu.
func (t *turn) line() string {
	for i := len(t.order) - 1; i >= 0; i-- {
		if one := t.tools[t.order[i]]; one.running {
			return cut(one.title)
		}
	}
	text := strings.TrimSpace(string(t.text[max(0, len(t.text)-4*maxLine):]))
	return cut(text[strings.LastIndexByte(text, '\n')+1:])
}

// maxLine limits a line for people, in bytes.
const maxLine = 200

// cut returns the first line of a text, with at most maxLine bytes.
func cut(text string) string {
	text, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if len(text) > maxLine {
		text, more = strings.ToValidUTF8(text[:maxLine], ""), true
	}
	if more {
		text += "…"
	}
	return text
}

// sign records activity without content, such as a thought or a plan.
func (t *turn) sign() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.live()
	}
}

// ask records that a question to the user begins or ends. The agent waits meanwhile.
func (t *turn) ask(begins bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alive = time.Now()
	if begins {
		t.asking++
	} else {
		t.asking--
	}
}

// quiet returns the time since the last activity, and whether a tool runs. An agent that waits for
// the user is not quiet.
func (t *turn) quiet() (since time.Duration, busy bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asking > 0 {
		return 0, true
	}
	for _, one := range t.tools {
		busy = busy || one.running
	}
	return time.Since(t.alive), busy
}

// close ends the turn. It may be called twice.
func (t *turn) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		close(t.over)
	}
}

// while returns a context that ends with the turn, and a function that ends the context.
func (t *turn) while(ctx context.Context) (within context.Context, end func()) {
	within, end = context.WithCancel(ctx)
	go func() {
		select {
		case <-t.over:
			end()
		case <-within.Done():
		}
	}()
	return within, end
}

// answer returns all of the agent's text, and the part after its last tool.
func (t *turn) answer() (all, last string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return clean(t.text), clean(t.text[t.last:])
}

// clean returns text without surrounding spaces. A character that a limit has cut becomes U+FFFD.
func clean(text []byte) string { return strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD")) }

// acted lists the tool calls of the turn, in order.
func (t *turn) acted() (list []tool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range t.order {
		list = append(list, t.tools[id])
	}
	return list
}
