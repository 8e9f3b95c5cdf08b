// Package git has git tools for the repositories of a folder: status, diff, log, show, add, commit,
// branch.
//
//	tools := git.New("/home/ada/work", git.Rules{}).Tools()
//
// A repository can name programs in many places: hooks, filters, textconv, fsmonitor, aliases,
// pagers, signing. None of them runs here. No list of flags achieves that, because nobody can name
// all filters. So git works with a private directory in place of the repository's .git. Links in it
// lead to the data (objects, refs, index, logs), and its settings come from a short list of
// harmless settings. Of the user's own settings, it uses only name, address and ignored files.
//
// Repositories whose data is elsewhere (linked worktrees, submodules, alternates, partial clones,
// reftables, links in .git) are refused, and the error says what to do. If a repository contains
// another repository, git would run itself with the settings of the inner repository. So git.add
// refuses such folders, git.commit works without the files, and the other commands skip the inner
// repository.
package git

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/process"
)

// Limits of the tools.
const (
	// MaxOutput is the maximum size of a result, in bytes. If a result is longer, only its beginning and its end are
	// returned, each with half of the maximum size.
	MaxOutput  = 128 << 10
	MaxCommits = 200     // maximum number of commits in one result of git.log
	MaxPaths   = 1000    // maximum number of paths in the arguments of one call
	MaxRefs    = 100_000 // maximum number of entries in .git/refs of a repository, and in .git/logs
	MaxIgnored = 1 << 20 // maximum size of an ignore file and of .git/config, in bytes
)

// Rules limit the tools. The zero value allows making commits and branches.
type Rules struct {
	ReadOnly bool // include only the tools that read
}

// Git runs git in a working folder. Its methods are safe for concurrent use.
type Git struct {
	dir   string
	rules Rules
}

// New returns a Git for a working folder, which is a repository or contains repositories.
func New(dir string, rules Rules) *Git { return &Git{dir, rules} }

// Tools returns the tools that the rules allow.
func (g *Git) Tools() []agent.Tool {
	tools := []agent.Tool{
		tool("git.status", agent.Safe, "Show the branch and the changed files of a git repository on the user's machine.", g.status),
		tool("git.diff", agent.Safe, "Show changes in a git repository: unstaged, staged, or between two commits.", g.diff),
		tool("git.log", agent.Safe, "List commits of a git repository, newest first.", g.log),
		tool("git.show", agent.Safe, "Show a commit of a git repository with its changes, or a file at a commit.", g.show),
	}
	if g.rules.ReadOnly {
		return append(tools, tool("git.branches", agent.Safe, "List the branches of a git repository.", g.branches))
	}
	return append(tools,
		tool("git.branches", agent.Safe, "List the branches of a git repository.", g.branches),
		tool("git.add", agent.Risky, "Stage changed files of a git repository for the next commit.", g.add),
		tool("git.commit", agent.Risky, "Commit the staged changes of a git repository. Hooks do not run, and the commit is not signed.", g.commit),
		tool("git.branch", agent.Risky, "Create a branch in a git repository. From the current commit, also switch to it.", g.branch),
	)
}

// tool returns a tool that calls a method.
func tool[In any](name string, risk agent.Risk, description string, work func(context.Context, agent.Call, In) (Output, error)) agent.Tool {
	return agent.Func(agent.Descriptor{Name: name, Tag: "computer", Risk: risk, Description: description}, work)
}

// Output is the result of a git tool: the text that git has printed.
type Output struct {
	Output string `json:"output"`
	Cut    bool   `json:"cut,omitempty" doc:"The middle of the output is omitted."`
}

// In is embedded in the arguments of each git tool, and selects the repository.
type In struct {
	Repository string `json:"repository,omitempty" default:"." maxLength:"4096" doc:"Folder of the repository, relative to the working folder."`
}

// refPattern matches the allowed names of commits and branches: not an option, and nothing that
// makes git read a file.
var refPattern = regexp.MustCompile(`^[^-\x00-\x1f\x7f][^\x00-\x1f\x7f]*$`)

// checkRef returns a Failure if a text cannot name a commit.
func checkRef(name string) error {
	if name != "" && !refPattern.MatchString(name) {
		return agent.Failf("%q is not a commit: it starts with - or has control characters", name)
	}
	return nil
}

// paths returns "--" and the paths for git, or a Failure if one leads out of the repository. Given
// two paths of which one is outside, git diff would compare any two files.
func paths(list []string) ([]string, error) {
	args := []string{"--"}
	for _, p := range list {
		clean := path.Clean(filepath.ToSlash(p))
		if !filepath.IsLocal(clean) || strings.ContainsRune(p, 0) {
			return nil, agent.Failf("%s is not in the repository; give paths relative to it", p)
		}
		args = append(args, clean)
	}
	return args, nil
}

// harmless are arguments of every command.
var harmless = []string{
	"--no-pager", "--literal-pathspecs", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
	"-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "commit.gpgSign=false", "-c", "core.quotePath=false",
}

// environment are all variables for git, besides the repository's place.
var environment = []string{
	"HOME=/nonexistent", "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_EDITOR=:", "GIT_ASKPASS=/bin/false",
	"GIT_SSH_COMMAND=/bin/false", "GIT_PAGER=cat", "GIT_CEILING_DIRECTORIES=/",
}

// run runs a git command in a repository. If it fails, its output is a Failure for the model.
func (r *repository) run(ctx context.Context, args ...string) (Output, error) {
	return r.runIn(ctx, r.work, nil, args...)
}

// runIn works like run, with the folder work in place of the repository's files. If out is not nil, it
// writes the output to that file.
func (r *repository) runIn(ctx context.Context, work string, out *os.File, args ...string) (Output, error) {
	env := slices.Concat(environment, searchPath(), []string{"GIT_DIR=" + r.private, "GIT_WORK_TREE=" + work})
	got, err := process.Run(ctx, process.Command{
		Program: "git", Args: slices.Concat(harmless, args), Dir: work, Env: env, Output: MaxOutput, Out: out,
	})
	verb := verbOf(args)
	switch {
	case err != nil:
		return Output{}, err
	case got.Ended != "":
		return Output{}, agent.Failf("git %s was stopped: %s", verb, got.Ended)
	case got.ExitCode != 0:
		said := strings.ReplaceAll(strings.TrimSpace(got.Output), r.private, path.Join(r.work, ".git"))
		return Output{}, agent.Failf("git %s: %s", verb, said)
	}
	return Output{got.Output, got.Cut}, nil
}

// verbOf returns the command in args, which settings may precede.
func verbOf(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}
