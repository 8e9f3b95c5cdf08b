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
	into(kind string) any // returns a pointer to decode the data into, or nil for an unknown kind
	at(id string)         // sets the event's id
	last() bool           // reports whether this is the last event
	over() bool           // reports whether the event is a request that has its answer already
}

// fill sets *at to a new T, and returns the pointer to it for decoding.
func fill[T any](at **T) any {
	*at = new(T)
	return *at
}

// maxSilence is how long a stream may be silent; the gateway sends something every 15 s. maxBreaks
// is how often in a row a stream may break without an event in between.
const (
	maxSilence = 45 * time.Second
	maxBreaks  = 10
)

// errCut reports a stream that broke maxBreaks times in a row before its last event.
var errCut = errors.New("sdk: the stream repeatedly ended before its last event")

// maxSeen is how many event ids a stream remembers to recognise repeated events.
const maxSeen = 100

// follow reads a stream of events E across broken connections.
type follow[E any, P interface {
	*E
	streamed
}] struct {
	after string      // id of the last event
	seen  []string    // ids of the last maxSeen events: a repeated one is skipped
	heard func(*E)    // gets each event
	known func() bool // reports whether again can be called
	again func(context.Context) (*http.Response, error)

	opened bool // a connection was open at least once
}

// restart makes a stream that breaks before known reports true call start again instead of failing.
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

// from requests the events of path after the last one.
func (f *follow[E, P]) from(ctx context.Context, c *Client, path string) (*http.Response, error) {
	header := http.Header{}
	if f.after != "" {
		header.Set("Last-Event-ID", f.after)
	}
	return c.call(safe(ctx), http.MethodGet, path, header, nil)
}

// run yields events until the last one, and reconnects after each break.
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
		case breaks < maxBreaks && f.known() && (err == nil || f.breaks(err)):
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

// breaks reports whether the stream may reconnect after err. It may if the connection broke. It
// also may if the stream was open before and the gateway is busy, or its proxy cannot reach it, for
// example during a restart.
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

// pause waits before another try, longer after more tries. It returns false if ctx ends first.
func pause(ctx context.Context, tries int) bool {
	select {
	case <-time.After(grown(minPause, maxPause, tries)):
		return true
	case <-ctx.Done():
		return false
	}
}

// once yields the events of one connection. It reports whether the stream is over: after the last
// event, or when yield returns false.
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
		if P(&e).over() { // repeated after a break; a caller would act on it twice
			continue
		}
		if !yield(e, nil) || P(&e).last() {
			return true, nil
		}
	}
}

// maxEventLine limits a line of a stream, in bytes.
const maxEventLine = 16 << 20

// readEvent reads one event (HTML standard, section 9.2) into e. It calls sign for each line. known
// is false if e has no kind of that name.
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

// readLine returns the next line without its line break. It fails if the line has more than
// maxEventLine bytes, and with io.EOF at the end.
func readLine(r *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		part, more, err := r.ReadLine()
		if err != nil {
			return "", err
		}
		if line.Len()+len(part) > maxEventLine {
			return "", errors.New("a line of the stream exceeds the size limit")
		}
		line.Write(part)
		if !more {
			return line.String(), nil
		}
	}
}
