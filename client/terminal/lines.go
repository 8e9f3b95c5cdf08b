package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// lines holds a conversation without a terminal. The user's messages are Options.Once, or the lines
// of In. Answers go to Out, and progress to Err; with JSON everything goes to Out.
type lines struct {
	opts    Options
	runner  *runner
	allowed permits
	host    *sdk.Host
	out     *bufio.Writer
	heard   chan sdkapi.AgentMessage
	notes   chan string                             // progress of calls
	decided chan decision                           // decisions read from In
	asked   map[string]*sdkapi.AgentApprovalMessage // pending requests for decided
	turn    string                                  // turn of the last message; empty before it begins
	// later messages are no longer stored, and turn may be among them
	lost   bool
	failed bool // the last call failed
}

// newLines returns a conversation without a terminal, which run begins.
func newLines(opts Options, r *runner, allowed permits) *lines {
	return &lines{opts: opts, runner: r, allowed: allowed, out: bufio.NewWriter(opts.Out), heard: make(chan sdkapi.AgentMessage, 256), notes: make(chan string, 16), asked: map[string]*sdkapi.AgentApprovalMessage{}}
}

// maxLine limits a line of input, in bytes.
const maxLine = 1 << 20

// run holds the conversation.
func (l *lines) run(ctx context.Context) (done bool, err error) {
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the current turn is canceled first
	hears := func(m sdkapi.AgentMessage) {
		select {
		case l.heard <- m:
		case <-serving.Done():
		}
	}
	l.runner.noted = func(_, line string) {
		select {
		case l.notes <- line:
		default: // a later note says more
		}
	}
	defer l.opts.Steps.join(hears)()
	l.host, err = l.opts.open(ctx, sdk.HostOptions{Tools: l.runner.manifest(), Run: l.runner.run, Heard: hears, Connected: l.connected})
	if err != nil {
		cancel()
		return false, err
	}
	served := make(chan error, 1)
	go func() {
		served <- l.host.Serve(serving)
		close(served)
	}()
	defer func() {
		cancel()
		<-served
		l.end()
	}()
	l.emit(map[string]string{"type": "session", "sessionId": l.host.ID()})
	if l.opts.Decide {
		l.decided = make(chan decision)
		go l.readDecisions(serving) // ends with the input, which is the caller's
	}
	if l.opts.Once != "" {
		return l.say(ctx, served, l.opts.Once, l.opts.Images)
	}
	return l.converse(ctx, serving, served)
}

// converse sends the lines of In in order, until In, ctx or the connection ends.
func (l *lines) converse(ctx, serving context.Context, served <-chan error) (done bool, err error) {
	said, all := make(chan string), make(chan error, 1)
	go func() { all <- l.readLines(serving, said) }() // ends with the input, which is the caller's
	for done = true; ; {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case err := <-served:
			return false, err
		case err := <-all:
			return done, err
		case text := <-said:
			if done, err = l.say(ctx, served, text, nil); err != nil {
				return false, err
			}
		}
	}
}

// readLines passes on the non-empty lines, until the input or ctx ends.
func (l *lines) readLines(ctx context.Context, said chan<- string) error {
	in := bufio.NewScanner(l.opts.In)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		text := strings.TrimSpace(in.Text())
		if text == "" {
			continue
		}
		select {
		case said <- text:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return in.Err()
}

// connected reports a broken connection on Err.
func (l *lines) connected(err error) {
	if err != nil {
		fmt.Fprintf(l.opts.Err, "(the connection broke: %v; reconnecting)\n", err)
	}
}

// cancelTime limits the wait for the end of a canceled turn.
const cancelTime = 3 * time.Second

// say sends a message, and shows its turn until the end.
func (l *lines) say(ctx context.Context, served <-chan error, text string, images []string) (done bool, err error) {
	sources, err := upload(ctx, l.opts.Client, images)
	if err != nil {
		return false, err
	}
	l.turn, l.lost, l.failed = "", false, false
	name := l.host.Say(text, sources...)
	var late <-chan time.Time
	interrupted := ctx.Done()
	for {
		select {
		case <-interrupted:
			l.host.Cancel()
			interrupted, late = nil, time.After(cancelTime)
		case <-late:
			return false, ctx.Err()
		case err := <-served:
			return false, err
		case line := <-l.notes:
			l.tell("%s\n", plain.Text(line))
		case d := <-l.decided:
			l.settle(d)
		case m := <-l.heard:
			ended, done, err := l.hear(m, name)
			if ended || err != nil {
				return done, err
			}
		}
	}
}

// hear shows a message. ended reports whether it ends the turn of the message called name.
func (l *lines) hear(m sdkapi.AgentMessage, name string) (ended, done bool, err error) {
	l.emit(m)
	switch m := m.(type) {
	case *sdkapi.AgentUserMessageMessage:
		if m.MessageID == name {
			l.turn = m.TurnID
		}
	case *sdkapi.AgentResyncMessage:
		l.lost = true
	case *sdkapi.AgentDeltaMessage:
		l.delta(m)
	case *sdkapi.AgentApprovalMessage:
		l.decide(m)
	case *sdkapi.AgentProgressMessage:
		l.tell("%s\n", plain.Text(noteOf(m.Message, m.Output)))
	case *sdkapi.AgentToolOutputMessage:
		l.failed = m.IsError
		l.tell("%s\n", toolLine(m, l.runner.files.of(m.ToolCallID)))
	case *sdkapi.AgentWarningMessage:
		l.tell("warning: %s\n", plain.Text(m.Message))
	case *sdkapi.AgentErrorMessage:
		if m.MessageID == name {
			return true, false, fmt.Errorf("%s", plain.Text(m.Message))
		}
	case *sdkapi.AgentDoneMessage:
		l.print("\n")
		if m.TurnID == l.turn || l.lost && l.turn == "" {
			return l.over(m.Metadata)
		}
	}
	return false, false, l.out.Flush()
}

// over shows how the turn ended.
func (l *lines) over(end sdkapi.AgentDoneMetadata) (ended, done bool, err error) {
	l.emit(result{"result", l.host.ID(), end, l.runner.files.summary()})
	if end.Message != "" {
		l.tell("%s\n", plain.Text(end.Message))
	}
	return true, end.Reason == "done" && !l.failed, l.out.Flush()
}

// delta shows a piece of the answer.
func (l *lines) delta(m *sdkapi.AgentDeltaMessage) {
	if m.Type != sdkapi.AgentDelta {
		return
	}
	if m.Restart {
		l.print("\n(the answer begins again)\n")
	}
	l.print(safe(m.Content))
}

// decide answers a request by the rules. Nobody can be asked, unless In provides decisions.
func (l *lines) decide(asked *sdkapi.AgentApprovalMessage) {
	if l.allowed.allow(asked, l.runner.files) {
		l.answer(asked, sdk.Decision{Approved: true})
		return
	}
	if l.decided != nil {
		l.asked[asked.ToolCallID] = asked
		return
	}
	l.tell("not allowed: %s %s; to allow it, add --allow %s\n", asked.Name, plain.Text(plain.Short(string(asked.Arguments), 200)), asked.Name)
	l.answer(asked, sdk.Decision{Reason: "there is no terminal to ask in, and no rule allows the call"})
}

// answer sends an answer to the requester: a tool of this machine, or the gateway.
func (l *lines) answer(asked *sdkapi.AgentApprovalMessage, d sdk.Decision) {
	if !l.opts.Steps.answer(asked.ToolCallID, d.Approved) {
		l.runner.consents.give(asked, d)
		l.host.Decide(asked, d)
	}
}

// result is the last message of an answer in JSON.
type result struct {
	Type      string                   `json:"type"`
	SessionID string                   `json:"sessionId"`
	Metadata  sdkapi.AgentDoneMetadata `json:"metadata"`
	Files     []written                `json:"files"` // files that differ from their first state
}

// emit writes a message, if the output is JSON.
func (l *lines) emit(m any) {
	if !l.opts.JSON {
		return
	}
	e := json.NewEncoder(l.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err == nil {
		_ = l.out.Flush() // a later write fails too, and hear reports it
	}
}

// print writes a piece of the answer, if the output is text.
func (l *lines) print(text string) {
	if !l.opts.JSON {
		_, _ = io.WriteString(l.out, text) // hear flushes
	}
}

// tell writes further information for people, if the output is text.
func (l *lines) tell(format string, args ...any) {
	if !l.opts.JSON {
		_ = l.out.Flush()
		fmt.Fprintf(l.opts.Err, format, args...)
	}
}

// end lists the changed files.
func (l *lines) end() {
	for _, w := range l.runner.files.summary() {
		l.tell("%s %s (%s)\n", w.Change, plain.Text(w.Path), counted(w.Added, w.Removed))
	}
}
