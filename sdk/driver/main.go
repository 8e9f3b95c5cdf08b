// Command driver is the Go client's part in `cmd/conformance`. It reads one call per line, as JSON,
// makes the call with the client, and writes the outcome. cmd/conformance/README.md describes the
// protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// maxLine limits one line of input, in bytes.
const maxLine = 64 << 20

// request is one call to make.
type request struct {
	ID   int    `json:"id"`
	Op   string `json:"op"`
	Args args   `json:"args"`
	Opts struct {
		BaseURL, UserID, Token, ApprovalKey, RunsKey, IdempotencyKey, LastEventID string
		Stream                                                                    bool
	} `json:"opts"`
}

// args are the parameters of a call, in the form of its request.
type args struct {
	Path  map[string]string
	Query map[string]string
	Body  json.RawMessage
	File  []byte
	Name  string
	Call  int
	Tool  struct {
		Name, Description string
		Schema            json.RawMessage
	}
	Input string
}

// errCannot is the error of a call for which the client has no method.
var errCannot = errors.New("the client has no such method")

// driver holds the open calls.
type driver struct {
	out     io.Writer
	mu      sync.Mutex
	calls   map[int]context.CancelFunc
	awake   map[int]*session // woken agents, by the id of the call that woke them
	hosts   map[int]*host    // tool hosts, by the id of the call that started them
	running sync.WaitGroup
}

// main reads calls from standard input and writes outcomes to standard output. It exits with 1 if a line is invalid.
func main() {
	d := &driver{out: os.Stdout, calls: map[int]context.CancelFunc{}, awake: map[int]*session{}, hosts: map[int]*host{}}
	if err := d.serve(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

// serve makes the calls that in lists, until in ends.
func (d *driver) serve(in io.Reader) error {
	d.say(map[string]any{"language": "go"})
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	ctx, cancel := context.WithCancel(context.Background())
	defer d.running.Wait()
	defer cancel()
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		if r.Op == "abort" {
			d.abort(&r)
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		d.mu.Lock()
		d.calls[r.ID] = cancel
		d.mu.Unlock()
		d.running.Go(func() {
			defer cancel()
			d.run(ctx, &r)
		})
	}
	return lines.Err()
}

// abort cancels the call that r names, and writes the outcome.
func (d *driver) abort(r *request) {
	d.mu.Lock()
	cancel, known := d.calls[r.Args.Call]
	d.mu.Unlock()
	if !known {
		d.say(map[string]any{"id": r.ID, "error": map[string]any{"message": fmt.Sprintf("there is no call %d to abort", r.Args.Call)}})
		return
	}
	cancel()
	d.say(map[string]any{"id": r.ID, "ok": nil})
}

// say writes line as one line of JSON.
func (d *driver) say(line any) {
	text, err := json.Marshal(line)
	if err != nil {
		// cannot fail: it is text alone
		text, _ = json.Marshal(map[string]any{"error": map[string]any{"message": err.Error()}})
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = d.out.Write(append(text, '\n')) // the reader notices a failed write
}

// run makes a call and writes its outcome.
func (d *driver) run(ctx context.Context, r *request) {
	value, err := d.make(ctx, r)
	switch api, refused := errors.AsType[*sdkapi.Error](err); {
	case errors.Is(err, errCannot):
		d.say(map[string]any{"id": r.ID, "cannot": err.Error()})
	case refused:
		d.say(map[string]any{"id": r.ID, "error": map[string]any{"code": api.Code, "status": api.Status, "requestId": api.Details.RequestID, "message": api.Message}})
	case err != nil:
		d.say(map[string]any{"id": r.ID, "error": map[string]any{"message": err.Error()}})
	default:
		d.say(map[string]any{"id": r.ID, "ok": value})
	}
}

// make makes a call with a client of its own, which has the credentials of the call. A stream returns nil: its events
// are written while it runs.
func (d *driver) make(ctx context.Context, r *request) (any, error) {
	var opts []sdk.Option
	for _, o := range []struct {
		value string
		of    func(string) sdk.Option
	}{{r.Opts.UserID, sdk.WithUser}, {r.Opts.Token, sdk.WithToken}, {r.Opts.ApprovalKey, sdk.WithKey}, {r.Opts.RunsKey, sdk.WithRunsKey}} {
		if o.value != "" {
			opts = append(opts, o.of(o.value))
		}
	}
	client, err := sdk.New(r.Opts.BaseURL, opts...)
	if err != nil {
		return nil, err
	}
	if r.Opts.IdempotencyKey != "" {
		ctx = sdk.Once(ctx, r.Opts.IdempotencyKey)
	}
	switch r.Op {
	case "session":
		return nil, d.session(ctx, client, r)
	case "session.send", "session.answer":
		return nil, d.onSession(r)
	case "host":
		return nil, d.host(ctx, client, r)
	case "host.say", "host.answer", "host.decide", "host.cancel":
		return nil, d.onHost(r)
	}
	if stream := streams[r.Op]; stream != nil && (r.Opts.Stream || r.Op != "general.chat") {
		return nil, stream(ctx, client, r, func(event any) { d.say(map[string]any{"id": r.ID, "event": event}) })
	}
	call := calls[r.Op]
	if call == nil {
		return nil, fmt.Errorf("%w for %s", errCannot, r.Op)
	}
	return call(ctx, client, &r.Args)
}

// event is one event of a stream, in the form in which it arrived.
type event struct {
	Event string `json:"event,omitempty"`
	Data  any    `json:"data"`
	ID    string `json:"id,omitempty"`
}

// hear writes each event of a stream.
func hear[E any](events iter.Seq2[E, error], say func(any), shown func(E) any) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		say(shown(e))
	}
	return nil
}
