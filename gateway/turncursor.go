package gateway

import (
	"fmt"
	"strconv"
	"strings"
)

// promptEvent is an event of a prompt without its cursor.
type promptEvent struct {
	event string
	data  any
}

// promptCursor is how far a client is: it has all events that are shown for the
// session's event seq, or only the first part of them.
type promptCursor struct {
	seq  int64
	part int // 0: all
}

// String is the id of an event: "12" of the last that is shown for event 12 of
// the session, "12.1" of the first of several.
func (c promptCursor) String() string {
	if c.part == 0 {
		return strconv.FormatInt(c.seq, 10)
	}
	return fmt.Sprintf("%d.%d", c.seq, c.part)
}

// parseCursor is the way back. Empty is the beginning.
func parseCursor(text string) (c promptCursor, ok bool) {
	if text == "" {
		return c, true
	}
	seq, part, several := strings.Cut(text, ".")
	var errSeq, errPart error
	c.seq, errSeq = strconv.ParseInt(seq, 10, 64)
	if several {
		c.part, errPart = strconv.Atoi(part)
	}
	return c, errSeq == nil && errPart == nil && c.seq >= 0 && c.part >= 0 && (!several || c.part > 0)
}

// after returns the events that are shown for the session's event seq and that
// a client does not have, with their ids.
func (c promptCursor) after(seq int64, events []promptEvent) []sse {
	var list []sse
	for i, e := range events {
		at := promptCursor{seq, (i + 1) % len(events)} // 0 for the last
		if seq < c.seq || seq == c.seq && (c.part == 0 || i < c.part) {
			continue
		}
		list = append(list, sse{id: at.String(), event: e.event, data: e.data})
	}
	return list
}

func sendAll(events []sse, send func(sse) error) error {
	for _, e := range events {
		if err := send(e); err != nil {
			return err
		}
	}
	return nil
}
