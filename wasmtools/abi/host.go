package abi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Host is what a guest may ask for. Errors are faults of internal/fault whose
// code and message the guest reads; what it was not granted is
// PERMISSION_DENIED. A Host serves one call, from one goroutine.
type Host interface {
	// Config returns the value of a setting of the plugin.
	Config(key string) (value string, ok bool)

	// HTTP sends a request. A body is at most as long as the limits say.
	HTTP(ctx context.Context, req HTTPRequest) (HTTPResponse, error)

	// User returns the id of the user whom the call is for, as the plugin knows it.
	User() string

	// Store returns the plugin's store, and an error if it was granted no store.
	Store() (Store, error)

	// CallTool calls another tool on behalf of the same user, and returns its
	// answer as a guest would give it.
	CallTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error)

	// Now returns the time, and Random fills p. Both say so if not granted.
	Now() (time.Time, error)
	Random(p []byte) error

	// Monotonic returns nanoseconds since some point before the run.
	Monotonic() int64

	// Progress takes a line about how far the call is, and a piece of what the tool puts out, for whoever watches the
	// call. Either may be empty.
	Progress(line, output string)

	// Log takes a line for the operator.
	Log(level Level, line string)
}

// Store is a plugin's own key-value store. It is bounded by a quota.
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

// HTTPResponse is what came back, with the whole body.
type HTTPResponse struct {
	Status int
	Header http.Header
	Body   []byte
}

// Level is how much a line of log matters.
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

func (l Level) String() string { return levelNames[min(max(l, logTrace), logError)] }
