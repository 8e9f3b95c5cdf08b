package models

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Limits of a provider's stream. The longest valid line is a call with MaxArguments, which may grow
// sixfold when it is escaped.
const (
	MaxLine   = 8 << 20  // maximum length of one line of the stream, in bytes
	MaxStream = 64 << 20 // maximum size of the stream, in bytes
)

// events filters a provider's response body for its library. It passes on server-sent events
// without comments, names, ids and superfluous blank lines. Each data line is valid JSON of limited
// length. Any other line, for example an error, ends the body, and events records the reason in the
// exchange. Without events, libraries would accept lines of any length, print them, or mistake them for
// an answer.
type events struct {
	body  io.ReadCloser
	lines *bufio.Reader
	wire  Wire
	x     *exchange
	line  []byte // current line; its buffer is reused
	left  []byte // part of line that the library has not read
	read  int    // total bytes read from body
	blank bool   // the last line for the library was blank
	over  bool   // the body has ended, or an error was found
}

// newEvents returns the events of body. Closing them closes body.
func newEvents(body io.ReadCloser, wire Wire, x *exchange) *events {
	return &events{body: body, lines: bufio.NewReaderSize(body, 16<<10), wire: wire, x: x, blank: true}
}

// Close closes the response body.
func (e *events) Close() error { return e.body.Close() }

// Read returns the unread part of the current line. If the whole line has been read, Read first
// gets the next line.
func (e *events) Read(p []byte) (int, error) {
	for len(e.left) == 0 {
		if e.over {
			return 0, io.EOF
		}
		e.next()
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// next reads a line and selects the part for the library.
func (e *events) next() {
	err := e.readLine()
	line := bytes.TrimRight(e.line, "\r\n")
	if err == nil || errors.Is(err, io.EOF) && len(line) > 0 {
		var refusal *Refusal
		if fail := e.look(line); fail != nil && (err == nil || errors.As(fail, &refusal)) {
			err = fail // an invalid last line without a line end is cut off, not wrong
		}
	}
	if err == nil {
		return
	}
	e.over = true
	var known *fault.Error
	switch {
	case errors.Is(err, io.EOF):
	case errors.As(err, &known):
		e.left = nil
		e.x.fail(err)
	default:
		e.left = nil
		e.x.fail(fault.New("models.Stream", sdkapi.ModelUnavailable, "the connection to the model's provider ended before the answer was complete; try again").Because(errors.New(e.wire.private(err.Error()))))
	}
}

// readLine reads the next line into e.line. It fails with a fault if the line or the stream is too long. At the end of
// the body it returns io.EOF, and e.line may hold an incomplete line.
func (e *events) readLine() error {
	e.line = e.line[:0]
	for {
		piece, err := e.lines.ReadSlice('\n')
		e.read += len(piece)
		if len(e.line)+len(piece) > MaxLine {
			return e.tooMuch("in one line", MaxLine)
		}
		if e.read > MaxStream {
			return e.tooMuch("in total", MaxStream)
		}
		e.line = append(e.line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// look decides which part of a line the library gets.
func (e *events) look(line []byte) error {
	field, value, _ := bytes.Cut(line, []byte(":"))
	switch string(field) {
	case "":
		if len(line) > 0 || e.blank { // a comment, or a repeated blank line
			return nil
		}
		e.hand(nil)
		e.blank = true
		return nil
	case "data":
		value = bytes.TrimSpace(value)
		if len(value) == 0 {
			return nil
		}
		if err := e.judge(value); err != nil {
			return err
		}
		e.hand(line)
		return nil
	case "event", "id", "retry":
		return nil
	}
	if err := e.judge(line); err != nil { // an error that is not an event
		return err
	}
	return e.unreadable("is not an event")
}

// hand passes a line on to the library.
func (e *events) hand(line []byte) {
	e.left = append(line, '\n') // line is a prefix of e.line
	e.blank = false
}

// judge returns a fault for data that is not JSON, or that reports a failure of the provider in the
// middle of its answer.
func (e *events) judge(data []byte) error {
	if string(data) == "[DONE]" {
		return nil
	}
	if !utf8.Valid(data) {
		return e.unreadable("is not UTF-8")
	}
	if !json.Valid(data) {
		return e.unreadable("is not JSON")
	}
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil
	}
	if kind, text, found := toldError(data); found {
		return e.wire.failed(&Refusal{Kind: kind, Text: e.wire.private(text)})
	}
	return nil
}

// unreadable returns the MODEL_ERROR of an invalid line. why completes the sentence "a line that".
func (e *events) unreadable(why string) error {
	return fault.New("models.Stream", sdkapi.ModelError, "the model's provider (%s) sent a line that %s", e.wire.name(), why)
}

// tooMuch returns the MODEL_ERROR of a stream that exceeds a limit, in bytes.
func (e *events) tooMuch(where string, limit int) error {
	return fault.New("models.Stream", sdkapi.ModelError, "the gateway stopped the answer of the model's provider (%s): it has more than %d bytes %s", e.wire.name(), limit, where)
}
