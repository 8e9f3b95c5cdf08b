package sqljournal

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// topic is what somebody may wait for: a stream or a decision, by a hash of its
// name. Two with the same hash are woken together, which costs each a look.
type topic uint64

func streamTopic(name string) topic { return topicOf("stream/", name) }
func decisionTopic(id string) topic { return topicOf("decision/", id) }

func topicOf(kind, name string) topic {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind)) // it never fails
	_, _ = h.Write([]byte(name))
	return topic(h.Sum64())
}

// notice returns topics in base 36, for other gateways. It shows no stream's name.
func notice(topics []topic) string {
	words := make([]string, len(topics))
	for i, t := range topics {
		words[i] = strconv.FormatUint(uint64(t), 36)
	}
	return strings.Join(words, " ")
}

// noticeTopics is how many topics surely fit into a notice: the longest has 13 letters, and a blank.
const noticeTopics = database.MaxNotice / 14

// tell wakes those who wait for one of the topics on other gateways, once the transaction is
// committed. There may be any number of topics.
func tell(ctx context.Context, db *database.DB, tx bun.IDB, topics []topic) error {
	for some := range slices.Chunk(topics, noticeTopics) {
		if err := db.Notify(ctx, tx, channel, notice(some)); err != nil {
			return err
		}
	}
	return nil
}

// topicsOf is the way back. What is no notice of ours has none.
func topicsOf(notice string) []topic {
	var topics []topic
	for word := range strings.FieldsSeq(notice) {
		if t, err := strconv.ParseUint(word, 36, 64); err == nil {
			topics = append(topics, topic(t))
		}
	}
	return topics
}

// mark is how a stream was when it was looked at. The zero value is that of one
// which is not there.
type mark struct {
	id   int64
	last int64
}

// watch is a caller that waits for a stream or a decision to change.
type watch struct {
	topic    topic
	stream   string        // empty for a decision
	decision string        // empty for a stream
	woken    chan struct{} // has a value when there may be something new in the database
	told     chan struct{} // has a value when there may be something new in tail

	seen mark // of a stream, as the watcher knows it; under the hub's mu
	tail tail // of a stream, likewise
}

// hub lists the watches of this process.
type hub struct {
	mu      sync.Mutex
	watches map[topic]map[*watch]struct{}
}

func newHub() *hub { return &hub{watches: map[topic]map[*watch]struct{}{}} }

func (h *hub) watchStream(name string) *watch { return h.join(streamTopic(name), name, "") }
func (h *hub) watchDecision(id string) *watch { return h.join(decisionTopic(id), "", id) }

func (h *hub) join(on topic, stream, decision string) *watch {
	w := &watch{topic: on, stream: stream, decision: decision}
	w.woken, w.told = make(chan struct{}, 1), make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watches[w.topic] == nil {
		h.watches[w.topic] = map[*watch]struct{}{}
	}
	h.watches[w.topic][w] = struct{}{}
	return w
}

func (h *hub) leave(w *watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watches[w.topic], w)
	if len(h.watches[w.topic]) == 0 {
		delete(h.watches, w.topic)
	}
}

// saw notes how a stream was when its watcher looked.
func (h *hub) saw(w *watch, m mark) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.seen = m
}

// grown hands events that were just appended to a stream to those who wait for
// it. It waits for nobody.
func (h *hub) grown(name string, id int64, events []journal.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watches[streamTopic(name)] {
		if w.stream == name && w.tail.add(id, events) {
			poke(w.told)
		} else {
			poke(w.woken)
		}
	}
}

// shrunk has the watchers of a stream ask what is left of it.
func (h *hub) shrunk(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watches[streamTopic(name)] {
		w.tail = tail{}
		poke(w.woken)
	}
}

// next returns the watcher's events after a cursor, and whether it has to ask the
// database, as one is missing in between, or the stream is another one by now.
func (h *hub) next(w *watch, id, cursor int64) (events []journal.Event, gap bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if events, gap = w.tail.take(id, cursor); len(events) > 0 {
		w.seen = mark{id, events[len(events)-1].Seq}
	}
	return events, gap
}

// wake wakes those who wait for one of the topics. It waits for nobody.
func (h *hub) wake(topics ...topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range topics {
		for w := range h.watches[t] {
			poke(w.woken)
		}
	}
}

func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watches := range h.watches {
		for w := range watches {
			poke(w.woken)
		}
	}
}

// poke puts a value into a channel that has room for one.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // the waiter has not looked yet since the last one
	}
}

// waiting lists the streams and decisions that somebody waits for.
func (h *hub) waiting() (streams, decisions []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watches := range h.watches {
		listed := map[string]bool{} // several may wait for the same
		for w := range watches {
			switch {
			case listed[w.stream+w.decision]:
			case w.stream != "":
				streams = append(streams, w.stream)
			default:
				decisions = append(decisions, w.decision)
			}
			listed[w.stream+w.decision] = true
		}
	}
	return streams, decisions
}

// wakeBehind wakes those who wait for a stream and have not seen its end, unless
// their tail has it.
func (h *hub) wakeBehind(name string, now mark) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watches[streamTopic(name)] {
		if w.stream == name && w.seen != now && !w.tail.reaches(now) {
			poke(w.woken)
		}
	}
}

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

// add adds events that were just appended, if there is room for them. Else none are left.
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
