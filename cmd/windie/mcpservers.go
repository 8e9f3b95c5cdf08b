package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/internal/plain"
)

// mcpFile returns the file of MCP servers, which may be missing unless the settings name it.
func (c *config) mcpFile() string { return cmp.Or(c.MCP.File, filepath.Join(c.DataDir, "mcp.json")) }

// mcpDir returns the folder of the tool lists that servers sent last and that the operator
// accepted.
func (c *config) mcpDir() string { return filepath.Join(c.DataDir, "mcp") }

// mcpSpecs reads the file of MCP servers. The file may be missing unless the settings name it.
func (c *config) mcpSpecs() ([]mcptools.Spec, error) {
	raw, err := os.ReadFile(c.mcpFile())
	if errors.Is(err, fs.ErrNotExist) && c.MCP.File == "" {
		return nil, nil
	}
	if err != nil {
		return nil, &configError{[]string{"mcp.file (WINDIE_MCP_FILE): " + err.Error()}}
	}
	specs, err := mcptools.Parse(raw, os.LookupEnv)
	if err != nil {
		return nil, fileError("mcp.file (WINDIE_MCP_FILE)", c.mcpFile(), err)
	}
	return specs, nil
}

// openMCP registers the known tools of MCP servers. Run requests the others. connections may be nil for
// a command without users.
func openMCP(c *config, tools *agent.Registry, connections mcptools.Connections, log *slog.Logger) (*mcptools.Servers, error) {
	specs, err := c.mcpSpecs()
	if err != nil {
		return nil, err
	}
	return mcptools.New(mcptools.Config{Specs: specs, Dir: c.mcpDir(), Version: version, Connections: connections, Log: log}, tools)
}

// besideGateway opens the servers for a command that may run beside a gateway. It reserves the names
// of the gateway's own tools. The caller closes the servers.
func besideGateway(ctx context.Context, c *config) (*mcptools.Servers, error) {
	_, tools, err := newTools(ctx, c, nil, new(state), nil)
	if err != nil {
		return nil, err
	}
	return openMCP(c, tools, nil, slog.New(slog.DiscardHandler))
}

// checkMCP checks the file of MCP servers, that their programs are installed, and that their last
// tool lists are accepted. It starts no server.
func (c *config) checkMCP(ctx context.Context) (string, error) {
	specs, err := c.mcpSpecs()
	if err != nil || len(specs) == 0 {
		return "no MCP servers in " + c.mcpFile(), err
	}
	for _, s := range specs {
		if s.Disabled || s.Command == "" {
			continue
		}
		if _, err := exec.LookPath(s.Command); err != nil {
			return "", fmt.Errorf("the program of the MCP server %q is missing: %w; install it, or set \"disabled\": true in %s", s.Name, err, c.mcpFile())
		}
	}
	servers, err := besideGateway(ctx, c)
	if err != nil {
		return "", err
	}
	defer servers.Close()
	known := 0
	for _, s := range servers.List() {
		if n := s.Changed(); n > 0 {
			return "", fmt.Errorf("%d tools of the MCP server %q have changed, so the gateway refuses them: to review the changes, run windie mcp servers; to accept them, run windie mcp accept %s", n, s.Name, s.Name)
		}
		known += len(s.Tools)
	}
	return fmt.Sprintf("%d servers in %s, %d tools known; `windie mcp servers` asks them", len(specs), c.mcpFile(), known), nil
}

// serverInfos is the output of servers.
type serverInfos struct {
	Servers []mcptools.Status `json:"servers"`
}

// print prints a table of all servers, then the tools, notes and problem of each enabled one.
func (l serverInfos) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SERVER\tBY\tSTATE\tTOOLS")
	for _, s := range l.Servers {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\n", s.Name, s.Where, s.State, len(s.Tools))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range l.Servers {
		if s.State != mcptools.Disabled {
			printServer(w, s)
		}
	}
	return nil
}

// printServer prints the tools of a server with their risks. For a changed tool, it prints the
// command that accepts the change.
func printServer(w io.Writer, s mcptools.Status) {
	fmt.Fprintf(w, "\n%s\n", s.Name)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, t := range s.Tools {
		state := string(t.Risk)
		if t.Changed {
			state = "changed: refused until you run: windie mcp accept " + s.Name
		}
		fmt.Fprintf(table, "  %s\t%s\n", plain.Text(t.Name), state)
	}
	_ = table.Flush() // the next write reports the error
	for _, n := range s.Notes {
		fmt.Fprintf(w, "  note: %s\n", plain.Text(n))
	}
	if s.Problem != "" {
		fmt.Fprintf(w, "  problem: %s\n", plain.Text(s.Problem))
	}
}

// mcpServersCommand returns `windie mcp servers`. It starts the servers' programs, and stops them
// before it returns.
func mcpServersCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "servers",
		Short: "List the MCP servers with their tools and problems",
		Long: "The command starts the programs and connects to the URLs in the file of MCP servers, as the\n" +
			"gateway does. The command also works while a gateway runs. The exit code is 1 if a server cannot be\n" +
			"used.",
		Example: "  windie mcp servers\n  windie mcp servers --json",
		Args:    cobra.NoArgs,
	}
	answer := printed(cmd)
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, _ []string) error {
		servers, err := besideGateway(cmd.Context(), c)
		if err != nil {
			return err
		}
		defer servers.Close()
		servers.Ask(cmd.Context())
		list := serverInfos{servers.List()}
		if err := answer(list); err != nil {
			return err
		}
		if slices.ContainsFunc(list.Servers, func(s mcptools.Status) bool { return s.Problem != "" }) {
			return silentError(exitFailed)
		}
		return nil
	})
	return cmd
}

// acceptedTools is the output of accept.
type acceptedTools struct {
	Accepted []string `json:"accepted"`
}

// print prints a line for each accepted tool, or one line if there was no change.
func (a acceptedTools) print(w io.Writer) error {
	if len(a.Accepted) == 0 {
		_, err := fmt.Fprintln(w, "nothing has changed")
		return err
	}
	for _, name := range a.Accepted {
		if _, err := fmt.Fprintln(w, "accepted", plain.Text(name)); err != nil {
			return err
		}
	}
	return nil
}

// printChanged prints the old and the new definition of each changed tool of a server.
func printChanged(w io.Writer, s mcptools.Status) {
	for _, t := range s.Tools {
		if !t.Changed {
			continue
		}
		fmt.Fprintln(w, plain.Text(t.Name))
		if t.Was == nil {
			fmt.Fprintln(w, "  before: not known")
		} else {
			printDefinition(w, "before", t.Was)
		}
		printDefinition(w, "now", t.Now)
	}
}

// printDefinition prints the description and the schemas of a tool, without control characters.
func printDefinition(w io.Writer, when string, d *mcptools.Definition) {
	fmt.Fprintf(w, "  %s: %s\n    input: %s\n", when, plain.Text(d.Description), plain.Text(string(d.Input)))
	if len(d.Output) > 0 {
		fmt.Fprintf(w, "    output: %s\n", plain.Text(string(d.Output)))
	}
}

// mcpAcceptCommand returns `windie mcp accept`. It accepts exactly the definitions that it printed,
// and starts no server.
func mcpAcceptCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "accept SERVER",
		Short: "Accept the changed tools of an MCP server",
		Long: "If a server changes a tool, the gateway refuses the tool until you accept the change. The command\n" +
			"shows the old definition and the one in the server's last list of tools, and accepts the new one. A\n" +
			"running gateway applies it within a second.",
		Example: "  windie mcp accept files",
		Args:    cobra.ExactArgs(1),
	}
	answer := printed(cmd)
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, args []string) error {
		servers, err := besideGateway(cmd.Context(), c)
		if err != nil {
			return err
		}
		defer servers.Close()
		shown, err := servers.Status(args[0])
		if err != nil {
			return plain.Explain(err)
		}
		printChanged(cmd.ErrOrStderr(), shown)
		accepted, err := servers.Accept(args[0], shown.Changes)
		if err != nil {
			return plain.Explain(err)
		}
		return answer(acceptedTools{append([]string{}, accepted...)})
	})
	return cmd
}
