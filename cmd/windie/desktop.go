package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/client/computer/desktop"
	"github.com/windieos/windie/client/worker"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// desktopFlags are the flags of windie desktop.
type desktopFlags struct {
	workerFlags

	conversation  string
	asWorker, yes bool
}

// desktopCommand returns `windie desktop`. With --worker, it carries out runs like `windie worker`.
func desktopCommand(load loader) *cobra.Command {
	var f desktopFlags
	cmd := &cobra.Command{
		Use:   "desktop [QUESTION]",
		Short: "Talk to an agent that uses this machine's screen, keyboard and files",
		Long: "The command sends QUESTION, or each line of standard input, to a gateway's agent. The agent can\n" +
			"call this machine's desktop tools, such as mouse_control and screenshot, and the tools of windie\n" +
			"worker. With --worker, the command takes no questions: it carries out runs, like windie worker. See\n" +
			"docs/computer.md.",
		Example: "  windie desktop \"click Save\"\n  windie desktop --worker --workspace home",
		Args:    cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&f.gateway, "gateway", "", "`URL` of the gateway (default public_url, or the default listen address)")
	cmd.Flags().StringVar(&f.user, "user", sdkapi.LocalUser, "`USER` of a local gateway")
	cmd.Flags().StringVar(&f.conversation, "conversation", "", "`NAME` of the conversation to continue (default a new one)")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "approve all calls (default: ask in the terminal; without a terminal, calls wait until you decide with windie approvals)")
	cmd.Flags().BoolVar(&f.asWorker, "worker", false, "work on the runs of a workspace instead of reading questions")
	cmd.Flags().StringVar(&f.workspace, "workspace", "default", "with --worker: take the runs of this `WORKSPACE`")
	cmd.Flags().StringVar(&f.id, "id", "", "with --worker: permanent `NAME` of the worker (default the machine's name)")
	cmd.Flags().BoolVar(&f.unattended, "unattended", false, "with --worker: do not ask before the agent changes something")
	f.add(cmd, "")
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, args []string) error { return f.serve(cmd, c, args) })
	return cmd
}

// serve sends the user's questions to the agent, or carries out runs with --worker.
func (f *desktopFlags) serve(cmd *cobra.Command, c *config, args []string) error {
	lines := &inputLines{from: cmd.InOrStdin()}
	approve := f.approve(cmd, lines)
	switch {
	case f.asWorker:
		f.askNobody()
	case approve != nil:
		f.ask = askedAs(approve)
	}
	finder, err := ownFinder(c)
	if err != nil {
		return err
	}
	opts, err := f.options(c, finder)
	if err != nil {
		return err
	}
	machine, err := computer.Open(opts)
	if err != nil {
		return err
	}
	defer machine.Close()
	tools := append(desktop.Tools(machine, opts), machine.Tools()...)
	desk := &worker.Desk{Names: desktop.Names(), State: func() any { return desktop.State(machine) }}
	if f.asWorker {
		return f.carryOut(cmd, c, machine, tools, desk)
	}
	return f.talk(cmd, c, machine, tools, desk, lines, approve, args)
}

// talk asks the agent the question in the arguments, or else each line of the input.
func (f *desktopFlags) talk(cmd *cobra.Command, c *config, machine *computer.Computer, tools []agent.Tool, desk *worker.Desk, lines *inputLines, approve asks, args []string) error {
	opts, err := f.gatewayOptions(cmd, c, tools, desk)
	if err != nil {
		return err
	}
	conversation := f.conversation
	if conversation == "" {
		conversation = uuid.NewString()
	}
	talk, err := worker.NewTalk(opts, worker.TalkOptions{
		Conversation: conversation, Hear: printCalls(cmd.ErrOrStderr()), Approve: approve,
		Look: func(ctx context.Context) ([]byte, error) { return desktop.Look(ctx, machine) },
	})
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return say(cmd, talk, args[0])
	}
	for {
		question, err := lines.next(cmd.Context(), time.Time{})
		if errors.Is(err, io.EOF) || cmd.Context().Err() != nil {
			return nil //nolint:nilerr // the person has ended it
		}
		if err == nil && question != "" {
			err = say(cmd, talk, question)
		}
		if err != nil && !errors.As(err, new(silentError)) {
			return err
		}
	}
}

// say asks the agent a question, and prints the answer. If the agent failed, say fails
// without a message: printCalls has printed the reason.
func say(cmd *cobra.Command, talk *worker.Talk, question string) error {
	answer, err := talk.Ask(cmd.Context(), question)
	notDone := errors.Is(err, worker.ErrNotDone)
	if err != nil && !notDone {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), plain.Lines(answer, ""))
	if notDone {
		return silentError(exitFailed)
	}
	return nil
}

// printCalls returns a function that prints a line for each call and each error.
func printCalls(w io.Writer) func(sdkapi.WSMessage) {
	return func(m sdkapi.WSMessage) {
		switch m.Type {
		case sdkapi.WSToolOutput:
			var p sdkapi.WSToolOutputPayload
			if json.Unmarshal(m.Payload, &p) == nil {
				fmt.Fprintf(w, "%s: %s\n", p.ToolName, plain.Middle(plain.Lines(p.Output, ""), maxShownOutput))
			}
		case sdkapi.WSError:
			var p sdkapi.WSErrorPayload
			if json.Unmarshal(m.Payload, &p) == nil {
				fmt.Fprintln(w, "windie:", plain.Lines(p.Message, ""))
			}
		}
	}
}

// maxShownOutput limits the printed part of a tool's output, in bytes.
const maxShownOutput = 500

// asks asks the user about a call.
type asks = func(context.Context, sdkapi.WSApprovalRequestPayload) (bool, error)

// approve returns a function that asks the user about one call at a time. It returns nil if nobody
// can answer at this terminal: the calls then wait, for example for `windie approvals`.
func (f *desktopFlags) approve(cmd *cobra.Command, lines *inputLines) asks {
	if f.yes {
		return func(context.Context, sdkapi.WSApprovalRequestPayload) (bool, error) { return true, nil }
	}
	stdin, ok := cmd.InOrStdin().(*os.File)
	if !ok || !plain.IsTerminal(stdin) || !plain.IsTerminal(cmd.ErrOrStderr()) {
		return nil // the lines of a file are questions, not a person's answers
	}
	lines.typed = true
	var one sync.Mutex
	return func(ctx context.Context, p sdkapi.WSApprovalRequestPayload) (bool, error) {
		one.Lock()
		defer one.Unlock()
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n%s\n", p.ToolName, plain.Lines(string(p.Parameters), ""), plain.Lines(p.Reason, ""))
		since, err := afterTyping(ctx, stdin)
		if err != nil {
			return false, err
		}
		fmt.Fprint(cmd.ErrOrStderr(), "Allow? [y/N] ")
		answer, _ := lines.next(ctx, since) // earlier input answers something else; no answer counts as no
		answer = strings.ToLower(answer)
		return answer == "y" || answer == "yes", ctx.Err()
	}
}
