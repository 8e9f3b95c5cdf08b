package sdk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// Prompts holds the routes that ask a model and tell what comes of it. They need
// WithUser. Its methods may be called from several goroutines at once.
type Prompts struct{ client *Client }

// PromptEvent is one event of a prompt. One of its pointers is set.
type PromptEvent struct {
	ID string // the cursor behind it, for Events

	Created   *sdkapi.PromptCreated
	Delta     *sdkapi.PromptDelta
	Output    *sdkapi.PromptOutput
	Approval  *sdkapi.PromptApproval
	Warning   *sdkapi.PromptWarning
	Completed *sdkapi.PromptCompleted
	Failed    *sdkapi.PromptError
}

// into returns where the data of a kind of event goes, nil for what this client
// does not know.
func (e *PromptEvent) into(kind string) any {
	switch kind {
	case sdkapi.EventPromptCreated:
		e.Created = new(sdkapi.PromptCreated)
		return e.Created
	case sdkapi.EventPromptDelta:
		e.Delta = new(sdkapi.PromptDelta)
		return e.Delta
	case sdkapi.EventPromptOutput:
		e.Output = new(sdkapi.PromptOutput)
		return e.Output
	case sdkapi.EventPromptApproval:
		e.Approval = new(sdkapi.PromptApproval)
		return e.Approval
	case sdkapi.EventPromptWarning:
		e.Warning = new(sdkapi.PromptWarning)
		return e.Warning
	case sdkapi.EventPromptCompleted:
		e.Completed = new(sdkapi.PromptCompleted)
		return e.Completed
	case sdkapi.EventError:
		e.Failed = new(sdkapi.PromptError)
		return e.Failed
	}
	return nil
}

// last reports whether nothing comes behind it.
func (e *PromptEvent) last() bool { return e.Completed != nil || e.Failed != nil }

// How long a stream may be silent, of which the gateway gives a sign of life
// every 15 s, and how often in a row it may break without an event in between.
const (
	maxSilence = 45 * time.Second
	maxBreaks  = 10
)

// Start asks a model and yields what comes of it, until the end. When the
// connection breaks it comes back and goes on where it was. Leaving the loop
// does not end the prompt; Cancel does. The error ends the loop.
func (p *Prompts) Start(ctx context.Context, in sdkapi.PromptStart) iter.Seq2[PromptEvent, error] {
	return func(yield func(PromptEvent, error) bool) {
		body, err := json.Marshal(in)
		if err != nil {
			yield(PromptEvent{}, fmt.Errorf("sdk: %w", err))
			return
		}
		f := follow{prompts: p, deltas: in.Deltas}
		f.run(ctx, yield, func(ctx context.Context) (*http.Response, error) {
			return p.client.call(ctx, http.MethodPost, sdkapi.PromptPath, http.Header{"Content-Type": {"application/json"}}, body)
		})
	}
}

// Events yields the events of a prompt after one, and then new ones until the
// end, as Start does. An empty after is the beginning.
func (p *Prompts) Events(ctx context.Context, prompt, after string, deltas bool) iter.Seq2[PromptEvent, error] {
	return func(yield func(PromptEvent, error) bool) {
		f := follow{prompts: p, prompt: prompt, after: after, deltas: deltas}
		f.run(ctx, yield, f.again)
	}
}

// follow is one run of Start or Events.
type follow struct {
	prompts       *Prompts
	prompt, after string
	deltas        bool
}

// again asks for the events after the last one.
func (f *follow) again(ctx context.Context) (*http.Response, error) {
	path := sdkapi.PromptsPath + "/" + url.PathEscape(f.prompt) + "/events"
	if f.deltas {
		path += "?deltas=true"
	}
	header := http.Header{}
	if f.after != "" {
		header.Set("Last-Event-ID", f.after)
	}
	return f.prompts.client.call(safe(ctx), http.MethodGet, path, header, nil)
}

// run yields events until the last, coming back as often as the stream breaks.
func (f *follow) run(ctx context.Context, yield func(PromptEvent, error) bool, open func(context.Context) (*http.Response, error)) {
	for breaks := 0; ; breaks++ {
		before := f.after
		ended, err := f.once(ctx, yield, open)
		if f.after != before {
			breaks = 0
		}
		refused := new(sdkapi.Error)
		switch {
		case ended:
			return
		case ctx.Err() != nil:
			err = ctx.Err()
		case err == nil, f.prompt != "" && breaks < maxBreaks && !errors.As(err, &refused):
			open = f.again
			if pause(ctx, breaks) {
				continue
			}
			err = ctx.Err()
		}
		yield(PromptEvent{}, err)
		return
	}
}

// pause waits before another try, the longer the more there were.
func pause(ctx context.Context, tries int) bool {
	timer := time.NewTimer(min(minPause<<tries, maxPause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// once yields the events of one connection, and reports whether that was all.
func (f *follow) once(ctx context.Context, yield func(PromptEvent, error) bool, open func(context.Context) (*http.Response, error)) (ended bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := open(ctx)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	silent := time.AfterFunc(maxSilence, cancel)
	defer silent.Stop()
	lines := bufio.NewReader(resp.Body)
	for {
		silent.Reset(maxSilence)
		e, kind, err := readEvent(lines, func() { silent.Reset(maxSilence) })
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("sdk: %w", err)
		case kind == "":
			continue
		}
		f.after = e.ID
		if e.Created != nil {
			f.prompt = e.Created.PromptID
		}
		if !yield(e, nil) || e.last() {
			return true, nil
		}
	}
}

// maxEventLine bounds a line of a stream, in bytes.
const maxEventLine = 16 << 20

// readEvent reads one event, as the HTML standard has them in section 9.2. Its
// kind is empty for one that this client does not know.
func readEvent(lines *bufio.Reader, sign func()) (e PromptEvent, kind string, err error) {
	var data strings.Builder
	for {
		line, err := readLine(lines)
		if err != nil {
			return e, "", err
		}
		sign()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data.Len() > 0:
			into := e.into(kind)
			if into == nil {
				return e, "", nil
			}
			return e, kind, json.Unmarshal([]byte(data.String()), into)
		case field == "id":
			e.ID = value
		case field == "event":
			kind = value
		case field == "data":
			data.WriteString(value)
		}
	}
}

func readLine(r *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		part, more, err := r.ReadLine()
		if err != nil {
			return "", err
		}
		if line.Len()+len(part) > maxEventLine {
			return "", errors.New("a line of the stream is too long")
		}
		line.Write(part)
		if !more {
			return line.String(), nil
		}
	}
}

// Get returns what is known of a prompt.
func (p *Prompts) Get(ctx context.Context, prompt string) (*sdkapi.Prompt, error) {
	return get[sdkapi.Prompt](ctx, p.client, promptPath(prompt, ""))
}

// Approve lets a tool be called, with other arguments if input has some. It
// fails with DecisionNotFound where nobody asked, DecisionConflict where it was
// decided otherwise, and DecisionExpired where it is too late.
func (p *Prompts) Approve(ctx context.Context, prompt, toolCall string, input json.RawMessage) error {
	_, err := post[sdkapi.PromptDecided](safe(ctx), p.client, promptPath(prompt, "/approve"), sdkapi.PromptApprove{ToolCallID: toolCall, Input: input})
	return err
}

// Reject does not let a tool be called, and tells the model why. It fails as
// Approve does.
func (p *Prompts) Reject(ctx context.Context, prompt, toolCall, reason string) error {
	_, err := post[sdkapi.PromptDecided](safe(ctx), p.client, promptPath(prompt, "/reject"), sdkapi.PromptReject{ToolCallID: toolCall, Reason: reason})
	return err
}

// Cancel ends a prompt within a second. One that has ended stays as it is.
func (p *Prompts) Cancel(ctx context.Context, prompt string) error {
	resp, err := p.client.call(safe(ctx), http.MethodPost, promptPath(prompt, "/cancel"), nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func promptPath(prompt, below string) string {
	return sdkapi.PromptsPath + "/" + url.PathEscape(prompt) + below
}
