package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/state/journal"
)

// Lengths of shortened ids and arguments in a list, in characters.
const (
	shortID        = 8
	shownArguments = 60
)

// askedBy describes the requester of a call, by protocol.
var askedBy = map[string]string{
	agent.ViaMCP:     "an MCP client",
	agent.ViaPrompt:  "a prompt",
	agent.ViaWS:      "a conversation at /ws",
	agent.ViaGeneral: "the general agent service",
	agent.ViaHost:    "an agent on a user's machine",
}

// printQuestions prints a table with shortened IDs and arguments. `windie approvals show` accepts
// these IDs.
func printQuestions(w io.Writer, list []approvals.Question) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "Nothing waits for an answer.")
		return err
	}
	ids := shortIDs(list)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tTOOL\tUSER\tBY\tLEFT\tARGUMENTS")
	for i, q := range list {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", ids[i], plain.Text(q.Tool), plain.Text(q.User), cmp.Or(q.Via, "-"), left(q), shortened(approvals.ShowArguments(q.Arguments, "")))
	}
	fmt.Fprintln(table)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "windie approvals show ID shows a call whole; approve ID and deny ID answer.")
	return err
}

// shortIDs returns the shortest unique prefix of each call's id, with at least shortID characters.
func shortIDs(list []approvals.Question) []string {
	short := make([]string, len(list))
	for i, q := range list {
		n := min(shortID, len(bare(q.ID)))
		for j, other := range list {
			for j != i && n < len(bare(q.ID)) && strings.HasPrefix(bare(other.ID), bare(q.ID)[:n]) {
				n++
			}
		}
		short[i] = bare(q.ID)[:n]
	}
	return short
}

// left returns the time until q expires, in whole seconds. It is 0s for an expired call.
func left(q approvals.Question) string {
	return max(0, time.Until(q.Expires).Round(time.Second)).String()
}

// shortened cuts a text to shownArguments characters, and appends its full length in bytes.
func shortened(text string) string {
	if utf8.RuneCountInString(text) <= shownArguments {
		return text
	}
	return string([]rune(text)[:shownArguments]) + fmt.Sprintf(" … (%d bytes)", len(text))
}

// printQuestion prints a call with all its arguments. It escapes control characters, so that a call
// cannot forge the display.
func printQuestion(w io.Writer, q approvals.Question) error {
	_, err := fmt.Fprintf(w, "id         %s\ntool       %s\nasked by   %s, for the user %s\nwhy        %s\nexpires    %s UTC, in %s\narguments\n  %s\n\n",
		q.ID, plain.Text(q.Tool), cmp.Or(askedBy[q.Via], "an agent"), plain.Text(q.User), plain.Text(q.Why),
		q.Expires.UTC().Format(time.DateTime), left(q), plain.Lines(approvals.ShowArguments(q.Arguments, "  "), "  "))
	return err
}

// outcomeOf describes the effect of an answer.
func outcomeOf(q approvals.Question) string {
	switch {
	case q.Answer.Denied:
		return "Denied. The call is not made."
	case q.Via == agent.ViaMCP:
		return "Approved. The call is made once, when the client makes it again, until " + q.Ended.Add(journal.DefaultExpiry).UTC().Format(time.DateTime) + " UTC."
	}
	return "Approved. The call is made once, now."
}
