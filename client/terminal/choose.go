package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// maxChosen limits the sessions from which the user can choose. maxSessions limits the sessions that
// are loaded.
const (
	maxChosen   = 20
	maxSessions = 1000
)

// chosen returns the id of the session that the options select. It is empty for a new one.
func chosen(ctx context.Context, opts Options, isTerminal bool) (string, error) {
	if opts.Session != Choose && opts.Session != Last {
		return opts.Session, nil
	}
	if opts.Session == Choose && (!isTerminal || opts.Once != "") {
		return "", fmt.Errorf("%w: without a terminal, --session requires the id of a session, or \"last\"; --sessions lists the ids", errCalled)
	}
	list, err := Sessions(ctx, opts)
	switch {
	case err != nil:
		return "", err
	case len(list) == 0:
		return "", errors.New("there is no session to continue; start a session without --session")
	case opts.Session == Last:
		return list[0].SessionID, nil
	}
	if len(list) > maxChosen {
		list = list[:maxChosen]
	}
	Print(opts.Out, list, time.Now())
	fmt.Fprintf(opts.Out, "Which one, 1 to %d? ", len(list))
	line, err := bufio.NewReader(io.LimitReader(opts.In, 100)).ReadString('\n')
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || n < 1 || n > len(list) {
		return "", fmt.Errorf("%q is not a number from 1 to %d", strings.TrimSpace(line), len(list))
	}
	return list[n-1].SessionID, nil
}

// Sessions returns the user's sessions, most recently used first.
func Sessions(ctx context.Context, opts Options) (list []sdkapi.AgentSessionInfo, err error) {
	for after := ""; len(list) < maxSessions; {
		page, err := opts.Client.ToolHosts.Sessions(ctx, after, 100)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Sessions...)
		if after = page.Next; after == "" {
			break
		}
	}
	slices.SortFunc(list, func(a, b sdkapi.AgentSessionInfo) int { return b.UsedAt.Compare(a.UsedAt) })
	return list, nil
}

// Print prints a list of sessions in a form that people can read.
func Print(w io.Writer, list []sdkapi.AgentSessionInfo, now time.Time) {
	for i, s := range list {
		title := s.Title
		if title == "" {
			title = "(nothing was said)"
		}
		fmt.Fprintf(w, "%3d  %s  %-8s  %s  %s\n", i+1, s.SessionID, ago(now.Sub(s.UsedAt)), plain.Text(plain.Cut(title, 60)), plain.Text(s.WorkspaceRoot))
	}
}

// ago formats how long ago something was.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
