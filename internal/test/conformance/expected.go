package conformance

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/test/recorded"
)

// expected is the one request that a step sends.
type expected struct {
	step   *Step
	route  *route
	after  string // Last-Event-Id, which may come as after in the query too
	target string // without its query, and with values for placeholders
	query  url.Values
	body   string
	file   []byte
	header func(string) string // gives values to placeholders
	came   bool
}

// compared are the headers that a request must have as it is recorded.
var compared = []string{"X-User-Id", "Authorization", "X-Windie-Key", "X-Windie-Runs-Key", "Last-Event-Id"}

// check says what is wrong with a request. Besides the expected one, which comes once, a client may read other things.
func (e *expected) check(x *exchange) string {
	path, query := queryOf(x.target)
	named := fmt.Sprintf("%s %s is sent", x.method, x.target)
	if x.method != e.step.method || unescaped(path) != unescaped(e.target) {
		if x.method == http.MethodGet && (e.came || strings.HasSuffix(path, "/stream") || strings.HasSuffix(path, "/events")) {
			return "" // it reads, or comes back to a stream that an earlier step opened
		}
		return fmt.Sprintf("%s, not %s %s", named, e.step.method, e.target)
	}
	if e.came && e.step.answer != nil && slices.Contains(passing, e.step.answer.status) {
		return "" // which it may send again
	}
	if e.came {
		return named + " twice"
	}
	e.came = true
	want := maps.Clone(e.query)
	if e.after != "" {
		delete(want, "after")
		delete(query, "after")
	}
	if !sameQuery(query, want) {
		return fmt.Sprintf("%s, with %q, not %q", named, query.Encode(), want.Encode())
	}
	for _, name := range compared {
		want := e.header(e.step.header.Get(name))
		if name == "Last-Event-Id" {
			want = e.after
		}
		if x.header.Get(name) != want {
			return fmt.Sprintf("%s with %s %q, not %q", named, name, x.header.Get(name), want)
		}
	}
	if want := e.step.header.Get("Idempotency-Key"); want != "" && x.header.Get("Idempotency-Key") != want {
		return fmt.Sprintf("%s with another Idempotency-Key than %q", named, want)
	}
	return e.checkBody(x, named)
}

func (e *expected) checkBody(x *exchange, named string) string {
	if e.file != nil {
		if got, err := fileOf(x); err != nil || !bytes.Equal(got, e.file) {
			return fmt.Sprintf("%s without the file: %v", named, err)
		}
		return ""
	}
	got := strings.TrimSpace(string(x.body))
	if e.body == "" && (got == "" || got == "{}") {
		return ""
	}
	if e.body == "" || got == "" {
		return fmt.Sprintf("%s with the body %.200q, not %.200q", named, got, e.body)
	}
	same := func(want, got string) bool { return want == got }
	if diff := recorded.SameJSON(e.route.plain(e.body, true), e.route.plain(got, true), same); diff != "" {
		return fmt.Sprintf("%s, and in its body %s", named, diff)
	}
	return ""
}

// passing are the statuses of failures that pass, so that a client may ask again.
var passing = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// plain returns a body without what says nothing: null, and a field that has its default. If it is compared, it has no
// id of a message either: a client gives one to what it says, by which it is said once.
func (r *route) plain(body string, compared bool) string {
	var fields map[string]any
	if json.Unmarshal([]byte(body), &fields) != nil || r.fields == nil {
		return body
	}
	for name, value := range fields {
		if value == nil || value == r.fields[name] || name == "stream" && value == false {
			delete(fields, name)
		}
	}
	for _, value := range fields {
		if object, ok := value.(map[string]any); ok {
			maps.DeleteFunc(object, func(_ string, value any) bool { return value == nil || value == "" })
		}
	}
	if message, ok := fields["message"].(map[string]any); ok && compared && r.op == "general.chat" {
		delete(message, "id")
	}
	text, _ := json.Marshal(fields) // it was JSON
	return string(text)
}

// unescaped makes two ways to write a path the same.
func unescaped(path string) string {
	plain, err := url.PathUnescape(path)
	return cmp.Or(map[bool]string{true: plain}[err == nil], path)
}

func sameQuery(a, b url.Values) bool {
	if len(a) != len(b) {
		return false
	}
	for name, values := range a {
		if !slices.Equal(values, b[name]) {
			return false
		}
	}
	return true
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
