package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// approver shows a person the pending calls and records the answers. It works on the journal,
// whether a gateway runs or not.
type approver struct {
	user     string // only this user's calls; empty: all users'
	asJSON   bool
	yes      bool // approve and deny without a confirmation
	reason   string
	log      journal.Journal
	sessions *session.Sessions
	in       io.Reader
	out      io.Writer
}

// approvalsCommand returns `windie approvals`. Its subcommands share one approver, so --user and
// --json apply to all of them.
func approvalsCommand(load loader) *cobra.Command {
	var a approver
	var watch bool
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "List the calls that wait for approval, and approve or deny them",
		Long: "A call waits if the rules ask for approval. The calls come from MCP clients, prompts,\n" +
			"conversations at /ws and the general agent service. The command reads the gateway's\n" +
			"database, so it also works while no gateway runs. Run it with the gateway's WINDIE_DATA_DIR or\n" +
			"WINDIE_DATABASE_URL. A running gateway acts on your decision within a second. In hosted mode, name\n" +
			"the user with --user.\n\n" +
			"You may shorten ID to any unique prefix. The exit code is 0 if the command succeeded, 1 if it\n" +
			"failed, for example because the call no longer waits, and 2 if the settings are invalid.",
		Example: "  windie approvals\n  windie approvals show 3f9a1c22\n  windie approvals approve 3f9a1c22\n  windie approvals deny 3f9a1c22 --reason \"not on Fridays\"\n  windie approvals --watch",
		Args:    cobra.NoArgs,
	}
	cmd.RunE = a.with(load, func(ctx context.Context, _ []string) error {
		if watch {
			return a.watch(ctx)
		}
		return a.list(ctx)
	})
	cmd.PersistentFlags().StringVar(&a.user, "user", "", "only calls of the user with this `ID` (default on a local gateway: all users)")
	cmd.PersistentFlags().BoolVar(&a.asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&watch, "watch", false, "print new calls in full until Ctrl-C; in a terminal, ask about each call")
	cmd.AddCommand(
		&cobra.Command{Use: "show ID", Short: "Show a waiting call with its arguments", Example: "  windie approvals show 3f9a1c22", Args: cobra.ExactArgs(1), RunE: a.with(load, a.show)},
		a.answerCommand(load, "approve", "Approve a waiting call, once and exactly as shown", false),
		a.answerCommand(load, "deny", "Deny a waiting call", true),
	)
	return cmd
}

// answerCommand returns the subcommand verb, which denies the call if denied is set and otherwise
// approves it.
func (a *approver) answerCommand(load loader, verb, short string, denied bool) *cobra.Command {
	cmd := &cobra.Command{Use: verb + " ID", Short: short, Example: "  windie approvals " + verb + " 3f9a1c22", Args: cobra.ExactArgs(1), RunE: a.with(load, func(ctx context.Context, args []string) error {
		return a.answer(ctx, args[0], denied)
	})}
	cmd.Flags().StringVar(&a.reason, "reason", "", "`REASON` for the decision, shown to the agent and stored")
	cmd.Flags().BoolVar(&a.yes, "yes", false, "do not ask for confirmation in a terminal")
	return cmd
}

// with returns a RunE that opens the journal of the settings and calls do. In hosted mode it
// requires --user.
func (a *approver) with(load loader, do func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return load.withDatabase(func(cmd *cobra.Command, c *config, db *database.DB, args []string) (err error) {
		if c.Mode == hostedMode && a.user == "" {
			return wrongArgument("--user: in hosted mode, say whose calls are meant")
		}
		if a.log, err = sqljournal.Open(db, sqljournal.Options{Beside: true}); err != nil {
			return err
		}
		defer a.log.Close()
		a.sessions = session.New(session.Config{Journal: a.log}) // for reading
		defer a.sessions.Close()
		a.in, a.out = cmd.InOrStdin(), cmd.OutOrStdout()
		return do(cmd.Context(), args)
	})
}

// atTerminal reports whether a person can be asked.
func (a *approver) atTerminal() bool {
	in, ok := a.in.(*os.File)
	return ok && !a.asJSON && isatty.IsTerminal(in.Fd()) && plain.IsTerminal(a.out)
}

// questions returns the pending calls of a.user, or of all users if a.user is empty.
func (a *approver) questions(ctx context.Context) ([]approvals.Question, error) {
	return approvals.Questions(ctx, a.log, a.sessions, a.user)
}

// find returns the pending call with an id, or with a unique prefix of one.
func (a *approver) find(ctx context.Context, id string) (approvals.Question, error) {
	waiting, err := a.questions(ctx)
	if err != nil {
		return approvals.Question{}, err
	}
	found := slices.DeleteFunc(waiting, func(q approvals.Question) bool {
		return id == "" || !strings.HasPrefix(bare(q.ID), bare(id))
	})
	switch len(found) {
	case 0:
		return approvals.Question{}, fmt.Errorf("no waiting call has the ID %q: it was answered, expired or withdrawn; `windie approvals` lists the waiting calls", id)
	case 1:
		return found[0], nil
	}
	return approvals.Question{}, fmt.Errorf("%d waiting calls have IDs that begin with %q; give a longer ID, as listed by `windie approvals`", len(found), id)
}

// bare returns an id without the prefix that all ids share.
func bare(id string) string { return strings.TrimPrefix(id, session.Approval+"_") }

// list prints the pending calls. The JSON is an object with an empty list if no call is pending.
func (a *approver) list(ctx context.Context) error {
	waiting, err := a.questions(ctx)
	if err != nil {
		return err
	}
	if a.asJSON {
		out := approvalList{Approvals: make([]approvalInfo, len(waiting))}
		for i, q := range waiting {
			out.Approvals[i] = approvalInfoOf(q)
		}
		return json.NewEncoder(a.out).Encode(out)
	}
	return printQuestions(a.out, waiting)
}

// show prints the pending call with the ID in args. It fails if no call, or more than one, has the
// ID.
func (a *approver) show(ctx context.Context, args []string) error {
	q, err := a.find(ctx, args[0])
	if err != nil {
		return err
	}
	return a.print(q)
}

// print prints one call in full: as a line of JSON with --json, otherwise as text.
func (a *approver) print(q approvals.Question) error {
	if a.asJSON {
		return json.NewEncoder(a.out).Encode(approvalInfoOf(q))
	}
	return printQuestion(a.out, q)
}

// answer decides the pending call with an id. It shows the call first.
func (a *approver) answer(ctx context.Context, id string, denied bool) error {
	q, err := a.find(ctx, id)
	if err != nil {
		return err
	}
	if !a.asJSON {
		if err := printQuestion(a.out, q); err != nil {
			return err
		}
	}
	if a.atTerminal() && !a.yes {
		verb := map[bool]string{true: "Deny", false: "Approve"}[denied]
		said, err := a.ask(ctx, linesOf(a.in), verb+" this call? [y/N] ")
		if err != nil || !isYes(said) {
			fmt.Fprintln(a.out, "Nothing was decided.")
			return silentError(exitFailed)
		}
	}
	return a.decide(ctx, q, denied)
}

// decide records an answer, and describes its effect.
func (a *approver) decide(ctx context.Context, q approvals.Question, denied bool) error {
	d, err := a.log.Decide(ctx, q.ID, journal.Decider{User: q.User, Digest: q.Digest}, journal.Answer{Denied: denied, Reason: a.reason})
	if err != nil {
		return err
	}
	q.Decision = d
	if a.asJSON {
		return json.NewEncoder(a.out).Encode(approvalInfoOf(q))
	}
	_, err = fmt.Fprintln(a.out, outcomeOf(q))
	return err
}

// approvalInfo is a call that needs approval, in the output of commands.
type approvalInfo struct {
	sdkapi.Decision

	UserID   string `json:"user_id"`
	Protocol string `json:"protocol"` // mcp, prompt, ws or general
}

// approvalList is the output of `windie approvals --json`.
type approvalList struct {
	Approvals []approvalInfo `json:"approvals"`
}

// approvalInfoOf returns q in the form of the gateway's routes, with its user and protocol.
func approvalInfoOf(q approvals.Question) approvalInfo {
	return approvalInfo{Decision: q.Wire(), UserID: q.User, Protocol: q.Via}
}
