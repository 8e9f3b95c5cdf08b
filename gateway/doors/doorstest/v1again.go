package doorstest

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Stream starts a chat and returns its response and its events. The connection closes when the test ends.
func (d *DeskClient) Stream(message string, headers ...string) (*RawAnswer, *RawEvents) {
	d.T.Helper()
	a, err := d.Open("POST", "/v1/chat", message, headers...)
	if err != nil || a.Status != 200 {
		d.T.Fatal(a, err)
	}
	d.T.Cleanup(func() { _ = a.Conn.Close() })
	return a, &RawEvents{Body: a.Body}
}

// Until reads events until it finds an event of the given kind. If kind is empty, it reads to the end of the stream.
// If kind is set, the end of the stream fails the test.
func (d *DeskClient) Until(events *RawEvents, kind string) {
	d.T.Helper()
	for {
		e, err := events.Next(func(int) bool { return false })
		switch {
		case errors.Is(err, io.EOF) && kind == "":
			return
		case err != nil:
			d.T.Fatalf("before %q: %v", kind, err)
		case e.Kind == kind:
			d.LastID, d.LastData = e.Id, e.Data
			return
		}
	}
}

// HeardAll sends a message and reads the whole response. It reports whether the response contains the model's answer
// with the given number.
func (d *DeskClient) HeardAll(message string, answer int) bool {
	d.T.Helper()
	status, body := d.Ask("POST", "/v1/chat", message)
	if status != 200 || !strings.Contains(body, fmt.Sprintf("Answer %d.", answer)) {
		d.T.Errorf("want answer %d: %d %.300s", answer, status, body)
		return false
	}
	return true
}
