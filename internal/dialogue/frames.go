package dialogue

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// frame is what one side sends over a WebSocket, or a remark.
type frame struct {
	mark string // one of those below
	text string // JSON, "close CODE REASON", or skipped
}

// The marks of frames.
const (
	fromClient = ">"
	fromServer = "<"
	anyOrder   = "<~" // like fromServer, and those of one group come in any order
	remark     = "#"
)

// skipped is a frame that stands for any number of others, none of them an
// error.
const skipped = "…"

var frameStart = regexp.MustCompile(`^(>|<~|<|#) (.*)$`)

// parseFrames reads a socket's part: the head of the request, which may be
// empty, and the frames.
func parseFrames(text string) (head string, frames []frame) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		switch found := frameStart.FindStringSubmatch(line); {
		case found != nil:
			frames = append(frames, frame{found[1], found[2]})
		case len(frames) == 0:
			head += line + "\n"
		default:
			last := &frames[len(frames)-1]
			last.text = strings.TrimRight(last.text+"\n"+line, "\n")
		}
	}
	return strings.TrimSpace(head), frames
}

// formatFrames is the reverse of parseFrames.
func formatFrames(head string, frames []frame) string {
	var b strings.Builder
	if head != "" {
		b.WriteString(head + "\n\n")
	}
	for i, f := range frames {
		if i > 0 && (f.mark == remark || f.mark == fromClient) && frames[i-1].mark != remark {
			b.WriteString("\n")
		}
		b.WriteString(f.mark + " " + f.text + "\n")
	}
	return b.String()
}

// untilClient counts the frames before the next one of the client.
func untilClient(frames []frame) int {
	if n := slices.IndexFunc(frames, func(f frame) bool { return f.mark == fromClient }); n >= 0 {
		return n
	}
	return len(frames)
}

// isClose reports whether the frame ends the connection.
func (f frame) isClose() bool { return strings.HasPrefix(f.text, "close ") }

// object returns the frame's JSON, nil if it is not JSON.
func (f frame) object() map[string]any {
	var o map[string]any
	if json.Unmarshal([]byte(f.text), &o) != nil {
		return nil
	}
	return o
}

// kind returns the type of the frame's message.
func (f frame) kind() string {
	kind, _ := f.object()["type"].(string)
	return kind
}

// envelope are the fields of a message that are shown only where a dialogue
// asks for them.
var envelope = []string{"id", "timestamp", "seq", "conversation_ref", "turn_ref", "in_reply_to"}

// shown returns what came with the envelope's fields that are wanted.
func shown(came string, want map[string]any) string {
	var kept []string
	for _, f := range fieldsOf([]byte(came)) {
		if _, asked := want[f.name]; asked || !slices.Contains(envelope, f.name) {
			kept = append(kept, quote(f.name)+": "+string(f.value))
		}
	}
	return "{" + strings.Join(kept, ", ") + "}"
}

// piece is the field of the payload that holds a piece of a text, by the
// message's type. Where such a text is cut is anybody's guess.
var piece = map[string]string{"streaming-response": "text", "llm-thought": "status"}

// said returns the piece of text in a message, and whether there is one.
func (f frame) said() (string, bool) {
	payload, _ := f.object()["payload"].(map[string]any)
	text, ok := payload[piece[f.kind()]].(string)
	return text, ok
}

// join puts the text of a message before that of the next one.
func join(first, next frame) frame {
	before, _ := first.said()
	o := next.object()
	payload := o["payload"].(map[string]any) //nolint:forcetypeassert // said has seen both
	after, _ := next.said()
	payload[piece[next.kind()]] = before + after
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // it was JSON
	}
	return frame{fromServer, string(text)}
}
