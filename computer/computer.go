// Package computer has tools for the machine that it runs on: files below a folder, and programs.
//
//	c, err := computer.Open(computer.Options{Root: "/home/ada/work", Programs: []string{"git", "make"}})
//	defer c.Close()
//	registry := agent.NewRegistry()
//	for _, tool := range c.Tools() {
//		err := registry.Register(tool)
//	}
//
// Paths are relative to the folder, and nothing leaves it: neither ".." nor links do. A program runs without a
// shell, in a group of processes that ends with its call.
package computer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/windieos/windie/agent"
)

// Bounds of what the tools take and give.
const (
	MaxRead    = 256 << 10 // bytes of one answer of file.read
	MaxWrite   = 1 << 20   // bytes of one file.write
	MaxEntries = 1000      // of one file.list
	MaxOutput  = 64 << 10  // bytes of a program's output that are returned: its beginning and its end
	MaxTime    = 10 * time.Minute
)

// DefaultTime is how long a program may run that the call sets no time for.
const DefaultTime = time.Minute

// Options say what the tools may do.
type Options struct {
	Root     string   // the folder of the files, in which programs run; required
	ReadOnly bool     // without file.write
	Programs []string // that may be run, by name as in PATH, or "*" for any; default: no programs, and no process.run
}

// Computer is the machine as far as its tools may use it.
type Computer struct {
	opts Options
	root *os.Root
	dir  string
}

// Open returns the machine. The caller closes it.
func Open(opts Options) (*Computer, error) {
	if opts.Root == "" {
		return nil, errors.New("computer: no folder for files is named")
	}
	dir, err := filepath.Abs(opts.Root)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Computer{opts, root, dir}, nil
}

// Close gives back the folder.
func (c *Computer) Close() error { return c.root.Close() }

// Dir returns the folder of the files.
func (c *Computer) Dir() string { return c.dir }

// tag is the heading of the tools in lists.
const tag = "computer"

// Tools returns the tools that Options allow.
func (c *Computer) Tools() []agent.Tool {
	tools := []agent.Tool{
		agent.Func(agent.Descriptor{
			Name: "file.list", Tag: tag, Risk: agent.Safe,
			Description: "List a folder of the working folder on the user's machine: names, sizes in bytes, folders with a slash at the end.",
		}, c.list),
		agent.Func(agent.Descriptor{
			Name: "file.read", Tag: tag, Risk: agent.Safe,
			Description: "Read a text file of the working folder on the user's machine, or a part of it by lines.",
		}, c.read),
	}
	if !c.opts.ReadOnly {
		tools = append(tools, agent.Func(agent.Descriptor{
			Name: "file.write", Tag: tag, Risk: agent.Risky,
			Description: "Write a text file of the working folder on the user's machine, whole. Folders on the way are made. The file appears whole or not at all.",
		}, c.write))
	}
	if len(c.opts.Programs) > 0 {
		tools = append(tools, agent.Func(agent.Descriptor{
			Name: "process.run", Tag: tag, Risk: agent.Risky,
			Description: "Run a program in the working folder on the user's machine, without a shell, and return its output and exit code.",
		}, c.run))
	}
	return tools
}

// mayRun reports whether a program may be run.
func (c *Computer) mayRun(name string) bool {
	return slices.Contains(c.opts.Programs, "*") || name == filepath.Base(name) && slices.Contains(c.opts.Programs, name)
}
