package turns

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Event is an event for a client. Cursor.After adds its id.
type Event struct {
	Name string
	Data any
}

// Show returns a list that contains one event.
func Show(name string, data any) []Event { return []Event{{Name: name, Data: data}} }

// Cursor is a client's position in the events of a session. Seq is the number of a session event.
// The client has received everything up to this event. A session event can be sent as several
// events. In this case, the client may have received only the first few of them. The zero value is
// the beginning of the session.
type Cursor struct {
	Seq  int64
	part int // number of events for Seq that the client has; 0 for all
}

// String returns the cursor as the id of an event. For example, "12" is the only or last event that
// is sent for the session event 12. If several events are sent for it, "12.1" is the first of them.
func (c Cursor) String() string {
	if c.part == 0 {
		return strconv.FormatInt(c.Seq, 10)
	}
	return fmt.Sprintf("%d.%d", c.Seq, c.part)
}

// Resume returns the cursor of a client that reconnects to a stream. It parses header, the value of
// Last-Event-ID. If header is empty, it parses query. field is the path of the parsed parameter,
// for error messages. Resume fails with VALIDATION_ERROR if the text is not an event id.
func Resume(header, query string) (cursor Cursor, field string, err error) {
	field, text := "header.Last-Event-ID", header
	if text == "" {
		field, text = "query.after", query
	}
	cursor, ok := parseCursor(text)
	if !ok {
		err = fault.New("gateway.turns", sdkapi.ValidationError, "%q is not the id of an event", text).At(field, "expected the id of the last event that you received")
	}
	return cursor, field, err
}

// parseCursor parses an event id. Empty text is the beginning.
func parseCursor(text string) (c Cursor, ok bool) {
	if text == "" {
		return c, true
	}
	seq, part, several := strings.Cut(text, ".")
	var errSeq, errPart error
	c.Seq, errSeq = strconv.ParseInt(seq, 10, 64)
	if several {
		c.part, errPart = strconv.Atoi(part)
	}
	return c, errSeq == nil && errPart == nil && c.Seq >= 0 && c.part >= 0 && (!several || c.part > 0)
}

// After returns the events that the client does not have yet, and adds their ids. events must be
// all events that are sent for one session event, whose number is seq.
func (c Cursor) After(seq int64, events []Event) []sse.Event {
	var list []sse.Event
	for i, e := range events {
		at := Cursor{seq, (i + 1) % len(events)} // 0 for the last
		if seq < c.Seq || seq == c.Seq && (c.part == 0 || i < c.part) {
			continue
		}
		list = append(list, sse.Event{ID: at.String(), Event: e.Name, Data: e.Data})
	}
	return list
}

// SendAll calls send for each event, in order. It stops at the first error and returns this error.
func SendAll(events []sse.Event, send func(sse.Event) error) error {
	for _, e := range events {
		if err := send(e); err != nil {
			return err
		}
	}
	return nil
}
