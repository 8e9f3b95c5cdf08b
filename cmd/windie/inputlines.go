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

// Limits of an input that is read line by line.
const (
	maxInputLine = 1 << 20 // bytes
	maxTyped     = 100     // typed lines that no question has asked for yet; more are dropped
)

// inputLines are the lines of an input, without surrounding spaces. If a caller gives up, the read
// continues and the next caller gets its line.
type inputLines struct {
	from  io.Reader
	typed bool // a person types the input: lines are read at once, so that their times are known

	once  sync.Once
	lines chan inputLine
	err   error // valid once lines is closed
}

// inputLine is a line and the time when it was read.
type inputLine struct {
	text string
	at   time.Time
}

// next returns the first line after since, and drops earlier ones. It fails with io.EOF at the end
// of the input, with an error for a line that is too long, and with ctx's error.
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

// afterTyping waits until a person can have read a question, and discards earlier input, which was
// meant for something else. Lines after since are answers. It fails with ctx's error, or if the
// terminal cannot discard input.
func afterTyping(ctx context.Context, from *os.File) (since time.Time, err error) {
	select {
	case <-time.After(terminal.ReadTime):
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
	err = dropTyped(from)
	return time.Now(), err
}

// read reads the input to its end.
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
		l.err = fmt.Errorf("a line of the input has more than %d bytes, the limit; send shorter lines", maxInputLine)
	default:
		l.err = fmt.Errorf("cannot read the input: %w", l.err)
	}
}
