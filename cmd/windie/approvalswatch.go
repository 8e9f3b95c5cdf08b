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

// watchEvery is the interval at which watch looks for pending calls.
const watchEvery = 500 * time.Millisecond

// watch shows each pending call, and each new one, until ctx ends. At a terminal it asks about
// each. An answer other than yes or no leaves the call pending.
func (a *approver) watch(ctx context.Context) error {
	var lines <-chan line
	if a.atTerminal() {
		lines = linesOf(a.in)
	}
	shown := map[string]time.Time{} // expiry times, by id
	for ctx.Err() == nil {
		waiting, err := a.questions(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = nil // the user has ended the command
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
		_ = background.Sleep(ctx, watchEvery) // if ctx ended, the loop ends too
	}
	return nil
}

// askAbout asks the person at the terminal about a call, if there is a terminal. It prints a note,
// and returns no error, if the call can no longer be answered.
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

// errNobody is the error of a question after the end of the input.
var errNobody = errors.New("the input has ended; run the command again to continue")

// line is a typed line and its time.
type line struct {
	text string
	at   time.Time
}

// ask asks a question about a shown call, and returns the next line that is typed. It discards
// earlier input, even half a line, because it cannot be an answer to this question.
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

// isYes reports whether a person agreed. It accepts only y and yes, in any case; said must have no
// spaces around it.
func isYes(said string) bool { return strings.EqualFold(said, "y") || strings.EqualFold(said, "yes") }

// typedAhead is the maximum number of typed lines that wait for a question. Further lines stay in
// the terminal.
const typedAhead = 1000

// linesOf passes on the typed lines until r ends. Its goroutine lasts as long as the program,
// because a read of a terminal cannot be interrupted.
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
