package abi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Host performs the requests of a guest. Its errors are faults of internal/fault. The guest gets
// the code and the message of the fault. If the plugin lacks the permission for a request, the code
// is PERMISSION_DENIED. A Host serves one call, and only one goroutine uses it.
type Host interface {
	// Config returns the value of a setting of the plugin.
	Config(key string) (value string, ok bool)

	// HTTP sends a request. The limits apply to its body.
	HTTP(ctx context.Context, req HTTPRequest) (HTTPResponse, error)

	// User returns the id of the calling user, as the plugin knows it.
	User() string

	// Store returns the plugin's store, or an error if the plugin has no permission for one.
	Store() (Store, error)

	// CallTool calls another tool on behalf of the same user, and returns its result in the form of
	// a guest's answer.
	CallTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error)

	// Now returns the time, and Random fills p. Both fail without the permission.
	Now() (time.Time, error)
	Random(p []byte) error

	// Monotonic returns nanoseconds since some point before the run.
	Monotonic() int64

	// Progress shows a line of progress and a piece of the tool's output to the viewers of the
	// call. Either may be empty.
	Progress(line, output string)

	// Log writes a line for the operator.
	Log(level Level, line string)
}

// Store is a plugin's key-value store. A quota limits its size.
type Store interface {
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	Set(ctx context.Context, key string, value []byte) error
	Delete(ctx context.Context, key string) error
	List(ctx context.Context, prefix, after string, limit int) (keys []string, err error)
}

// HTTPRequest is an HTTP request that a guest wants to send.
type HTTPRequest struct {
	Method string // HTTP method; empty means GET
	URL    string
	Header http.Header
	Body   []byte
}

// HTTPResponse is an HTTP response with its whole body.
type HTTPResponse struct {
	Status int
	Header http.Header
	Body   []byte
}

// Level is the severity of a log line.
type Level int32

// The levels, as guests number them.
const (
	logTrace Level = iota
	logDebug
	logInfo
	logWarn
	logError
)

var levelNames = []string{"trace", "debug", "info", "warn", "error"}

// String returns the name of a level. A guest may send any number as a level. For an unknown
// number, String returns the name of the nearest level.
func (l Level) String() string { return levelNames[min(max(l, logTrace), logError)] }
