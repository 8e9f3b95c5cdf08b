package turns

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Event is an event for a client, without its cursor.
type Event struct {
	Name string
	Data any
}

// Show returns a list with one event.
func Show(name string, data any) []Event { return []Event{{Name: name, Data: data}} }

// Cursor is a client's position in a stream. The client has all events before Seq. Of the events
// that are shown for Seq, the client has all or the first few. The zero value is the beginning.
type Cursor struct {
	Seq  int64
	part int // number of events for Seq that the client has; 0 for all
}

// String returns the id of an event. "12" is the last event that is shown for the session's event
// 12. If several events are shown, "12.1" is the first of them.
func (c Cursor) String() string {
	if c.part == 0 {
		return strconv.FormatInt(c.Seq, 10)
	}
	return fmt.Sprintf("%d.%d", c.Seq, c.part)
}

// Resume returns the cursor of a client that reconnects to a stream. It uses the Last-Event-ID
// header, or the query if the header is empty. field is the path of the header or query, for
// errors. Resume fails with VALIDATION_ERROR if the text is not an event id.
func Resume(header, query string) (from Cursor, field string, err error) {
	field, text := "header.Last-Event-ID", header
	if text == "" {
		field, text = "query.after", query
	}
	from, ok := parseCursor(text)
	if !ok {
		err = fault.New("gateway.turns", sdkapi.ValidationError, "%q is not the id of an event", text).At(field, "expected the id of the last event that you received")
	}
	return from, field, err
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

// After returns the events that the client does not have yet, with their ids. events must be all
// events that are shown for the session's event seq.
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

// SendAll sends events in order. It stops at the first error and returns it.
func SendAll(events []sse.Event, send func(sse.Event) error) error {
	for _, e := range events {
		if err := send(e); err != nil {
			return err
		}
	}
	return nil
}
