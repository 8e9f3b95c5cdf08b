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
	Method  string // HTTP method; empty means GET
	URL     string
	Headers map[string]string
	Body    []byte
}

// Response is an HTTP response. Its Status may be an error status, for example 404.
type Response struct {
	Status  int
	Headers map[string]string // the headers, with names in lower case
	Body    []byte
}

// HTTP sends a request through the gateway. The gateway checks the host, follows redirects, and
// limits time and size. The plugin needs the permission http.
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

// Config returns the operator's setting for a key of the plugin. If the operator did not set the
// key, ok is false. The plugin needs no permission.
func Config(key string) (value string, ok bool, err error) {
	var out struct {
		Value *string `json:"value"`
	}
	if err := Ask("config.get", map[string]string{"key": key}, &out); err != nil || out.Value == nil {
		return "", false, err
	}
	return *out.Value, true, nil
}

// User returns the id of the user who makes the call. Each user has one id per plugin; the id does
// not reveal who the user is. On a gateway in local mode the id is "local". The plugin needs no
// permission.
func User() (id string, err error) {
	var out struct {
		ID string `json:"id"`
	}
	err = Ask("user.id", nil, &out)
	return out.ID, err
}

// Progress shows a line, such as "3 of 10 pages", to the viewers of the call. If two lines follow
// each other within a second, the gateway may skip the second line. The plugin needs no permission.
func Progress(line string) {
	_ = Ask("progress", map[string]string{"message": line}, nil) // an older gateway shows nothing
}

// Output shows the next text of the tool's output to the viewers of the call. Output does not
// change the call's result. The plugin needs no permission.
func Output(text string) {
	_ = Ask("progress", map[string]string{"output": text}, nil) // an older gateway shows nothing
}

// KV is the plugin's key-value store. Each user has a separate store, unless the operator grants a
// shared store. The plugin needs the permission kv.
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

// Delete deletes a key and its value. If the key is absent, Delete does nothing.
func (Store) Delete(key string) error {
	return Ask("kv.delete", map[string]string{"key": key}, nil)
}

// List returns the keys that begin with prefix and follow cursor in sorted order. With an empty
// cursor, the list begins with the first key. limit is the maximum number of keys, at most 1000; 0
// means 100. To get the next keys, pass the last key as cursor.
func (Store) List(prefix, cursor string, limit int) ([]string, error) {
	var out struct {
		Keys []string `json:"keys"`
	}
	err := Ask("kv.list", struct {
		Prefix string `json:"prefix,omitempty"`
		After  string `json:"after,omitempty"`
		Limit  int    `json:"limit,omitempty"`
	}{prefix, cursor, limit}, &out)
	return out.Keys, err
}

// CallTool calls a tool of the gateway by its full name, such as units.convert. If the tool itself
// fails, IsError is true and err is nil. The plugin needs the permission tools.
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

// Now returns the time. The plugin needs the permission clock.
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

// Random returns n random bytes that are safe for secrets. n is at most 65536. The plugin needs the
// permission random.
func Random(n int) ([]byte, error) {
	var out struct {
		Bytes []byte `json:"bytes_base64"`
	}
	err := Ask("random.bytes", map[string]int{"n": n}, &out)
	return out.Bytes, err
}

// Ask performs an operation that docs/plugin-reference.md describes, for example "kv.get". The
// gateway gets input as a JSON object. Ask decodes the gateway's response into output, which must be
// a pointer. input and output may be nil. The other functions of this file are easier to use.
func Ask(op string, input, output any) error {
	body := []byte("{}")
	if input != nil {
		var err error
		if body, err = json.Marshal(input); err != nil {
			return &Error{Code: "VALIDATION_ERROR", Message: op + ": " + err.Error()}
		}
	}
	answer, err := hostCall(op, body)
	if err != nil || output == nil {
		return err
	}
	if err := json.Unmarshal(answer, output); err != nil {
		return badAnswer(op, err)
	}
	return nil
}

// badAnswer returns the *Error of a response that the kit cannot decode.
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

// payload returns the bytes of a response. They are in text if they are UTF-8, and in data otherwise. payload returns
// nil if the response has neither.
func payload(text *string, data []byte) []byte {
	if text != nil {
		return []byte(*text)
	}
	return data
}

// asText returns data for the field that takes UTF-8. It returns nil if data is nil or not UTF-8.
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
