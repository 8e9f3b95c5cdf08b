// Package terminal is an agent for people at a terminal. They say what they want and watch the
// agent work with the tools of their machine. It asks them before it changes something. Scripts get
// one answer, as text or JSON.
//
//	code, err := terminal.Run(ctx, terminal.Options{Client: client, Tools: tools.View(), Root: dir, In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
//
// A talk follows a session. In a terminal, a screen shows the talk. Without a terminal, a reader of
// lines shows the talk.
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
	Client *sdk.Client
	// Session is the id of the session to resume. If it is empty, Run starts a new session. With the value Choose, the
	// user chooses a session. The value Last means the most recent session.
	Session string
	Version string

	// Gateway returns the gateway to connect to, see sdk.HostOptions. If it is nil, Client is used.
	Gateway func(ctx context.Context) (*sdk.Client, error)

	Root         string     // absolute path of the folder in which the tools work
	Tools        agent.View // the tools of this machine
	GatewayTools []string   // names or patterns of the gateway's tools that the agent may use too

	// Steps asks the user about steps of tools that run on this machine. If it is nil, such tools
	// cannot ask.
	Steps *Steps
	// Decide allows a program to answer the questions, if Once and JSON are also set. Each line of In is then a
	// decision, see the type decision.
	Decide bool

	// Once is the only message that Run sends. If it is empty, the user has a conversation.
	Once   string
	Images []string // files of images that belong to the message Once
	// JSON prints the answer to Once as JSON, one message per line.
	JSON bool
	// Allow lists the calls that need no question. An entry is TOOL or TOOL:PATTERN, where PATTERN is
	// a pattern of file paths.
	Allow []string
	// History is the file of the input history. If it is empty, there is no history.
	History string

	In       io.Reader
	Out, Err io.Writer
	Environ  []string // environment variables of the terminal; default: those of this process
}

// Values of Options.Session besides an id.
const (
	Choose = "choose"
	Last   = "last"
)

// errCalled is the error of options that exclude each other.
var errCalled = errors.New("invalid options")

// Wrong reports whether err means that the Options of Run are invalid.
func Wrong(err error) bool { return errors.Is(err, errCalled) }

// Run holds a conversation until the user ends it or ctx ends. The result done reports whether the
// agent completed the last message.
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

// isTerminalInput reports whether r reads from a terminal.
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

// clientName returns the same name for each program in a folder on a machine, so that a restarted
// program gets its pending calls again.
func clientName(root string) string {
	machine, _ := os.Hostname() // without the machine's name, only folders distinguish programs
	return "windie-agent-" + hashid.Of(machine+"\x00"+root, 8)
}

// system returns the name of the operating system, for the agent.
func system() string {
	return cmp.Or(map[string]string{"darwin": "macOS", "linux": "Linux", "windows": "Windows"}[runtime.GOOS], runtime.GOOS)
}
