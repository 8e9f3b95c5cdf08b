package doors_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/pgtest"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// errandsEnd is what a model says whose client has run all three tools.
const errandsEnd = "Done: opened calendar, opened mail, opened notes."

var openedApps = regexp.MustCompile(`opened \w+`)

// errands is a model that has the client open an app, then two at once, and
// repeats in the end what the results say. What it answers follows from what it
// gets, as it does not outlive its gateway.
func errands(req models.Request) *modelstest.Script {
	var told []string
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if p.Result != nil {
				for _, part := range p.Result.Parts {
					told = append(told, openedApps.FindAllString(part.Text, -1)...)
				}
			}
		}
	}
	var reply agenttest.Reply
	switch len(told) {
	case 0:
		reply = agenttest.Calling("call-1", "open_app", `{"app_id":"calendar"}`)
		reply.Text = []string{"Sure - ", "let me look."}
	case 1:
		reply = agenttest.Calling("call-2", "open_app", `{"app_id":"mail"}`, "call-3", "open_app", `{"app_id":"notes"}`)
		reply.Text = []string{"And two more."}
	default:
		reply = agenttest.Saying("Done: ", strings.Join(told, ", "), ".")
	}
	reply.Delay = 2 * time.Millisecond // so that pieces are not put together
	if first := req.Messages[0]; strings.Contains(fmt.Sprint(first.Parts), "slowly") && len(told) == 0 {
		reply.Delay = time.Second
	}
	return agenttest.NewScript(reply)
}

// check fails unless the turn went as it should: the same last words, and each
// tool run once, its result taken once, in the order of the calls. What it
// heard in pieces is what a client hears that listens to all of it later.
func (d *deskClient) check() {
	d.t.Helper()
	if d.failed != "" || d.final != errandsEnd {
		d.t.Errorf("the last words are %q %s", d.final, d.failed)
	}
	once := map[string]int{"call-1": 1, "call-2": 1, "call-3": 1}
	if !maps.Equal(d.ran, once) || !slices.Equal(d.order, []string{"calendar", "mail", "notes"}) {
		d.t.Errorf("the tools were run %v, %v", d.ran, d.order)
	}
	if want := "Sure - let me look.And two more." + errandsEnd; d.text != want {
		d.t.Errorf("the pieces make %q, want %q", d.text, want)
	}
	later := *d
	later.breaks, later.resume, later.lastID, later.text, later.final, later.heard = nil, true, "1", "", "", nil
	later.listen(true)
	if !slices.Equal(unmarked(later.heard), unmarked(d.heard)) || !maps.Equal(later.ran, once) {
		d.t.Errorf("heard\n%v, and later\n%v", d.heard, later.heard)
	}
	for id := range once {
		acks := 0
		for _, e := range later.heard {
			if e.kind == "tool.result.ack" && strings.Contains(e.data, id) {
				acks++
			}
		}
		if acks != 1 {
			d.t.Errorf("%s was acknowledged %d times: %v", id, acks, later.heard)
		}
	}
}

// unmarked are events as they were when they happened: those that are sent again
// say which requests were answered meanwhile.
func unmarked(heard []event) []event {
	out := slices.Clone(heard)
	for i := range out {
		out[i].data = strings.Replace(out[i].data, `,"answered":true`, "", 1)
	}
	return out
}

func addrOf(url string) string { return strings.TrimPrefix(url, "http://") }

// A client that has the document alone talks to the end.
func TestV1ByTheDocument(t *testing.T) {
	t.Parallel()
	d := begun(t, addrOf(alone(t).urls[0]))
	d.converse()
	d.check()
}

// Wherever in a stream its connection breaks, and by whichever way it comes
// back, a client ends as one whose connection held.
func TestV1ConnectionBreaks(t *testing.T) {
	t.Parallel()
	for place, at := range map[string]func(bytes int) bool{
		"before an event":     func(bytes int) bool { return bytes == 0 },
		"behind its first":    func(bytes int) bool { return bytes == 1 },
		"in the middle of it": func(bytes int) bool { return bytes == 30 },
		"after an event":      func(bytes int) bool { return bytes == whole },
	} {
		for n := range 4 {
			resume, forgets := n&1 > 0, n&2 > 0
			t.Run(fmt.Sprintf("%s, Last-Event-ID %v, remembers calls %v", place, resume, !forgets), func(t *testing.T) {
				t.Parallel()
				addr := addrOf(alone(t).urls[0])
				broken := true
				n := 0
				for ; broken; n++ {
					d := begun(t, addr)
					d.resume, d.forgets = resume, forgets
					d.breaks = func(events, bytes int) bool { return d.replays == 0 && events == n && at(bytes) }
					d.converse()
					broken = d.replays > 0
					d.check()
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
			d := begun(t, addrOf(alone(t).urls[0]))
			d.resume = resume
			d.breaks = func(events, bytes int) bool { // its message brings all events up to now
				return bytes == whole && (resume || events >= d.replays)
			}
			d.converse()
			d.check()
			if d.replays < 12 {
				t.Errorf("it came back %d times only", d.replays)
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
			d := begun(t, addrOf(alone(t).urls[0]))
			d.loses = how
			d.converse()
			d.check()
		})
	}
}

// waitingSessions are those of a test that wait for their client's tools.
const waitingSessions = 200

// Sessions that wait for tools outlive the gateway, and end as they would have.
func TestV1OutlivesTheGateway(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(t *testing.T) string{
		"SQLite":     func(*testing.T) string { return "" },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Start(t) },
	} {
		sessions := waitingSessions
		if name == "PostgreSQL" {
			sessions /= 5
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, env := t.TempDir(), servingOver+"="+over(t)
			url, kill := spawn(t, dir, env)
			desktops := make([]*deskClient, sessions)
			each := func(do func(n int)) {
				var all sync.WaitGroup
				slots := make(chan struct{}, 16)
				for n := range desktops {
					all.Go(func() {
						slots <- struct{}{}
						defer func() { <-slots }()
						do(n)
					})
				}
				all.Wait()
			}
			each(func(n int) {
				d := begun(t, addrOf(url))
				d.pauses, d.late, d.resume = []string{"call-1", "call-3"}[n%2], n/2%2 == 0, n/4%2 == 0
				d.listen(false)
				desktops[n] = d
			})
			kill()
			began := time.Now()
			url, _ = spawn(t, dir, env)
			each(func(n int) {
				d := desktops[n]
				d.addr, d.pauses = addrOf(url), ""
				for again := true; d.final == "" && d.failed == ""; {
					d.listen(again)
				}
				d.check()
			})
			t.Logf("%d sessions ended %v behind the gateway's death", len(desktops), time.Since(began))
		})
	}
}

// The words of a model whose gateway dies are discarded, also by a client that comes back
// behind the first of it.
func TestV1GatewayDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{false, true} {
		t.Run(fmt.Sprintf("Last-Event-ID %v", resume), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			url, kill := spawn(t, dir)
			d := begun(t, addrOf(url))
			d.resume, d.message = resume, d.chat("Plan my week, slowly", true)
			d.breaks = func(events, bytes int) bool { return events == 0 && bytes == whole }
			d.listen(false)
			kill()
			url, _ = spawn(t, dir)
			d.addr, d.breaks = addrOf(url), nil
			d.listen(true)
			d.check()
			if !slices.ContainsFunc(d.heard, func(e event) bool { return strings.Contains(e.data, `"restart":true`) }) {
				t.Errorf("nothing was void in %v", d.heard)
			}
		})
	}
}

// A message that is sent several times at once, as by a client that has given
// the first up, is one turn of which all hear.
func TestV1MessageIsSentAtOnce(t *testing.T) {
	t.Parallel()
	addr := addrOf(alone(t).urls[0])
	for range 20 {
		d := begun(t, addr)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if status, body := d.ask("POST", "/v1/chat", d.chat("Plan my week", false)); status != 409 || !strings.Contains(body, `"id":"call-1"`) {
					t.Errorf("it is answered with %d %s", status, body)
				}
			})
		}
		all.Wait()
		d.converse()
		d.check()
	}
}

// What a client says of a tool is what the model gets, and so is a denial.
func TestV1DenialReachesTheModel(t *testing.T) {
	t.Parallel()
	script := modelstest.NewScript(
		agenttest.Calling("call-1", "open_app", `{}`, "call-2", "open_app", `{}`), agenttest.Saying("Then not."))
	d := begun(t, addrOf(gatewaytest.Start(t, conversing(t, gatewaytest.Store(t, false), script, journaltest.NewMemory()))))
	d.ask("POST", "/v1/chat", d.chat("Open it", false))
	for _, result := range []string{`{"id":"call-1","ok":true,"result":"It is open."}`, `{"id":"call-2","ok":false,"result":null,"error":"denied"}`} {
		if status, body := d.ask("POST", "/v1/tools/result", fmt.Sprintf(`{"general_session_id":%q,"tool_result":%s}`, d.session, result)); status != 200 {
			t.Fatalf("%d %s", status, body)
		}
	}
	if status, body := d.ask("POST", "/v1/chat", d.chat("Open it", false)); status != 200 {
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
