package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/client/computer/delegate"
	"github.com/windieos/windie/client/worker"
	"github.com/windieos/windie/perception/query"
)

// workerFlags are the flags of windie worker.
type workerFlags struct {
	hands

	gateway, workspace, id, user string
	screen, unattended           bool
}

// workerCommand returns `windie worker`. carryOut reports a missing runs.api_key.
func workerCommand(load loader) *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run a worker, which carries out runs on this machine",
		Long: "The worker takes the runs of one workspace from a gateway, one at a time. The agent may use the\n" +
			"tools of this machine: the files below --dir and the programs given with --program. The worker needs\n" +
			"the gateway's WINDIE_RUNS_API_KEY, and in hosted mode also WINDIE_TOKEN. See docs/runs.md.",
		Example: "  windie worker --gateway http://127.0.0.1:8765 --workspace home\n  windie worker --dir ~/work --program git --program make",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&f.gateway, "gateway", "", "`URL` of the gateway (default public_url, or the default listen address)")
	cmd.Flags().StringVar(&f.workspace, "workspace", "default", "take the runs of this `WORKSPACE`")
	cmd.Flags().StringVar(&f.id, "id", "", "permanent `NAME` of the worker (default the machine's name)")
	cmd.Flags().StringVar(&f.user, "user", "worker", "`USER` of a local gateway")
	f.add(cmd, "")
	cmd.Flags().BoolVar(&f.screen, "screen", false, "let the agent see and control the screen")
	cmd.Flags().BoolVar(&f.unattended, "unattended", false, "do not ask for approval before the agent writes files and runs programs")
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, _ []string) error { return f.work(cmd, c) })
	return cmd
}

// work carries out runs until the command ends. It denies the steps of coding agents unless
// --unattended is set.
func (f *workerFlags) work(cmd *cobra.Command, c *config) error {
	f.askNobody()
	var finder *query.Finder
	var err error
	if f.screen {
		if finder, err = ownFinder(c); err != nil {
			return err
		}
	}
	machine, err := f.open(c, finder)
	if err != nil {
		return err
	}
	defer machine.Close()
	return f.carryOut(cmd, c, machine, machine.Tools(), nil)
}

// askNobody accepts the steps of coding agents without asking if calls need no approval either, and
// otherwise denies them: a worker has nobody to ask.
func (f *workerFlags) askNobody() {
	if f.unattended {
		f.ask = func(context.Context, agent.Call, delegate.Step) (bool, error) { return true, nil }
	}
}

// carryOut carries out runs with a machine's tools until the command ends. desk may be nil.
func (f *workerFlags) carryOut(cmd *cobra.Command, c *config, machine *computer.Computer, with []agent.Tool, desk *worker.Desk) error {
	if c.Runs.Key == "" {
		return &configError{[]string{"runs.api_key (WINDIE_RUNS_API_KEY): a worker requires the gateway's key of runs"}}
	}
	opts, err := f.gatewayOptions(cmd, c, with, desk)
	if err != nil {
		return err
	}
	opts.RunsKey, opts.Workspace, opts.ID, opts.Unattended, opts.Keep = string(c.Runs.Key), f.workspace, f.id, f.unattended, machine.Keep
	w, err := worker.New(opts)
	if err != nil {
		return err
	}
	return w.Run(cmd.Context())
}

// gatewayOptions returns the gateway and the tools for a worker or a conversation.
func (f *workerFlags) gatewayOptions(cmd *cobra.Command, c *config, with []agent.Tool, desk *worker.Desk) (worker.Options, error) {
	tools := agent.NewRegistry()
	for _, tool := range with {
		if err := tools.Register(tool); err != nil {
			return worker.Options{}, err
		}
	}
	at := cmp.Or(f.gateway, c.PublicURL, "http://127.0.0.1:8765")
	if f.gateway == "" {
		if err := c.proves(cmd.Context(), at, "add --gateway "+at); err != nil {
			return worker.Options{}, err
		}
	}
	return worker.Options{
		URL: at, Token: string(c.Token), User: f.user,
		Tools: tools.View(), Desk: desk, Log: newLog(cmd.ErrOrStderr(), c),
	}, nil
}
