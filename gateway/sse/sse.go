// Package sse writes server-sent events, as in the HTML standard.
package sse

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"
)

// Times of a stream.
const (
	Heartbeat  = 15 * time.Second // between two signs of life of a stream
	WriteStall = 10 * time.Second // how long a client may take nothing of what it is sent
)

// Event is a server-sent event.
type Event struct {
	ID    string // its cursor; empty: none
	Event string // empty: the event has no type
	Data  any    // written as JSON, or as it is if it is Verbatim
}

// Verbatim is data that is one line, and no JSON.
type Verbatim string

// ProduceFunc sends events until all are sent, or ctx ends.
type ProduceFunc func(ctx context.Context, send func(Event) error) error

// Pump writes the events that produce sends, and a heartbeat after each interval without
// one, until produce returns: with produce's error, or nil if the client left first.
func Pump(ctx context.Context, cancel func(), every time.Duration, w Writer, produce ProduceFunc) error {
	events, done := make(chan Event), make(chan error, 1)
	go func() {
		done <- produce(ctx, func(e Event) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	beat := time.NewTicker(every)
	defer beat.Stop()
	err := w.comment("stream")
	for err == nil {
		select {
		case e := <-events:
			beat.Reset(every)
			err = w.event(e)
		case <-beat.C:
			err = w.comment("heartbeat")
		case <-ctx.Done():
			<-done
			return nil
		case err := <-done:
			return err
		}
	}
	cancel()
	<-done // what it sends is for nobody
	return nil
}

// Writer writes events to a client.
type Writer struct {
	*bufio.Writer
	Conn net.Conn
}

// event writes an event. JSON has no line breaks, so one line of data is enough.
func (w Writer) event(e Event) error {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return err
	}
	if line, is := e.Data.(Verbatim); is {
		data = []byte(line)
	}
	if e.ID != "" {
		fmt.Fprintf(w, "id: %s\n", e.ID)
	}
	if e.Event != "" {
		fmt.Fprintf(w, "event: %s\n", e.Event)
	}
	fmt.Fprintf(w, "data: %s\n\n", data)
	return w.Send()
}

// Last writes the last event of a stream, for a client that reads it within a time or not at all.
func (w Writer) Last(e Event, within time.Duration) {
	data, err := json.Marshal(e.Data)
	if err == nil && w.Conn.SetWriteDeadline(time.Now().Add(within)) == nil {
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Event, data)
		_ = w.Flush() // the stream ends in any case
	}
}

// comment writes a line that clients ignore.
func (w Writer) comment(text string) error {
	fmt.Fprintf(w, ": %s\n\n", text)
	return w.Send()
}

// Send hands what was written to the client.
func (w Writer) Send() error {
	if err := w.Conn.SetWriteDeadline(time.Now().Add(WriteStall)); err != nil {
		return err
	}
	return w.Flush()
}
