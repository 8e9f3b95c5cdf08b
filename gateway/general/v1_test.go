package general_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A client that has the document alone talks to the end.
func TestV1ByTheDocument(t *testing.T) {
	t.Parallel()
	d := doorstest.Begun(t, doorstest.AddrOf(doorstest.Alone(t).Urls[0]))
	d.Converse()
	d.Check()
}

// Wherever in a stream its connection breaks, and by whichever way it comes
// back, a client whose message has an id ends as one whose connection held.
func TestV1ConnectionBreaks(t *testing.T) {
	t.Parallel()
	for place, at := range map[string]func(bytes int) bool{
		"before an event":     func(bytes int) bool { return bytes == 0 },
		"behind its first":    func(bytes int) bool { return bytes == 1 },
		"in the middle of it": func(bytes int) bool { return bytes == 30 },
		"after an event":      func(bytes int) bool { return bytes == doorstest.Whole },
	} {
		for n := range 4 {
			resume, forgets := n&1 > 0, n&2 > 0
			t.Run(fmt.Sprintf("%s, Last-Event-ID %v, remembers calls %v", place, resume, !forgets), func(t *testing.T) {
				t.Parallel()
				addr := doorstest.AddrOf(doorstest.Alone(t).Urls[0])
				broken := true
				n := 0
				for ; broken; n++ {
					d := doorstest.Begun(t, addr)
					d.Resume, d.Forgets, d.Message = resume, forgets, d.Named("m1", "Plan my week", true)
					d.Breaks = func(events, bytes int) bool { return d.Replays == 0 && events == n && at(bytes) }
					d.Converse()
					broken = d.Replays > 0
					d.Check()
				}
				if n < 14 {
					t.Errorf("it broke at %d events only", n)
				}
			})
		}
	}
}

// A connection that brings one event, and breaks, each time, is enough.
func TestV1ConnectionAlwaysBreaks(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{false, true} {
		t.Run(fmt.Sprintf("Last-Event-ID %v", resume), func(t *testing.T) {
			t.Parallel()
			d := doorstest.Begun(t, doorstest.AddrOf(doorstest.Alone(t).Urls[0]))
			d.Resume, d.Message = resume, d.Named("m1", "Plan my week", true)
			d.Breaks = func(events, bytes int) bool { // its message brings all events up to now
				return bytes == doorstest.Whole && (resume || events >= d.Replays)
			}
			d.Converse()
			d.Check()
			if d.Replays < 12 {
				t.Errorf("it came back %d times only", d.Replays)
			}
		})
	}
}

// A result whose answer is lost is posted again.
func TestV1ResultIsLost(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"the answer", "half of the request", "the answer's second half"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			d := doorstest.Begun(t, doorstest.AddrOf(doorstest.Alone(t).Urls[0]))
			d.Loses = how
			d.Converse()
			d.Check()
		})
	}
}

// A message that is sent several times at once, as by a client that has given
// the first up, is one turn of which all hear.
func TestV1MessageIsSentAtOnce(t *testing.T) {
	t.Parallel()
	addr := doorstest.AddrOf(doorstest.Alone(t).Urls[0])
	for range 20 {
		d := doorstest.Begun(t, addr)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if status, body := d.Ask("POST", "/v1/chat", d.Chat("Plan my week", false)); status != 409 || !strings.Contains(body, `"id":"call-1"`) {
					t.Errorf("it is answered with %d %s", status, body)
				}
			})
		}
		all.Wait()
		d.Converse()
		d.Check()
	}
}

// What a client says of a tool is what the model gets, and so is a denial.
func TestV1DenialReachesTheModel(t *testing.T) {
	t.Parallel()
	script := modelstest.NewScript(
		agenttest.Calling("call-1", "open_app", `{}`, "call-2", "open_app", `{}`), agenttest.Saying("Then not."))
	d := doorstest.Begun(t, doorstest.AddrOf(gatewaytest.Start(t, doorstest.Conversing(t, gatewaytest.Store(t, false), script, journaltest.NewMemory()))))
	d.Ask("POST", "/v1/chat", d.Chat("Open it", false))
	for _, result := range []string{`{"id":"call-1","ok":true,"result":"It is open."}`, `{"id":"call-2","ok":false,"result":null,"error":"denied"}`} {
		testkit.Eventually(t, "the result to be taken, once the call is asked for", func() (string, bool) {
			status, body := d.Ask("POST", "/v1/tools/result", fmt.Sprintf(`{"general_session_id":%q,"tool_result":%s}`, d.Session, result))
			return body, status == 200
		})
	}
	if status, body := d.Ask("POST", "/v1/chat", d.Chat("Open it", false)); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	requests := script.Requests()
	told := requests[len(requests)-1].Messages
	parts := told[len(told)-1].Parts
	if len(parts) != 2 || parts[0].Result.IsError || !strings.Contains(parts[0].Result.Parts[0].Text, "It is open.") ||
		!parts[1].Result.IsError || !strings.Contains(parts[1].Result.Parts[0].Text, "denied") {
		t.Errorf("the model is told %+v", told)
	}
}
