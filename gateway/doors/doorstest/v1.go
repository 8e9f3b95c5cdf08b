package doorstest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// ErrandsEnd is what a model says whose client has run all three tools.
const ErrandsEnd = "Done: opened calendar, opened mail, opened notes."

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

// Check fails unless the turn went as it should: the same last words, and each
// tool run once, its result taken once, in the order of the calls. What it
// heard in pieces is what a client hears that listens to all of it later.
func (d *DeskClient) Check() {
	d.T.Helper()
	if d.Failed != "" || d.Final != ErrandsEnd {
		d.T.Errorf("the last words are %q %s", d.Final, d.Failed)
	}
	once := map[string]int{"call-1": 1, "call-2": 1, "call-3": 1}
	if !maps.Equal(d.ran, once) || !slices.Equal(d.order, []string{"calendar", "mail", "notes"}) {
		d.T.Errorf("the tools were run %v, %v", d.ran, d.order)
	}
	if want := "Sure - let me look.And two more." + ErrandsEnd; d.text != want {
		d.T.Errorf("the pieces make %q, want %q", d.text, want)
	}
	later := *d
	later.Breaks, later.Resume, later.LastID, later.text, later.Final, later.Heard = nil, true, "1", "", "", nil
	later.Listen(true)
	if !slices.Equal(Unmarked(later.Heard), Unmarked(d.Heard)) || !maps.Equal(later.ran, once) {
		d.T.Errorf("heard\n%v, and later\n%v", d.Heard, later.Heard)
	}
	for id := range once {
		acks := 0
		for _, e := range later.Heard {
			if e.Kind == "tool.result.ack" && strings.Contains(e.Data, id) {
				acks++
			}
		}
		if acks != 1 {
			d.T.Errorf("%s was acknowledged %d times: %v", id, acks, later.Heard)
		}
	}
}

// Unmarked are events as they were when they happened: those that are sent again
// say which requests were answered meanwhile.
func Unmarked(heard []Event) []Event {
	out := slices.Clone(heard)
	for i := range out {
		out[i].Data = strings.Replace(out[i].Data, `,"answered":true`, "", 1)
	}
	return out
}

func AddrOf(url string) string { return strings.TrimPrefix(url, "http://") }
