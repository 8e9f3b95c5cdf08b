package sqljournal

import (
	"encoding/json"

	"github.com/windieos/windie/journal"
)

// The most that a tail holds. A slower watcher reads the rest from the database.
const (
	tailEvents = 64
	tailBytes  = 64 << 10
)

// tail is the newest events of a stream, without gaps, that its watcher has not
// taken. Without it, each word of a model would cost each follower a query.
type tail struct {
	stream int64 // its id
	events []journal.Event
	bytes  int
}

// add adds events that were just appended, if there is room for them. Else none
// are left.
func (t *tail) add(stream int64, events []journal.Event) bool {
	n, size := len(t.events), t.bytes
	for _, e := range events {
		size += len(e.Data)
	}
	if n > 0 && (t.stream != stream || t.events[n-1].Seq+1 != events[0].Seq) || n+len(events) > tailEvents || size > tailBytes {
		*t = tail{}
		return false
	}
	for _, e := range events {
		e.Data = json.RawMessage(text(e.Data)) // each watcher's are its own
		t.events = append(t.events, e)
	}
	t.stream, t.bytes = stream, size
	return true
}

// reaches reports whether its newest event is a stream's last.
func (t *tail) reaches(now mark) bool {
	n := len(t.events)
	return n > 0 && now == mark{t.stream, t.events[n-1].Seq}
}

// take removes the events and returns those after a cursor, and whether some
// are missing before them.
func (t *tail) take(stream, cursor int64) (events []journal.Event, gap bool) {
	was := *t
	*t = tail{}
	if len(was.events) == 0 {
		return nil, false
	}
	first := was.events[0].Seq
	if was.stream != stream || first > cursor+1 {
		return nil, true
	}
	return was.events[min(int(cursor+1-first), len(was.events)):], false
}
