package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// said is what the model of streams says: characters of two, three and four bytes.
const said = "Grüße, 漢字 und 🦊."

var (
	saysIt   = `{"Text": ["Grüße, ", "漢字 ", "und 🦊."], "Usage": {"Input": 5, "Output": 2}}`
	saysNone = `{"Stalls": true}`
	prompt   = Args{Body: json.RawMessage(`{"input": "Say it"}`)}
)

// promptEvents are what comes of a prompt that says it.
var promptEvents = []string{sdkapi.EventPromptCreated, sdkapi.EventPromptOutput, sdkapi.EventPromptCompleted}

// streamFaults are those of server-sent events.
func streamFaults() []*Fault {
	split := func(name string, pieces func(int, []byte) [][]byte) *Fault {
		return &Fault{Name: name, model: saysIt, run: func(t *trial) string {
			t.breakStream(1, pieces)
			return cmpFirst(t.hears(""), t.posted(1))
		}}
	}
	return []*Fault{
		split("cut-in-character", always(byBytes)),
		split("crlf", always(func(event []byte) [][]byte { return [][]byte{bytes.ReplaceAll(event, []byte("\n"), []byte("\r\n"))} })),
		split("crlf-by-bytes", always(func(event []byte) [][]byte { return byBytes(bytes.ReplaceAll(event, []byte("\n"), []byte("\r\n"))) })),
		split("event-twice", always(func(event []byte) [][]byte { return [][]byte{event, event} })),
		split("unknown-event", always(func(event []byte) [][]byte {
			return [][]byte{[]byte("event: prompt.of_a_later_release\ndata: {\"is\": \"new\"}\n\n"), event}
		})),
		split("cut-after-1", cutAfter(1)),
		split("cut-after-2", cutAfter(2)),
		split("cut-inside-event", func(n int, event []byte) [][]byte {
			if n < 1 {
				return [][]byte{event}
			}
			at := bytes.IndexByte(event, 0xc3) + 1 // behind the first byte of ü
			return [][]byte{event[:max(at, len(event)/2)], nil}
		}),
		{Name: "cut-before-1", model: saysIt, run: func(t *trial) string {
			// The answer is lost as a whole: with its key the prompt is asked for again, and begun once.
			t.breakStream(1, cutAfter(0))
			return cmpFirst(t.hears("key-3"), t.sameKeys(sdkapi.PromptPath))
		}},
		{Name: "abort-stream", model: saysNone, run: abortStream},
		{Name: "abort-call", model: saysNone, run: abortCall},
		{Name: "cancel", model: saysNone, run: cancelPrompt},
	}
}

// breakStream breaks the first streams of a prompt.
func (t *trial) breakStream(times int, pieces func(int, []byte) [][]byte) {
	t.proxy.breakWith(&breakage{method: http.MethodPost, path: sdkapi.PromptPath, times: times, event: pieces})
}

// hears says what is wrong with the events that the client yields for a prompt: each comes once, in order, and whole.
func (t *trial) hears(key string) string {
	c, err := t.driver.call("prompts.start", prompt, t.opts(key, true))
	if err != nil {
		return err.Error()
	}
	line, events, err := c.end()
	if err != nil {
		return err.Error()
	}
	if line.Error != nil {
		return "the stream fails: " + line.Error.Message
	}
	var kinds []string
	text := ""
	for _, e := range events {
		if e.Event == "prompt.of_a_later_release" {
			continue // it may be handed on
		}
		kinds = append(kinds, e.Event)
		if e.Event == sdkapi.EventPromptOutput {
			var output struct{ Content string }
			_ = json.Unmarshal(e.Data, &output) // empty is not what was said
			text += output.Content
		}
	}
	if got, want := strings.Join(kinds, " "), strings.Join(promptEvents, " "); got != want {
		return fmt.Sprintf("the events %q come, not %q", got, want)
	}
	if text != said {
		return fmt.Sprintf("the text is %q, not %q", text, said)
	}
	return ""
}

// posted says whether prompts were asked for more often than n times: a stream that broke is resumed, not begun again.
func (t *trial) posted(n int) string {
	if sent := t.proxy.requests(http.MethodPost, sdkapi.PromptPath); len(sent) != n {
		return fmt.Sprintf("the prompt is sent %d times", len(sent))
	}
	return ""
}

// leaves says whether the gateway does not hear within a time that the client went away.
func (t *trial) leaves(c *call, method, path string) string {
	if err := c.abort(); err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(t.ctx, 10*time.Second)
	defer cancel()
	if !t.proxy.waitLeft(ctx, method, path) {
		return "the connection goes on after the call was aborted"
	}
	return ""
}

// abortStream aborts a stream whose model says nothing: the gateway hears of it.
func abortStream(t *trial) string {
	c, err := t.driver.call("prompts.start", prompt, t.opts("", true))
	if err != nil {
		return err.Error()
	}
	if line, err := c.next(patience); err != nil || line.Event == nil {
		return fmt.Sprintf("the stream does not begin: %v %v", err, line.Error)
	}
	return t.leaves(c, http.MethodPost, sdkapi.PromptPath)
}

// abortCall aborts a call whose answer is long in coming.
func abortCall(t *trial) string {
	c, err := t.driver.call("tools.invoke", Args{Path: map[string]string{"tool_id": waitTool}, Body: json.RawMessage(`{}`)}, t.opts("", false))
	if err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if !t.proxy.waitSeen(ctx, http.MethodPost, sdkapi.ToolPath(waitTool)) {
		return "the call is not made"
	}
	return t.leaves(c, http.MethodPost, sdkapi.ToolPath(waitTool))
}

// cancelPrompt ends a prompt from elsewhere: its stream ends with what became of it.
func cancelPrompt(t *trial) string {
	c, err := t.driver.call("prompts.start", prompt, t.opts("", true))
	if err != nil {
		return err.Error()
	}
	line, err := c.next(patience)
	if err != nil || line.Event == nil {
		return fmt.Sprintf("the stream does not begin: %v %v", err, line.Error)
	}
	var created struct{ PromptID string }
	if err := json.Unmarshal(line.Event.Data, &created); err != nil {
		return err.Error()
	}
	path := map[string]string{"prompt_id": created.PromptID}
	if why := t.succeeds("prompts.cancel", Args{Path: path}, "", http.MethodPost, sdkapi.PromptsPath+"/"+created.PromptID+"/cancel", 1); why != "" {
		return why
	}
	_, events, err := c.end()
	if err != nil {
		return err.Error()
	}
	if len(events) == 0 || events[len(events)-1].Event != sdkapi.EventError {
		return fmt.Sprintf("the stream does not end with an error: %v", events)
	}
	return ""
}
