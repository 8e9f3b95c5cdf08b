package delegate

import (
	"context"
	"strings"
	"sync"
	"time"
)

// How a turn ended.
const (
	ended     = "ended"     // the agent stopped
	cutShort  = "cut short" // by a limit of the agent's
	refused   = "refused"
	cancelled = "cancelled"
)

// turn is what happens from the moment that something is said to an agent until it stops. Its methods are safe for
// concurrent use. What comes after the turn is closed belongs to no turn, and is dropped.
type turn struct {
	report func(string) // the line for people

	over chan struct{} // closed with the turn

	mu      sync.Mutex
	closed  bool
	text    []byte          // one growing message: all that the agent says in the turn
	last    int             // where what it said last begins: behind the last tool
	message string          // the id of the message that grows
	tools   map[string]tool // by their ids
	order   []string
	asking  int // questions to the user that wait
	alive   time.Time
	shown   time.Time
}

// tool is a tool of the agent's.
type tool struct {
	title   string
	running bool
	failed  bool
}

func newTurn(report func(string)) *turn {
	return &turn{report: report, over: make(chan struct{}), tools: map[string]tool{}, alive: time.Now()}
}

// said adds what the agent says to its message. id is that of the agent's own message; empty if it has none.
func (t *turn) said(id, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if id != t.message && len(t.text) > 0 && t.message != "" {
		t.text = append(t.text, "\n\n"...)
	}
	t.message = id
	if room := MaxAnswer - len(t.text); room > 0 {
		t.text = append(t.text, text[:min(room, len(text))]...)
	}
	t.live()
}

// used notes a tool of the agent's, or what became of it. An empty title keeps the one before.
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
			t.text = append(t.text, "\n\n"...)
		}
		t.last, t.message = len(t.text), ""
	}
	if title == "" {
		title = known.title
	}
	t.tools[id] = tool{title, running, failed}
	t.live()
}

// live notes a sign of life. The caller holds mu.
func (t *turn) live() {
	t.alive = time.Now()
	if time.Since(t.shown) < reportEvery {
		return
	}
	t.shown = time.Now()
	t.report(t.line())
}

// reportEvery is the least time between two reports of a turn.
const reportEvery = 200 * time.Millisecond

// line says in a line what happens. The caller holds mu.
func (t *turn) line() string {
	for i := len(t.order) - 1; i >= 0; i-- {
		if one := t.tools[t.order[i]]; one.running {
			return cut(one.title)
		}
	}
	text := strings.TrimSpace(string(t.text[max(0, len(t.text)-4*maxLine):]))
	return cut(text[strings.LastIndexByte(text, '\n')+1:])
}

// maxLine bounds a line for people, in bytes.
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

// sign is a sign of life that says nothing: a thought, or a plan.
func (t *turn) sign() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.live()
	}
}

// ask notes that the user is asked, or has answered: the agent waits meanwhile.
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

// quiet returns how long there was no sign of life, and whether a tool runs. An agent that waits for the user is not quiet.
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

// while returns a context that ends with the turn, and a function that ends it.
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

// answer returns all that the agent said, and what it said behind its last tool.
func (t *turn) answer() (all, last string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return clean(t.text), clean(t.text[t.last:])
}

func clean(text []byte) string { return strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD")) }

// acted lists the tools of the turn, in order.
func (t *turn) acted() (list []tool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range t.order {
		list = append(list, t.tools[id])
	}
	return list
}
