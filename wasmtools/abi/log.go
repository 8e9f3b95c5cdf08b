package abi

import (
	"bytes"
	"fmt"
	"strings"
)

// logLine counts lines of a run, and joins pieces that a guest prints.
type logLine struct {
	lines, bytes, dropped int
	at                    Level
	partial               []byte // the beginning of a line on standard error
	tail                  []byte // the end of standard error
}

// maxLogLine is the longest line, in bytes; longer ones are cut.
const maxLogLine = 4 << 10

// maxTail is how much of standard error explains why a command failed, in bytes.
const maxTail = 1 << 10

// logText passes a line on, as long as the limits allow.
func (c *Call) logText(level Level, text []byte) {
	c.count()
	c.logQuietly(level, text)
}

func (c *Call) logQuietly(level Level, text []byte) {
	l := &c.log
	text = text[:min(len(text), maxLogLine)]
	if l.lines >= c.limits.LogLines || l.bytes+len(text) > c.limits.LogBytes {
		l.dropped++
		return
	}
	l.lines++
	l.bytes += len(text)
	c.host.Log(level, strings.ToValidUTF8(string(text), "�"))
}

// print takes what a guest prints to standard error, or to a standard output
// that is not its answer.
func (c *Call) print(b []byte) (int, error) {
	if c.stopped.Load() {
		return 0, ErrStopped
	}
	l := &c.log
	l.tail = append(l.tail, b[max(0, len(b)-maxTail):]...)
	l.tail = l.tail[max(0, len(l.tail)-maxTail):]
	for rest := b; len(rest) > 0; {
		if c.stopped.Load() {
			return 0, ErrStopped // millions of empty lines take a while
		}
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		l.partial = append(l.partial, line[:min(len(line), maxLogLine)]...)
		if whole || len(l.partial) >= maxLogLine {
			c.logQuietly(l.at, l.partial)
			l.partial = l.partial[:0]
		}
		rest = after
	}
	return len(b), nil
}

// flush logs what was printed without an end of line, and what was dropped.
func (l *logLine) flush(c *Call) {
	if len(l.partial) > 0 {
		c.logQuietly(l.at, l.partial)
		l.partial = nil
	}
	if l.dropped > 0 && c.host != nil {
		c.host.Log(logWarn, fmt.Sprintf("%d more lines were dropped; the limits log_lines and log_bytes can be raised", l.dropped))
		l.dropped = 0
	}
}

// Tail returns the end of what a guest printed to standard error.
func (c *Call) Tail() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(c.log.tail), "�"))
}
