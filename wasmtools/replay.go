package wasmtools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
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

func (e *DivergenceError) Error() string {
	return fmt.Sprintf("the replay left the recording at exchange %d of its %s: %s was recorded, and %s came",
		e.At, e.Run, cmp.Or(e.Want, "the end"), cmp.Or(e.Got, "the end"))
}

// Replay answers a plugin as a recording says, and touches nothing outside. A
// plugin that asks for something else is stopped, with a DivergenceError in the
// chain of its error. Permissions do not matter: only what was refused when it
// was recorded is refused. Given the same module, limits, isolation and
// arguments, the same comes out, with the same fuel. Usage.EgressBytes is 0.
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
	return &taped{Host: host, run: name, replay: run}
}

// Done returns a DivergenceError if the call, which has ended, asked for less.
func (r *Replay) Done() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[callRun]
	if run.next < len(run.exchanges) {
		return &DivergenceError{Run: callRun, At: run.next + 1, Want: run.exchanges[run.next].String()}
	}
	return nil
}

func (x exchange) String() string {
	return plain.Short(strings.TrimSpace(x.Op+" "+string(x.Input)), 200)
}
