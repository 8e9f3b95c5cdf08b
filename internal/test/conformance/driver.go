package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Limits of what a driver writes.
const (
	maxDriverLine  = 64 << 20 // bytes of a line
	maxDriverLines = 4096     // lines of one call that wait to be looked at
)

// How long a driver has.
const (
	driverStarts = 30 * time.Second // until its first line
	driverStops  = 5 * time.Second  // behind the end of its input, before it is killed
)

// Args are the parameters of a call, in the form of the request.
type Args struct {
	Path  map[string]string `json:"path,omitempty"`
	Query map[string]string `json:"query,omitempty"`
	Body  json.RawMessage   `json:"body,omitempty"`
	File  []byte            `json:"file,omitempty"` // to upload
	Name  string            `json:"name,omitempty"` // of the file
	Call  int               `json:"call,omitempty"` // of abort: which call ends
	Tool  json.RawMessage   `json:"tool,omitempty"` // of wakeUp: a tool of the program
	Input string            `json:"input,omitempty"`
}

// Opts say how a client reaches the gateway, and what one call says for itself.
type Opts struct {
	BaseURL        string `json:"baseURL"`
	UserID         string `json:"userId,omitempty"`
	Token          string `json:"token,omitempty"`
	ApprovalKey    string `json:"approvalKey,omitempty"`
	RunsKey        string `json:"runsKey,omitempty"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
	LastEventID    string `json:"lastEventId,omitempty"`
	Stream         bool   `json:"stream,omitempty"` // the answer is a stream of events
}

// Line is one of those that a driver writes about a call: an event, or its end.
type Line struct {
	ID       int             `json:"id"`
	Language string          `json:"language"` // of the first line, which is about no call
	OK       json.RawMessage `json:"ok"`
	Error    *Failure        `json:"error"`
	Event    *Event          `json:"event"`
	Cannot   string          `json:"cannot"` // why the client has no way to make the call
}

// Failure is what a call failed with. A connection that broke has no code.
type Failure struct {
	Code      string `json:"code"`
	Status    int    `json:"status"`
	RequestID string `json:"requestId"`
	Message   string `json:"message"`
}

// Event is one of a stream.
type Event struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
	ID    string          `json:"id"`
}

// Driver is a client's program. Close it.
type Driver struct {
	Language string
	cmd      *exec.Cmd
	in       io.WriteCloser
	read     sync.WaitGroup
	first    chan Line

	mu    sync.Mutex
	last  int
	calls map[int]chan Line
	gone  error // it has ended
}

// Start runs a driver, which says its language first.
func Start(ctx context.Context, command []string, env ...string) (*Driver, error) {
	d := &Driver{calls: map[int]chan Line{}, first: make(chan Line, 1)}
	d.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	d.cmd.Env, d.cmd.Stderr, d.cmd.WaitDelay = append(os.Environ(), env...), os.Stderr, driverStops
	out, err := d.cmd.StdoutPipe()
	if err == nil {
		d.in, err = d.cmd.StdinPipe()
	}
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		return nil, fault.New("conformance.Start", sdkapi.Internal, "the driver %q does not start: %v", strings.Join(command, " "), err)
	}
	d.read.Go(func() { d.listen(out) })
	select {
	case line, open := <-d.first:
		if d.Language = line.Language; open && d.Language != "" {
			return d, nil
		}
	case <-time.After(driverStarts):
		_ = d.cmd.Process.Kill()
	}
	_ = d.Close()
	return nil, fault.New("conformance.Start", sdkapi.Internal, "the driver %q does not begin with a line {\"language\": …} within %s", strings.Join(command, " "), driverStarts)
}

// listen hands each line to its call.
func (d *Driver) listen(out io.Reader) {
	lines, first := bufio.NewScanner(out), true
	lines.Buffer(nil, maxDriverLine)
	reason := errors.New("the driver has ended")
	for lines.Scan() {
		var line Line
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			reason = fmt.Errorf("the driver writes %.200q, which is no line of the protocol: %w", lines.Text(), err)
			break
		}
		if first {
			d.first <- line
			first = false
			continue
		}
		d.mu.Lock()
		call := d.calls[line.ID]
		d.mu.Unlock()
		if call != nil {
			call <- line
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		reason = fmt.Errorf("the driver writes a line of more than %d bytes", maxDriverLine)
	}
	d.mu.Lock()
	d.gone = reason
	for _, call := range d.calls {
		close(call)
	}
	d.mu.Unlock()
	close(d.first)
	_, _ = io.Copy(io.Discard, out) // or it might wait for ever to write the rest
}

// call is one that a driver makes.
type call struct {
	id     int
	driver *Driver
	lines  chan Line
}

// Call has the client make a call.
func (d *Driver) call(op string, args Args, opts Opts) (*call, error) {
	d.mu.Lock()
	if d.gone != nil {
		d.mu.Unlock()
		return nil, d.gone
	}
	d.last++
	c := &call{d.last, d, make(chan Line, maxDriverLines)}
	d.calls[c.id] = c.lines
	d.mu.Unlock()
	text, err := json.Marshal(struct {
		ID   int    `json:"id"`
		Op   string `json:"op"`
		Args Args   `json:"args"`
		Opts Opts   `json:"opts"`
	}{c.id, op, args, opts})
	if err == nil {
		_, err = d.in.Write(append(text, '\n'))
	}
	return c, err
}

// next returns the next line about the call.
func (c *call) next(within time.Duration) (Line, error) {
	select {
	case line, open := <-c.lines:
		if !open {
			c.driver.mu.Lock()
			defer c.driver.mu.Unlock()
			return Line{}, c.driver.gone
		}
		return line, nil
	case <-time.After(within):
		return Line{}, fmt.Errorf("the client says nothing for %s", within)
	}
}

// end returns the last line of the call, and the events before it.
func (c *call) end() (end Line, events []Event, err error) {
	for {
		line, err := c.next(patience)
		if err != nil {
			return Line{}, events, err
		}
		if line.Event == nil {
			return line, events, nil
		}
		events = append(events, *line.Event)
	}
}

// abort ends the call as its caller would.
func (c *call) abort() error {
	stop, err := c.driver.call("abort", Args{Call: c.id}, Opts{})
	if err != nil {
		return err
	}
	_, err = stop.next(patience)
	return err
}

// Close ends the driver.
func (d *Driver) Close() error {
	_ = d.in.Close()
	stop := time.AfterFunc(driverStops, func() { _ = d.cmd.Process.Kill() })
	defer stop.Stop()
	d.read.Wait()
	return d.cmd.Wait()
}
