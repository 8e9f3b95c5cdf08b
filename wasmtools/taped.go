package wasmtools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// taped is the host of a run that is recorded or replayed.
type taped struct {
	abi.Host // answers while recording; takes the log
	run      string
	record   *Recorder // nil while replaying
	replay   *replayed // nil while recording
}

var _ abi.Host = (*taped)(nil)

// ask returns the recording's answer to an operation, or records that of work.
func ask[T any](h *taped, op string, input any, work func() (T, error)) (answer T, err error) {
	if h.replay != nil {
		err = h.take(op, input, &answer)
		return answer, err
	}
	answer, err = work()
	h.add(op, input, answer, err)
	return answer, err
}

// do is ask for operations whose answer is empty.
func (h *taped) do(op string, input any, work func() error) error {
	if h.replay != nil {
		return h.take(op, input, nil)
	}
	err := work()
	h.add(op, input, nil, err)
	return err
}

func (h *taped) add(op string, input, answer any, err error) {
	x := exchange{Run: h.run, Op: op, Input: echo(input)}
	if f := fault.From(err); f != nil {
		x.Error = &refused{f.Code, f.Message}
	} else {
		x.Answer = compactJSON(answer)
	}
	h.record.add(x)
}

// take unmarshals the recording's next answer into answer, unless that is nil. It ends the guest
// at another operation: many operations cannot fail, and guests may ignore failures of others.
func (h *taped) take(op string, input, answer any) error {
	got, want := exchange{Op: op, Input: echo(input)}, exchange{}
	if h.replay.next < len(h.replay.exchanges) {
		want = h.replay.exchanges[h.replay.next]
	}
	h.replay.next++
	if want.Op != op || !bytes.Equal(want.Input, got.Input) {
		h.end(&DivergenceError{Run: h.run, At: h.replay.next, Want: want.String(), Got: got.String()})
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

// end ends the guest: a panic of a host function becomes the error of the call.
func (h *taped) end(err error) {
	panic(fault.New("wasmtools.Replay", sdkapi.ToolError, "%s", err).Because(err))
}

func (h *taped) Config(key string) (string, bool) {
	v, _ := ask(h, "config.get", key, func() (recordedValue, error) { // has no error
		value, ok := h.Host.Config(key)
		return recordedValue{ok, blob(value)}, nil
	})
	return string(v.Value), v.Found
}

func (h *taped) HTTP(ctx context.Context, req abi.HTTPRequest) (abi.HTTPResponse, error) {
	r, err := ask(h, "http.request", recordedRequest{req.Method, req.URL, req.Header, req.Body}, func() (recordedResponse, error) {
		res, err := h.Host.HTTP(ctx, req)
		return recordedResponse{res.Status, res.Header, res.Body}, err
	})
	return abi.HTTPResponse{Status: r.Status, Header: r.Header, Body: r.Body}, err
}

func (h *taped) Store() (abi.Store, error) {
	var store abi.Store
	err := h.do(opStore, nil, func() (err error) {
		store, err = h.Host.Store()
		return err
	})
	if err != nil {
		return nil, err
	}
	return tapedStore{store, h}, nil
}

func (h *taped) CallTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	answer, err := ask(h, "tools.call", recordedCall{name, blob(arguments)}, func() (blob, error) {
		answer, err := h.Host.CallTool(ctx, name, arguments)
		return blob(answer), err
	})
	return json.RawMessage(answer), err
}

func (h *taped) Now() (time.Time, error) {
	ns, err := ask(h, "clock.now", nil, func() (int64, error) {
		now, err := h.Host.Now()
		return now.UnixNano(), err
	})
	return time.Unix(0, ns), err
}

func (h *taped) Random(p []byte) error {
	drawn, err := ask(h, "random.bytes", len(p), func() (blob, error) { return p, h.Host.Random(p) })
	if err == nil && copy(p, drawn) < len(p) {
		h.end(fmt.Errorf("the recording has %d random bytes where %d were asked for", len(drawn), len(p)))
	}
	return err
}

func (h *taped) Monotonic() int64 {
	ns, _ := ask(h, opMonotonic, nil, func() (int64, error) { return h.Host.Monotonic(), nil }) // has no error
	return ns
}

// tapedStore is a store of a run that is recorded or replayed.
type tapedStore struct {
	abi.Store // nil while replaying
	host      *taped
}

func (s tapedStore) Get(ctx context.Context, key string) ([]byte, bool, error) {
	v, err := ask(s.host, "kv.get", key, func() (recordedValue, error) {
		value, ok, err := s.Store.Get(ctx, key)
		return recordedValue{ok, value}, err
	})
	return v.Value, v.Found, err
}

func (s tapedStore) Set(ctx context.Context, key string, value []byte) error {
	return s.host.do("kv.set", recordedSet{key, value}, func() error { return s.Store.Set(ctx, key, value) })
}

func (s tapedStore) Delete(ctx context.Context, key string) error {
	return s.host.do("kv.delete", key, func() error { return s.Store.Delete(ctx, key) })
}

func (s tapedStore) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	return ask(s.host, "kv.list", recordedList{prefix, after, limit}, func() ([]string, error) { return s.Store.List(ctx, prefix, after, limit) })
}
