package wasmtools

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// A recording is what the host answered in one call of a plugin, one JSON object a line. It has
// two runs: describe, in which a guest draws the random numbers it starts with and reads its
// settings, and call. Each begins with an exchange "begin", so that an empty run is there too.
//
// Files, environment variables and secrets, which are put into requests below of it, are no part
// of it. It is as confidential as what it holds: settings, requests, answers and stored values.

// MaxRecordingBytes is the size of a recording at most.
const MaxRecordingBytes = 64 << 20

// ErrRecordingFull is the error of a recorder whose call had more to record.
var ErrRecordingFull = errors.New("the recording is over its limit of 64 MiB; it cannot be replayed")

// The runs, and the operations of the host that host_call has no name for.
const (
	describeRun = "describe" // as warmUp calls it
	callRun     = "call"

	opBegin     = "begin"
	opStore     = "kv.open"
	opMonotonic = "clock.monotonic"
)

// exchange is one thing that a guest asked for, with what it got.
type exchange struct {
	Run    string          `json:"run"`
	Op     string          `json:"op"`
	Input  json.RawMessage `json:"input,omitempty"` // or its digest
	Answer json.RawMessage `json:"answer,omitempty"`
	Error  *refused        `json:"error,omitempty"`
}

// refused is a failure as the guest reads it.
type refused struct {
	Code    sdkapi.Code `json:"code"`
	Message string      `json:"message"`
}

// maxEcho is the longest input in a recording, in bytes; longer ones are hashed.
const maxEcho = 4 << 10

// echo returns what a recording says of an input.
func echo(input any) json.RawMessage {
	raw := compactJSON(input)
	if len(raw) <= maxEcho {
		return raw
	}
	return compactJSON(map[string]any{"sha256": fmt.Sprintf("%x", sha256.Sum256(raw)), "bytes": len(raw)})
}

// compactJSON writes JSON without escapes for HTML: texts come back unchanged.
func compactJSON(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // all that is recorded has JSON
	}
	return bytes.TrimSpace(b.Bytes())
}

// blob is written as text if it is UTF-8, else as base64 in an object.
type blob []byte

type base64Blob struct {
	Base64 []byte `json:"base64"`
}

func (b blob) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		return compactJSON(string(b)), nil
	}
	return compactJSON(base64Blob{b}), nil
}

func (b *blob) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*b = blob(text)
		return nil
	}
	var binary base64Blob
	err := json.Unmarshal(raw, &binary)
	*b = binary.Base64
	return err
}

// What some operations take and give, in a recording.
type (
	recordedRequest struct {
		Method string              `json:"method"`
		URL    string              `json:"url"`
		Header map[string][]string `json:"header"`
		Body   blob                `json:"body,omitempty"`
	}
	recordedResponse struct {
		Status int                 `json:"status"`
		Header map[string][]string `json:"header"`
		Body   blob                `json:"body"`
	}
	recordedValue struct {
		Found bool `json:"found"`
		Value blob `json:"value,omitempty"`
	}
	recordedSet struct {
		Key   string `json:"key"`
		Value blob   `json:"value"`
	}
	recordedList struct {
		Prefix string `json:"prefix"`
		After  string `json:"after"`
		Limit  int    `json:"limit"`
	}
	recordedCall struct {
		Name      string `json:"name"`
		Arguments blob   `json:"arguments"`
	}
)

// Recorder writes down what a plugin asks its host and gets, in the first describe and
// the first call that go through its Wrap. It is for an engine that opens one plugin.
type Recorder struct {
	mu    sync.Mutex
	w     io.Writer
	begun map[string]bool // runs
	bytes int
	err   error
}

// NewRecorder returns a recorder that writes to w, a line at a time.
func NewRecorder(w io.Writer) *Recorder { return &Recorder{w: w, begun: map[string]bool{}} }

// Wrap is for Config.Wrap. Calls after the first, or by other plugins on its
// behalf, are not recorded: the first depends only on what it was answered.
func (r *Recorder) Wrap(call agent.Call, host abi.Host) abi.Host {
	run := runOf(call)
	r.mu.Lock()
	begun := r.begun[run]
	r.begun[run] = true
	r.mu.Unlock()
	if begun {
		return host
	}
	r.add(exchange{Run: run, Op: opBegin})
	return &taped{Host: host, run: run, record: r}
}

// Err returns why the recording is not whole, nil if it is.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// add writes a line. After a failure there are no more.
func (r *Recorder) add(x exchange) {
	line := append(compactJSON(x), '\n')
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil && r.bytes+len(line) > MaxRecordingBytes {
		r.err = ErrRecordingFull
	}
	if r.err == nil {
		r.bytes += len(line)
		_, r.err = r.w.Write(line)
	}
}

func runOf(call agent.Call) string {
	if call.ID == describeRun {
		return describeRun
	}
	return callRun
}
