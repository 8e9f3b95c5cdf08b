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

// ErrandsEnd is the last text of the model "errands". The model writes this text after the client has run all three
// tools.
const ErrandsEnd = "Done: opened calendar, opened mail, opened notes."

var openedApps = regexp.MustCompile(`opened \w+`)

// errands returns a model that has the client open one app, then two at once, and then repeats the results. Its
// response depends only on the request, since the gateway may restart in between.
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
	reply.Delay = 2 * time.Millisecond // so that the gateway does not join the deltas
	if first := req.Messages[0]; strings.Contains(fmt.Sprint(first.Parts), "slowly") && len(told) == 0 {
		reply.Delay = time.Second
	}
	return agenttest.NewScript(reply)
}

// Check fails the test unless the turn was correct. The last text must be right. Each tool must have run once and
// been acknowledged once, in the order of the calls. Check then reads the stream a second time, from the first event
// on, and compares the events.
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

// Unmarked returns a copy of events without the mark "answered", which the gateway adds to tool requests that it sends
// again.
func Unmarked(heard []Event) []Event {
	out := slices.Clone(heard)
	for i := range out {
		out[i].Data = strings.Replace(out[i].Data, `,"answered":true`, "", 1)
	}
	return out
}

// AddrOf returns the host and port in the URL of a gateway.
func AddrOf(url string) string { return strings.TrimPrefix(url, "http://") }
