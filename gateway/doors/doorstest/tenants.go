package doorstest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// Call sends a request and returns the status and the response. If the response is a stream of events, Call reads
// only its start.
func (c Holder) Call(method, path, body string, header http.Header) (status int, answer string) {
	c.T.Helper()
	ctx, cancel := context.WithTimeout(c.T.Context(), Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.Url+path, strings.NewReader(body))
	if err != nil {
		c.T.Fatal(err)
	}
	req.Header = header
	resp, err := Stays.Do(req)
	if err != nil {
		c.T.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		_ = Hear(resp.Body, func(e Event) bool {
			answer += e.Kind + " " + e.Data + "\n"
			return e.Kind != sdkapi.EventPromptApproval && e.Kind != "tool.request" && e.Kind != sdkapi.AgentHeartbeat
		})
		return resp.StatusCode, answer
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	return resp.StatusCode, fmt.Sprintf("%v %s", resp.Header, text)
}

// Made sends a request that creates an object. It works like Call, but it returns the value of a field of the
// response. The test fails if the field is missing.
func (c Holder) Made(method, path, body, field string) string {
	c.T.Helper()
	status, answer := c.Call(method, path, body, c.Header())
	for _, mark := range []string{`"` + field + `":"`, `"` + field + `": "`} {
		if _, rest, found := strings.Cut(answer, mark); found && status < 300 {
			id, _, _ := strings.Cut(rest, `"`)
			return id
		}
	}
	c.T.Fatalf("%s %s: %d %s", method, path, status, answer)
	return ""
}
