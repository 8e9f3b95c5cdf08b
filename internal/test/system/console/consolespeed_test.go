//go:build system && !race

package console_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// crowded is a picture of the size of a large display, with 1,500 words.
func crowded(t *testing.T) string {
	t.Helper()
	img := testkit.Canvas(3840, 2160, color.White)
	for i := range 1500 {
		testkit.Pen{Em: 24}.Write(img, 20+i%30*126, 40+i/30*42, "w"+strconv.Itoa(i))
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "crowded.png")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Bounds that a page passes only when something is wrong: a shared machine is several times slower
// than one that has nothing else to do. The figures are in the log of the test.
const (
	maxPaint  = 3000 // ms until something is seen
	minFrames = 5    // a second, while a large picture is moved
)

// The page is seen soon, and a large picture with many boxes can be moved.
func TestConsoleSpeed(t *testing.T) {
	g := startForConsole(t)
	b := newTab(t, g.url)
	b.open(g.url + "/console/#/screens")
	b.sees("Open a screenshot")
	b.do(chromedp.Reload()) // the gateway is warm now
	b.sees("Open a screenshot")
	paint := testkit.Eventually(t, "the browser has painted", func() (float64, bool) { // the text is there before it is painted
		at := evaluated[float64](b, `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`)
		return at, at > 0
	})
	b.size(1600, 1000)
	b.give("Open image", crowded(t))
	boxes := testkit.Eventually(t, "the boxes are drawn", func() (int, bool) {
		n := evaluated[int](b, `document.querySelectorAll('.mark').length`)
		return n, n > 100
	})
	drawn := b.traced(func() { b.drags(".frame", 150) })
	frames := drawn.perSecond()
	t.Logf("Chromium's trace of a drag: %s", drawn)
	t.Logf("first paint after %.0f ms; %.0f frames a second with %d boxes on 3840 × 2160", paint, frames, boxes)
	if paint > maxPaint || frames < minFrames {
		t.Errorf("first paint after %.0f ms, expected at most %d; %.0f frames a second, expected at least %d", paint, maxPaint, frames, minFrames)
	}
}

// A long conversation is prompts of a model that calls tools: rounds times calls of each. A call is two events.
const (
	longPrompts, longRounds, longCalls = 10, 10, 50
	maxOpening                         = 10_000 // ms; the figure is in the log of the test
)

// busyModel is a catalogue of one model, which answers each prompt with many calls of a tool.
func busyModel(t *testing.T) string {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		n, delta, end := asked.Add(1), map[string]any{"role": "assistant", "content": "That was all."}, "stop"
		if n%(longRounds+1) != 0 {
			calls := make([]any, longCalls)
			for i := range calls {
				calls[i] = map[string]any{"index": i, "id": fmt.Sprintf("call_%d_%d", n, i), "type": "function", "function": map[string]any{"name": "memory_search", "arguments": fmt.Sprintf(`{"query":"tea %d %d"}`, n, i)}}
			}
			delta, end = map[string]any{"role": "assistant", "tool_calls": calls}, "tool_calls"
		}
		for _, choice := range []any{map[string]any{"index": 0, "delta": delta}, map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": end}} {
			raw, _ := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "busy", "choices": []any{choice}})
			_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
		}
		_, _ = fmt.Fprint(w, `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"busy","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "models.yaml")
	text := "providers:\n  - id: busy\n    kind: openai\n    local: true\n    base_url: " + server.URL + "\nmodels:\n  - id: busy\n    provider: busy\n    display_name: Busy\n    context_window: 100000000\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A conversation of 10,000 events opens soon, at its end, and what is earlier can be reached.
func TestConsoleLongConversation(t *testing.T) {
	g := startForConsole(t, "WINDIE_MODELS="+busyModel(t))
	var made struct{ Result struct{ ID string } }
	if err := json.Unmarshal(g.post("/api/tools/conversation.create/invoke", map[string]any{}), &made); err != nil {
		t.Fatal(err)
	}
	for i := range longPrompts {
		prompt := map[string]any{"input": fmt.Sprintf("Search much, %d.", i+1), "conversationId": made.Result.ID}
		said := testkit.Eventually(t, "the turn before is over", func() ([]byte, bool) {
			said := g.post("/api/prompt", prompt)
			return said, !bytes.Contains(said, []byte(sdkapi.TurnRunning))
		})
		if !bytes.Contains(said, []byte("prompt.completed")) {
			t.Fatalf("%s", said[max(0, len(said)-500):])
		}
	}
	b := newTab(t, g.url)
	b.open(g.link())
	b.sees("Signed in")
	took := evaluated[float64](b, `new Promise((done) => {
		const began = performance.now();
		location.hash = '#/conversations/conversation/`+made.Result.ID+`';
		const look = () => (document.querySelector('.timeline')?.innerText.includes('That was all.') ? requestAnimationFrame(() => done(performance.now() - began)) : setTimeout(look, 5));
		look();
	})`)
	b.sees("That was all.", "Show 300 earlier steps")
	drawn := evaluated[int](b, `document.querySelectorAll('.step').length`)
	b.wellFormed("a long conversation")
	b.click("button", "Show 300 earlier steps")
	b.write(".talk input[type=search]", "Search much, 1.")
	b.sees("with “Search much, 1.”")
	t.Logf("a conversation of %d calls opens in %.0f ms, with %d steps drawn", longPrompts*longRounds*longCalls, took, drawn)
	if took > maxOpening || drawn > 320 {
		t.Errorf("it opens in %.0f ms with %d steps; expected at most %d ms", took, drawn, maxOpening)
	}
}
