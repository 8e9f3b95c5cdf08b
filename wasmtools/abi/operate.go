package abi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// operation is a function of host_call. It takes JSON and returns a value that encodes as JSON.
type operation func(c *Call, ctx context.Context, input []byte) (any, error)

// operations are the functions of host_call, by name.
var operations = map[string]operation{
	"http.request": taking((*Call).opHTTP),
	"config.get":   taking((*Call).opConfig),
	"kv.get":       onStore(opGet),
	"kv.set":       onStore(opSet),
	"kv.delete":    onStore(opDelete),
	"kv.list":      onStore(opList),
	"tools.call":   taking((*Call).opTool),
	"user.id":      (*Call).opUser,
	"progress":     taking((*Call).opProgress),
	"clock.now":    (*Call).opNow,
	"random.bytes": taking((*Call).opRandom),
}

// taking makes an operation of a function that takes a decoded struct.
func taking[T any](do func(c *Call, ctx context.Context, in T) (any, error)) operation {
	return func(c *Call, ctx context.Context, input []byte) (any, error) {
		in, err := take[T](input)
		if err != nil {
			return nil, err
		}
		return do(c, ctx, in)
	}
}

// onStore makes an operation of a function on the plugin's store.
func onStore[T any](do func(ctx context.Context, store Store, in T) (any, error)) operation {
	return taking(func(c *Call, ctx context.Context, in T) (any, error) {
		store, err := c.host.Store()
		if err != nil {
			return nil, err
		}
		return outside(c, func() (any, error) { return do(ctx, store, in) })
	})
}

// operate runs an operation, stores its answer for the guest to read, and returns the answer's
// length. The length is negative for a failure.
func (c *Call) operate(ctx context.Context, name string, input []byte) int32 {
	c.count()
	c.limit(len(input), c.limits.OutputBytes, "output_bytes")
	op, ok := operations[name]
	if !ok {
		op = unknownOperation(name)
	}
	ctx, done := c.bounded(ctx)
	defer done()
	result, err := op(c, ctx, input)
	c.check() // a run that was stopped meanwhile ends; otherwise only the operation would fail
	if err != nil {
		f := fault.From(err)
		c.answer = marshal(map[string]string{"code": string(f.Code), "message": f.Message})
		return -int32(len(c.answer))
	}
	if raw, ok := result.(json.RawMessage); ok {
		c.answer = raw
	} else {
		c.answer = marshal(result)
	}
	if len(c.answer) > maxAnswer {
		c.endTooLong()
	}
	return int32(len(c.answer))
}

// maxAnswer limits the answer of an operation, in bytes.
const maxAnswer = 8 << 20

// endTooLong ends the guest, because the answer of an operation exceeds maxAnswer. It does not return.
func (c *Call) endTooLong() { c.end(&BoundError{"bytes in an answer of the host", maxAnswer}) }

// unknownOperation returns an operation that fails with NOT_FOUND, so that the guest can continue without it.
func unknownOperation(name string) operation {
	return func(*Call, context.Context, []byte) (any, error) {
		return nil, fault.New("abi.host_call", sdkapi.NotFound, "there is no operation %q", name)
	}
}

// marshal encodes v, the answer of an operation, which always encodes.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// take decodes the input of an operation. It refuses unknown fields, because they are probably
// typing errors.
func take[T any](input []byte) (in T, err error) {
	d := json.NewDecoder(bytes.NewReader(input))
	d.DisallowUnknownFields()
	err = d.Decode(&in)
	if err == nil {
		if _, end := d.Token(); end == io.EOF {
			return in, nil
		}
		err = errors.New("the text has data after the JSON object")
	}
	return in, fault.New("abi.host_call", sdkapi.ValidationError, "invalid input of the operation: %.200s", strings.TrimPrefix(err.Error(), "json: ")).Because(err)
}

// bytesOf returns the bytes of a field that is either text or base64.
func bytesOf(text *string, base64 []byte) []byte {
	if text != nil {
		return []byte(*text)
	}
	return base64
}

// httpInput is the input of http.request. Body has precedence over BodyBase64.
type httpInput struct {
	Method     string  `json:"method"`
	URL        string  `json:"url"`
	Headers    headers `json:"headers"`
	Body       *string `json:"body"`
	BodyBase64 []byte  `json:"body_base64"`
}

// maxHeaders limits the headers of a request, as JSON, in bytes. A map of a million short headers
// would take a hundred times as much memory.
const maxHeaders = 256 << 10

// headers are the headers of a request.
type headers map[string]string

// UnmarshalJSON decodes headers. If the JSON has more than maxHeaders bytes, UnmarshalJSON fails
// with a BoundError and makes no map.
func (h *headers) UnmarshalJSON(raw []byte) error {
	if len(raw) > maxHeaders {
		return &BoundError{"bytes of headers", maxHeaders}
	}
	return json.Unmarshal(raw, (*map[string]string)(h))
}

// httpOutput is the answer of http.request. Exactly one of the two bodies is set; a text may be empty.
type httpOutput struct {
	Status     int               `json:"status"`
	Headers    map[string]string `json:"headers"`
	Body       *string           `json:"body,omitempty"`
	BodyBase64 []byte            `json:"body_base64,omitempty"`
}

// opHTTP sends a request and returns the response. A body that is UTF-8 and not too long is text, another one is
// base64. The guest ends if neither form fits into maxAnswer.
func (c *Call) opHTTP(ctx context.Context, in httpInput) (any, error) {
	res, err := outside(c, func() (HTTPResponse, error) {
		return c.host.HTTP(ctx, HTTPRequest{Method: in.Method, URL: in.URL, Header: headerOf(in.Headers), Body: bytesOf(in.Body, in.BodyBase64)})
	})
	if err != nil {
		return nil, err
	}
	out := httpOutput{Status: res.Status, Headers: lowerHeaders(res.Header)}
	switch {
	case utf8.Valid(res.Body) && quoted(res.Body) <= maxAnswer:
		text := string(res.Body)
		out.Body = &text
	case base64.StdEncoding.EncodedLen(len(res.Body)) <= maxAnswer:
		out.BodyBase64 = res.Body
	default:
		c.endTooLong()
	}
	return out, nil
}

// quoted returns the maximum length of text as JSON. A zero byte takes six bytes there, and a few
// bytes of gzip can hold millions of them.
func quoted(text []byte) int {
	n := len(text)
	for _, b := range text {
		if b < ' ' || b == '<' || b == '>' || b == '&' || b == 0xe2 {
			n += 5
		} else if b == '"' || b == '\\' {
			n++
		}
	}
	return n
}

type keyInput struct {
	Key string `json:"key"`
}

// opConfig returns a setting of the plugin; null if the operator has not set it.
func (c *Call) opConfig(_ context.Context, in keyInput) (any, error) {
	if value, ok := c.host.Config(in.Key); ok {
		return map[string]string{"value": value}, nil
	}
	return json.RawMessage(`{"value":null}`), nil
}

// opGet returns the value of a key: as text if it is UTF-8, otherwise as base64. A missing key has the value null.
func opGet(ctx context.Context, store Store, in keyInput) (any, error) {
	value, ok, err := store.Get(ctx, in.Key)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return json.RawMessage(`{"value":null}`), nil
	case utf8.Valid(value):
		return map[string]string{"value": string(value)}, nil
	}
	return map[string][]byte{"value_base64": value}, nil
}

type setInput struct {
	Key         string  `json:"key"`
	Value       *string `json:"value"`
	ValueBase64 []byte  `json:"value_base64"`
}

// opSet stores a value under a key. Without a value, it stores an empty one.
func opSet(ctx context.Context, store Store, in setInput) (any, error) {
	return struct{}{}, store.Set(ctx, in.Key, bytesOf(in.Value, in.ValueBase64))
}

// opDelete deletes a key.
func opDelete(ctx context.Context, store Store, in keyInput) (any, error) {
	return struct{}{}, store.Delete(ctx, in.Key)
}

// Limits of kv.list and random.bytes.
const (
	defaultKeys    = 100
	maxKeys        = 1000
	maxRandomBytes = 64 << 10
)

type listInput struct {
	Prefix string `json:"prefix"`
	After  string `json:"after"`
	Limit  int    `json:"limit"`
}

// opList returns the next keys with a prefix, after the key After. A limit above maxKeys counts as maxKeys. A limit of
// 0 or less counts as defaultKeys.
func opList(ctx context.Context, store Store, in listInput) (any, error) {
	if in.Limit <= 0 {
		in.Limit = defaultKeys
	}
	keys, err := store.List(ctx, in.Prefix, in.After, min(in.Limit, maxKeys))
	return map[string][]string{"keys": slices.Concat([]string{}, keys)}, err
}

type toolInput struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// opTool calls another tool as the same user, and returns its answer unchanged.
func (c *Call) opTool(ctx context.Context, in toolInput) (any, error) {
	answer, err := outside(c, func() (json.RawMessage, error) { return c.host.CallTool(ctx, in.Name, in.Arguments) })
	return answer, err
}

// opUser returns the id of the calling user for this plugin. It ignores its input.
func (c *Call) opUser(context.Context, []byte) (any, error) {
	return map[string]string{"id": c.host.User()}, nil
}

type progressInput struct {
	Message string `json:"message"`
	Output  string `json:"output"`
}

// opProgress shows progress to the viewers of the call. Its answer is an empty object.
func (c *Call) opProgress(_ context.Context, in progressInput) (any, error) {
	c.host.Progress(in.Message, in.Output)
	return struct{}{}, nil
}

// opNow returns the time in nanoseconds since 1970, as a string: a number in JavaScript would lose digits.
func (c *Call) opNow(context.Context, []byte) (any, error) {
	now, err := c.host.Now()
	return map[string]string{"unix_ns": strconv.FormatInt(now.UnixNano(), 10)}, err
}

type randomInput struct {
	N int `json:"n"`
}

// opRandom returns N random bytes in base64. It fails with VALIDATION_ERROR above maxRandomBytes, and ends the guest
// above Limits.RandomBytes.
func (c *Call) opRandom(_ context.Context, in randomInput) (any, error) {
	if in.N < 0 || in.N > maxRandomBytes {
		return nil, fault.New("abi.random.bytes", sdkapi.ValidationError, "random.bytes returns at most %d bytes per call", maxRandomBytes)
	}
	p := make([]byte, in.N)
	if err := c.readRandom(p); err != nil {
		return nil, err
	}
	return map[string]string{"bytes_base64": base64.StdEncoding.EncodeToString(p)}, nil
}
