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

// topic is a stream or a decision that callers wait for, as a hash of its name. If two names have
// the same hash, callers of both are woken, which costs each one extra read.
type topic uint64

// streamTopic returns the topic of a stream.
func streamTopic(name string) topic { return topicOf("stream/", name) }

// decisionTopic returns the topic of a decision.
func decisionTopic(id string) topic { return topicOf("decision/", id) }

// topicOf hashes a name. All gateways of a deployment must use the same hash, because notices contain it.
func topicOf(kind, name string) topic {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind)) // Write never fails
	_, _ = h.Write([]byte(name))
	return topic(h.Sum64())
}

// notice encodes topics in base 36, for other gateways. It reveals no stream name.
func notice(topics []topic) string {
	words := make([]string, len(topics))
	for i, t := range topics {
		words[i] = strconv.FormatUint(uint64(t), 36)
	}
	return strings.Join(words, " ")
}

// noticeTopics is how many topics fit into a notice: the longest has 13 characters and a space.
const noticeTopics = database.MaxNotice / 14

// tell wakes callers on other gateways that wait for one of the topics, when the transaction
// commits. It sends as many notices as the topics need.
func tell(ctx context.Context, db *database.DB, tx bun.IDB, topics []topic) error {
	for some := range slices.Chunk(topics, noticeTopics) {
		if err := db.Notify(ctx, tx, channel, notice(some)); err != nil {
			return err
		}
	}
	return nil
}

// topicsOf decodes a notice. It skips words that are not topics.
func topicsOf(notice string) []topic {
	var topics []topic
	for word := range strings.FieldsSeq(notice) {
		if t, err := strconv.ParseUint(word, 36, 64); err == nil {
			topics = append(topics, topic(t))
		}
	}
	return topics
}

// mark is the id and last number of a stream at one moment. The zero value is that of a missing
// stream.
type mark struct {
	id   int64
	last int64
}

// watch is a caller that waits for a change of a stream or a decision.
type watch struct {
	topic    topic
	stream   string        // empty for a decision
	decision string        // empty for a stream
	woken    chan struct{} // has a value if the database may have news
	told     chan struct{} // has a value if tail may have news

	seen mark // last position of the stream that the caller knows; guarded by the hub's mu
	tail tail // newest events of the stream; guarded by the hub's mu
}

// hub has the watches of this process.
type hub struct {
	mu      sync.Mutex
	watches map[topic]map[*watch]struct{}
}

// newHub returns a hub without watches.
func newHub() *hub { return &hub{watches: map[topic]map[*watch]struct{}{}} }

// watchStream adds a watch of a stream. The caller must call leave.
func (h *hub) watchStream(name string) *watch { return h.join(streamTopic(name), name, "") }

// watchDecision adds a watch of a decision. The caller must call leave.
func (h *hub) watchDecision(id string) *watch { return h.join(decisionTopic(id), "", id) }

// join adds a watch of a topic. Either stream or decision is empty.
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

// leave removes a watch. Nobody wakes it afterwards.
func (h *hub) leave(w *watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watches[w.topic], w)
	if len(h.watches[w.topic]) == 0 {
		delete(h.watches, w.topic)
	}
}

// saw records the position of a stream when its watcher read it.
func (h *hub) saw(w *watch, m mark) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.seen = m
}

// grown gives new events of a stream to its watchers. It never blocks.
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

// shrunk makes the watchers of a stream read it again after a trim, and empties their tails.
func (h *hub) shrunk(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watches[streamTopic(name)] {
		w.tail = tail{}
		poke(w.woken)
	}
}

// next returns the watcher's events after a cursor. gap is true if it must read the database,
// because an event in between is missing or the stream was replaced.
func (h *hub) next(w *watch, id, cursor int64) (events []journal.Event, gap bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if events, gap = w.tail.take(id, cursor); len(events) > 0 {
		w.seen = mark{id, events[len(events)-1].Seq}
	}
	return events, gap
}

// wake wakes callers that wait for one of the topics. It never blocks.
func (h *hub) wake(topics ...topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range topics {
		for w := range h.watches[t] {
			poke(w.woken)
		}
	}
}

// wakeAll wakes every waiting caller, because notices may have been lost. It never blocks.
func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watches := range h.watches {
		for w := range watches {
			poke(w.woken)
		}
	}
}

// poke puts a value into a channel of capacity 1, unless it has one.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // the receiver has not taken the last value yet
	}
}

// waiting returns the streams and decisions that have watchers.
func (h *hub) waiting() (streams, decisions []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watches := range h.watches {
		listed := map[string]bool{} // several watchers may wait for the same one
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

// wakeBehind wakes watchers of a stream that have not seen its end, unless their tail has it.
func (h *hub) wakeBehind(name string, now mark) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watches[streamTopic(name)] {
		if w.stream == name && w.seen != now && !w.tail.reaches(now) {
			poke(w.woken)
		}
	}
}

// Limits of a tail. A slower watcher reads the rest from the database.
const (
	tailEvents = 64
	tailBytes  = 64 << 10
)

// tail is the newest events of a stream, without gaps, which its watcher has not taken. Without it,
// each word of a model's answer would cost each follower a query.
type tail struct {
	stream int64 // its id
	events []journal.Event
	bytes  int
}

// add adds new events. If they do not fit or leave a gap, it empties the tail and returns false.
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
		e.Data = json.RawMessage(text(e.Data)) // each watcher gets its own copy
		t.events = append(t.events, e)
	}
	t.stream, t.bytes = stream, size
	return true
}

// reaches reports whether the tail's newest event is the stream's last one.
func (t *tail) reaches(now mark) bool {
	n := len(t.events)
	return n > 0 && now == mark{t.stream, t.events[n-1].Seq}
}

// take empties the tail and returns its events after a cursor. gap is true if events before them
// are missing.
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
