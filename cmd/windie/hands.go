package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/client/computer/browser"
	"github.com/windieos/windie/client/computer/delegate"
	"github.com/windieos/windie/perception/query"
)

// hands are the flags that say what an agent may do on this machine.
type hands struct {
	dir, display              string
	programs, hosts           []string
	readOnly, remove, browser bool
	private                   bool
	delegates, keep           []string

	// decides about steps of delegates; nil denies them
	ask func(context.Context, agent.Call, delegate.Step) (bool, error)
}

// add adds the flags to a command. Each description begins with when.
func (h *hands) add(cmd *cobra.Command, when string) {
	cmd.Flags().StringVar(&h.dir, "dir", "", when+"`FOLDER` of files that the agent may use (default the folder worker in data_dir)")
	cmd.Flags().StringArrayVar(&h.programs, "program", nil, when+"`PROGRAM` that the agent may run, or \"*\" for any; can be repeated")
	cmd.Flags().BoolVar(&h.readOnly, "read-only", false, when+"do not let the agent write files")
	cmd.Flags().BoolVar(&h.remove, "remove", false, when+"let the agent delete files")
	cmd.Flags().StringVar(&h.display, "display", "", when+"X11 `DISPLAY` of the screen (default from the variable DISPLAY)")
	cmd.Flags().BoolVar(&h.browser, "browser", false, when+"let the agent use the installed Chromium or Chrome, with a separate profile")
	cmd.Flags().StringArrayVar(&h.hosts, "browser-host", nil, when+"`HOST` that the browser may open, for example \"*.example.com\"; can be repeated (default all public hosts)")
	cmd.Flags().BoolVar(&h.private, "browser-private", false, when+"let the browser also open addresses of this machine and its network")
	addDelegates(cmd, when, &h.delegates, &h.keep)
}

// options returns the permissions that the flags give. If finder is not nil, they include the screen, on
// which finder finds texts and elements. It creates the folder if it is missing.
func (h *hands) options(c *config, finder *query.Finder) (computer.Options, error) {
	// a subfolder, because another process uses the data folder itself
	agents, err := delegatesOf(h.delegates, h.keep, filepath.Join(c.DataDir, "delegate"))
	if err != nil {
		return computer.Options{}, err
	}
	opts := computer.Options{
		Agents: agents, Ask: h.ask, Screen: finder != nil, Finder: finder, Display: h.display,
		Root: cmp.Or(h.dir, filepath.Join(c.DataDir, "worker")), ReadOnly: h.readOnly, Remove: h.remove, Programs: h.programs,
	}
	if h.browser {
		opts.Browser = &browser.Rules{Hosts: h.hosts, Private: h.private, Display: h.display}
	}
	return opts, os.MkdirAll(opts.Root, 0o755) //nolint:gosec // a folder of the user's
}

// open returns the machine, with its screen if finder is not nil.
func (h *hands) open(c *config, finder *query.Finder) (*computer.Computer, error) {
	opts, err := h.options(c, finder)
	if err != nil {
		return nil, err
	}
	return computer.Open(opts)
}

// ownFinder returns a finder for a process without a gateway, which reads screens itself.
func ownFinder(c *config) (*query.Finder, error) { return c.newFinder(newScenes(c, nil, pools{}), nil) }

// lend registers the machine's tools beside the gateway's. The caller closes the machine.
func (h *hands) lend(c *config, p parts) (*computer.Computer, error) {
	h.ask = askThrough(p)
	machine, err := h.open(c, p.app.Finder)
	if err != nil {
		return nil, err
	}
	for _, tool := range machine.Tools() {
		if err := p.app.Tools.Register(tool); err != nil {
			return nil, errors.Join(err, machine.Close())
		}
	}
	return machine, nil
}
