package author

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// tape is the recording that a call makes, or is answered from.
type tape struct {
	wrap  func(agent.Call, abi.Host) abi.Host
	close func() error // returns what is wrong with the recording after the call
}

// newTape begins the recording record or opens the recording replay; with both
// empty the tape does nothing.
func newTape(record, replay string) (tape, error) {
	switch {
	case record != "":
		return newRecording(record)
	case replay != "":
		return openRecording(replay)
	}
	return tape{close: func() error { return nil }}, nil
}

// newRecording begins a recording, for its owner alone to read.
func newRecording(name string) (tape, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return tape{}, fmt.Errorf("--record: %w", err)
	}
	w := bufio.NewWriter(f)
	recorder := wasmtools.NewRecorder(w)
	return tape{recorder.Wrap, func() error { return errors.Join(recorder.Err(), w.Flush(), f.Close()) }}, nil
}

func openRecording(name string) (tape, error) {
	f, err := os.Open(name)
	if err != nil {
		return tape{}, fmt.Errorf("--replay: %w", err)
	}
	defer f.Close()
	replay, err := wasmtools.ReadRecording(f)
	if err != nil {
		return tape{}, err
	}
	return tape{replay.Wrap, replay.Done}, nil
}

// warn says what a recording does not hold.
func (t tape) warn(w io.Writer, granted wasmtools.Permissions) {
	if t.wrap != nil && (len(granted.FS) > 0 || len(granted.Env) > 0) {
		fmt.Fprintln(w, "windie: folders and variables of the environment are no part of a recording")
	}
}

// replayed calls a tool as a recording answers it.
func (w *Workshop) replayed(ctx context.Context, src wasmtools.Source, grant wasmtools.Grant, recording, tool string, arguments []byte) (agent.Result, error) {
	t, err := openRecording(recording)
	if err != nil {
		return agent.Result{}, err
	}
	open, err := w.open(ctx, src, grant, t.wrap)
	if err != nil {
		return agent.Result{}, err
	}
	defer open.Close()
	result, err := open.call(ctx, tool, agent.Call{ID: "1", Arguments: arguments})
	if err == nil {
		err = t.close()
	}
	return result, err
}
