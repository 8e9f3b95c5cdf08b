package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
)

// watchEvery is how often watch looks for calls that wait.
const watchEvery = 500 * time.Millisecond

// watch shows each call that waits, and each that comes, until ctx ends. At a
// terminal it asks about each; what is neither a yes nor a no leaves it waiting.
func (a *approver) watch(ctx context.Context) error {
	var lines <-chan line
	if a.atTerminal() {
		lines = linesOf(a.in)
	}
	shown := map[string]time.Time{} // by id, when they expire
	for ctx.Err() == nil {
		waiting, err := a.questions(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = nil // nobody looks any longer
			}
			return err
		}
		for _, q := range waiting {
			if _, seen := shown[q.ID]; seen {
				continue
			}
			shown[q.ID] = q.Expires
			if err := a.print(q); err != nil {
				return err
			}
			if err := a.askAbout(ctx, q, lines); err != nil {
				return err
			}
		}
		for id, expires := range shown {
			if time.Since(expires) > time.Minute {
				delete(shown, id)
			}
		}
		_ = background.Sleep(ctx, watchEvery) // once ctx has ended, so has the loop
	}
	return nil
}

// askAbout asks the person at the terminal about a call, if there is a terminal.
// A call that cannot be answered any longer is reported, and no error.
func (a *approver) askAbout(ctx context.Context, q approvals.Question, lines <-chan line) error {
	if lines == nil {
		return nil
	}
	said, err := a.ask(ctx, lines, "Approve this call? [y = yes, n = no, Enter = later] ")
	if err != nil {
		return err
	}
	denied := strings.EqualFold(said, "n") || strings.EqualFold(said, "no")
	if !denied && !isYes(said) {
		_, err := fmt.Fprint(a.out, "It goes on waiting.\n\n")
		return err
	}
	if err := a.decide(ctx, q, denied); err != nil {
		if ctx.Err() != nil {
			return err
		}
		_, err := fmt.Fprintln(a.out, "It was not decided:", plain.Text(fault.From(err).Message))
		return err
	}
	_, err = fmt.Fprintln(a.out)
	return err
}

// errNobody is why nothing more can be asked.
var errNobody = errors.New("the input has ended; start again to go on")

// line is what somebody typed, and when.
type line struct {
	text string
	at   time.Time
}

// ask asks the person a question about a call that is shown, and returns what is typed from then on: what was
// typed before, half a line too, is no answer to what was not shown yet.
func (a *approver) ask(ctx context.Context, lines <-chan line, question string) (string, error) {
	asked := time.Now()
	if terminal, ok := a.in.(*os.File); ok {
		var err error
		if asked, err = afterTyping(ctx, terminal); err != nil {
			return "", err
		}
	}
	if _, err := fmt.Fprint(a.out, question); err != nil {
		return "", err
	}
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case said, ok := <-lines:
			if !ok {
				return "", errNobody
			}
			if said.at.After(asked) {
				return strings.TrimSpace(said.text), nil
			}
		}
	}
}

func isYes(said string) bool { return strings.EqualFold(said, "y") || strings.EqualFold(said, "yes") }

// typedAhead is how many lines may be typed before they are asked for.
const typedAhead = 1000

// linesOf hands over what is typed, until r ends. The goroutine that reads lasts
// as long as the program, as nothing ends a read of a terminal.
func linesOf(r io.Reader) <-chan line {
	lines := make(chan line, typedAhead)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(r); in.Scan(); {
			lines <- line{in.Text(), time.Now()}
		}
	}()
	return lines
}
