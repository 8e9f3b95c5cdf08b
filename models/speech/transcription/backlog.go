package transcription

import (
	"context"
	"slices"
	"sync"
	"time"
)

// backlog has the messages to a server whose text the server has not sent yet. After a lost connection,
// the gateway sends them again. newBacklog creates it. One goroutine adds messages, and one sends them.
type backlog struct {
	mu    sync.Mutex
	items []item
	sent  int    // number of items that were sent
	bytes int    // size of all items
	more  signal // given when there is a message to send
	room  signal // given when there may be room
}

// item is a message to a server.
type item struct {
	binary bool
	data   []byte
	lasts  time.Duration // duration of its sound
	of     *utterance    // the utterance it belongs to; may be nil
	// Subject of an order to the server; empty for sound. The backlog drops an order once it is sent,
	// or when a later order with the same subject is added.
	order string
}

// signal wakes one waiting goroutine. newSignal creates it.
type signal chan struct{}

// newSignal returns a signal that is not given.
func newSignal() signal { return make(signal, 1) }

// give wakes the waiting goroutine, or else the next one that waits. It never blocks.
func (s signal) give() {
	select {
	case s <- struct{}{}:
	default: // it was given before
	}
}

// newBacklog returns an empty backlog.
func newBacklog() *backlog { return &backlog{more: newSignal(), room: newSignal()} }

// wait waits until there is room. It returns ctx's error if ctx has ended.
func (b *backlog) wait(ctx context.Context) error {
	for {
		b.mu.Lock()
		full := b.bytes >= maxKept
		b.mu.Unlock()
		if !full {
			return ctx.Err()
		}
		select {
		case <-b.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add adds a message, even if there is no room. An order replaces an unsent order with the same subject.
func (b *backlog) add(i item) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i.order != "" {
		b.remove(func(_ int, old item) bool { return old.order == i.order })
	}
	b.items = append(b.items, i)
	b.bytes += len(i.data)
	b.more.give()
}

// next waits for the next message to send and returns it. ok is false if wake fires or ctx ends first.
func (b *backlog) next(ctx context.Context, wake <-chan time.Time) (i item, ok bool) {
	for {
		select {
		case <-wake: // checked first, because there may always be messages
			return item{}, false
		default:
		}
		b.mu.Lock()
		if b.sent < len(b.items) {
			i = b.items[b.sent]
			if b.sent++; i.order != "" {
				at := b.sent - 1
				b.remove(func(n int, _ item) bool { return n == at })
			}
			b.mu.Unlock()
			return i, true
		}
		b.mu.Unlock()
		select {
		case <-b.more:
		case <-wake:
			return item{}, false
		case <-ctx.Done():
			return item{}, false
		}
	}
}

// rewind marks all messages as unsent. It removes the order with the subject given, which the caller sends
// itself.
func (b *backlog) rewind(given string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = 0
	b.remove(func(_ int, i item) bool { return given != "" && i.order == given })
}

// drop removes the messages of an utterance.
func (b *backlog) drop(of *utterance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove(func(_ int, i item) bool { return i.of == of })
}

// keepLast removes sent messages, except the most recent sound with the duration time. If the backlog would
// still have no room, keepLast removes more.
func (b *backlog) keepLast(time time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := b.sent
	for bytes := 0; first > 0 && time > 0 && bytes < maxKept*3/4; first-- {
		time -= b.items[first-1].lasts
		bytes += len(b.items[first-1].data)
	}
	b.remove(func(n int, _ item) bool { return n < first })
}

// clear removes all messages except orders. It returns the utterances with unsent messages.
func (b *backlog) clear() (unsent []*utterance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, i := range b.items[b.sent:] {
		unsent = append(unsent, i.of)
	}
	b.remove(func(_ int, i item) bool { return i.order == "" })
	return unsent
}

// remove removes the messages for which gone is true. gone gets the index of each message before the removal. The
// caller holds mu.
func (b *backlog) remove(gone func(int, item) bool) {
	n, sent := -1, b.sent
	b.items = slices.DeleteFunc(b.items, func(i item) bool {
		n++
		if !gone(n, i) {
			return false
		}
		b.bytes -= len(i.data)
		if n < sent {
			b.sent--
		}
		return true
	})
	b.room.give()
}
