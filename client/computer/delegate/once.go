package delegate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// once is `windie agent --once`: a separate program run for each turn, in one session of a gateway.
type once struct {
	work    *work
	session string // empty before the first turn

	mu  sync.Mutex
	run *running // program of the last turn
}

// openWindie returns a program that runs windie agent.
func openWindie(_ context.Context, w *work) (program, error) { return &once{work: w}, nil }

// begin implements program.
func (o *once) begin(context.Context) error {
	o.session = ""
	return nil
}

// maxMessage limits a message of windie agent, in bytes.
const maxMessage = 10 << 20

// say implements program.
func (o *once) say(ctx context.Context, t *turn, text string) (how string, err error) {
	args := []string{"--once=" + text, "--json", "--decide", "--root=" + o.work.opts.Dir}
	if o.session != "" {
		args = append(args, "--session="+o.session)
	}
	run, err := startProgram(o.work, args...)
	if err != nil {
		return "", err
	}
	o.mu.Lock()
	o.run = run
	o.mu.Unlock()
	defer context.AfterFunc(ctx, run.end)()
	defer run.end()
	lines := bufio.NewScanner(run.out)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		how, err = o.hear(ctx, t, lines.Bytes())
		if how != "" || err != nil {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return cancelled, ctx.Err()
	case err != nil:
		return "", err
	case how == "":
		return "", run.explain(errors.New("the agent's output ended early"))
	}
	select {
	case <-run.done:
	case <-time.After(endTime): // later work of the program does not matter
	}
	return how, nil
}

// said holds the needed fields of a message of windie agent.
type said struct {
	Type       string                   `json:"type"`
	SessionID  string                   `json:"sessionId"`
	MessageID  string                   `json:"messageId"`
	Content    string                   `json:"content"`
	ToolCallID string                   `json:"toolCallId"`
	Name       string                   `json:"name"`
	Arguments  json.RawMessage          `json:"arguments"`
	IsError    bool                     `json:"isError"`
	Message    string                   `json:"message"`
	Metadata   sdkapi.AgentDoneMetadata `json:"metadata"`
}

// hear handles a message. how is empty until the turn ends.
func (o *once) hear(ctx context.Context, t *turn, line []byte) (how string, err error) {
	var m said
	if err := json.Unmarshal(line, &m); err != nil {
		return "", fmt.Errorf("the agent's output is not valid JSON: %w", err)
	}
	switch m.Type {
	case "session":
		o.session = m.SessionID
	case sdkapi.AgentDelta:
		t.said(m.MessageID, m.Content)
	case sdkapi.AgentThought, sdkapi.AgentWarning, sdkapi.AgentProgress:
		t.sign()
	case sdkapi.AgentToolStarted, sdkapi.AgentToolCall:
		t.used(m.ToolCallID, m.Name+" "+string(m.Arguments), true, false)
	case sdkapi.AgentToolOutput:
		t.used(m.ToolCallID, m.Name, false, m.IsError)
	case sdkapi.AgentApproval:
		ok, err := o.work.allow(ctx, t, Step{Kind: m.Name, Title: m.Name, Paths: pathsOf(m.Arguments), Input: m.Arguments})
		if err != nil {
			return "", err
		}
		answer, err := json.Marshal(map[string]any{"toolCallId": m.ToolCallID, "approved": ok})
		if err == nil {
			_, err = o.current().in.Write(append(answer, '\n'))
		}
		return "", err
	case sdkapi.AgentDone:
		return o.over(m.Metadata)
	}
	return "", nil
}

// over returns how a turn ended.
func (*once) over(end sdkapi.AgentDoneMetadata) (how string, err error) {
	switch end.Reason {
	case "done":
		return ended, nil
	case "canceled":
		return cancelled, nil
	case "failed":
		return "", errors.New(end.Message)
	}
	return cutShort, nil // by a limit of the gateway
}

// pathsOf returns the file that a call of a file tool names.
func pathsOf(arguments json.RawMessage) []string {
	var in struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(arguments, &in) != nil || in.Path == "" {
		return nil
	}
	return []string{in.Path}
}

// current returns the program of the current turn or of the last one. It is nil before the first
// turn.
func (o *once) current() *running {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.run
}

// stop implements program.
func (o *once) stop() {
	if run := o.current(); run != nil {
		run.end()
	}
}
