// Package sse writes server-sent events, as defined in the HTML standard.
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
	Heartbeat  = 15 * time.Second // time between two heartbeats in a stream without events
	WriteStall = 10 * time.Second // maximum time for a client to accept a write
)

// Event is a server-sent event.
type Event struct {
	ID    string // cursor of the event; empty for an event without an id
	Event string // type of the event; empty for an event without a type
	Data  any    // value that is written as JSON; a Verbatim is written unchanged
}

// Verbatim is data that is written unchanged. It must be one line.
type Verbatim string

// ProduceFunc produces the events of a stream, and calls send for each event. It returns when all
// events are sent, or when ctx ends.
type ProduceFunc func(ctx context.Context, send func(Event) error) error

// Pump calls the function produce and writes the events of this function to w. When produce
// returns, Pump returns the error of produce. If interval passes without an event, Pump writes a
// heartbeat. If the client disconnects, Pump calls cancel, which must end ctx. When ctx ends, Pump
// waits for produce and returns nil.
func Pump(ctx context.Context, cancel func(), interval time.Duration, w Writer, produce ProduceFunc) error {
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
	beat := time.NewTicker(interval)
	defer beat.Stop()
	err := w.comment("stream")
	for err == nil {
		select {
		case e := <-events:
			beat.Reset(interval)
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
	<-done // later events are discarded
	return nil
}

// Writer writes events to a client over Conn.
type Writer struct {
	*bufio.Writer
	Conn net.Conn
}

// event writes an event. JSON has no line breaks, so one data line is enough.
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

// Last writes the last event of a stream. timeout is the maximum duration of the write. Last
// ignores errors.
func (w Writer) Last(e Event, timeout time.Duration) {
	data, err := json.Marshal(e.Data)
	if err == nil && w.Conn.SetWriteDeadline(time.Now().Add(timeout)) == nil {
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Event, data)
		_ = w.Flush() // the stream ends in any case
	}
}

// comment writes a comment line, which clients ignore.
func (w Writer) comment(text string) error {
	fmt.Fprintf(w, ": %s\n\n", text)
	return w.Send()
}

// Send flushes the buffer to the client. It fails if the client does not accept the data within
// WriteStall.
func (w Writer) Send() error {
	if err := w.Conn.SetWriteDeadline(time.Now().Add(WriteStall)); err != nil {
		return err
	}
	return w.Flush()
}
