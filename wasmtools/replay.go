package wasmtools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// DivergenceError says where a replay left its recording: at the first thing
// that the guest asked for, or did not, otherwise than when it was recorded.
type DivergenceError struct {
	Run  string // describe or call
	At   int    // which exchange of the run, from 1
	Want string // what the recording has there, as "kv.get \"last\""; empty for the end
	Got  string // what the guest asked for; empty for the end
}

// Error says what was recorded and what came.
func (e *DivergenceError) Error() string {
	end := func(text string) string {
		if text == "" {
			return "the end"
		}
		return text
	}
	return fmt.Sprintf("the replay left the recording at exchange %d of its %s: %s was recorded, and %s came", e.At, e.Run, end(e.Want), end(e.Got))
}

// Replay answers a plugin as a recording says, and touches nothing outside. A
// plugin that asks for something else is stopped there, with a DivergenceError
// in the chain of its error. Permissions do not matter: what was refused when
// it was recorded is refused again, and nothing else is.
//
// Given the same module, limits, isolation and arguments, the same comes out,
// and the same fuel is used. Usage.EgressBytes is 0.
type Replay struct {
	mu   sync.Mutex
	runs map[string]*replayed
}

// replayed is one run of a recording.
type replayed struct {
	exchanges []exchange
	next      int
	taken     bool
}

// ReadRecording reads a recording. Its error is a fault.
func ReadRecording(r io.Reader) (*Replay, error) {
	wrong := func(at int, err error) error {
		return fault.New("wasmtools.ReadRecording", sdkapi.ValidationError, "the recording cannot be read at line %d: %s", at, err).Because(err)
	}
	limited := &io.LimitedReader{R: r, N: MaxRecordingBytes + 1}
	d := json.NewDecoder(limited)
	d.DisallowUnknownFields()
	out := &Replay{runs: map[string]*replayed{}}
	for at := 1; ; at++ {
		var x exchange
		switch err := d.Decode(&x); {
		case limited.N <= 0:
			return nil, wrong(at, ErrRecordingFull)
		case errors.Is(err, io.EOF) && out.runs[callRun] == nil:
			return nil, wrong(at, errors.New("it has no call"))
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, wrong(at, err)
		}
		if err := out.add(x); err != nil {
			return nil, wrong(at, err)
		}
	}
}

// add adds an exchange to its run, which it begins or goes on with.
func (r *Replay) add(x exchange) error {
	known := r.runs[x.Run]
	switch {
	case x.Run != describeRun && x.Run != callRun:
		return fmt.Errorf("it has a run %.40q", x.Run)
	case (x.Op == opBegin) != (known == nil):
		return fmt.Errorf("a run begins with the exchange %s, and has only one", opBegin)
	case x.Op == opBegin:
		r.runs[x.Run] = &replayed{}
		return nil
	}
	if len(x.Input) > 0 {
		x.Input = compactJSON(x.Input)
	}
	known.exchanges = append(known.exchanges, x)
	return nil
}

// Wrap is for Config.Wrap, of an engine that opens one plugin for one call. A
// recording without a describe has the plugin describe itself with the host as
// it is; random numbers that it draws then are not those of the recording.
func (r *Replay) Wrap(call agent.Call, host abi.Host) abi.Host {
	name := runOf(call)
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[name]
	if run == nil {
		return host
	}
	if run.taken { // a second call: there is nothing more
		run = &replayed{}
	}
	run.taken = true
	return &replaying{host: host, name: name, run: run}
}

// Done returns a DivergenceError if the call asked for less than was recorded.
// It is for after the call.
func (r *Replay) Done() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[callRun]
	if run.next < len(run.exchanges) {
		return &DivergenceError{Run: callRun, At: run.next + 1, Want: run.exchanges[run.next].String()}
	}
	return nil
}

// String names what was asked for.
func (x exchange) String() string {
	const most = 200
	text := x.Op
	if len(x.Input) > 0 {
		text += " " + string(x.Input)
	}
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}

// replaying is the host of a run that is replayed.
type replaying struct {
	host abi.Host // takes the log, and nothing else
	name string
	run  *replayed
}

var _ abi.Host = (*replaying)(nil)

// take returns what the recording answers next, into answer. It panics where
// the recording has something else, which ends the guest: many operations
// cannot fail, and a guest may ignore the failure of others.
func (h *replaying) take(op string, input, answer any) error {
	got := exchange{Op: op, Input: echo(input)}
	want := exchange{}
	if h.run.next < len(h.run.exchanges) {
		want = h.run.exchanges[h.run.next]
	}
	h.run.next++
	if want.Op != op || !bytes.Equal(want.Input, got.Input) {
		h.diverge(want, got)
	}
	if want.Error != nil {
		return fault.New("wasmtools.Replay", want.Error.Code, "%s", want.Error.Message)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(want.Answer, answer); err != nil {
		h.end(fmt.Errorf("the recording's answer to %s cannot be read: %w", want, err))
	}
	return nil
}

// diverge ends the guest, which asked for got.
func (h *replaying) diverge(want, got exchange) {
	h.end(&DivergenceError{Run: h.name, At: h.run.next, Want: want.String(), Got: got.String()})
}

// end ends the guest. The engine makes what a host function panics with the
// error of the call.
func (h *replaying) end(err error) {
	panic(fault.New("wasmtools.Replay", sdkapi.ToolError, "%s", err).Because(err))
}

func (h *replaying) Config(key string) (string, bool) {
	var v recordedValue
	_ = h.take("config.get", key, &v) // has no error
	return string(v.Value), v.Found
}

func (h *replaying) HTTP(_ context.Context, req abi.HTTPRequest) (abi.HTTPResponse, error) {
	var res recordedResponse
	err := h.take("http.request", recordedRequest{req.Method, req.URL, req.Header, req.Body}, &res)
	return abi.HTTPResponse{Status: res.Status, Header: res.Header, Body: res.Body}, err
}

func (h *replaying) Store() (abi.Store, error) {
	if err := h.take(opStore, nil, nil); err != nil {
		return nil, err
	}
	return replayedStore{h}, nil
}

func (h *replaying) CallTool(_ context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	var answer blob
	err := h.take("tools.call", recordedCall{name, blob(arguments)}, &answer)
	return json.RawMessage(answer), err
}

func (h *replaying) Now() (time.Time, error) {
	var ns int64
	err := h.take("clock.now", nil, &ns)
	return time.Unix(0, ns), err
}

func (h *replaying) Random(p []byte) error {
	var drawn blob
	if err := h.take("random.bytes", len(p), &drawn); err != nil {
		return err
	}
	if copy(p, drawn) < len(p) {
		h.end(fmt.Errorf("the recording has %d random bytes where %d were asked for", len(drawn), len(p)))
	}
	return nil
}

func (h *replaying) Monotonic() (ns int64) {
	_ = h.take(opMonotonic, nil, &ns) // has no error
	return ns
}

// Log is the host's: lines are not answered.
func (h *replaying) Log(level abi.Level, line string) { h.host.Log(level, line) }

// replayedStore is a store of a run that is replayed.
type replayedStore struct{ from *replaying }

func (s replayedStore) Get(_ context.Context, key string) ([]byte, bool, error) {
	var v recordedValue
	err := s.from.take("kv.get", key, &v)
	return v.Value, v.Found, err
}

func (s replayedStore) Set(_ context.Context, key string, value []byte) error {
	return s.from.take("kv.set", recordedSet{key, value}, nil)
}

func (s replayedStore) Delete(_ context.Context, key string) error {
	return s.from.take("kv.delete", key, nil)
}

func (s replayedStore) List(_ context.Context, prefix, after string, limit int) (keys []string, err error) {
	err = s.from.take("kv.list", recordedList{prefix, after, limit}, &keys)
	return keys, err
}
