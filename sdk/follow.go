package sdk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// streamed is an event of a stream.
type streamed interface {
	into(kind string) any // returns a pointer for its data, nil for a kind that this client does not know
	at(id string)         // sets its id
	last() bool           // reports whether it is the last
	over() bool           // reports whether it asks for something that was answered
}

// fill points at to a new value, and returns the pointer.
func fill[T any](at **T) any {
	*at = new(T)
	return *at
}

// How long a stream may be silent (the gateway sends something every 15 s), and how
// often in a row it may break without an event in between.
const (
	maxSilence = 45 * time.Second
	maxBreaks  = 10
)

// errCut is the failure of a stream that the gateway ended maxBreaks times before its last event.
var errCut = errors.New("sdk: the stream ended again and again before its last event")

// maxSeen is how many ids of events are kept to know those that come again.
const maxSeen = 100

// follow is one hearing of a stream of events E, through connections that break.
type follow[E any, P interface {
	*E
	streamed
}] struct {
	after string      // the id of the last event
	seen  []string    // the ids of the last events, so that one that comes twice is heard once
	heard func(*E)    // gets each event
	known func() bool // again can be asked
	again func(context.Context) (*http.Response, error)

	opened bool // at least once
}

// restart repeats start until it is known what that began.
func (f *follow[E, P]) restart(start func(context.Context) (*http.Response, error)) {
	known, again := f.known, f.again
	f.known = func() bool { return true }
	f.again = func(ctx context.Context) (*http.Response, error) {
		if !known() {
			return start(ctx)
		}
		return again(ctx)
	}
}

// from asks for the events of a path after the last one.
func (f *follow[E, P]) from(ctx context.Context, c *Client, path string) (*http.Response, error) {
	header := http.Header{}
	if f.after != "" {
		header.Set("Last-Event-ID", f.after)
	}
	return c.call(safe(ctx), http.MethodGet, path, header, nil)
}

// run yields events until the last, coming back as often as the stream breaks.
func (f *follow[E, P]) run(ctx context.Context, yield func(E, error) bool, open func(context.Context) (*http.Response, error)) {
	for breaks := 0; ; breaks++ {
		before := f.after
		ended, err := f.once(ctx, yield, open)
		if f.after != before {
			breaks = 0
		}
		switch {
		case ended:
			return
		case ctx.Err() != nil:
			err = ctx.Err()
		case breaks < maxBreaks && (err == nil || f.known() && f.breaks(err)):
			open = f.again
			if pause(ctx, breaks) {
				continue
			}
			err = ctx.Err()
		case err == nil:
			err = errCut
		}
		var none E
		yield(none, err)
		return
	}
}

// breaks reports whether an error is one that a stream goes on after: its connection broke, or it was open before, and the gateway takes
// no more for now, or is not there behind its proxy, as while it is started anew.
func (f *follow[E, P]) breaks(err error) bool {
	refused, ok := errors.AsType[*sdkapi.Error](err)
	if !ok {
		return true
	}
	switch refused.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return f.opened && !slices.Contains(lastingCodes, refused.Code)
	}
	return false
}

// pause waits before another try, the longer the more there were.
func pause(ctx context.Context, tries int) bool {
	select {
	case <-time.After(grown(minPause, maxPause, tries)):
		return true
	case <-ctx.Done():
		return false
	}
}

// once yields the events of one connection, and reports whether that was all.
func (f *follow[E, P]) once(ctx context.Context, yield func(E, error) bool, open func(context.Context) (*http.Response, error)) (ended bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := open(ctx)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	f.opened = true
	silent := time.AfterFunc(maxSilence, cancel)
	defer silent.Stop()
	lines := bufio.NewReader(resp.Body)
	for {
		silent.Reset(maxSilence)
		var e E
		id, known, err := readEvent(lines, P(&e), func() { silent.Reset(maxSilence) })
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("sdk: %w", err)
		case !known, id != "" && slices.Contains(f.seen, id):
			continue
		}
		f.seen = append(f.seen, id)
		f.seen = f.seen[max(0, len(f.seen)-maxSeen):]
		P(&e).at(id)
		f.after = id
		f.heard(&e)
		if P(&e).over() { // it is delivered again; whoever acts on it would do it twice
			continue
		}
		if !yield(e, nil) || P(&e).last() {
			return true, nil
		}
	}
}

// maxEventLine bounds a line of a stream, in bytes.
const maxEventLine = 16 << 20

// readEvent reads one event (HTML standard, section 9.2) into e.
func readEvent(lines *bufio.Reader, e streamed, sign func()) (id string, known bool, err error) {
	var kind string
	var data strings.Builder
	for {
		line, err := readLine(lines)
		if err != nil {
			return "", false, err
		}
		sign()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data.Len() > 0:
			into := e.into(kind)
			if into == nil {
				return "", false, nil
			}
			return id, true, json.Unmarshal([]byte(data.String()), into)
		case field == "id":
			id = value
		case field == "event":
			kind = value
		case field == "data":
			if data.Len() > 0 {
				data.WriteByte('\n')
			}
			data.WriteString(value)
		}
	}
}

func readLine(r *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		part, more, err := r.ReadLine()
		if err != nil {
			return "", err
		}
		if line.Len()+len(part) > maxEventLine {
			return "", errors.New("a line of the stream is too long")
		}
		line.Write(part)
		if !more {
			return line.String(), nil
		}
	}
}
