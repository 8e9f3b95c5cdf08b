package conformance

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/recorded"
	"github.com/windieos/windie/sdkapi"
)

// Dialogue is a recorded conversation with a gateway. internal/test/dialogue explains its parts.
type Dialogue struct {
	Name  string
	Model []byte // what the gateway's model says, one JSON object after the other
	Steps []*Step
}

// Step is one request of a dialogue, with what is answered.
type Step struct {
	Name   string
	method string
	target string // with placeholders
	header http.Header
	body   string // with placeholders and macros
	file   string // to upload
	raw    bool   // bytes on a connection, which no client sends

	answer *answer  // of a request
	events []string // of a stream: "EVENT DATA"
	stream bool
	more   bool // a stream that an earlier step opened
	socket bool
	frames []recorded.Frame // of a socket
}

// answer is what a step's request must be answered with.
type answer struct {
	status int
	body   string
}

// ReadDialogues reads those of a folder whose names match a pattern of path.Match.
func ReadDialogues(from fs.FS, pattern string) ([]*Dialogue, error) {
	names, err := fs.Glob(from, cmp.Or(pattern, "*")+".txtar")
	if err != nil {
		return nil, fault.New("conformance", sdkapi.ValidationError, "%q is no pattern for names of dialogues: %v", pattern, err)
	}
	var all []*Dialogue
	for _, name := range slices.Sorted(slices.Values(names)) {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		d, err := parseDialogue(strings.TrimSuffix(path.Base(name), ".txtar"), text)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

func parseDialogue(name string, text []byte) (*Dialogue, error) {
	d := &Dialogue{Name: name}
	streams := map[string]bool{}
	for _, part := range txtar.Parse(text).Files {
		step, kind, _ := cutLast(part.Name, ": ")
		switch kind {
		case "request":
			s, err := parseRequest(step, string(part.Data))
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, step, err)
			}
			d.Steps = append(d.Steps, s)
		case "answer":
			d.Steps[len(d.Steps)-1].answer = parseAnswer(string(part.Data))
		case "stream":
			head, events := cutEvents(string(part.Data))
			s := &Step{more: true}
			if !streams[step] {
				var err error
				if s, err = parseRequest(step, head); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", name, step, err)
				}
			}
			streams[step] = true
			s.Name, s.stream, s.events = step, true, events
			d.Steps = append(d.Steps, s)
		case "socket":
			head, frames := recorded.ParseFrames(string(part.Data))
			s, err := parseSocket(step, head)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, step, err)
			}
			s.frames = frames
			d.Steps = append(d.Steps, s)
		default:
			if part.Name == "model" {
				d.Model = part.Data
			}
		}
	}
	return d, nil
}

// cutLast is strings.Cut at the last sep.
func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// cutEvents splits a stream's part into the request and the events behind "<".
func cutEvents(text string) (head string, events []string) {
	head, rest, _ := strings.Cut("\n"+text, "\n< ")
	for event := range strings.SplitSeq(rest, "\n< ") {
		if event = strings.TrimSpace(event); event != "" {
			events = append(events, event)
		}
	}
	return strings.TrimSpace(head), events
}

func parseRequest(name, text string) (*Step, error) {
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, target, ok := strings.Cut(lines[0], " ")
	if !ok {
		return nil, fmt.Errorf("%q is no request line", lines[0])
	}
	s := &Step{Name: name, method: method, target: target, header: http.Header{}, body: strings.TrimSpace(body)}
	for _, line := range lines[1:] {
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case key == "@file":
			s.file = value
		case strings.HasPrefix(key, "@"), strings.EqualFold(key, "Transfer-Encoding"):
			s.raw = true
		default:
			s.header.Add(textproto.CanonicalMIMEHeaderKey(key), value)
		}
	}
	return s, nil
}

// parseSocket reads the head of a socket's part, which may be empty.
func parseSocket(name, head string) (*Step, error) {
	if !strings.HasPrefix(head, http.MethodGet+" ") {
		head = http.MethodGet + " " + sdkapi.WSPath + "\n" + head
	}
	s, err := parseRequest(name, head)
	if err == nil {
		s.socket = true
	}
	return s, err
}

func parseAnswer(text string) *answer {
	head, body, _ := strings.Cut(text, "\n\n")
	line, _, _ := strings.Cut(strings.TrimSpace(head), "\n")
	status, _ := strconv.Atoi(line) // 0 is no status
	a := &answer{status: status, body: strings.TrimSpace(body)}
	if strings.HasPrefix(a.body, "(") { // "(6234 bytes)"
		a.body = ""
	}
	return a
}

// typed are the headers that clients have parameters for.
var typed = []string{"X-User-Id", "Authorization", "X-Windie-Key", "X-Windie-Runs-Key", "Last-Event-Id", "Idempotency-Key", "Content-Type"}

// sendable reports whether a typed client can send a step's request: it is one of the contract, with a body of its kind.
func (s *Step) sendable() bool {
	if s.raw || s.socket || s.header.Get("Content-Type") != "" && !strings.HasPrefix(s.header.Get("Content-Type"), "application/json") {
		return false
	}
	for name := range s.header {
		if !slices.Contains(typed, name) {
			return false
		}
	}
	if scheme := s.header.Get("Authorization"); scheme != "" && !strings.HasPrefix(scheme, "Bearer ") {
		return false
	}
	if s.answer == nil {
		return true
	}
	return !slices.Contains([]int{http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusRequestTimeout}, s.answer.status)
}

// Files makes the files that dialogues send.
type Files func(name string) ([]byte, error)

// expand replaces ${base64:NAME}, ${zeros:N} and ${letters:N}.
func expand(text string, files Files) (string, error) {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "${")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		inside, after, _ := strings.Cut(rest, "}")
		text = after
		kind, what, _ := strings.Cut(inside, ":")
		switch kind {
		case "base64":
			content, err := files(what)
			if err != nil {
				return "", err
			}
			out.WriteString(base64.StdEncoding.EncodeToString(content))
		case "zeros", "letters":
			n, err := strconv.Atoi(what)
			if err != nil {
				return "", err
			}
			out.Write(bytes.Repeat([]byte{map[string]byte{"zeros": 0, "letters": 'x'}[kind]}, n))
		default:
			out.WriteString("${" + inside + "}")
		}
	}
}

// queryOf returns the parameters of a target.
func queryOf(target string) (rest string, query url.Values) {
	rest, raw, _ := strings.Cut(target, "?")
	query, _ = url.ParseQuery(raw) // what cannot be read is no parameter
	return rest, query
}
