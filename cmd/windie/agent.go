package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/client/computer/browser"
	"github.com/windieos/windie/client/computer/delegate"
	"github.com/windieos/windie/client/terminal"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdk"
)

// agentFlags are the flags of windie agent.
type agentFlags struct {
	gateway, session, root, once, user string
	local, list, asJSON, readOnly      bool
	programs, allow, images, tools     []string

	screen, browser, private bool
	display                  string
	hosts                    []string

	delegates, keep []string
	decide          bool
	steps           terminal.Steps
}

// agentCommand returns `windie agent`. A local gateway of the command gets environ.
func agentCommand(load loader, environ []string) *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:   "agent [ID]",
		Short: "Talk to an agent that works with the files and programs of this machine",
		Long: "The agent runs in a gateway and calls the tools of this machine: the files below --root, the\n" +
			"programs given with --program, the screen with --screen, and a browser with --browser. It asks you\n" +
			"before it changes anything. Without --gateway, the command connects to public_url or to the default\n" +
			"listen address. If no gateway answers there, the command runs one itself. See docs/agent.md.\n\n" +
			"The exit code is 0 if the last task succeeded, 1 if it failed, 2 if the arguments or settings are\n" +
			"invalid, and 130 if the command was interrupted.",
		Example: "  windie agent\n  windie agent --session last\n  windie agent --program git --once \"what changed since yesterday?\"\n  windie agent --once \"write notes.md\" --allow 'file_write:*.md' --json",
		Args:    cobra.MaximumNArgs(1), // the ID of --session, which the library treats as an argument
	}
	flags := cmd.Flags()
	flags.StringVar(&f.gateway, "gateway", "", "`URL` of the gateway (default public_url, or the default listen address)")
	flags.BoolVar(&f.local, "local", false, "start and use a local gateway, even if another gateway responds")
	flags.StringVar(&f.session, "session", "", "continue the session with this `ID`; \"last\" means the last session; without ID, choose from a list")
	flags.Lookup("session").NoOptDefVal = terminal.Choose
	flags.BoolVar(&f.list, "sessions", false, "list the sessions, last used first")
	flags.StringVar(&f.root, "root", ".", "`FOLDER` of files that the agent may use")
	flags.BoolVar(&f.readOnly, "read-only", false, "do not let the agent write files")
	flags.StringArrayVar(&f.programs, "program", nil, "`PROGRAM` that the agent may run, or \"*\" for any; can be repeated")
	flags.BoolVar(&f.screen, "screen", false, "let the agent see and control the screen")
	flags.StringVar(&f.display, "display", "", "X11 `DISPLAY` of the screen (default from the variable DISPLAY)")
	flags.BoolVar(&f.browser, "browser", false, "let the agent use the installed Chromium or Chrome, with a separate profile")
	flags.StringArrayVar(&f.hosts, "browser-host", nil, "`HOST` that the browser may open, for example \"*.example.com\"; can be repeated (default all public hosts)")
	flags.BoolVar(&f.private, "browser-private", false, "let the browser also open addresses of this machine and its network")
	flags.StringArrayVar(&f.allow, "allow", nil, "approve calls of `TOOL[:PATHS]` without asking, for example file_write:docs/*; can be repeated")
	flags.StringArrayVar(&f.tools, "gateway-tool", nil, "let the agent also call the gateway's tools with this `NAME` or pattern, for example ocr_*; can be repeated")
	addDelegates(cmd, "", &f.delegates, &f.keep)
	flags.StringVar(&f.once, "once", "", "send `TEXT`, print the answer, and exit")
	flags.BoolVar(&f.asJSON, "json", false, "with --once, print each message as a line of JSON, the result last")
	flags.BoolVar(&f.decide, "decide", false, "read approvals from standard input, as lines of JSON with toolCallId and approved; requires --once and --json")
	flags.StringArrayVar(&f.images, "image", nil, "with --once, also send the image `FILE`; can be repeated")
	flags.StringVar(&f.user, "user", "", "`USER` of a local gateway (default the gateway's own user)")
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, args []string) error {
		if len(args) == 1 {
			if f.session != terminal.Choose {
				return wrongArgument("%q: nothing is known by that; what is to be said once goes with --once", plain.Cut(args[0], 100))
			}
			f.session = args[0]
		}
		return f.talk(cmd, c, environ)
	})
	return cmd
}

// talk talks to the agent of the gateway that the flags select.
func (f *agentFlags) talk(cmd *cobra.Command, c *config, environ []string) error {
	var p argumentError
	p.add(f.asJSON && f.once == "" && !f.list, "--json: goes with --once, and with --sessions")
	p.add(f.decide && !f.asJSON, "--decide: goes with --once and --json")
	p.add(len(f.images) > 0 && f.once == "", "--image: goes with --once")
	p.add(f.local && f.gateway != "", "--local: runs a gateway of its own; leave out --gateway")
	if err := p.orNil(); err != nil {
		return err
	}
	url := cmp.Or(f.gateway, c.PublicURL, "http://127.0.0.1:8765")
	if f.local || f.gateway == "" && !answers(cmd.Context(), url) {
		return f.talkLocally(cmd, c, environ)
	}
	if f.gateway == "" {
		if err := c.proves(cmd.Context(), url, "add --gateway "+url); err != nil {
			return err
		}
	}
	client, err := f.client(c, url)
	if err != nil {
		return wrongArgument("--gateway: %v", err)
	}
	return f.talkTo(cmd.Context(), cmd, c, environ, client, nil)
}

// lookTime limits the check whether a gateway responds.
const lookTime = 2 * time.Second

// answers reports whether a gateway responds at a URL. It sends no token, because the program there
// has not proved that it is the gateway.
func answers(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	client, err := sdk.New(url, sdk.WithRetries(0))
	if err != nil {
		return true // its next use reports the error
	}
	_, err = client.Health(ctx)
	return err == nil
}

// client returns a client for the gateway at url, with the token of the settings and the user of
// --user. It fails for an invalid URL and connects to nothing.
func (f *agentFlags) client(c *config, url string) (*sdk.Client, error) {
	var opts []sdk.Option
	if c.Token != "" {
		opts = append(opts, sdk.WithToken(string(c.Token)))
	}
	if f.user != "" {
		opts = append(opts, sdk.WithUser(f.user))
	}
	return sdk.New(url, opts...)
}

// talkLocally talks to the agent of a gateway that serves only this machine's programs.
func (f *agentFlags) talkLocally(cmd *cobra.Command, c *config, environ []string) error {
	if c.Mode == hostedMode {
		return wrongArgument("--gateway: in hosted mode, name the gateway; one for this user alone runs in local mode")
	}
	ctx, stop := context.WithCancel(cmd.Context())
	home := &home{flags: f, config: c, environ: environ}
	client, err := home.gateway(ctx)
	if err == nil {
		err = f.talkTo(ctx, cmd, c, environ, client, home.gateway)
	}
	stop()
	return errors.Join(err, home.close())
}

// talkTo talks to the agent of the gateway of client. If that gateway is lost, the function gateway
// returns a client of its replacement. A nil gateway means that there is no replacement.
func (f *agentFlags) talkTo(ctx context.Context, cmd *cobra.Command, c *config, environ []string, client *sdk.Client, gateway func(context.Context) (*sdk.Client, error)) error {
	root, err := filepath.Abs(f.root)
	if err != nil {
		return err
	}
	opts := terminal.Options{
		Client: client, Gateway: gateway, Session: f.session, Version: "windie " + version, Root: root, GatewayTools: f.tools, Once: f.once, Images: f.images, JSON: f.asJSON, Allow: f.allow, Decide: f.decide, Steps: &f.steps,
		History: filepath.Join(c.DataDir, "agent-history"), In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Err: cmd.ErrOrStderr(), Environ: environ,
	}
	if f.list {
		return f.listSessions(ctx, opts)
	}
	machine, err := f.open(c, root)
	if err != nil {
		return err
	}
	defer machine.Close()
	if opts.Tools, err = toolsOf(machine); err != nil {
		return err
	}
	done, err := terminal.Run(ctx, opts)
	switch {
	case terminal.Wrong(err):
		return wrongArgument("%v", err)
	case err == nil && !done:
		return silentError(exitFailed)
	}
	return err
}

// open returns the machine with the tools that the flags allow.
func (f *agentFlags) open(c *config, root string) (*computer.Computer, error) {
	agents, err := delegatesOf(f.delegates, f.keep, c.DataDir)
	if err != nil {
		return nil, err
	}
	for i, one := range agents {
		if one.Speaks == delegate.Windie {
			agents[i].Command = append(one.Command, f.same()...)
		}
	}
	opts := computer.Options{Root: root, ReadOnly: f.readOnly, Programs: f.programs, Screen: f.screen, Display: f.display, Agents: agents, Ask: f.askStep}
	if f.browser {
		opts.Browser = &browser.Rules{Hosts: f.hosts, Private: f.private, Display: f.display}
	}
	if f.screen {
		if opts.Finder, err = ownFinder(c); err != nil {
			return nil, err
		}
	}
	machine, err := computer.Open(opts)
	if err != nil {
		return nil, wrongArgument("--root: %v", err)
	}
	return machine, nil
}

// same returns the flags with which another windie agent talks to the same gateway.
func (f *agentFlags) same() (flags []string) {
	for name, value := range map[string]string{"gateway": f.gateway, "user": f.user} {
		if value != "" {
			flags = append(flags, "--"+name+"="+value)
		}
	}
	if f.local {
		flags = append(flags, "--local")
	}
	return flags
}

// askStep asks the user of the conversation about a step of a coding agent.
func (f *agentFlags) askStep(ctx context.Context, _ agent.Call, step delegate.Step) (bool, error) {
	raw, err := json.Marshal(step)
	if err != nil {
		return false, err
	}
	return f.steps.Ask(ctx, agent.ModelName(delegateStep), raw, whyStep(step))
}

// toolsOf returns the machine's tools.
func toolsOf(machine *computer.Computer) (agent.View, error) {
	tools := agent.NewRegistry()
	for _, tool := range machine.Tools() {
		if err := tools.Register(tool); err != nil {
			return agent.View{}, err
		}
	}
	return tools.View(), nil
}

// listSessions prints the sessions.
func (f *agentFlags) listSessions(ctx context.Context, opts terminal.Options) error {
	list, err := terminal.Sessions(ctx, opts)
	if err != nil {
		return err
	}
	if f.asJSON {
		return plain.JSON(opts.Out, list)
	}
	terminal.Print(opts.Out, list, time.Now())
	if len(list) == 0 {
		_, err = io.WriteString(opts.Out, "There are no sessions.\n")
	}
	return err
}
