package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/client/terminal"
)

// Bounds of an input that is read in lines.
const (
	maxInputLine = 1 << 20 // bytes
	maxTyped     = 100     // lines of a person's that nobody has asked for yet; more are dropped
)

// inputLines are the lines of an input, each without spaces around it. A read that nobody waits for any longer goes on: the
// next caller gets its line.
type inputLines struct {
	from  io.Reader
	typed bool // by a person: each line is read at once, so that it is known when it came

	once  sync.Once
	lines chan inputLine
	err   error // once lines is closed
}

// inputLine is a line, and when it was read.
type inputLine struct {
	text string
	at   time.Time
}

// next returns the first line that has come after since, and drops those before. It fails with io.EOF at the end of the
// input, with a line that is too long, and with ctx.
func (l *inputLines) next(ctx context.Context, since time.Time) (line string, err error) {
	l.once.Do(func() {
		l.lines = make(chan inputLine)
		if l.typed {
			l.lines = make(chan inputLine, maxTyped)
		}
		go l.read()
	})
	for {
		select {
		case line, more := <-l.lines:
			if !more {
				return "", l.err
			}
			if !line.at.Before(since) {
				return line.text, nil
			}
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// afterTyping waits for as long as a question is to be read, and drops what was typed until then: it was meant for something else. It
// returns the time from which on lines are answers, and fails with ctx, or if the terminal keeps what was typed.
func afterTyping(ctx context.Context, from *os.File) (since time.Time, err error) {
	select {
	case <-time.After(terminal.ReadTime):
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
	err = dropTyped(from)
	return time.Now(), err
}

// read reads the input until it ends.
func (l *inputLines) read() {
	defer close(l.lines)
	scanner := bufio.NewScanner(l.from)
	scanner.Buffer(nil, maxInputLine)
	for scanner.Scan() {
		line := inputLine{strings.TrimSpace(scanner.Text()), time.Now()}
		if !l.typed {
			l.lines <- line
			continue
		}
		select {
		case l.lines <- line:
		default:
		}
	}
	switch l.err = scanner.Err(); {
	case l.err == nil:
		l.err = io.EOF
	case errors.Is(l.err, bufio.ErrTooLong):
		l.err = fmt.Errorf("a line of the input has more than %d bytes; ask for less at once", maxInputLine)
	default:
		l.err = fmt.Errorf("the input cannot be read: %w", l.err)
	}
}
