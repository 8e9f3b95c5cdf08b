package plugin

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Level is the severity of a log line.
type Level int32

// The levels of Log, lowest first.
const (
	Trace Level = iota
	Debug
	Info
	Warning
	Failure
)

// Log writes a line to the gateway's log, for the operator.
func Log(level Level, line string) { logLine(level, line) }

// Request is an HTTP request. Only URL is required.
type Request struct {
	Method  string // empty means GET
	URL     string
	Headers map[string]string
	Body    []byte
}

// Response is an HTTP response, whatever its status.
type Response struct {
	Status  int
	Headers map[string]string // by lower-case name
	Body    []byte
}

// HTTP sends a request through the gateway. The gateway checks the host, follows redirects, and
// limits time and size. It needs the permission http.
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

// Config returns the operator's setting for a key of the plugin. ok is false if the operator
// did not set it. It needs no permission.
func Config(key string) (value string, ok bool, err error) {
	var out struct {
		Value *string `json:"value"`
	}
	if err := Ask("config.get", map[string]string{"key": key}, &out); err != nil || out.Value == nil {
		return "", false, err
	}
	return *out.Value, true, nil
}

// User returns the id of the user who makes the call. The id is the same in every call and differs
// between plugins; it does not reveal who the user is. On a gateway in local mode it is "local". It
// needs no permission.
func User() (id string, err error) {
	var out struct {
		ID string `json:"id"`
	}
	err = Ask("user.id", nil, &out)
	return out.ID, err
}

// Progress shows a line, such as "3 of 10 pages", to the viewers of the call. A line that follows
// another line within a second may be skipped. It needs no permission.
func Progress(line string) {
	_ = Ask("progress", map[string]string{"message": line}, nil) // an older gateway shows nothing
}

// Output shows the next piece of the tool's output to the viewers of the call. It does not change
// the call's result. It needs no permission.
func Output(piece string) {
	_ = Ask("progress", map[string]string{"output": piece}, nil) // an older gateway shows nothing
}

// KV is the plugin's key-value store. Each user has a separate one, unless the operator grants a
// shared one. It needs the permission kv.
var KV Store

// Store is the type of KV.
type Store struct{}

// Get returns the value of a key. ok is false if the key has no value.
func (Store) Get(key string) (value []byte, ok bool, err error) {
	var out struct {
		Value  *string `json:"value"`
		Base64 []byte  `json:"value_base64"`
	}
	err = Ask("kv.get", map[string]string{"key": key}, &out)
	value = payload(out.Value, out.Base64)
	return value, value != nil, err
}

// Set stores a value under a key and replaces any earlier value.
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

// Delete deletes a key and its value. Deleting an absent key is no error.
func (Store) Delete(key string) error {
	return Ask("kv.delete", map[string]string{"key": key}, nil)
}

// List returns the sorted keys that begin with prefix and come after the key after, at most limit
// keys. limit is at most 1000; 0 means 100. To continue, pass the last key as after.
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

// CallTool calls a tool of the gateway by its full name, such as units.convert. If the tool itself
// fails, IsError is true and err is nil. It needs the permission tools.
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

// Random returns n random bytes, at most 65536, that are safe for secrets. It needs the permission
// random.
func Random(n int) ([]byte, error) {
	var out struct {
		Bytes []byte `json:"bytes_base64"`
	}
	err := Ask("random.bytes", map[string]int{"n": n}, &out)
	return out.Bytes, err
}

// Ask performs an operation of docs/plugin-reference.md. in and *out are encoded as JSON objects;
// either may be nil. The other functions of this file are easier to use.
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
	return &Error{Code: "INTERNAL", Message: "the gateway's response to " + op + " is invalid: " + err.Error()}
}

// failure decodes the error that the gateway returned for op.
func failure(op string, answer []byte) error {
	e := &Error{}
	if err := json.Unmarshal(answer, e); err != nil || e.Code == "" {
		return badAnswer(op, errors.New("the error has no code"))
	}
	return e
}

// payload returns the bytes of a response: text holds them if they are UTF-8, else data.
func payload(text *string, data []byte) []byte {
	if text != nil {
		return []byte(*text)
	}
	return data
}

// asText returns data for the field that takes UTF-8, or nil if data is not UTF-8.
func asText(data []byte) *string {
	if data == nil || !utf8.Valid(data) {
		return nil
	}
	text := string(data)
	return &text
}

// asBase64 returns data for the field that takes base64, or nil if data is UTF-8.
func asBase64(data []byte) []byte {
	if utf8.Valid(data) {
		return nil
	}
	return data
}
