package transcription

import (
	"context"
	"slices"
	"sync"
	"time"
)

// backlog is what a server is sent, and kept until there is text of it: a server that comes back gets it again.
// newBacklog makes one. One goroutine adds, and one sends.
type backlog struct {
	mu    sync.Mutex
	items []item
	sent  int // of items
	bytes int
	more  signal // there is something to send
	room  signal // there may be room
}

// item is a message to a server.
type item struct {
	binary bool
	data   []byte
	lasts  time.Duration // the sound in it
	of     *utterance    // that it belongs to, if any
	order  string        // of an order to the server: what it is about. It is not kept once it is sent, nor beside a later one
}

// signal wakes one goroutine that waits. newSignal makes one.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) give() {
	select {
	case s <- struct{}{}:
	default: // it is given already
	}
}

func newBacklog() *backlog { return &backlog{more: newSignal(), room: newSignal()} }

// wait waits until there is room, or ctx ends.
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

// add adds a message, whether there is room or not. An order takes the place of one about the same that was not sent.
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

// next returns what is to be sent next. It waits until there is something, wake is given, or ctx ends.
func (b *backlog) next(ctx context.Context, wake <-chan time.Time) (i item, ok bool) {
	for {
		select {
		case <-wake: // also while there is always something
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

// rewind has all that is kept sent again, but the order that was given before it.
func (b *backlog) rewind(given string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = 0
	b.remove(func(_ int, i item) bool { return given != "" && i.order == given })
}

// drop forgets what was sent of an utterance.
func (b *backlog) drop(of *utterance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove(func(_ int, i item) bool { return i.of == of })
}

// keepLast forgets what was sent, but the sound of the last time, and of that what leaves room for more.
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

// clear forgets all but orders, and returns the utterances of which something was not sent.
func (b *backlog) clear() (unsent []*utterance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, i := range b.items[b.sent:] {
		unsent = append(unsent, i.of)
	}
	b.remove(func(_ int, i item) bool { return i.order == "" })
	return unsent
}

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
