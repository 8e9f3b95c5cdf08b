package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/test/recorded"
	"github.com/windieos/windie/sdkapi"
)

// isRefusal reports whether the frames of a socket are a hello for which the gateway closes it.
func isRefusal(frames []recorded.Frame) bool {
	last := frames[len(frames)-1]
	return len(frames) > 1 && recorded.UntilClient(frames[1:]) == len(frames)-1 && last.IsClose() && !strings.HasPrefix(last.Text, "close 1000")
}

// refused has the client begin a conversation whose hello is refused: the client says so, and does not try again.
func (p *player) refused(s *Step, frames []recorded.Frame) string {
	t, err := p.greet(s, frames[0], true)
	if err != nil {
		return err.Error()
	}
	line, events, err := t.call.end()
	switch opened := slices.ContainsFunc(events, func(e Event) bool { return e.Event == openEvent }); {
	case err != nil:
		return err.Error()
	case line.Cannot != "":
		return line.Cannot
	case line.Error == nil || opened:
		return "the client does not fail, though its hello is refused"
	}
	if why := t.wire.complaint(); why != "" {
		return why
	}
	if err := t.Expect(frames[1:]); err != nil {
		return err.Error()
	}
	if n := len(p.proxy.requests(http.MethodGet, t.wire.path)); n != 1 {
		return fmt.Sprintf("the client comes %d times, though it is refused", n)
	}
	return saysWhy(line.Error, t.Taken)
}

// saysWhy says what is wrong with the error of a client that got frames: it has the code of the gateway's error, or
// else the code and the reason with which the socket was closed.
func saysWhy(e *Failure, got []recorded.Frame) string {
	for _, f := range got {
		if code, _ := f.Object()["code"].(string); f.Kind() == sdkapi.AgentError && e.Code != code {
			return fmt.Sprintf("the client fails with %q (%s), not with %s", e.Code, e.Message, code)
		} else if f.Kind() == sdkapi.AgentError {
			return ""
		}
	}
	code, reason, _ := strings.Cut(strings.TrimPrefix(got[len(got)-1].Text, "close "), " ")
	if !strings.Contains(e.Message, code) || !strings.Contains(e.Message, reason) {
		return fmt.Sprintf("the client fails with %q, which does not say %s %s", e.Message, code, reason)
	}
	return ""
}

// handshakes are the headers of a request for a socket. A client that is no page brings no others than typed ones.
var handshakes = []string{"Connection", "Upgrade", "Sec-Websocket-Version", "Sec-Websocket-Key"}

// knocks reports whether a step is a client's request for a socket that the gateway does not open.
func (p *player) knocks(s *Step) bool {
	at := p.at(s)
	if at != sdkapi.WSPath && sessionOf(at) == "" || s.header.Get("Sec-Websocket-Key") == "" || s.answer == nil || s.answer.status < http.StatusBadRequest {
		return false
	}
	for name := range s.header {
		if !slices.Contains(handshakes, name) && !slices.Contains(typed, name) {
			return false
		}
	}
	return true
}

// turnedAway has the client ask for a socket that the gateway does not open: the client fails with the gateway's error.
func (p *player) turnedAway(s *Step) string {
	p.onlyReads()
	opts := p.opts(s)
	opts.Stream = true
	op, args := opSession, Args{Body: []byte(`{"tools":[]}`)}
	if session := sessionOf(p.at(s)); session != "" {
		op = opHost
		args.Path = map[string]string{"id": session}
	}
	c, err := p.driver.call(op, args, opts)
	if err != nil {
		return err.Error()
	}
	return p.returned(c, s)
}
