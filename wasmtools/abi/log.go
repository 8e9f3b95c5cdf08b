package abi

import (
	"bytes"
	"fmt"
	"strings"
)

// logLine counts the log lines of a run, and joins the pieces that a guest prints into lines.
type logLine struct {
	lines, bytes, dropped int
	at                    Level
	partial               []byte // start of a line on standard error
	tail                  []byte // end of standard error
}

// maxLogLine limits a line, in bytes. Longer lines are cut.
const maxLogLine = 4 << 10

// maxTail is how much of the end of standard error is kept to explain the failure of a command, in
// bytes.
const maxTail = 1 << 10

// logText logs a line, as far as the limits allow.
func (c *Call) logText(level Level, text []byte) {
	c.count()
	c.logQuietly(level, text)
}

// logQuietly logs a line without counting a call of the host. It drops lines beyond the limits of
// the call.
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

// print takes the guest's standard error, or a standard output that is not its answer.
func (c *Call) print(b []byte) (int, error) {
	if c.stopped.Load() {
		return 0, ErrStopped
	}
	l := &c.log
	l.tail = append(l.tail, b[max(0, len(b)-maxTail):]...)
	l.tail = l.tail[max(0, len(l.tail)-maxTail):]
	for rest := b; len(rest) > 0; {
		if c.stopped.Load() {
			return 0, ErrStopped // millions of empty lines take time
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

// flush logs the last unfinished line, and the number of dropped lines.
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

// Tail returns the end of the guest's standard error.
func (c *Call) Tail() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(c.log.tail), "�"))
}
