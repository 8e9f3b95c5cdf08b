package recorded

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Frame is what one side sends over a WebSocket, or a remark.
type Frame struct {
	Mark string // one of those below
	Text string // JSON, "close CODE REASON", or Skipped
}

// The marks of frames.
const (
	FromClient = ">"
	FromServer = "<"
	AnyOrder   = "<~" // like FromServer, and those of one group come in any order
	Remark     = "#"
)

// Skipped is a frame that stands for any number of others, none of them an error.
const Skipped = "…"

var frameStart = regexp.MustCompile(`^(>|<~|<|#) (.*)$`)

// ParseFrames reads a socket's part: the head of the request, which may be empty, and the frames.
func ParseFrames(text string) (head string, frames []Frame) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		switch found := frameStart.FindStringSubmatch(line); {
		case found != nil:
			frames = append(frames, Frame{found[1], found[2]})
		case len(frames) == 0:
			head += line + "\n"
		default:
			last := &frames[len(frames)-1]
			last.Text = strings.TrimRight(last.Text+"\n"+line, "\n")
		}
	}
	return strings.TrimSpace(head), frames
}

// UntilClient returns how many frames come before the next one of the client.
func UntilClient(frames []Frame) int {
	if n := slices.IndexFunc(frames, func(f Frame) bool { return f.Mark == FromClient }); n >= 0 {
		return n
	}
	return len(frames)
}

// IsClose reports whether the frame ends the connection.
func (f Frame) IsClose() bool { return strings.HasPrefix(f.Text, "close ") }

// Object returns the frame's JSON, nil if it is not JSON.
func (f Frame) Object() map[string]any {
	var o map[string]any
	if json.Unmarshal([]byte(f.Text), &o) != nil {
		return nil
	}
	return o
}

// Kind returns the type of the message, empty if it is not JSON.
func (f Frame) Kind() string {
	kind, _ := f.Object()["type"].(string)
	return kind
}

// envelope are the fields of a message that are shown only where a dialogue asks for them.
var envelope = []string{"id", "timestamp", "seq", "conversation_ref", "turn_ref", "query_ref", "in_reply_to", "sessionId", "turnId"}

// Shown returns what came with the envelope's fields that are wanted.
func Shown(came string, want map[string]any) string {
	var kept []string
	for _, f := range FieldsOf([]byte(came)) {
		if _, asked := want[f.Name]; asked || !slices.Contains(envelope, f.Name) {
			kept = append(kept, Quote(f.Name)+": "+string(f.Value))
		}
	}
	return "{" + strings.Join(kept, ", ") + "}"
}

// piece is the field of the payload that holds a piece of a text, by the
// message's type. Where such a text is cut is anybody's guess.
var piece = map[string]string{"streaming-response": "text", "llm-thought": "status"}

// barePiece is the same of messages without a payload.
var barePiece = map[string]string{"assistant.delta": "content", "assistant.thought": "content"}

// Said returns the piece of text in a message, and whether there is one.
func (f Frame) Said() (string, bool) {
	holder, name := saying(f.Object(), f.Kind())
	text, ok := holder[name].(string)
	return text, ok
}

// saying returns what holds the piece of text of a message o of a kind, and the field's name.
func saying(o map[string]any, kind string) (holder map[string]any, name string) {
	if name = barePiece[kind]; name != "" {
		return o, name
	}
	holder, _ = o["payload"].(map[string]any)
	return holder, piece[kind]
}

// Join puts the text of a message before that of the next one.
func Join(first, next Frame) Frame {
	before, _ := first.Said()
	o := next.Object()
	holder, name := saying(o, next.Kind())
	after, _ := next.Said()
	holder[name] = before + after
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // it was JSON
	}
	return Frame{FromServer, string(text)}
}
