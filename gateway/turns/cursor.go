package turns

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/windieos/windie/gateway/sse"
)

// Event is an event of a prompt without its cursor.
type Event struct {
	Name string
	Data any
}

// Show returns the one event that is shown.
func Show(name string, data any) []Event { return []Event{{Name: name, Data: data}} }

// Cursor is how far a client is: it has all events that are shown for the
// session's event seq, or only the first part of them.
type Cursor struct {
	Seq  int64
	part int // 0: all
}

// String is the id of an event: "12" of the last that is shown for event 12 of
// the session, "12.1" of the first of several.
func (c Cursor) String() string {
	if c.part == 0 {
		return strconv.FormatInt(c.Seq, 10)
	}
	return fmt.Sprintf("%d.%d", c.Seq, c.part)
}

// ParseCursor is the way back. Empty is the beginning.
func ParseCursor(text string) (c Cursor, ok bool) {
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

// After returns the events that are shown for the session's event seq and that
// a client does not have, with their ids.
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

func SendAll(events []sse.Event, send func(sse.Event) error) error {
	for _, e := range events {
		if err := send(e); err != nil {
			return err
		}
	}
	return nil
}
