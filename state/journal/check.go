package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// CheckStream refuses an invalid stream name.
func CheckStream(name string) error {
	return checkText("stream", name, 1, MaxStreamName)
}

// CheckAppend refuses arguments that Append does not accept.
func CheckAppend(stream string, events []Event) error {
	if err := CheckStream(stream); err != nil {
		return err
	}
	if len(events) > MaxEvents {
		return refuse("events", "expected at most %d events in one request, not %d", MaxEvents, len(events))
	}
	size := 0
	for _, e := range events {
		size += len(e.Data)
	}
	if size > MaxAppend {
		return refuse("events", "expected at most %d bytes of data in one request, not %d", MaxAppend, size)
	}
	for i, e := range events {
		path := fmt.Sprintf("events[%d]", i)
		if err := checkText(path+".kind", e.Kind, 1, MaxKind); err != nil {
			return err
		}
		if e.Kind == Resync {
			return refuse(path+".kind", "expected another kind: only the journal writes events of the kind %q", Resync)
		}
		if err := checkJSON(path+".data", e.Data, MaxData); err != nil {
			return err
		}
	}
	return nil
}

// CheckRead refuses arguments that Read does not accept. To check the arguments of Follow, pass a
// limit of 1.
func CheckRead(stream string, after int64, limit int) error {
	if after < 0 {
		return refuse("after", "expected a cursor of 0 or more, not %d", after)
	}
	if limit < 1 || limit > MaxEvents {
		return refuse("limit", "expected 1 to %d events, not %d", MaxEvents, limit)
	}
	return CheckStream(stream)
}

// CheckStreams refuses arguments that Streams does not accept.
func CheckStreams(prefix, after string, limit int) error {
	if limit < 1 || limit > MaxEvents {
		return refuse("limit", "expected 1 to %d streams, not %d", MaxEvents, limit)
	}
	if err := CheckPrefix(prefix); err != nil {
		return err
	}
	if prefix != "" && prefix[len(prefix)-1] >= utf8.RuneSelf-1 {
		return refuse("prefix", "expected an ASCII character at the end")
	}
	return checkText("after", after, 0, MaxStreamName)
}

// CheckPrefix refuses a prefix with which no stream's name can begin. It accepts the empty prefix.
func CheckPrefix(prefix string) error { return checkText("prefix", prefix, 0, MaxStreamName) }

// EndOf returns the first name that sorts after all names with a prefix. It returns an empty name
// for an empty prefix.
func EndOf(prefix string) string {
	if prefix == "" {
		return ""
	}
	last := len(prefix) - 1
	return prefix[:last] + string(prefix[last]+1)
}

// CheckKey refuses an invalid key of a lease.
func CheckKey(key string) error { return checkText("key", key, 1, MaxStreamName) }

// CheckTrim refuses arguments that Trim does not accept.
func CheckTrim(stream string, snapshot json.RawMessage) error {
	if err := CheckStream(stream); err != nil {
		return err
	}
	return checkJSON("snapshot", snapshot, MaxValue)
}

// CheckID refuses an invalid id of a decision.
func CheckID(id string) error {
	return checkText("id", id, 1, MaxStreamName)
}

// CheckUser refuses an invalid user of a decision.
func CheckUser(user string) error { return checkText("user", user, 1, MaxStreamName) }

// CheckPendingOf refuses arguments that PendingOf does not accept.
func CheckPendingOf(user, kind string) error {
	if err := checkText("user", user, 0, MaxStreamName); err != nil {
		return err
	}
	return checkText("kind", kind, 1, MaxKind)
}

// CheckLease refuses arguments that Lease does not accept.
func CheckLease(key, owner string, ttl time.Duration) error {
	if err := checkText("key", key, 1, MaxStreamName); err != nil {
		return err
	}
	if ttl < MinTTL || ttl > MaxTTL {
		return refuse("ttl", "expected %v to %v, not %v", MinTTL, MaxTTL, ttl)
	}
	return checkText("owner", owner, 1, MaxStreamName)
}

// checkQuestion refuses a question that Open does not accept. Its Stream and Request may be empty.
func checkQuestion(d Decision) error {
	if err := CheckID(d.ID); err != nil {
		return err
	}
	for _, c := range []struct {
		path, text   string
		least, limit int
	}{
		{"stream", d.Stream, 0, MaxStreamName},
		{"user", d.User, 1, MaxStreamName},
		{"kind", d.Kind, 1, MaxKind},
		{"digest", d.Digest, 1, MaxStreamName},
	} {
		if err := checkText(c.path, c.text, c.least, c.limit); err != nil {
			return err
		}
	}
	return checkJSON("request", d.Request, MaxValue)
}

// checkAnswer refuses an answer that Decide does not accept. Its value must be valid for Canonical,
// which an event's data need not be, because answers are compared.
func checkAnswer(a Answer) error {
	if err := checkText("answer.reason", a.Reason, 0, MaxReason); err != nil {
		return err
	}
	if err := checkJSON("answer.value", a.Value, MaxValue); err != nil {
		return err
	}
	if _, err := Canonical(a.Value); err != nil {
		return refuse("answer.value", "expected JSON without ambiguities, not %v", err)
	}
	return nil
}

// checkText refuses text of fewer than least or more than limit bytes, and text that a database
// cannot store.
func checkText(path, text string, least, limit int) error {
	if len(text) < least || len(text) > limit {
		return refuse(path, "expected %d to %d bytes, not %d", least, limit, len(text))
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return refuse(path, "expected text in UTF-8 without NUL bytes")
	}
	return nil
}

// checkJSON refuses invalid JSON and JSON of more than limit bytes. It accepts empty JSON.
func checkJSON(path string, raw json.RawMessage, limit int) error {
	if len(raw) > limit {
		return refuse(path, "expected at most %d bytes, not %d", limit, len(raw))
	}
	if len(raw) > 0 && (!utf8.Valid(raw) || !json.Valid(raw)) {
		return refuse(path, "expected valid JSON in UTF-8")
	}
	return nil
}

// refuse returns the VALIDATION_ERROR of an argument that is invalid or exceeds a limit.
func refuse(path, format string, args ...any) error {
	return fault.New("journal.check", sdkapi.ValidationError, "invalid request to the journal; details.fields lists the problems").At(path, format, args...)
}

const null = "null"

// orNull returns a copy of raw, or null if raw is empty.
func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(null)
	}
	return append(json.RawMessage(nil), raw...)
}

// Listing selects the questions that List returns.
type Listing struct {
	User   string // user allowed to answer the questions; required
	Kind   string // kind of question, for example "approval"; required
	Stream string // prefix of the stream's name; empty selects all streams
	State  State  // state of the questions; empty selects all states
	Denied bool   // used only if State is Decided: true selects denied questions, false selects all others
	Newest bool   // whether the newest question is first; otherwise the oldest is first
	// last question of the previous page, with at least its Created and ID; nil for the first page
	After *Decision
	Limit int // maximum number of questions, from 1 to MaxEvents
}

// CheckListing refuses a listing that List does not accept.
func CheckListing(l Listing) error {
	if l.Limit < 1 || l.Limit > MaxEvents {
		return refuse("limit", "expected 1 to %d questions, not %d", MaxEvents, l.Limit)
	}
	if err := checkText("user", l.User, 1, MaxStreamName); err != nil {
		return err
	}
	if err := checkText("stream", l.Stream, 0, MaxStreamName); err != nil {
		return err
	}
	return checkText("kind", l.Kind, 1, MaxKind)
}
