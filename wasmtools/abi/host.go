package abi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Host performs the requests of a guest. Errors are faults of internal/fault; the guest gets the
// code and the message. A request without the permission fails with PERMISSION_DENIED. A Host
// serves one call, from one goroutine.
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

// HTTPRequest is a request of a guest.
type HTTPRequest struct {
	Method string // empty means GET
	URL    string
	Header http.Header
	Body   []byte
}

// HTTPResponse is a response with its whole body.
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

// String returns the name of a level. A guest may send any number: a number outside of the levels gets
// the name of the nearest level.
func (l Level) String() string { return levelNames[min(max(l, logTrace), logError)] }
