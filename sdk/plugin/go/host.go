package plugin

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Level says how much a log line matters.
type Level int32

// The levels of Log.
const (
	Trace Level = iota
	Debug
	Info
	Warning
	Failure
)

// Log writes a line for the operator.
func Log(level Level, line string) { logLine(level, line) }

// Request is what HTTP sends. Only URL is needed.
type Request struct {
	Method  string // GET by default
	URL     string
	Headers map[string]string
	Body    []byte
}

// Response is what came back, whatever its status.
type Response struct {
	Status  int
	Headers map[string]string // by names in lower case
	Body    []byte
}

// HTTP sends a request by way of the gateway, which checks where it goes,
// follows redirects and bounds time and size. It needs the permission http.
func HTTP(req Request) (Response, error) {
	var out struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    *string           `json:"body"`
		Base64  []byte            `json:"body_base64"`
	}
	err := Ask("http.request", struct {
		Method  string            `json:"method,omitempty"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers,omitempty"`
		Body    *string           `json:"body,omitempty"`
		Base64  []byte            `json:"body_base64,omitempty"`
	}{req.Method, req.URL, req.Headers, asText(req.Body), asBase64(req.Body)}, &out)
	return Response{Status: out.Status, Headers: out.Headers, Body: payload(out.Body, out.Base64)}, err
}

// Config returns what the operator set for a key of the plugin, and whether
// that was anything. It needs no permission.
func Config(key string) (value string, ok bool, err error) {
	var out struct {
		Value *string `json:"value"`
	}
	if err := Ask("config.get", map[string]string{"key": key}, &out); err != nil || out.Value == nil {
		return "", false, err
	}
	return *out.Value, true, nil
}

// User returns the id of the user whom the call is for: the same in each call, another for each
// plugin, and nothing by which the user can be found. On a gateway of one person it is "local". It
// needs no permission.
func User() (id string, err error) {
	var out struct {
		ID string `json:"id"`
	}
	err = Ask("user.id", nil, &out)
	return out.ID, err
}

// Progress shows a line, such as "3 of 10 pages", to whoever watches the call. It needs no permission. A line
// that comes less than a second after another may not be shown.
func Progress(line string) {
	_ = Ask("progress", map[string]string{"message": line}, nil) // an older gateway shows nothing
}

// Output shows the next piece of what the tool puts out to whoever watches the call, before the call's result, which it does
// not change. It needs no permission.
func Output(piece string) {
	_ = Ask("progress", map[string]string{"output": piece}, nil) // an older gateway shows nothing
}

// KV is the plugin's own store: one for each user, unless the operator grants a shared one. It
// needs the permission kv.
var KV Store

// Store is the type of KV.
type Store struct{}

// Get returns the value of a key, and whether it has one.
func (Store) Get(key string) (value []byte, ok bool, err error) {
	var out struct {
		Value  *string `json:"value"`
		Base64 []byte  `json:"value_base64"`
	}
	err = Ask("kv.get", map[string]string{"key": key}, &out)
	value = payload(out.Value, out.Base64)
	return value, value != nil, err
}

// Set gives a key its value.
func (Store) Set(key string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return Ask("kv.set", struct {
		Key    string  `json:"key"`
		Value  *string `json:"value,omitempty"`
		Base64 []byte  `json:"value_base64,omitempty"`
	}{key, asText(value), asBase64(value)}, nil)
}

// Delete removes a key and its value, if there are any.
func (Store) Delete(key string) error {
	return Ask("kv.delete", map[string]string{"key": key}, nil)
}

// List returns at most limit keys that begin with prefix and come after the key after,
// sorted. limit is 1000 at most, and 0 means 100. To go on, pass the last key as after.
func (Store) List(prefix, after string, limit int) ([]string, error) {
	var out struct {
		Keys []string `json:"keys"`
	}
	err := Ask("kv.list", struct {
		Prefix string `json:"prefix,omitempty"`
		After  string `json:"after,omitempty"`
		Limit  int    `json:"limit,omitempty"`
	}{prefix, after, limit}, &out)
	return out.Keys, err
}

// CallTool calls a tool of the gateway by its full name, such as units.convert. An answer
// with IsError is the tool's own failure, and no error. It needs the permission tools.
func CallTool(name string, arguments any) (Result, error) {
	if arguments == nil {
		arguments = struct{}{}
	}
	var out Result
	err := Ask("tools.call", struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	}{name, arguments}, &out)
	return out, err
}

// Now returns the time. It needs the permission clock.
func Now() (time.Time, error) {
	var out struct {
		UnixNS string `json:"unix_ns"`
	}
	if err := Ask("clock.now", nil, &out); err != nil {
		return time.Time{}, err
	}
	ns, err := strconv.ParseInt(out.UnixNS, 10, 64)
	if err != nil {
		return time.Time{}, badAnswer("clock.now", err)
	}
	return time.Unix(0, ns).UTC(), nil
}

// Random returns n random bytes, 65536 at most, that are fit for secrets. It
// needs the permission random.
func Random(n int) ([]byte, error) {
	var out struct {
		Bytes []byte `json:"bytes_base64"`
	}
	err := Ask("random.bytes", map[string]int{"n": n}, &out)
	return out.Bytes, err
}

// Ask does an operation of docs/plugin-reference.md: in and what out points to make
// JSON objects, and either may be nil. The other functions are easier.
func Ask(op string, in, out any) error {
	input := []byte("{}")
	if in != nil {
		var err error
		if input, err = json.Marshal(in); err != nil {
			return &Error{Code: "VALIDATION_ERROR", Message: op + ": " + err.Error()}
		}
	}
	answer, err := hostCall(op, input)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return badAnswer(op, err)
	}
	return nil
}

func badAnswer(op string, err error) error {
	return &Error{Code: "INTERNAL", Message: "the gateway's answer to " + op + " is not understood: " + err.Error()}
}

// failure reads what the gateway answers when it does not do an operation.
func failure(op string, answer []byte) error {
	e := &Error{}
	if err := json.Unmarshal(answer, e); err != nil || e.Code == "" {
		return badAnswer(op, errors.New("it has no code"))
	}
	return e
}

// payload returns the bytes of an answer, which are text if they are UTF-8.
func payload(text *string, data []byte) []byte {
	if text != nil {
		return []byte(*text)
	}
	return data
}

// asText returns data for a field that takes UTF-8, or nil.
func asText(data []byte) *string {
	if data == nil || !utf8.Valid(data) {
		return nil
	}
	text := string(data)
	return &text
}

// asBase64 returns data for the field that takes what asText does not.
func asBase64(data []byte) []byte {
	if utf8.Valid(data) {
		return nil
	}
	return data
}
