// Package terminal is an agent for people at a terminal: they say what they want, watch it being done with the tools
// of their machine, and are asked before something is changed. Scripts get one answer, as text or JSON.
//
//	code, err := terminal.Run(ctx, terminal.Options{Client: client, Tools: tools.View(), Root: dir, In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
//
// A talk follows a session; a screen shows it in a terminal, and a reader of lines where there is none.
package terminal

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"runtime"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdk"
)

// Options describe a conversation. Client, Tools, Root, In, Out and Err are required.
type Options struct {
	Client  *sdk.Client
	Session string // to go on with; empty for a new one; Choose for one that the user chooses, Last for the last one
	Version string

	// Gateway returns the gateway to connect to, see sdk.HostOptions; default: that of Client.
	Gateway func(ctx context.Context) (*sdk.Client, error)

	Root         string     // folder that the tools work in, by its absolute path
	Tools        agent.View // of this machine
	GatewayTools []string   // names of the gateway's tools that may be used too, or patterns

	Steps  *Steps // questions of tools of this machine about what they do; default: one that they cannot ask
	Decide bool   // with Once and JSON: what is asked about is decided by lines of In, see decision

	Once    string   // the only thing that is said; empty for a conversation
	Images  []string // files that go with it
	JSON    bool     // Once answers in JSON, a message per line
	Allow   []string // calls that nobody is asked about: TOOL or TOOL:PATTERN, the pattern being one of paths
	History string   // file that keeps what was said; empty for none

	In       io.Reader
	Out, Err io.Writer
	Environ  []string // of the terminal; default: the process's
}

// What Options.Session may say besides an id.
const (
	Choose = "choose"
	Last   = "last"
)

// errCalled is the error of options that do not fit each other.
var errCalled = errors.New("the options do not fit")

// Wrong reports whether err says that Run was called wrongly.
func Wrong(err error) bool { return errors.Is(err, errCalled) }

// Run holds a conversation until the user ends it, or ctx ends. It reports whether what was said last was done.
func Run(ctx context.Context, opts Options) (done bool, err error) {
	allowed, err := parseRules(opts.Allow)
	if err != nil {
		return false, err
	}
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	isTerminal := plain.IsTerminal(opts.Out) && isTerminalInput(opts.In)
	if opts.Session, err = chosen(ctx, opts, isTerminal); err != nil {
		return false, err
	}
	root, err := os.OpenRoot(opts.Root)
	if err != nil {
		return false, err
	}
	defer root.Close()
	if opts.Steps == nil {
		opts.Steps = new(Steps)
	}
	runner := &runner{tools: opts.Tools, files: newFiles(root), steps: opts.Steps}
	if opts.Once != "" || !isTerminal {
		return newLines(opts, runner, allowed).run(ctx)
	}
	return runScreen(ctx, opts, runner, allowed)
}

// isTerminalInput reports whether somebody types what r yields.
func isTerminalInput(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && plain.IsTerminal(f)
}

// open opens the program's side of the session.
func (o Options) open(ctx context.Context, host sdk.HostOptions) (*sdk.Host, error) {
	host.Session, host.Name, host.Version, host.Root, host.OS = o.Session, clientName(o.Root), o.Version, o.Root, system()
	host.GatewayTools, host.Asks, host.Gateway = o.GatewayTools, true, o.Gateway
	return o.Client.ToolHosts.Open(ctx, host)
}

// clientName is the same for each program of a folder on a machine: one that is started again gets the calls that it had.
func clientName(root string) string {
	machine, _ := os.Hostname() // without, folders alone distinguish programs
	return "windie-agent-" + hashid.Of(machine+"\x00"+root, 8)
}

// system returns the name of the operating system, for the agent.
func system() string {
	return cmp.Or(map[string]string{"darwin": "macOS", "linux": "Linux", "windows": "Windows"}[runtime.GOOS], runtime.GOOS)
}
